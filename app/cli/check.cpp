#include "app/run/check.hpp"
#include "app/base/error.hpp"
#include "app/base/whole_file.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/exit_code.hpp"
#include "app/cli/interrupt.hpp"
#include "app/cli/option_values.hpp"
#include "app/cli/output.hpp"
#include "app/cli/progress.hpp"
#include "app/cli/trace_options.hpp"
#include "app/trace/explain/findings.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <memory>

namespace warptree::commands {

namespace {
struct Words {
    std::vector<std::string> files, arguments;
    std::string kernel, grid, shared, expect, n, block, type, order, seed, excess, barriers, junit, limit, input;
    bool no_findings = false, json = false;
};

std::vector<std::string> listed(const std::string& text, char separator) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

runs::CheckRequest request_of(const Words& w) {
    runs::CheckRequest r;
    RunOptions& o = r.options;
    o.kernel.kernel = w.kernel;
    o.kernel.grid = w.grid;
    o.kernel.shared = w.shared;
    o.kernel.expect = w.expect;
    o.input = InputKind::random;
    o.kernel.input_given = true;
    if (!w.input.empty()) {
        for (const InputKind kind : {InputKind::ones, InputKind::iota, InputKind::random, InputKind::alternating}) {
            if (w.input == name(kind)) {
                o.input = kind;
            }
        }
        if (w.input != name(o.input)) {
            refuse("--input", w.input, "take ones, iota, random or alternating");
        }
    }
    for (const std::string& argument : w.arguments) {
        const std::size_t equals = argument.find('=');
        if (equals == 0 || equals == std::string::npos || equals + 1 == argument.size()) {
            refuse("--arg", argument, "take NAME=VALUE, as in in=random:1000");
        }
        o.kernel.arguments[argument.substr(0, equals)] = argument.substr(equals + 1);
    }
    if (!w.n.empty()) {
        for (const std::string& part : listed(w.n, ',')) {
            r.n.push_back(part == "auto" ? 0 : count_of("-n", part, 1, kMaxElements));
        }
    }
    if (!w.block.empty()) {
        for (const std::string& part : listed(w.block, ',')) {
            count_of("--block", part.substr(0, part.find('x')), 1, 1024);
            r.blocks.push_back(part);
        }
    }
    if (!w.type.empty()) {
        r.types = listed(w.type, ',');
    }
    if (w.order == "all") {
        r.orders = {WarpOrder::in_order, WarpOrder::reverse, WarpOrder::random};
    } else if (!w.order.empty()) {
        for (const std::string& part : listed(w.order, ',')) {
            r.orders.push_back(named("--order", part, warp_order_from, "in-order, reverse, random or all"));
        }
    }
    if (!w.seed.empty()) {
        o.seed = count_of("--seed", w.seed, 0, ~0ULL);
    }
    if (!w.excess.empty()) {
        r.most_excess_wavefronts = count_of("--max-excess-wavefronts", w.excess, 0, ~0ULL);
    }
    if (!w.barriers.empty()) {
        r.most_barriers = count_of("--max-barriers", w.barriers, 0, ~0ULL);
    }
    if (!w.limit.empty()) {
        r.limit = std::chrono::seconds(count_of("--limit", w.limit, 1, 3600));
    }
    r.no_findings = w.no_findings;
    return r;
}

// "ok" only if the output was compared with something.
std::string outcome(const runs::CheckRun& r) {
    if (!r.pass) {
        return r.reason;
    }
    const std::string found = r.findings.empty()       ? ""
                              : r.findings.size() == 1 ? ", 1 finding: "
                                                       : fmt::format(", {} findings, the first: ", r.findings.size());
    return (r.expected ? "ok" : "ran, with nothing to compare its output with") + found +
           (r.findings.empty() ? "" : warptree::title(r.findings.front().kind));
}

// "n 33, block 64, in-order"; no block if none was chosen yet.
std::string what_is_run(const runs::CheckRun& r) {
    return fmt::format("n {}, {}{}", r.n, r.block.empty() ? "" : fmt::format("block {}, ", r.block), name(r.order));
}

int check_files(const Words& w) {
    runs::CheckRequest request = request_of(w);
    RunControl control;
    const Interrupt interrupt(control);
    std::vector<runs::CheckResult> results;
    bool pass = true;
    for (const std::string& file : w.files) {
        request.options.kernel.file = file;
        request.options.strategy = std::filesystem::path(file).filename().string();
        results.push_back(runs::check(request, control, [&](const runs::CheckRun& r) {
            if (!w.json) {
                print(fmt::format("{}: {}: {}\n", printable(file), what_is_run(r), outcome(r)));
            }
        }));
        const runs::CheckResult& r = results.back();
        pass &= r.pass;
        if (w.json) {
            continue;
        }
        if (!r.reason.empty()) {
            print(fmt::format("{}: {}\n", printable(file), r.reason));
        }
        if (r.counter_example) {
            print(fmt::format("\nthe smallest run that fails: {}\n\n{}\n", what_is_run(r.runs[*r.counter_example]),
                              r.counter_example_report));
        }
    }
    if (w.json) {
        print(runs::check_json(results));
    }
    if (!w.junit.empty()) {
        write_whole(w.junit, runs::check_junit(results));
    }
    return pass ? kDone : kWrong;
}
} // namespace

void add_check(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("check", "Run CUDA files over sizes, blocks and orders, and say which fail");
    auto w = std::make_shared<Words>();
    command->add_option("files", w->files, "Files of CUDA")->required();
    command->add_option("--kernel", w->kernel, "Which kernel: NAME, or a template's 'NAME<ARGS>'");
    command->add_option("--expect", w->expect,
                        "What the output is compared with: sum, product, min, max, xor, dot, scan, exclusive-scan, "
                        "block-scan, segments or none");
    command->add_option("-n", w->n,
                        "Elements, a LIST as in 1,33,1000 (default 1,31,32,33,1000,1024); auto: chosen by the program");
    command->add_option("--block", w->block, "Threads per block, a LIST as in 32,256,16x16");
    command->add_option("--type", w->type, "Element types that the kernel may have, a LIST");
    command->add_option("--order", w->order, "in-order, reverse, random, a LIST of them, or all");
    command->add_option("--grid", w->grid, "Blocks: X, X,Y or X,Y,Z; also expressions over n and B");
    command->add_option("--shared", w->shared, "Bytes of dynamic shared memory");
    command->add_option("--arg", w->arguments, "NAME=VALUE, as for report");
    command->add_option("--input", w->input, "ones, iota, random or alternating (default random)");
    command->add_option("--seed", w->seed, "Seed of random input and random order (default 1)");
    command->add_flag("--no-findings", w->no_findings, "Fail on races and other findings, even if the result is right");
    command->add_option("--max-excess-wavefronts", w->excess, "Extra wavefronts that bank conflicts may cost");
    command->add_option("--max-barriers", w->barriers, "Barriers that a block may pass");
    command->add_option("--limit", w->limit, "Seconds that one run may take (default 10)");
    command->add_flag("--json", w->json, "As JSON");
    command->add_option("--junit", w->junit, "Write the runs as JUnit XML, for a course's CI");
    refuse_empty_values(*command);
    command->callback([&action, w] { action = [w] { return check_files(*w); }; });
}

} // namespace warptree::commands
