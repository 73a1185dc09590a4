// The program: the window, or a subcommand.
#include "app/base/build_info.hpp"
#include "app/base/error.hpp"
#include "app/base/large_pages.hpp"
#include "app/base/printable.hpp"
#include "app/base/sanitized.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/exit_code.hpp"
#include "app/cli/interrupt.hpp"
#include "app/cli/trace_options.hpp"
#include "app/measure/gpu/tracing_gpu.hpp"
#include "app/run/kernel_run.hpp"
#include "app/run/kernel_source.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace warptree;

int complain(std::string text, int code) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    fmt::print(stderr, "warptree: {}\n", printable_lines(text));
    return code;
}

// Takes what follows "--" off the command line of `run`: it is for the program that is run.
std::vector<std::string> take_program_arguments(int& argc, char** argv) {
    std::vector<std::string> taken;
    if (argc < 2 || std::string_view(argv[1]) != "run") {
        return taken;
    }
    const auto end = std::find_if(argv, argv + argc, [](const char* word) { return std::string_view(word) == "--"; });
    if (end != argv + argc) {
        taken.assign(end + 1, argv + argc);
        argc = static_cast<int>(end - argv);
    }
    return taken;
}

// Whether the command compiles a kernel, most likely: the worker then starts while the command line is read.
bool compiles(int argc, char** argv) {
    const std::string_view command = argc < 2 ? "" : argv[1];
    const auto is = [](std::string_view text) { return [text](const char* word) { return text == word; }; };
    return (argc < 2 || command.ends_with(".cu") || command == "report" || command == "run" || command == "record" ||
            command == "render" || command == "code") &&
           std::none_of(argv, argv + argc, is("--help")) && std::none_of(argv, argv + argc, is("-h")) &&
           (argc < 3 || !std::string_view(argv[2]).ends_with(".wtrace"));
}

int run_program(int argc, char** argv) {
    const std::vector<std::string> of_the_program = take_program_arguments(argc, argv);
    CLI::App app{"Runs CUDA kernels step by step, with or without a GPU. Without a command it opens the window.\n"
                 "Exit codes: 0 done and correct, 1 the result is wrong, 2 the request is unusable, 3 needs a GPU or a "
                 "display that is not there, 130 stopped by Ctrl+C, 143 by SIGTERM.",
                 "warptree"};
    app.set_version_flag("--version", fmt::format("warptree {}", build_info().version));
    app.get_formatter()->column_width(34);
    app.require_subcommand(0, 1); // so that an argument may be the name of another one
    commands::Action action;
    commands::add_window(app, action);
    using Add = std::function<void(CLI::App&, commands::Action&)>;
    const std::vector<std::pair<std::string_view, Add>> all = {
        {"list", commands::add_list},
        {"report", commands::add_report},
        {"run", [&](CLI::App& to, commands::Action& doing) { commands::add_run(to, doing, of_the_program); }},
        {"check", commands::add_check},
        {"record", commands::add_record},
        {"render", commands::add_render},
        {"export", commands::add_export},
        {"banks", commands::add_banks},
        {"bench", commands::add_bench},
        {"timings", commands::add_timings},
        {"theory", commands::add_theory},
        {"device", commands::add_device},
        {"launch", commands::add_launch},
        {"code", commands::add_code},
        {"counters", commands::add_counters},
        {"clocks", commands::add_clocks},
        {"lessons", commands::add_lessons},
        {"deck", commands::add_deck},
        {"serve", commands::add_serve}};
    // The options of many come from the catalogue, which is not read where none of them is asked for.
    const std::string_view first = argc < 2 ? "" : argv[1];
    const bool one =
        first == "--version" || std::ranges::find(all, first, &std::pair<std::string_view, Add>::first) != all.end();
    for (const auto& [name, add] : all) {
        if (!one || name == first) {
            add(app, action);
        }
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& e) { // --help, --version
        return app.exit(e);
    } catch (const CLI::ParseError& e) {
        return complain(commands::printable(e.what()) + "; see 'warptree --help'", commands::kUnusable);
    }
    return action();
}

// Its exit code, whatever happens.
int answered(int argc, char** argv) {
    try {
        if (compiles(argc, argv)) {
            runs::compiler().warm_up();
        }
        return run_program(argc, argv);
    } catch (const Cancelled&) {
        commands::stop_is_told();
        return complain("stopped; nothing was written", commands::interrupted_code());
    } catch (const MissingDevice& e) {
        return complain(e.what(), commands::kMissing);
    } catch (const runs::SourceError& e) { // in the format of compilers, so that editors find the lines
        fmt::print(stderr, "{}", printable_lines(runs::diagnostics_text(e.diagnostics)));
        return commands::kUnusable;
    } catch (const std::bad_alloc&) {
        return complain("out of memory; take a smaller -n or --window", commands::kUnusable);
    } catch (const std::exception& e) {
        return complain(e.what(), commands::kUnusable);
    }
}

} // namespace

int main(int argc, char** argv) {
    keep_freed_memory();
    std::signal(SIGPIPE, SIG_IGN);
    runs::trace_on_this_gpu();
    const int code = answered(argc, argv);
    if constexpr (!kSanitized) {
        std::fflush(nullptr);
        std::_Exit(code); // what still compiles ends with this process: nobody waits for it to give back its memory
    }
    return code;
}
