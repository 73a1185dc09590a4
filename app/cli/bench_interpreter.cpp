#include "app/cli/bench_interpreter.hpp"

#include "app/base/build_info.hpp"
#include "app/base/error.hpp"
#include "app/base/json_text.hpp"
#include "app/base/whole_file.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/cli/exit_code.hpp"
#include "app/cli/interrupt.hpp"
#include "app/cli/output.hpp"
#include "app/run/run.hpp"
#include "app/simt/machine.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>

namespace warptree::commands {

namespace {
struct Job {
    std::string name;
    RunOptions options;
    unsigned repeats = 5;
};
struct Measured {
    std::vector<double> seconds; // of each repeat
    double thread_steps = 0;     // one per thread and step, over all launches

    double median() const {
        std::vector<double> s = seconds;
        std::nth_element(s.begin(), s.begin() + static_cast<std::ptrdiff_t>(s.size() / 2), s.end());
        return s[s.size() / 2];
    }
};

RunOptions options_of(std::string_view id, std::uint64_t n, std::uint32_t block, ElementType type, Window window,
                      unsigned workers) {
    RunOptions o;
    o.strategy = id;
    o.n = n;
    o.block = block;
    o.type = type;
    o.input = InputKind::random;
    o.backend = Backend::cpu;
    o.window = window;
    o.workers = workers;
    return o;
}

std::vector<Job> jobs() {
    std::vector<Job> list;
    for (const unsigned workers : {1U, 2U}) {
        list.push_back(
            {fmt::format("count 2^20 i32, sequential, B = 256, {} worker{}", workers, workers == 1 ? "" : "s"),
             options_of("sequential", 1U << 20, 256, ElementType::i32, {0, 0}, workers)});
    }
    list.push_back({"trace 2^16 i32 in full, sequential, B = 256",
                    options_of("sequential", 1U << 16, 256, ElementType::i32, {0, 256}, 0)});
    list.push_back({"count 2^24 f64, interleaved-modulo, B = 512 (lab case)",
                    options_of("interleaved-modulo", 1U << 24, 512, ElementType::f64, {0, 0}, 0), 1});
    for (const StrategyInfo& s : strategies()) {
        const bool matrix = s.answer == Answer::matrix;
        RunOptions o = options_of(s.id, matrix ? s.default_n : 1U << 14, s.default_block, ElementType::i32, {0, 8}, 0);
        list.push_back({fmt::format("show 2^14 i32, {}, B = {}", s.id, s.default_block), o});
    }
    return list;
}

Measured measure(const Job& job) {
    Measured m;
    for (unsigned i = 0; i < job.repeats; ++i) {
        RunControl control;
        const Interrupt interrupt(control);
        const auto start = std::chrono::steady_clock::now();
        const Trace trace = runs::run_any(job.options, control);
        m.seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        const StrategyInfo* info = find_strategy(job.options.strategy);
        const bool wrong_on_purpose = info != nullptr && (info->racy || info->deadlocks);
        if (!trace.pass && !wrong_on_purpose) {
            throw Error(job.name + ": the result is wrong, so it was not timed");
        }
        m.thread_steps = 0;
        for (const Launch& l : trace.launches) {
            m.thread_steps += static_cast<double>(l.grid) * l.block * static_cast<double>(l.steps.size());
        }
    }
    return m;
}

double peak_megabytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

} // namespace

int bench_interpreter(const std::string& json_path) {
    std::string text = fmt::format("interpreter, {} cores\n\n{:<58} {:>10} {:>12} {:>9}\n", simt::default_workers(), "",
                                   "median ms", "M thr-steps/s", "peak MB");
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const Job& job : jobs()) {
        const Measured m = measure(job);
        const double peak = peak_megabytes();
        text += fmt::format("{:<58} {:>10.1f} {:>12.1f} {:>9.0f}\n", job.name, 1e3 * m.median(),
                            m.thread_steps / m.median() / 1e6, peak);
        rows.push_back({{"name", job.name},
                        {"seconds", m.seconds},
                        {"median_seconds", m.median()},
                        {"thread_steps", m.thread_steps},
                        {"peak_megabytes", peak}});
    }
    if (!json_path.empty()) {
        const nlohmann::ordered_json out{{"format", "warptree.bench.interpreter"},
                                         {"version", 1},
                                         {"commit", build_info().commit},
                                         {"compiler", build_info().compiler},
                                         {"build_type", build_info().build_type},
                                         {"cores", simt::default_workers()},
                                         {"rows", std::move(rows)}};
        write_whole(json_path, json_text(out, 2) + "\n");
    }
    print(text);
    return kDone;
}

} // namespace warptree::commands
