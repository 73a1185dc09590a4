#include "app/measure/gpu/timing_bench.hpp"

#include "app/base/element.hpp"
#include "app/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warptree::runs {

namespace {
constexpr std::uint64_t kScanPart = 4096; // elements that a thread checks in a scan of the whole input

bool is_exact(const Contents& in) { return !is_floating(in.type) || in.data == timing::Data::whole; }

std::string difference(const Scalar& got, const Reference& want) {
    if (!is_floating(got.type)) {
        return got == want.value ? "" : fmt::format("{} instead of {}", to_string(got), to_string(want.value));
    }
    const double g = got.as_double(), w = want.value.as_double();
    if (g == w || std::abs(g - w) <= want.tolerance) {
        return {};
    }
    return fmt::format("{} instead of {} (rounding tolerance {:g})", to_string(got), to_string(want.value),
                       want.tolerance);
}
} // namespace

TimingBench::TimingBench(std::chrono::milliseconds limit) : watch(limit), limit_(limit), wrong_(sizeof(Wrong)) {}

void TimingBench::forget() {
    arrays.forget();
    totals_.clear();
    sums_.clear();
}

std::string TimingBench::count_wrong(const Contents& in, const std::function<void(gpu::api::Address)>& check) {
    Wrong found;
    wrong_.upload(&found, sizeof found);
    check(wrong_.address());
    wrong_.download(&found, sizeof found);
    return found.count == 0 ? std::string()
                            : fmt::format("{} of {} elements, the first at {}", found.count, in.n, found.first);
}

std::string TimingBench::wrong_in_copy(gpu::api::Address out, const Contents& in) {
    return count_wrong(in, [&](auto wrong) { arrays.kernels(in.type).compare_copy(out, in, wrong); });
}

std::string TimingBench::wrong_in_scan(gpu::api::Address out, const Contents& in, std::uint64_t tile, bool exclusive,
                                       const timing::ScanDepth& depth) {
    const TimingKernels& kernels = arrays.kernels(in.type);
    if (is_exact(in)) {
        return count_wrong(in, [&](auto wrong) { kernels.compare_scan(out, in, tile, exclusive, wrong); });
    }
    const bool whole = tile >= in.n;
    gpu::api::Address before = 0;
    if (whole) {
        auto known = std::find_if(sums_.begin(), sums_.end(), [&](const auto& s) { return s.first == in; });
        if (known == sums_.end()) {
            const auto sums = timing::sums_before(in.data, in.n, in.type, in.seed, kScanPart);
            known = sums_.emplace(sums_.end(), in, gpu::Buffer(sums.size() * sizeof sums[0]));
            known->second.upload(sums.data(), sums.size() * sizeof sums[0]);
        }
        before = known->second.address();
    }
    return count_wrong(in, [&](auto wrong) {
        kernels.compare_rounded(out, in, whole ? kScanPart : tile, before, exclusive,
                                timing::scan_tolerance(depth, in.type), wrong);
    });
}

std::string TimingBench::wrong_in_total(const Scalar& got, const Contents& in, Operator op, std::uint64_t depth) {
    const auto asked = std::pair{in, op};
    auto known = std::find_if(totals_.begin(), totals_.end(), [&](const auto& t) { return t.first == asked; });
    if (known == totals_.end()) {
        known = totals_.emplace(totals_.end(), asked, timing::expected_total(in.data, in.n, in.type, op, in.seed, 0));
    }
    const Reference& exact = known->second;
    return difference(got, {exact.value, exact.tolerance * static_cast<double>(depth + 1)});
}

Scalar TimingBench::combined(gpu::api::Address from, ElementType type, Operator op, std::uint64_t count) {
    const std::uint64_t size = count * bytes(type);
    if (host_ == nullptr || host_->size() < size) {
        host_.reset();
        host_ = std::make_unique<gpu::HostBuffer>(size);
    }
    gpu::read(*host_, from, size);
    gpu::wait(limit_);
    return timing::host_total(type, op, host_->data(), count);
}

} // namespace warptree::runs
