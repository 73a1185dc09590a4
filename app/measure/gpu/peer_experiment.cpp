// Times the peers, which are the vendor library's reduction and scan, a copy and a read; and empty kernels.
#include "app/gpu/vendor_peers.hpp"
#include "app/measure/gpu/timing_experiments.hpp"
#include "app/measure/timing/launches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace warptree::runs {

namespace {
using timing::Configuration;

gpu::VendorCall call_of(const Configuration& what) {
    gpu::VendorCall call;
    const auto exclusive = what.parameters.find("exclusive");
    call.scan = what.variant == timing::kVendorScan;
    call.exclusive = exclusive != what.parameters.end() && exclusive->second != 0;
    call.type = what.type;
    call.op = what.op;
    call.n = what.n;
    return call;
}

bool is_vendor(const Configuration& what) {
    return what.variant == timing::kVendorReduce || what.variant == timing::kVendorScan;
}

class PeerExperiment final : public timing::Experiment {
  public:
    PeerExperiment(TimingBench& bench, const Configuration& what, std::uint64_t seed)
        : bench_(bench), what_(what), seed_(seed), call_(call_of(what)),
          input_(bench.arrays.random(what.type, what.n, seed)),
          output_(bench.arrays.scratch({0, 1}, std::max<std::uint64_t>(timing::traffic(what).written, 16))) {
        call_.in = input_->address();
        call_.out = output_->address();
        if (is_vendor(what)) {
            bytes_ = gpu::vendor_scratch(call_);
            scratch_ = bench.arrays.scratch({0, 2}, std::max<std::uint64_t>(bytes_, 1));
        }
    }

    std::string check() override {
        std::string wrong;
        if (is_floating(what_.type)) { // exact input first: every bit must be equal
            bench_.arrays.hold_whole(true);
            wrong = run_and_compare(timing::Data::whole);
            bench_.arrays.hold_whole(false);
        }
        return wrong.empty() ? run_and_compare(timing::Data::random) : wrong;
    }

    double sample() override {
        if (what_.mode == timing::Mode::cold) {
            bench_.watch.overwrite_cache();
        }
        reset();
        if (what_.quantity != timing::Quantity::pipeline) {
            return bench_.watch.time([this] { enqueue(); });
        }
        gpu::wait(bench_.limit());
        const auto begin = std::chrono::steady_clock::now();
        enqueue();
        total_ = bench_.combined(call_.out, what_.type, what_.op, 1);
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }

  private:
    bool reads() const { return what_.variant == timing::kRead; }
    void reset() {
        if (reads()) { // the total to which the kernel adds
            gpu::set_words(call_.out, 0, 1);
        }
    }
    void enqueue() {
        const std::uint64_t array = what_.n * bytes(what_.type);
        if (what_.variant == timing::kCopy) {
            gpu::copy(call_.out, call_.in, array);
        } else if (reads()) {
            bench_.arrays.kernels(what_.type).read_all(call_.in, array, call_.out);
        } else {
            gpu::run_vendor(call_, scratch_->address(), bytes_);
        }
    }
    std::string run_and_compare(timing::Data data) {
        constexpr std::uint8_t kPoison = 0x5A;
        gpu::set_bytes(call_.out, kPoison, output_->size());
        reset();
        enqueue();
        gpu::wait(bench_.limit());
        const Contents in{what_.type, what_.n, seed_, data};
        if (what_.variant == timing::kCopy) {
            return bench_.wrong_in_copy(call_.out, in);
        }
        if (call_.scan) {
            return bench_.wrong_in_scan(call_.out, in, what_.n, call_.exclusive, timing::scan_depth(what_));
        }
        if (what_.variant == timing::kVendorReduce) {
            return bench_.wrong_in_total(bench_.combined(call_.out, what_.type, what_.op, 1), in, what_.op,
                                         timing::depth_bound(what_));
        }
        std::uint32_t got = 0;
        output_->download(&got, sizeof got);
        const std::uint32_t want = timing::expected_words(data, what_.n, what_.type, seed_);
        return got == want ? "" : fmt::format("{} instead of {}", got, want);
    }

    TimingBench& bench_;
    Configuration what_;
    std::uint64_t seed_;
    gpu::VendorCall call_;
    std::shared_ptr<gpu::Buffer> input_, output_, scratch_;
    std::size_t bytes_ = 0; // of scratch_
    Scalar total_;          // of the last pipeline run
};

class EmptyExperiment final : public timing::Experiment {
  public:
    EmptyExperiment(TimingBench& bench, const Configuration& what)
        : bench_(bench), kernels_(bench.arrays.kernels(what.type)), launches_(timing::launches(what)) {}
    std::string check() override {
        enqueue();
        gpu::wait(bench_.limit());
        return {};
    }
    double sample() override {
        return bench_.watch.time([this] { enqueue(); });
    }

  private:
    void enqueue() {
        for (const timing::KernelLaunch& l : launches_) {
            kernels_.nothing(l.grid, l.block);
        }
    }
    TimingBench& bench_;
    const TimingKernels& kernels_;
    std::vector<timing::KernelLaunch> launches_;
};
} // namespace

std::string peer_refusal(const Configuration& what) {
    return is_vendor(what) ? gpu::vendor_refusal(call_of(what)) : std::string();
}

std::unique_ptr<timing::Experiment> open_peer(TimingBench& bench, const Configuration& what, std::uint64_t seed) {
    return std::make_unique<PeerExperiment>(bench, what, seed);
}

std::unique_ptr<timing::Experiment> open_empty(TimingBench& bench, const Configuration& what) {
    return std::make_unique<EmptyExperiment>(bench, what);
}

} // namespace warptree::runs
