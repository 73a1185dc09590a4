// What runs in a browser, or in node: `warptree-web record ID FILE.wtrace [KEY=VALUE …]`, the keys being n, block, type,
// op, finish, input and seed as on the command line.
#include "app/base/element.hpp"
#include "app/base/error.hpp"
#include "app/base/options.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/run/run.hpp"
#include "app/trace/io/file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

namespace {

using namespace warptree;

template <class T> T taken(const std::optional<T>& value, std::string_view word) {
    if (!value) {
        throw OptionError(fmt::format("{}: no such value; see docs/command-line.md for what it takes", word));
    }
    return *value;
}

InputKind input_named(std::string_view value, std::string_view word) {
    for (const InputKind input : {InputKind::ones, InputKind::iota, InputKind::random, InputKind::alternating}) {
        if (name(input) == value) {
            return input;
        }
    }
    return taken(std::optional<InputKind>(), word);
}

void take_option(RunOptions& options, std::string_view word) {
    const auto equals = word.find('=');
    const std::string_view key = word.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? "" : word.substr(equals + 1);
    if (key == "n") {
        ask_for_elements(options, taken(parse_count(value), word));
    } else if (key == "block") {
        const auto block = taken(parse_count(value), word);
        ask_for_block(options, static_cast<std::uint32_t>(std::min<std::uint64_t>(block, ~0U))); // resolve() refuses it
    } else if (key == "type") {
        options.type = taken(element_type_from(value), word);
    } else if (key == "op") {
        options.op = taken(operator_from(value), word);
    } else if (key == "finish") {
        options.finish = taken(finish_from(value), word);
    } else if (key == "input") {
        ask_for_input(options, input_named(value, word));
    } else if (key == "seed") {
        options.seed = taken(parse_count(value), word);
    } else {
        throw OptionError(fmt::format("{}: take n, block, type, op, finish, input or seed, as in n=1000", word));
    }
}

int work(int argc, char** argv) {
    if (argc < 4 || std::string_view(argv[1]) != "record") {
        throw OptionError("take record ID FILE.wtrace [KEY=VALUE …]");
    }
    RunOptions options;
    const StrategyInfo& info = require_strategy(argv[2]);
    options.strategy = info.id;
    options.type = taken_type(info);
    options.input = usual_input(info);
    options.backend = Backend::cpu;
    options.workers = 1;
    for (int i = 4; i < argc; ++i) {
        take_option(options, argv[i]);
    }
    const Trace trace = runs::run_any(options);
    save(trace, argv[3]);
    return trace.pass ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    try {
        return work(argc, argv);
    } catch (const std::exception& e) {
        fmt::print(stderr, "warptree: {}\n", e.what());
        return 2;
    }
}
