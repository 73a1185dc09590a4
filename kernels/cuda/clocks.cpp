#if WARPTREE_HAS_CUDA

#include "kernels/cuda/clocks.hpp"

#include "kernels/cuda/backend.hpp"
#include "kernels/cuda/buffer.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/kernel_table.hpp"
#include "kernels/cuda/output_bytes.hpp"
#include "kernels/cuda/stream_event.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace warptree::cuda {

namespace {
constexpr int kWarmUps = 5, kSamples = 30;
constexpr std::uint64_t kMostBytes = 1ULL << 30;

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

// One launch of either kernel over buffers that stay.
class Bench {
  public:
    Bench(const LaunchRequest& request, ClockLauncher clocked)
        : request_(request), o_(request.options), table_(kernel_table(o_.strategy)), clocked_(clocked),
          warps_per_block_((request.geometry.block + 31) / 32), warps_(std::size_t{request.grid} * warps_per_block_),
          input_(request.input.bytes.size()), output_(output_bytes(request, outputs())),
          clocks_(warps_ * sizeof(clocks::WarpClock)), marks_(warps_ * clocks::kMostMarks * sizeof(clocks::Mark)) {
        input_.upload(request.input.bytes.data(), request.input.bytes.size());
    }

    clocks::Recording run() {
        const std::vector<std::byte> plain = result(false), clocked = result(true);
        if (plain != clocked && !(*o_.finish == Finish::atomic && is_floating(o_.type))) {
            throw DeviceError("the clocked kernel's result is not the real kernel's");
        }
        std::vector<double> plain_us, clocked_us;
        for (int i = 0; i < kWarmUps + kSamples; ++i) {
            const double a = time(false), b = time(true);
            if (i >= kWarmUps) {
                plain_us.push_back(a);
                clocked_us.push_back(b);
            }
        }
        std::vector<clocks::WarpClock> warps(warps_);
        std::vector<clocks::Mark> marks(warps_ * clocks::kMostMarks);
        clocks_.download(warps.data(), warps.size() * sizeof(clocks::WarpClock));
        marks_.download(marks.data(), marks.size() * sizeof(clocks::Mark));
        if (std::any_of(warps.begin(), warps.end(), [](const auto& w) { return w.marks > clocks::kMostMarks; })) {
            throw OptionError("a warp passes more steps than readings are kept of; take a smaller -n");
        }
        clocks::Recording r;
        const Gpu gpu = gpus().front();
        r.device = gpu.name;
        r.compute_capability = std::to_string(gpu.compute_major) + "." + std::to_string(gpu.compute_minor);
        r.strategy = o_.strategy;
        r.n = o_.n;
        r.block = request_.geometry.block;
        r.type = o_.type;
        r.multiprocessors = static_cast<std::uint32_t>(gpu.multiprocessors);
        for (const clocks::WarpClock& w : warps) {
            r.multiprocessors = std::max(r.multiprocessors, w.multiprocessor + 1);
        }
        r.timer_ns = clocks::timer_step(warps);
        r.plain_us = median(plain_us);
        r.clocked_us = median(clocked_us);
        r.samples = kSamples;
        r.steps = clocks::step_cycles(warps, warps_per_block_, marks, clocks::kMostMarks);
        r.blocks = clocks::block_runs(warps, warps_per_block_);
        return r;
    }

  private:
    std::size_t outputs() const {
        return *o_.finish == Finish::atomic ? 1 : static_cast<std::size_t>(request_.outputs);
    }
    void launch(bool clocked) {
        const Geometry& g = request_.geometry;
        const RealParams params{input_.data(), output_.data(), request_.input.size(),
                                request_.grid, g.block,        shared_elements(table_.shared_elements(g), request_),
                                g.arguments};
        const auto real = table_.real[static_cast<std::size_t>(o_.type)][KernelTable::column(g.block)];
        const int status =
            clocked ? clocked_(params, {clocks_.as<clocks::WarpClock>(), marks_.as<clocks::Mark>()}) : real(params);
        check(static_cast<cudaError_t>(status), "launching the kernel");
    }
    void clear() { check(cudaMemset(output_.data(), 0, output_bytes(request_, outputs())), "clearing the output"); }
    std::vector<std::byte> result(bool clocked) {
        clear();
        launch(clocked);
        std::vector<std::byte> out(outputs() * bytes(o_.type));
        output_.download(out.data(), out.size());
        return out;
    }
    double time(bool clocked) {
        clear();
        begin_.record();
        launch(clocked);
        end_.record();
        return 1e6 * end_.seconds_since(begin_);
    }

    const LaunchRequest& request_;
    const RunOptions& o_;
    const KernelTable& table_;
    ClockLauncher clocked_;
    std::uint32_t warps_per_block_;
    std::size_t warps_;
    Buffer input_, output_, clocks_, marks_;
    StreamEvent begin_, end_;
};
} // namespace

clocks::Recording measure_clocks(const LaunchRequest& request) {
    if (!usable()) {
        throw MissingDevice("reading clocks inside a kernel needs a GPU: " + why_not());
    }
    const RunOptions& o = request.options;
    const ClockLauncher launcher = clock_launcher(kernel_table(o.strategy), o.type, request.geometry.block);
    if (launcher == nullptr) {
        throw OptionError("the kernel with clock readings is compiled for i32 and f64, and where the block size is a "
                          "template argument for blocks of 128, 256, 512 and 1024; take --type and --block of these");
    }
    const std::uint64_t warps = std::uint64_t{request.grid} * ((request.geometry.block + 31) / 32);
    if (warps * clocks::kMostMarks * sizeof(clocks::Mark) > kMostBytes) {
        throw OptionError("the readings of " + std::to_string(warps) +
                          " warps are more than a gigabyte; take a "
                          "smaller -n or a larger --block");
    }
    return Bench(request, launcher).run();
}

} // namespace warptree::cuda

#endif
