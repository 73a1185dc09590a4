// What all experiments on this machine's GPU share: the stopwatch, the arrays, and the expected results.
#pragma once

#include "app/gpu/stopwatch.hpp"
#include "app/measure/gpu/shared_arrays.hpp"
#include "app/measure/timing/expected.hpp"
#include "app/measure/timing/scan_check.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace warptree::runs {

class TimingBench {
  public:
    explicit TimingBench(std::chrono::milliseconds limit); // time limit of a run

    gpu::Stopwatch watch;
    SharedArrays arrays;

    std::chrono::milliseconds limit() const { return limit_; }
    // Drops what was kept for earlier inputs.
    void forget();

    // Each returns what is wrong; empty: nothing.
    std::string wrong_in_copy(gpu::api::Address out, const Contents& in);
    // Checks a sum scan by tiles of `tile` elements; `depth` bounds the rounding of floats that are not whole numbers.
    std::string wrong_in_scan(gpu::api::Address out, const Contents& in, std::uint64_t tile, bool exclusive,
                              const timing::ScanDepth& depth);
    // Checks `got` against the total; `depth`, of the tree, bounds the rounding likewise.
    std::string wrong_in_total(const Scalar& got, const Contents& in, Operator op, std::uint64_t depth);

    // Copies `count` elements from the GPU and combines them on the host.
    Scalar combined(gpu::api::Address from, ElementType type, Operator op, std::uint64_t count);

  private:
    std::string count_wrong(const Contents& in, const std::function<void(gpu::api::Address)>& check);

    std::chrono::milliseconds limit_;
    gpu::Buffer wrong_;
    std::unique_ptr<gpu::HostBuffer> host_;
    std::vector<std::pair<std::pair<Contents, Operator>, Reference>> totals_; // for a depth of 0
    std::vector<std::pair<Contents, gpu::Buffer>> sums_;                      // sums before each part of kScanPart
};

} // namespace warptree::runs
