// Runs the real, uninstrumented kernel once, for profilers and checkers that watch it from outside.
#include "app/base/error.hpp"
#include "app/base/json_text.hpp"
#include "app/base/whole_file.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/exit_code.hpp"
#include "app/cli/option_values.hpp"
#include "app/cli/output.hpp"
#include "app/cli/trace_options.hpp"
#include "app/gpu/driver.hpp"
#include "app/measure/counters/counters.hpp"
#include "app/measure/gpu/real_launch.hpp"
#include "app/run/kernel_path.hpp"
#include "app/run/run.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <memory>

namespace warptree::commands {

namespace {
using Json = nlohmann::ordered_json;

struct LaunchWords {
    std::string id, n, json, code;
    std::vector<std::string> blocks, types;
};

// The kernel's output must equal that of the interpreter's first launch, as far as a trace keeps it. A floating-point
// total of atomics, and a scan that looks back, depend on their order, and the compiler may fuse a product with the sum it feeds (FMA).
bool correct(const runs::Numbers& real, const Trace& trace, runs::Expected::Kind kind) {
    std::vector<Scalar> expected = trace.launches.front().partials;
    if (trace.options.finish == Finish::last_block) { // the total replaces the first partial
        expected = {trace.result};
    }
    const auto type = runs::element_of(real.type);
    if (!type || real.size() < expected.size() || expected.empty()) {
        return false;
    }
    const bool any_order = trace.options.finish == Finish::atomic || kind == runs::Expected::Kind::matrix ||
                           kind == runs::Expected::Kind::scan;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const Scalar got{*type, real.bits[i]};
        const bool near = is_floating(*type) && any_order &&
                          std::abs(got.as_double() - expected[i].as_double()) <= 2 * trace.tolerance;
        if (got.bits != expected[i].bits && !near) {
            return false;
        }
    }
    return true;
}

Json describe(const RunOptions& o, const Trace& trace, bool is_correct, const runs::RealLaunch& real) {
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
            {"predicted_lanes", p.lanes},
            {"kernel", real.symbol},
            {"compiler", real.compiler}};
}

// Options for each block and type that the strategy supports, in the order given. If there are none, throws the first
// reason.
std::vector<RunOptions> launches_of(const LaunchWords& words) {
    const StrategyInfo& info = require_strategy(printable(words.id));
    // For a matrix product, n is the number of rows and columns of each matrix.
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

// For a file: what its header says, unless the user states otherwise.
std::vector<RunOptions> launches_of_file(const LaunchWords& words) {
    RunOptions o;
    o.strategy = std::filesystem::path(words.id).filename().string();
    o.kernel.file = words.id;
    o.input = InputKind::random;
    o.backend = Backend::cpu;
    o.window = {0, 0};
    if (!words.n.empty()) {
        o.n = count_of("-n", words.n, 1, kMaxElements);
        o.kernel.n_given = true;
    }
    std::vector<RunOptions> all;
    for (const std::string& block : words.blocks.empty() ? std::vector<std::string>{""} : words.blocks) {
        for (const std::string& type : words.types.empty() ? std::vector<std::string>{"i32"} : words.types) {
            o.block.reset();
            if (!block.empty()) {
                o.block = static_cast<std::uint32_t>(count_of("--block", block, 1, 1024));
            }
            o.type = named("--type", type, element_type_from, "i32, u32, i64, f32 or f64");
            all.push_back(o);
        }
    }
    return all;
}

int launch(const LaunchWords& words) {
    const bool is_file = runs::is_kernel_path(words.id);
    const std::vector<RunOptions> launches = is_file ? launches_of_file(words) : launches_of(words);
    if (!gpu::usable()) {
        throw MissingDevice("launching a real kernel needs a GPU: " + gpu::why_not());
    }
    Json rows = Json::array();
    std::string text;
    bool all_correct = true;
    for (const RunOptions& o : launches) {
        const Trace trace = runs::run_any(o);
        RunOptions of_text = is_file ? trace.options : of_its_file(trace.options);
        if (is_file) {
            of_text.kernel = o.kernel;
            of_text.kernel.n_given = of_text.kernel.input_given = true;
        }
        const runs::RealLaunch real = runs::launch_for_real(of_text, trace);
        const bool is_correct =
            real.expected == runs::Expected::Kind::none || correct(real.output, trace, real.expected);
        all_correct = all_correct && is_correct;
        Json row = describe(trace.options, trace, is_correct, real);
        if (!words.code.empty()) {
            const auto file = std::filesystem::path(words.code) /
                              fmt::format("{}-{}-{}.cubin", trace.options.strategy, *trace.options.block, name(o.type));
            std::filesystem::create_directories(file.parent_path());
            write_whole(file.string(), real.image);
            row["code"] = file.string();
        }
        rows.push_back(std::move(row));
        text += fmt::format("{} n={} B={} {}: {}\n", trace.options.strategy, trace.options.n, *trace.options.block,
                            name(o.type), is_correct ? "correct" : "WRONG");
    }
    if (!words.json.empty()) {
        write_whole(words.json, json_text(rows, 2) + "\n");
    }
    print(text);
    return all_correct ? kDone : kWrong;
}
} // namespace

void add_launch(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand(
        "launch",
        "Run the real kernel of a strategy or file on this GPU, once for each block size and type, for profilers");
    auto words = std::make_shared<LaunchWords>();
    command->add_option("id", words->id, "A strategy, or a file of CUDA")->required();
    command->add_option("-n", words->n, "Elements: 1000, 2^20, 4M (default 4096; matrices: edge, default 64)");
    command->add_option("--block", words->blocks, "Threads per block, several with commas (default: the strategy's)")
        ->delimiter(',');
    command->add_option("--type", words->types, "i32, u32, i64, f32 or f64, several with commas (default i32)")
        ->delimiter(',');
    command->add_option("--json", words->json, "Write what was launched, and what a trace predicts, to FILE");
    command->add_option("--code", words->code, "Write each kernel's machine code into this folder");
    command->callback([&action, words] { action = [words] { return launch(*words); }; });
}

} // namespace warptree::commands
