#if WARPTREE_HAS_CUDA

#include "kernels/cuda/timing.hpp"

#include "app/base/build_info.hpp"
#include "app/measure/timing/launches.hpp"
#include "kernels/cuda/backend.hpp"
#include "kernels/cuda/peers.hpp"
#include "kernels/cuda/timing_experiment.hpp"

#include <fmt/format.h>

#include <fstream>

namespace warptree::cuda {

namespace {
using timing::Configuration;

std::string driver_text() {
    std::ifstream file("/proc/driver/nvidia/version");
    std::string word, found;
    while (found.empty() && file >> word) { // the first word that is a version number
        if (!word.empty() && word.find_first_not_of("0123456789.") == std::string::npos &&
            word.find('.') != std::string::npos) {
            found = word;
        }
    }
    const int api = driver_version();
    return fmt::format("{}{}CUDA {}.{}", found, found.empty() ? "" : ", ", api / 1000, api % 1000 / 10);
}

class GpuDevice final : public timing::Device {
  public:
    explicit GpuDevice(std::uint64_t seed) : bench_(seed) {
        std::size_t available = 0, all = 0;
        check(cudaMemGetInfo(&available, &all), "cudaMemGetInfo");
        room_ = available;
    }

    timing::Provenance provenance() const override {
        const Gpu& g = bench_.gpu();
        const BuildInfo& b = build_info();
        timing::Provenance p;
        p.device = g.name;
        p.compute_capability = fmt::format("{}.{}", g.compute_major, g.compute_minor);
        p.driver = driver_text();
        p.toolkit = b.cuda_version;
        p.compiler_flags = fmt::format("nvcc -O3 -lineinfo, {}; {} {}", b.cuda_architectures, b.compiler, b.build_type);
        p.commit = b.commit;
        p.multiprocessors = g.multiprocessors;
        p.core_clock_khz = g.core_clock_khz;
        p.memory_clock_khz = g.memory_clock_khz;
        p.memory_bus_bits = g.memory_bus_bits;
        p.l2_bytes = g.l2_bytes;
        p.flush_bytes = bench_.flush_bytes();
        p.seed = bench_.seed();
        p.theoretical_bytes_per_second = g.theoretical_bytes_per_second();
        return p;
    }

    std::string refusal(const Configuration& what) const override {
        const timing::Traffic t = timing::traffic(what);
        constexpr std::uint64_t kSlack = 512ULL << 20; // partials, tiles, the library's own
        if (t.total() + kSlack > room_) {
            return fmt::format("needs {} MB of GPU memory, and {} MB are free", (t.total() + kSlack) >> 20,
                               room_ >> 20);
        }
        if (timing::is_known_peer(what.variant)) {
            PeerCall call;
            call.id = what.variant;
            call.type = what.type;
            return has_peer(call) ? "" : fmt::format("{} is compiled for i32, f32 and f64", what.variant);
        }
        if (what.quantity == timing::Quantity::launch) {
            return {};
        }
        return is_compiled(what)
                   ? std::string()
                   : fmt::format("{} of {} with --finish {} and blocks of {} is not compiled for timing; sums of i32, "
                                 "f32 and f64 in blocks of 32 and more are",
                                 name(what.op), name(what.type), name(what.finish),
                                 timing::launches(what).front().block);
    }

    void prepare(std::uint64_t n, ElementType type) override { bench_.prepare(n, type); }

    std::unique_ptr<timing::Experiment> open(const Configuration& what) override {
        if (timing::is_known_peer(what.variant)) {
            return open_peer(bench_, what);
        }
        if (what.quantity == timing::Quantity::launch) {
            return open_empty(bench_, what);
        }
        return open_strategy(bench_, what);
    }

  private:
    Bench bench_;
    std::uint64_t room_ = 0;
};
} // namespace

std::unique_ptr<timing::Device> timing_device(std::uint64_t seed) {
    if (!usable()) {
        throw MissingDevice("timing kernels needs a GPU: " + why_not());
    }
    return std::make_unique<GpuDevice>(seed);
}

} // namespace warptree::cuda

#endif
