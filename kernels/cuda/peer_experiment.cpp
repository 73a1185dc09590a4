#if WARPTREE_HAS_CUDA

#include "app/measure/timing/launches.hpp"
#include "kernels/cuda/peers.hpp"
#include "kernels/cuda/timing_experiment.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warptree::cuda {

namespace {
class PeerExperiment final : public OnGpu {
  public:
    PeerExperiment(Bench& bench, const timing::Configuration& what) : OnGpu(bench, what) {
        bench.output().ensure(std::max<std::uint64_t>(timing::traffic(what).written, 16));
        std::size_t bytes = 0;
        cuda::check(static_cast<cudaError_t>(peer_scratch(call(), bytes)), "asking what the library needs");
        bench.scratch().ensure(std::max<std::size_t>(bytes, 1));
        bytes_ = bytes;
    }

  private:
    PeerCall call() {
        const auto it = what_.parameters.find("exclusive");
        return {what_.variant,  what_.type,
                what_.op,       it != what_.parameters.end() && it->second != 0,
                bench_.input(), bench_.output().data(),
                what_.n,        static_cast<std::uint32_t>(bench_.gpu().multiprocessors)};
    }
    void reset() override { cuda::check(static_cast<cudaError_t>(reset_peer(call())), "clearing a total"); }
    void enqueue() override {
        cuda::check(static_cast<cudaError_t>(run_peer(call(), bench_.scratch().data(), bytes_)), "launching a peer");
    }
    std::uint64_t results() const override { return 1; }
    std::string compare(bool exact) override {
        if (what_.variant == timing::kCopy) {
            return bench_.wrong_in_copy(result());
        }
        if (what_.variant == timing::kVendorScan) {
            return exact ? bench_.wrong_in_scan(result(), what_.n, call().exclusive)
                         : bench_.wrong_in_rounded_scan(result(), what_.n, call().exclusive, timing::scan_depth(what_));
        }
        if (what_.variant == timing::kVendorReduce) {
            return difference(fetch(), bench_.expected(what_.op, timing::depth_bound(what_)));
        }
        std::uint32_t got = 0;
        cuda::check(cudaMemcpy(&got, result(), sizeof got, cudaMemcpyDeviceToHost), "copying from the GPU");
        const std::uint32_t want = bench_.expected_words();
        return got == want ? "" : fmt::format("{} instead of {}", got, want);
    }

    std::size_t bytes_ = 0;
};
} // namespace

std::unique_ptr<timing::Experiment> open_peer(Bench& bench, const timing::Configuration& what) {
    return std::make_unique<PeerExperiment>(bench, what);
}

} // namespace warptree::cuda

#endif
