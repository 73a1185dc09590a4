#include "app/measure/gpu/clocked_run.hpp"

#include "app/base/error.hpp"
#include "app/compile/program/device_clock.hpp"
#include "app/gpu/stopwatch.hpp"
#include "app/measure/clocks/step_marks.hpp"
#include "app/measure/gpu/real_kernel.hpp"
#include "app/run/launch_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace warptree::runs {

namespace {
constexpr int kWarmUps = 5, kSamples = 30;
constexpr std::uint64_t kMostBytes = 1ULL << 30;
constexpr Window kWindow{0, 4}; // the first blocks may behave differently from the others

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

// One compiler may contract a multiply and an add into an FMA where the other does not, and atomics run in any order.
bool same(const Numbers& a, const Numbers& b) {
    const auto type = element_of(a.type);
    if (a.bits == b.bits || !type || !is_floating(*type)) {
        return a.bits == b.bits;
    }
    constexpr double kRounding = 1e-4;
    return a.size() == b.size() && std::equal(a.bits.begin(), a.bits.end(), b.bits.begin(), [&](auto x, auto y) {
               const double p = Scalar{*type, x}.as_double(), q = Scalar{*type, y}.as_double();
               return std::abs(p - q) <= kRounding * std::max(1.0, std::abs(p));
           });
}

// The interpreter's first launch of the program with clock marks.
struct Marked {
    KernelSource::Compiled compiled;
    Launch launch;
};

Marked marked(const RunOptions& options, const std::vector<std::uint32_t>& lines, const std::string& architecture) {
    RunOptions o = options;
    o.window = kWindow;
    o.backend = Backend::cpu;
    KernelSource source(o);
    source.clock_on(architecture, lines);
    Marked made;
    made.compiled = source.compile(o, true);
    KernelLaunch launch = choose_launch(*made.compiled.program, made.compiled.kernel, source.header(), o);
    o.finish = source.finish();
    if (o.finish == Finish::last_block && source.has_operator()) {
        launch.shared = std::max(launch.shared, static_cast<std::uint32_t>(simt::volume(launch.block)) * bytes(o.type));
    }
    const Expected expected = expected_from(launch.expect, source.has_operator() ? std::optional(o.op) : std::nullopt);
    RunControl control;
    LaunchRun run(made.compiled.program, std::move(launch), o,
                  {source.has_operator() ? o.op : expected.op, o.finish == Finish::atomic}, control);
    run.execute(o, control, {}, made.launch);
    return made;
}

class Clocked {
  public:
    Clocked(const RunOptions& options, Marked marked)
        : options_(options), marked_(std::move(marked)), watch_(gpu_options_.limit), codes_({}),
          real_(options, gpu_options_, codes_, {}), warps_per_block_(marked_.launch.warps()),
          warps_(std::size_t{marked_.launch.grid} * warps_per_block_) {
        const compile::Program& program = *marked_.compiled.program;
        if (program.code.ptx.empty()) {
            throw OptionError(fmt::format("the clock cannot be read in this kernel: {}", program.code.problem));
        }
        if (warps_ * clocks::kMostMarks * sizeof(clocks::Mark) > kMostBytes) {
            throw OptionError(fmt::format("the readings of {} warps exceed a gigabyte; take a smaller -n or a "
                                          "larger --block",
                                          warps_));
        }
        module_.emplace(program.code.ptx);
        readings_ = gpu::Buffer(warps_ * sizeof(clocks::WarpClock));
        marks_ = gpu::Buffer(warps_ * clocks::kMostMarks * sizeof(clocks::Mark));
        const auto at = module_->find_variable(compile::kClockVariable);
        if (!at) {
            throw DeviceError("the code has no clock readings");
        }
        const compile::ClockPlace place{readings_.address(), marks_.address(), clocks::kMostMarks};
        gpu::upload(*at, &place, sizeof place);
        real_.add_code(*marked_.compiled.program, *module_,
                       module_->function(program.kernels[marked_.compiled.kernel].symbol));
    }

    clocks::Recording run() {
        const Numbers plain = result(false), clocked = result(true);
        if (!same(plain, clocked)) {
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
        readings_.download(warps.data(), readings_.size());
        marks_.download(marks.data(), marks_.size());
        if (std::any_of(warps.begin(), warps.end(), [](const auto& w) { return w.marks > clocks::kMostMarks; })) {
            throw OptionError("a warp makes more clock readings than fit in its buffer; use a smaller -n");
        }
        clocks::Recording r;
        const gpu::DeviceFacts& gpu = gpu::facts();
        r.device = gpu.name;
        r.compute_capability = fmt::format("{}.{}", gpu.compute_major, gpu.compute_minor);
        r.driver = fmt::format("{}.{}", gpu::driver_version() / 1000, gpu::driver_version() % 1000 / 10);
        r.toolkit = real_.code().compiler;
        r.n = options_.n;
        r.block = marked_.launch.block;
        r.type = options_.type;
        r.multiprocessors = static_cast<std::uint32_t>(gpu.multiprocessors);
        for (const clocks::WarpClock& w : warps) {
            r.multiprocessors = std::max(r.multiprocessors, w.multiprocessor + 1);
        }
        r.timer_ns = clocks::timer_step(warps);
        r.plain_us = median(plain_us);
        r.clocked_us = median(clocked_us);
        r.samples = kSamples;
        r.steps = clocks::step_cycles(warps, warps_per_block_, marks, clocks::kMostMarks, marked_.launch);
        r.blocks = clocks::block_runs(warps, warps_per_block_);
        return r;
    }

  private:
    Numbers result(bool clocked) {
        real_.use_added_code(clocked);
        real_.run(true);
        return real_.first_output();
    }
    double time(bool clocked) {
        real_.use_added_code(clocked);
        real_.reset();
        return 1e6 * watch_.time([this] { real_.enqueue_first(); });
    }

    RunOptions options_;
    Marked marked_;
    GpuOptions gpu_options_;
    gpu::Stopwatch watch_;
    RealCode codes_;
    RealRun real_;
    std::uint32_t warps_per_block_;
    std::size_t warps_;
    std::optional<gpu::Module> module_;
    gpu::Buffer readings_, marks_;
};
} // namespace

Launch marked_launch(const RunOptions& options, const std::vector<std::uint32_t>& lines,
                     const std::string& architecture) {
    return marked(options, lines, architecture).launch;
}

clocks::Recording measure_clocks(const RunOptions& options) {
    const std::string architecture = gpu::facts().architecture();
    const Launch everywhere = marked_launch(options, {}, architecture);
    return Clocked(options, marked(options, clocks::StepMarks(everywhere).beginnings(), architecture)).run();
}

} // namespace warptree::runs
