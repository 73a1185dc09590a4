#include "app/base/error.hpp"
#include "app/base/printable.hpp"
#include "app/base/whole_file.hpp"
#include "app/cli/bench_interpreter.hpp"
#include "app/cli/bench_options.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/exit_code.hpp"
#include "app/cli/interrupt.hpp"
#include "app/cli/output.hpp"
#include "app/cli/progress.hpp"
#include "app/gpu/device.hpp"
#include "app/measure/gpu/timing_device.hpp"
#include "app/measure/timing/estimate.hpp"
#include "app/measure/timing/listing.hpp"
#include "app/measure/timing/results_file.hpp"

#include <CLI/CLI.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <memory>
#include <thread>

namespace warptree::commands {

namespace {
// With --resume, the points in the file; none when there is no file. Throws OptionError if they were not measured by
// this program on this device.
std::vector<timing::Point> points_of(const BenchOptions& o, const timing::Provenance& here) {
    if (!o.resume) {
        return {};
    }
    if (!std::filesystem::exists(o.json)) {
        return {};
    }
    std::vector<timing::Series> before = timing::load_results(o.json);
    if (before.size() != 1) {
        throw OptionError(fmt::format("{} holds {} series, not the single one of a run; take another --json",
                                      printable(o.json), before.size()));
    }
    const timing::Provenance& p = before.front().provenance;
    const std::pair<const char*, std::pair<std::string, std::string>> same[] = {
        {"device", {p.device, here.device}},
        {"driver", {p.driver, here.driver}},
        {"toolkit", {p.toolkit, here.toolkit}},
        {"commit", {p.commit, here.commit}},
        {"flags", {p.compiler_flags, here.compiler_flags}},
        {"seed", {std::to_string(p.seed), std::to_string(here.seed)}}};
    for (const auto& [what, values] : same) {
        if (values.first != values.second) {
            throw OptionError(fmt::format("{} was measured with another {} ({}, here {}); take another --json",
                                          printable(o.json), what, printable(values.first), printable(values.second)));
        }
    }
    return std::move(before.front().points);
}

// Records the date of the start.
class Dated : public timing::Device {
  public:
    explicit Dated(timing::Device& device)
        : device_(device), date_(fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))) {}
    timing::Provenance provenance() const override {
        timing::Provenance p = device_.provenance();
        p.date = date_;
        return p;
    }
    std::string refusal(const timing::Configuration& what) const override { return device_.refusal(what); }
    timing::Traffic traffic(const timing::Configuration& what) const override { return device_.traffic(what); }
    void prepare(std::uint64_t n, ElementType type) override { device_.prepare(n, type); }
    std::unique_ptr<timing::Experiment> open(const timing::Configuration& what) override { return device_.open(what); }

  private:
    timing::Device& device_;
    std::string date_;
};

void write_files(const BenchOptions& o, const timing::Series& series) {
    if (!o.json.empty()) {
        timing::save_results(o.json, std::span(&series, 1));
    }
    if (!o.csv.empty()) {
        write_whole(o.csv, timing::to_csv(std::span(&series, 1), timing::all_rows(series)));
    }
    if (!o.markdown.empty()) {
        write_whole(o.markdown, timing::to_markdown(series));
    }
}

// Prints what would be measured, one line for all points that share an input, and the estimated seconds on this GPU, or
// on an H200 if there is none.
int print_plan(const BenchOptions& o) {
    constexpr std::uint32_t kOfAnH200 = 132;
    timing::Pace pace;
    std::uint32_t multiprocessors = kOfAnH200;
    std::string where = "an H200, as there is no GPU here";
    if (const auto gpus = gpu::devices(); !gpus.empty()) {
        const gpu::DeviceFacts& gpu = gpus.front();
        multiprocessors = static_cast<std::uint32_t>(gpu.multiprocessors);
        pace = {gpu.theoretical_bytes_per_second(), 2 * gpu.l2_bytes, std::thread::hardware_concurrency()};
        where = gpu.name;
    }
    const std::vector<timing::Planned> plan = o.plan(multiprocessors);
    const auto groups = timing::estimate(plan, o.rule(), timing::MeasureOptions{}.warm_ups, pace);
    std::string text = fmt::format("{:<6} {:<6} {:>8} {:>10}\n", "n", "type", "points", "seconds");
    std::size_t points = 0;
    double seconds = 0;
    for (const timing::GroupEstimate& g : groups) {
        text +=
            fmt::format("{:<6} {:<6} {:>8} {:>10.2f}\n", timing::count_text(g.n), name(g.type), g.points, g.seconds);
        points += g.points;
        seconds += g.seconds;
    }
    text += fmt::format("{} points, about {:.0f} s on {}\n", points, seconds, where);
    std::string skipped;
    for (const timing::Planned& p : plan) {
        if (!p.skipped.empty()) {
            skipped += fmt::format("  {} {} {}: {}\n", p.what.variant, timing::count_text(p.what.n), name(p.what.type),
                                   p.skipped);
        }
    }
    print(skipped.empty() ? text : text + "not measured:\n" + skipped);
    return kDone;
}

// Files without any timed point, each with the reason of its first point.
std::vector<std::string> untimed(const runs::TimedFiles& files, const timing::Series& series) {
    std::vector<std::string> list;
    for (const auto& [name, path] : files) {
        const auto is_its = [&](const timing::Point& p) { return p.what.variant == name; };
        const auto first = std::find_if(series.points.begin(), series.points.end(), is_its);
        const bool timed = std::any_of(series.points.begin(), series.points.end(),
                                       [&](const timing::Point& p) { return is_its(p) && p.skipped.empty(); });
        if (first != series.points.end() && !timed) {
            list.push_back(fmt::format("{} was not timed: {}", printable(name), first->skipped));
        }
    }
    return list;
}

int bench(const BenchOptions& o) {
    if (o.only_plan) {
        return print_plan(o);
    }
    if (o.resume && o.json.empty()) {
        throw OptionError("--resume continues a file; name it with --json FILE");
    }
    timing::MeasureOptions measure_options;
    measure_options.rule = o.rule();
    const std::uint64_t seed = o.seed();
    if (!gpu::usable()) {
        o.plan(0); // reports errors of the request before anything else
        throw MissingDevice("timing kernels needs a GPU: " + gpu::why_not() +
                            "; 'warptree bench interpreter' measures without one");
    }
    const runs::TimedFiles files = o.files();
    fmt::print(stderr, "warptree: a kernel that does not end within {:g} s is abandoned (--gpu-limit)\n",
               1e-3 * static_cast<double>(o.gpu_options().limit.count()));
    runs::TimingDevice gpu(files, seed, o.gpu_options());
    Dated device(gpu);
    const auto multiprocessors = static_cast<std::uint32_t>(device.provenance().multiprocessors);
    const std::vector<timing::Planned> plan = o.plan(multiprocessors);
    measure_options.already = points_of(o, device.provenance());
    measure_options.keep = [&](const timing::Series& series) { write_files(o, series); };

    RunControl control;
    timing::Outcome outcome;
    {
        Interrupt interrupt(control, kWithResults);
        Progress progress("measuring");
        measure_options.progress = [&](const timing::Progress& p) {
            progress.show(
                p.fraction, p.seconds_left,
                fmt::format("{} of {} points, {} {}", p.done, p.all, p.now->variant, timing::count_text(p.now->n)));
        };
        outcome = timing::measure(plan, device, timing::steady_clock(), measure_options, control.cancel);
        interrupt.stopped();
    }
    write_files(o, outcome.series);
    print(timing::to_text(outcome.series));
    if (!files.empty()) { // for the whole catalogue there would be too many
        for (const std::string& note : gpu.notes()) {
            fmt::print(stderr, "warptree: {}\n", note);
        }
    }
    if (!outcome.failure.empty()) {
        throw DeviceError(outcome.failure + "; what was measured before is kept");
    }
    if (outcome.cancelled) {
        fmt::print(stderr, "warptree: stopped; what was measured is {}\n",
                   o.json.empty() ? "above" : "in " + printable(o.json) + ", and --resume goes on");
        return interrupted_code();
    }
    const std::vector<std::string> refused = untimed(files, outcome.series);
    for (const std::string& line : refused) {
        fmt::print(stderr, "warptree: {}\n", line);
    }
    return outcome.wrong != 0 ? kWrong : refused.empty() ? kDone : kUnusable;
}
} // namespace

void add_bench(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("bench", "Measure kernels on this GPU, beside the vendor library");
    const auto options = BenchOptions::add_to(*command);
    command->callback([&action, options] {
        action = [options]() -> int {
            if (options->what.size() == 1 && options->what.front() == "interpreter") {
                return bench_interpreter(options->json);
            }
            return bench(*options);
        };
    });
}

} // namespace warptree::commands
