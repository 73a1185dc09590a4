#include "app/trace/explain/report_kernel.hpp"

#include "app/base/printable.hpp"
#include "app/trace/explain/costs.hpp"
#include "app/trace/explain/findings.hpp"
#include "app/trace/explain/report_program.hpp"
#include "app/trace/explain/told_findings.hpp"
#include "app/trace/explain/values.hpp"
#include "app/trace/explain/vector_types.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace warptree {

namespace {
using Json = nlohmann::ordered_json;

// JSON has no infinity and no NaN: those are strings.
Json number(ValueType type, std::uint64_t bits) {
    return visit_value(type, bits, [](auto value) -> Json {
        if constexpr (std::is_floating_point_v<decltype(value)>) {
            if (std::isnan(value)) {
                return "nan";
            }
            if (std::isinf(value)) {
                return value > 0 ? "inf" : "-inf";
            }
        }
        return value;
    });
}

Json shape(const std::array<std::uint32_t, 3>& s) { return Json::array({s[0], s[1], s[2]}); }

std::string path_of(const Trace& t, SourceLine line) {
    return line.file() < t.sources.size() ? t.sources[line.file()].path : std::string();
}

Json finding(const Trace& t, const Launch& l, std::size_t launch, const Finding& f) {
    const auto step = [&](std::uint32_t s) { return s < l.steps.size() ? l.steps[s].label : std::string(); };
    Json out{{"kind", name(f.kind)}, {"severity", name(f.severity)}, {"line", f.line.line()}, {"thread", f.thread},
             {"block", f.block},     {"step", step(f.step)}};
    if (f.line.file() != 0) {
        out["file"] = path_of(t, f.line);
    }
    if (launch != 0) {
        out["launch"] = launch;
    }
    if (f.other_thread != kNobody) {
        out["other_line"] = f.other_line.line();
        out["other_thread"] = f.other_thread;
        out["other_block"] = f.other_block;
    }
    if (is_race(f.kind)) {
        out["access"] = f.writes ? "write" : "read";
        out["other_access"] = f.other_writes ? "write" : "read";
    }
    if (!f.array.empty()) {
        out["array"] = f.array;
        out["index"] = f.index;
    }
    out["times"] = f.times;
    out["text"] = sentence(t, l, f);
    return out;
}
} // namespace

void add_kernel(Json& report, const Trace& t) {
    report["file"] = t.options.kernel.file.empty() ? t.options.strategy : t.options.kernel.file;
    report["kernel"] = t.kernel;
    report["grid_shape"] = shape(t.launches.front().grid_shape);
    report["block_shape"] = shape(t.launches.front().block_shape);
    report["expect"] = t.expected.empty() ? "none" : t.expected;
    Json arguments = Json::array();
    for (const KernelArgument& a : t.arguments) {
        Json one{{"name", a.name}, {"type", a.type}, {"value", a.value}};
        if (a.count != 0) {
            one["count"] = a.count;
        }
        one["chosen"] = a.chosen;
        arguments.push_back(std::move(one));
    }
    report["arguments"] = std::move(arguments);
    report["chosen"] = t.chosen;
    report["tried"] = sentences(t.tried);
    if (!t.refused.empty()) {
        Json refused = Json::array();
        for (const RefusedKernel& r : t.refused) {
            refused.push_back({{"kernel", r.name}, {"why", r.why}});
        }
        report["refused"] = std::move(refused);
    }
    Json outputs = Json::object();
    for (const KernelOutput& o : t.outputs) {
        Json values = o.records;
        for (std::size_t i = 0; o.records.empty() && i < o.values.size(); ++i) {
            values.push_back(number(o.type, o.values[i]));
        }
        outputs[o.name] = std::move(values);
    }
    report["outputs"] = std::move(outputs);
    Json reached = Json::object();
    for (const Allocation& a : t.launches.front().allocations) {
        if (a.reached != 0) {
            reached[a.name] = a.reached;
        }
    }
    if (!reached.empty()) {
        report["reached"] = std::move(reached);
    }
    Json findings = Json::array();
    for (std::size_t i = 0; i < t.launches.size(); ++i) {
        for (const Finding& f : t.launches[i].findings) {
            findings.push_back(finding(t, t.launches[i], i, f));
        }
    }
    report["findings"] = std::move(findings);
    report["costs"] = costs(t);
    if (expects_nothing(t)) {
        report["pass"] = nullptr;
        report["result"] = nullptr;
        report["reference"] = nullptr;
        report["equals"] = t.equals.empty() ? Json() : Json(t.equals);
    }
    if (!is_program(t) && !t.launches.front().printed.empty()) {
        report["printed"] = t.launches.front().printed;
    }
}

std::string shape_text(const std::array<std::uint32_t, 3>& s) {
    return s[2] != 1   ? fmt::format("{} × {} × {}", s[0], s[1], s[2])
           : s[1] != 1 ? fmt::format("{} × {}", s[0], s[1])
                       : fmt::format("{}", s[0]);
}

// Those of the file that can run and are not the one that ran; of a template, without its arguments.
std::vector<std::string> other_kernels(const Trace& t) {
    std::vector<std::string> others;
    for (const std::string& name : t.kernels) {
        const bool is_template = name.ends_with('<');
        const auto is_it = [&](const std::string& other) {
            return is_template ? other.starts_with(name) : other == name;
        };
        const bool refused = std::ranges::any_of(
            t.refused, [&](const RefusedKernel& r) { return is_it(r.name) || r.name + "<" == name; });
        if (!is_it(t.kernel) && !refused) {
            others.push_back(is_template ? name.substr(0, name.size() - 1) : name);
        }
    }
    return others;
}

std::string kernel_heading(const Trace& t) {
    const Launch& l = t.launches.front();
    std::string out = fmt::format("{}: {}, grid {}, block {}", t.options.strategy, t.kernel, shape_text(l.grid_shape),
                                  shape_text(l.block_shape));
    if (in_clusters(l)) {
        out += ", clusters of " + shape_text(l.cluster);
    }
    if (l.shared_bytes != 0) {
        out += fmt::format(", {} bytes of shared memory", l.shared_bytes);
    }
    out += fmt::format(", on {}\n", t.device.name);
    const auto reached = [&](const std::string& array) { // of one that grows as it is touched
        const auto found = std::ranges::find(l.allocations, array, &Allocation::name);
        return found == l.allocations.end() ? std::uint64_t{0} : std::uint64_t{found->reached};
    };
    for (const KernelArgument& a : t.arguments) {
        const std::uint64_t count = std::max(a.count, a.count == 0 ? 0 : reached(a.name)) / parts_of_type(a.type);
        out += fmt::format("  {} {} = {}{}\n", a.type, a.name, a.value,
                           count != 0 ? fmt::format(", {} element{}", count, count == 1 ? "" : "s") : std::string());
    }
    if (!t.chosen.empty()) {
        out += fmt::format("chosen by the program: {}\n", fmt::join(t.chosen, ", "));
    }
    for (const OtherLaunch& tried : t.tried) {
        OtherLaunch as_said = tried;
        as_said.with += tried.n != 0 ? fmt::format(" (-n {})", tried.n) : "";
        out += fmt::format("if it were launched {}\n", sentence(as_said));
    }
    for (const RefusedKernel& r : t.refused) {
        out += fmt::format("not run, {}: {}\n", r.name, r.why);
    }
    if (const std::vector<std::string> others = other_kernels(t); !others.empty()) {
        out += fmt::format("not looked at (--kernel NAME does): {}\n", fmt::join(others, ", "));
    }
    for (const Allocation& a : l.allocations) {
        if (a.reached != 0) {
            out += fmt::format("the kernel reached {}[{}]\n", a.name, (a.reached - 1) / parts_of_array(t, l, a.name));
        }
    }
    return out;
}

std::string findings_text(const Trace& t) {
    std::string out;
    for (const ToldFinding& told : told_findings(t)) {
        const Finding& f = *told.finding;
        out += fmt::format("{}: {}{}{}\n", title(f), sentence(t, t.launches[told.launch], f),
                           how_often(f.kind, f.times), said_besides(t, told));
    }
    return out;
}

std::string missing_tree(const Trace& t) {
    if (!t.completed() || t.tree.useful_combines != 0) {
        return {};
    }
    if (t.tree.combines > t.tree.padding_combines) {
        return "not recognised as a reduction: no value that was combined is seen to reach an output\n";
    }
    const bool counts = std::any_of(t.launches.begin(), t.launches.end(), [](const Launch& l) {
        return std::any_of(l.votes.begin(), l.votes.end(), [](const Vote& v) { return v.kind == VoteKind::ballot; });
    });
    const bool stores =
        std::any_of(t.outputs.begin(), t.outputs.end(), [](const KernelOutput& o) { return o.count != 0; });
    if (!counts && stores && t.tree.leaves == 0 && t.tree.combines == 0) {
        return "no tree: what it stores is computed, not made of elements that it loads\n";
    }
    return counts ? "not recognised as a reduction: what is counted in a ballot is not followed, and nothing else "
                    "combines "
                    "two values made of elements\n"
                  : "not recognised as a reduction: nothing combines two values made of elements\n";
}

std::string kernel_verdict(const Trace& t) {
    std::string out;
    if (const std::string& printed = t.launches.front().printed; !printed.empty()) {
        out += fmt::format("\nprinted:\n{}{}", printable_lines(printed), printed.back() == '\n' ? "" : "\n");
    }
    for (const KernelOutput& o : t.outputs) {
        constexpr std::size_t kShown = 8;
        if (o.count == 0) {
            out += fmt::format("\nnothing is stored to {}", o.name);
            continue;
        }
        out += fmt::format("\n{} = {}{}", o.name, fmt::join(first_elements(o, kShown), " "),
                           o.count > kShown ? fmt::format(" … ({} in all)", o.count) : std::string());
    }
    out += t.outputs.empty() ? "" : "\n";
    if (!expects_nothing(t)) {
        return out;
    }
    if (spoils_the_result(t.launches.front())) {
        return out + "no result: the run ended early\n";
    }
    if (t.equals.empty()) {
        return out + "the output is not checked; --expect says against what\n";
    }
    std::vector<std::string> others; // of which nothing is said
    for (std::size_t k = 1; k < t.outputs.size(); ++k) {
        if (t.outputs[k].count != 0) {
            others.push_back(t.outputs[k].name);
        }
    }
    return out + (others.empty() ? fmt::format("it equals {}\n", t.equals)
                                 : fmt::format("{} equals {}; {} {} not checked\n", t.outputs.front().name, t.equals,
                                               fmt::join(others, ", "), others.size() == 1 ? "is" : "are"));
}

} // namespace warptree
