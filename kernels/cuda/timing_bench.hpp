// The memory of the experiments on one input, and the time that one takes.
#pragma once

#include "app/measure/timing/scan_check.hpp"
#include "kernels/cuda/buffer.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/stream_event.hpp"
#include "kernels/cuda/timing_kernels.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace warptree::cuda {

class Bench {
  public:
    explicit Bench(std::uint64_t seed);

    const Gpu& gpu() const { return gpu_; }
    std::uint64_t seed() const { return seed_; }
    std::uint64_t flush_bytes() const { return flush_.size(); }
    void* input() const { return input_.data(); }
    Room<Buffer>& output() { return output_; }
    Room<Buffer>& second_output() { return second_output_; }
    Room<Buffer>& scratch() { return scratch_; }
    Room<HostBuffer>& host() { return host_; }

    // A random input; nothing of an earlier one is left.
    void prepare(std::uint64_t n, ElementType type);
    void fill_input(timing::Data data);

    // Of the whole input; the tolerance is for a tree of that depth.
    Reference expected(Operator op, std::uint64_t depth);
    std::uint32_t expected_words() const;
    // What is wrong in `out`, on the GPU; empty: nothing.
    std::string wrong_in_scan(const void* out, std::uint64_t tile, bool exclusive);
    // Of floats that are no whole numbers: within what rounding explains.
    std::string wrong_in_rounded_scan(const void* out, std::uint64_t tile, bool exclusive,
                                      const timing::ScanDepth& depth);
    std::string wrong_in_copy(const void* out);

    void overwrite_cache();
    // Seconds of what `enqueue` puts into the stream, which is held until all of it is there.
    double between_events(const std::function<void()>& enqueue);

  private:
    Gate* gate() const { return static_cast<Gate*>(gate_.data()); }
    std::string count_wrong(const std::function<int(Wrong*)>& check_on_gpu);

    Gpu gpu_;
    std::uint64_t seed_;
    HostBuffer gate_;
    Buffer wrong_;
    Room<Buffer> flush_, input_, output_, second_output_, scratch_;
    Room<Buffer> sums_; // before each part of the random input, for scans of all of it
    Room<HostBuffer> host_;
    Contents contents_;                                               // of the input
    std::map<std::pair<timing::Data, Operator>, Reference> expected_; // for a depth of 0
    bool filled_ = false;
    unsigned flushes_ = 0;
    StreamEvent begin_, end_;
};

} // namespace warptree::cuda
