// The real kernel, which records nothing, once: for profilers and checkers that watch it from outside.
#include "app/base/error.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/exit_code.hpp"
#include "app/cli/output.hpp"
#include "app/cli/trace_options.hpp"
#include "app/measure/counters/counters.hpp"
#include "app/run/input.hpp"
#include "app/run/run.hpp"
#include "app/trace/io/archive.hpp"
#include "kernels/cuda/backend.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <memory>

namespace warptree::commands {

namespace {
using Json = nlohmann::ordered_json;

struct LaunchWords {
    std::string id, n, json;
    std::vector<std::string> blocks, types;
};

// The kernel's output is what the interpreter's first launch leaves, as far as a trace keeps it. A floating total of
// atomics depends on their order.
bool correct(const Elements& real, const Trace& trace) {
    std::vector<Scalar> expected = trace.launches.front().partials;
    if (trace.options.finish == Finish::last_block) { // the total takes the place of the first partial
        expected.front() = trace.result;
    }
    if (trace.options.finish == Finish::last_block) { // what the other blocks told is not in the output
        expected.resize(1);
    }
    if (trace.launches.front().outputs_total != real.size()) {
        return false;
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const Scalar got{real.type, real.bits(i)};
        const bool near = is_floating(real.type) && trace.options.finish == Finish::atomic &&
                          std::abs(got.as_double() - expected[i].as_double()) <= 2 * trace.tolerance;
        if (got.bits != expected[i].bits && !near) {
            return false;
        }
    }
    return true;
}

Json describe(const RunOptions& o, const Trace& trace, bool is_correct) {
    const counters::Prediction p = counters::predict(trace);
    Json predicted = Json::object();
    for (const CounterField& field : counters::compared_fields()) {
        predicted[field.name] = p.counters.*field.member;
    }
    return {{"variant", o.strategy},
            {"n", o.n},
            {"block", *o.block},
            {"type", name(o.type)},
            {"grid", p.grid},
            {"correct", is_correct},
            {"predicted", std::move(predicted)},
            {"predicted_lanes", p.lanes}};
}

// Options of each block and type that the strategy takes, in the order given; the first reason when it takes none.
std::vector<RunOptions> launches_of(const LaunchWords& words) {
    const StrategyInfo& info = require_strategy(printable(words.id));
    // A matrix product's n is the edge of its matrices.
    const auto n = words.n.empty() ? std::optional<std::uint64_t>(info.answer == Answer::matrix ? 64 : 4096)
                                   : parse_count(words.n);
    if (!n || *n == 0) {
        throw OptionError(fmt::format("-n '{}' is not usable; take 1 or more, as in 1000 or 2^10", printable(words.n)));
    }
    std::vector<std::uint32_t> blocks;
    for (const std::string& text : words.blocks) {
        const auto block = parse_count(text);
        if (!block || *block == 0 || *block > 1024) {
            throw OptionError(fmt::format("--block '{}' is not usable; take 1 to 1024", printable(text)));
        }
        blocks.push_back(static_cast<std::uint32_t>(*block));
    }
    if (blocks.empty()) {
        blocks.push_back(info.default_block);
    }
    std::vector<ElementType> types;
    for (const std::string& text : words.types) {
        const auto type = element_type_from(text);
        if (!type) {
            throw OptionError(
                fmt::format("--type '{}' is not usable; take i32, u32, i64, f32 or f64", printable(text)));
        }
        types.push_back(*type);
    }
    if (types.empty()) {
        types.push_back(ElementType::i32);
    }
    std::vector<RunOptions> all;
    std::optional<std::string> why;
    for (const std::uint32_t block : blocks) {
        for (const ElementType type : types) {
            const RunOptions o = counters::options_of(words.id, *n, block, type);
            const auto refused = refusal(o);
            if (!refused) {
                all.push_back(resolve(o));
            } else if (!why) {
                why = refused;
            }
        }
    }
    if (all.empty()) {
        throw OptionError(*why);
    }
    return all;
}

int launch(const LaunchWords& words) {
    const std::vector<RunOptions> launches = launches_of(words);
    if (!cuda::usable()) {
        throw MissingDevice("launching a real kernel needs a GPU: " + cuda::why_not());
    }
    Json rows = Json::array();
    std::string text;
    bool all_correct = true;
    for (const RunOptions& o : launches) {
        const Trace trace = runs::run_any(o);
        const Elements input = runs::make_input(o);
        const Elements real = cuda::run_real(make_launch(o, input));
        const bool is_correct = correct(real, trace);
        all_correct = all_correct && is_correct;
        rows.push_back(describe(o, trace, is_correct));
        text += fmt::format("{} n={} B={} {}: {}\n", o.strategy, o.n, *o.block, name(o.type),
                            is_correct ? "correct" : "WRONG");
    }
    if (!words.json.empty()) {
        write_whole(words.json, rows.dump(2) + "\n");
    }
    print(text);
    return all_correct ? kDone : kWrong;
}
} // namespace

void add_launch(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand(
        "launch", "Run a strategy's real kernel on this GPU, once for each block size and type, for profilers");
    auto words = std::make_shared<LaunchWords>();
    command->add_option("id", words->id, "A strategy")->required();
    command->add_option("-n", words->n, "Elements: 1000, 2^20, 4M (default 4096; 64 for the edge of matrices)");
    command->add_option("--block", words->blocks, "Threads a block, several with commas (default: the strategy's)")
        ->delimiter(',');
    command->add_option("--type", words->types, "i32, u32, i64, f32 or f64, several with commas (default i32)")
        ->delimiter(',');
    command->add_option("--json", words->json, "Write what was launched, and what a trace predicts, to FILE");
    command->callback([&action, words] { action = [words] { return launch(*words); }; });
}

} // namespace warptree::commands
