// What the timing harness itself runs on the GPU, from text: timing_kernels.cu.
#pragma once

#include "app/base/element_type.hpp"
#include "app/gpu/device.hpp"
#include "app/measure/timing/running_sum.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warptree::runs {

// An array that is made by formula.
struct Contents {
    ElementType type = ElementType::i32;
    std::uint64_t n = 0, seed = 0;
    timing::Data data = timing::Data::random;
    friend bool operator==(const Contents&, const Contents&) = default;
};

// Elements that are not what they should be, and the lowest index of one; to begin with 0 and ~0.
struct Wrong {
    unsigned long long count = 0, first = ~0ULL;
};

// Of one element type. All but the constructor queue their work.
class TimingKernels {
  public:
    // By NVRTC, else by LLVM. Throws DeviceError.
    explicit TimingKernels(ElementType type);

    void fill(gpu::api::Address out, const Contents& what) const;
    void compare_copy(gpu::api::Address out, const Contents& in, gpu::api::Address wrong) const;
    // Whether `out` is the scan of `in` under sum, of each `tile` elements on their own. Sums must be exact.
    void compare_scan(gpu::api::Address out, const Contents& in, std::uint64_t tile, bool exclusive,
                      gpu::api::Address wrong) const;
    // The same of floats, within what rounding explains (app/measure/timing/scan_check.hpp), for parts of `part` elements.
    // `before`: a timing::RunningSum before each part, of a scan of the whole input; 0: a part is a tile.
    void compare_rounded(gpu::api::Address out, const Contents& in, std::uint64_t part, gpu::api::Address before,
                         bool exclusive, const timing::ScanTolerance& tolerance, gpu::api::Address wrong) const;
    // Adds up the 32-bit words of `bytes` bytes, on top of what `out` holds.
    void read_all(gpu::api::Address in, std::uint64_t bytes, gpu::api::Address out) const;
    void nothing(std::uint32_t grid, std::uint32_t block) const;

  private:
    gpu::Module code_;
    gpu::api::Function fill_, compare_copy_, compare_scan_, compare_rounded_, read_all_, nothing_;
};

// For tests, which need no GPU: the text, and what is put in its place of ELEMENT.
const char* timing_kernels_text();
std::string timing_kernels_code(ElementType type, const std::string& architecture, bool by_nvrtc);

} // namespace warptree::runs
