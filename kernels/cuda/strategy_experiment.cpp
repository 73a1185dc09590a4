#if WARPTREE_HAS_CUDA

#include "app/base/operators.hpp"
#include "app/measure/timing/launches.hpp"
#include "kernels/cuda/finished.hpp"
#include "kernels/cuda/tile_states.hpp"
#include "kernels/cuda/timing_experiment.hpp"
#include "kernels/reduce/last_block_finish.hpp"

#include <algorithm>

namespace warptree::cuda {

namespace {
RealLauncher launcher_of(const timing::Configuration& what, const timing::KernelLaunch& l) {
    return real_launcher(what.variant, what.type, what.op, what.finish, l.block);
}

class StrategyExperiment final : public OnGpu {
  public:
    StrategyExperiment(Bench& bench, const timing::Configuration& what)
        : OnGpu(bench, what), info_(require_strategy(what.variant)),
          arguments_(arguments(info_, what.parameters, what.n)), launches_(timing::launches(what)) {
        const KernelTable& table = kernel_table(what.variant);
        for (std::size_t k = 0; k < launches_.size(); ++k) {
            const timing::KernelLaunch& l = launches_[k];
            std::uint32_t shared = table.shared_elements(geometry(l));
            if (what.finish == Finish::last_block) {
                shared = std::max(shared, last_block_words(l.block));
            }
            steps_.push_back({launcher_of(what, l), {nullptr, nullptr, l.n, l.grid, l.block, shared, arguments_}});
            // The last block's partials take the place of the output.
            const std::uint64_t elements =
                what.finish == Finish::last_block ? std::max<std::uint64_t>(l.outputs, l.grid) : l.outputs;
            std::uint64_t size = elements * bytes(what.type);
            if (info_.looks_back) {
                tiles_ = TileLayout::make(l.outputs, tiles_for(info_, geometry(l)), bytes(what.type));
                size = tiles_.end;
            }
            (k % 2 == 0 ? bench.output() : bench.second_output()).ensure(std::max<std::uint64_t>(size, 16));
        }
        identity_ = visit_element(what.type, [&](auto t) { return Scalar::of(identity<decltype(t)>(what.op)).bits; });
    }

  private:
    struct Step {
        RealLauncher launch;
        RealParams params;
    };

    Geometry geometry(const timing::KernelLaunch& l) const { return {l.n, l.block, arguments_, bytes(what_.type)}; }
    void* output_of(std::size_t k) { return (k % 2 == 0 ? bench_.output() : bench_.second_output()).data(); }
    void* result() override { return output_of(steps_.size() - 1); }

    // A launch leaves its tiles ready for the next one, but others write to this output too.
    void reset() override {
        if (info_.looks_back) {
            cuda::check(
                cudaMemsetAsync(static_cast<char*>(output_of(0)) + tiles_.counter, 0, tiles_.end - tiles_.counter),
                "clearing the tiles");
        }
    }

    void enqueue() override {
        if (what_.finish == Finish::atomic) {
            cuda::check(static_cast<cudaError_t>(put_bits(output_of(0), identity_, bytes(what_.type))),
                        "clearing the total");
        }
        const void* in = bench_.input();
        for (std::size_t k = 0; k < steps_.size(); ++k) {
            RealParams p = steps_[k].params;
            p.in = in;
            p.out = output_of(k);
            cuda::check(static_cast<cudaError_t>(steps_[k].launch(p)), "launching the kernel");
            in = p.out;
        }
    }

    std::uint64_t results() const override {
        return what_.finish == Finish::atomic || what_.finish == Finish::last_block ? 1 : launches_.back().outputs;
    }

    std::string compare(bool exact) override {
        if (!is_scan(info_)) {
            return difference(fetch(), bench_.expected(what_.op, timing::depth_bound(what_)));
        }
        const Geometry g{what_.n, launches_.front().block, arguments_, bytes(what_.type)};
        const std::uint64_t tile = info_.answer == Answer::scan ? what_.n : outputs_per_block(info_, g);
        const bool exclusive = arguments_[0] != 0;
        return exact ? bench_.wrong_in_scan(result(), tile, exclusive)
                     : bench_.wrong_in_rounded_scan(result(), tile, exclusive, timing::scan_depth(what_));
    }

    const StrategyInfo& info_;
    Arguments arguments_;
    std::vector<timing::KernelLaunch> launches_;
    std::vector<Step> steps_;
    TileLayout tiles_{};
    std::uint64_t identity_ = 0;
};

// An empty kernel in the grid of the strategy's launches.
class EmptyExperiment final : public OnGpu {
  public:
    EmptyExperiment(Bench& bench, const timing::Configuration& what)
        : OnGpu(bench, what), launches_(timing::launches(what)) {
        bench.output().ensure(16);
    }

  private:
    void enqueue() override {
        for (const timing::KernelLaunch& l : launches_) {
            cuda::check(static_cast<cudaError_t>(launch_nothing(l.grid, l.block)), "launching an empty kernel");
        }
    }
    std::uint64_t results() const override { return 0; }
    std::string compare(bool) override { return {}; }
    std::vector<timing::KernelLaunch> launches_;
};
} // namespace

std::unique_ptr<timing::Experiment> open_strategy(Bench& bench, const timing::Configuration& what) {
    return std::make_unique<StrategyExperiment>(bench, what);
}

std::unique_ptr<timing::Experiment> open_empty(Bench& bench, const timing::Configuration& what) {
    return std::make_unique<EmptyExperiment>(bench, what);
}

bool is_compiled(const timing::Configuration& what) {
    const auto all = timing::launches(what);
    return std::all_of(all.begin(), all.end(), [&](const auto& l) { return launcher_of(what, l) != nullptr; });
}

} // namespace warptree::cuda

#endif
