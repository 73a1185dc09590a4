#include "app/trace/explain/report.hpp"

#include "app/base/json_text.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/trace/explain/costs.hpp"
#include "app/trace/explain/explain.hpp"
#include "app/trace/explain/report_kernel.hpp"
#include "app/trace/explain/report_program.hpp"
#include "app/trace/explain/sources.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace warptree {

namespace {
using Json = nlohmann::ordered_json;

// JSON has no infinity and no NaN: those are strings.
Json number(double value) {
    if (std::isnan(value)) {
        return "nan";
    }
    if (std::isinf(value)) {
        return value > 0 ? "inf" : "-inf";
    }
    return value;
}

Json number(const Scalar& s) {
    return visit_element(s.type, [&](auto t) -> Json {
        using T = decltype(t);
        if constexpr (std::is_floating_point_v<T>) {
            return number(static_cast<double>(s.as<T>()));
        } else {
            return s.as<T>();
        }
    });
}

Json counters(const Counters& c) {
    Json out = Json::object();
    for (const CounterField& field : counter_fields()) {
        out[field.name] = c.*field.member;
    }
    return out;
}

Json launch(const Launch& l) {
    Json steps = Json::array();
    for (const Step& s : l.steps) {
        Json step{{"label", s.label}, {"stride", s.stride}};
        step.update(counters(s.counters));
        steps.push_back(std::move(step));
    }
    Json out{{"grid", l.grid},
             {"block", l.block},
             {"elements", l.elements},
             {"shared_bytes", l.shared_bytes},
             {"steps", std::move(steps)},
             {"totals", counters(l.totals())}};
    if (in_clusters(l)) {
        out["cluster"] = l.cluster;
    }
    if (!l.kernel.empty()) { // of a program
        out["kernel"] = l.kernel;
        out["grid_shape"] = l.grid_shape;
        out["block_shape"] = l.block_shape;
        Json arguments = Json::array();
        for (const KernelArgument& a : l.arguments) {
            arguments.push_back({{"name", a.name}, {"type", a.type}, {"value", a.value}});
        }
        out["arguments"] = std::move(arguments);
    }
    return out;
}

constexpr std::size_t kMostHazards = 1000; // in a JSON report

Json side(const Trace& t, const Launch& l, const RaceSide& s) {
    return {{"thread", s.thread},
            {"warp", s.thread / kWarpSize},
            {"access", s.writes ? "write" : "read"},
            {"step", l.steps[s.step].label},
            {"file", file_of(t, s.line)},
            {"line", s.line.line()}};
}

// The races of the blocks traced in full.
Json hazards(const Trace& t) {
    Json list = Json::array();
    for (std::size_t i = 0; i < t.launches.size(); ++i) {
        for (const Hazard& h : t.launches[i].hazards) {
            if (list.size() == kMostHazards) {
                return list;
            }
            const Race race = race_of(h);
            const Launch& l = t.launches[i];
            Json orders = Json::array();
            for (const WarpOrder order : wrong_orders(t, race)) {
                orders.push_back(name(order));
            }
            const bool reads = race.first.writes != race.second.writes;
            const bool second_reads = reads && !race.second.writes;
            list.push_back({{"launch", i},
                            {"block", h.block},
                            {"word", h.word},
                            {"step", l.steps[h.second_step].label},
                            {reads ? "reader" : "first_writer", side(t, l, second_reads ? race.second : race.first)},
                            {reads ? "writer" : "second_writer", side(t, l, second_reads ? race.first : race.second)},
                            {"has_to_come_first", race.first.writes ? "write" : "read"},
                            {"wrong_orders", std::move(orders)},
                            {"across_shuffle", h.across_shuffle},
                            {"text", explain(t, l, h)}});
        }
    }
    return list;
}

Json stalls(const Trace& t) {
    Json list = Json::array();
    for (std::size_t i = 0; i < t.launches.size(); ++i) {
        const Launch& l = t.launches[i];
        for (const StallGroup& g : stall_groups(l)) {
            Json threads = Json::array();
            for (const auto& [first, last] : g.threads) {
                threads.push_back({first, last});
            }
            list.push_back({{"launch", i},
                            {"block", g.block},
                            {"step", l.steps[g.step].label},
                            {"barrier", g.kind == StallKind::barrier        ? "block"
                                        : g.kind == StallKind::warp_barrier ? "warp"
                                                                            : "none"}, // it waits for memory
                            {"file", file_of(t, g.line)},
                            {"line", g.line.line()},
                            {"waiting", g.waiting},
                            {"expected", g.expected},
                            {"threads", std::move(threads)}});
        }
    }
    return list;
}

// A text of very many lines without those in the middle.
std::string shortened(const std::string& text, std::size_t most, std::size_t first, std::size_t last) {
    std::vector<std::size_t> ends; // of its lines
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
        ends.push_back(at + 1);
    }
    if (ends.size() <= most) {
        return text;
    }
    return text.substr(0, ends[first - 1]) +
           fmt::format("… {} more lines; --format csv has all\n", ends.size() - first - last) +
           text.substr(ends[ends.size() - last - 1]);
}

// The table of each launch, which a blank line ends, and all of them.
std::string shortened(const std::string& tables) {
    constexpr std::size_t kTable = 64, kFirst = 36, kLast = 12, kAll = 600;
    std::string all;
    for (std::size_t at = 0; at < tables.size();) {
        const std::size_t end = std::min(tables.find("\n\n", at), tables.size() - 2) + 2;
        all += shortened(tables.substr(at, end - at), kTable, kFirst, kLast);
        at = end;
    }
    return shortened(all, kAll, kAll / 2, kAll / 4);
}

std::string costs_text(const Trace& t) {
    std::string out;
    for (const std::string& cost : costs(t)) {
        out += "cost: " + cost + "\n";
    }
    return out;
}

// What went wrong, for the text report.
std::string faults(const Trace& t) {
    constexpr std::size_t kMostTold = 6;
    std::string out;
    for (const Launch& l : t.launches) {
        if (l.stalled_blocks != 0) {
            out += fmt::format("\nnever completes. {}\n", explain_stalls(t, l));
        }
        if (const std::uint64_t all = l.totals().hazards; all != 0) {
            out += fmt::format("\n{} race{}: words that two threads access with nothing ordering the accesses\n", all,
                               all == 1 ? "" : "s");
            std::size_t told = 0;
            for (std::uint32_t step = 0; step < l.steps.size() && told < kMostTold; ++step) {
                if (const Hazard* h = leading_hazard(l, step, l.window_first)) {
                    out += fmt::format("  {}\n", explain(t, l, *h));
                    ++told;
                }
            }
        }
    }
    return out;
}

// A column of the table; omitted when it is zero in every step.
struct Counted {
    const char* title;
    std::string (*text)(const Counters&);
    std::uint64_t (*weight)(const Counters&);
};

std::string of_ideal(std::uint64_t count, std::uint64_t ideal) {
    return count == ideal ? std::to_string(count) : fmt::format("{}/{}", count, ideal);
}

const Counted kCounted[] = {
    {"active\nthreads", [](const Counters& c) { return std::to_string(c.active_threads); },
     [](const Counters& c) { return c.active_threads; }},
    {"warps\nactive", [](const Counters& c) { return std::to_string(c.active_warps); },
     [](const Counters& c) { return c.active_warps; }},
    {"warps\ndiverge", [](const Counters& c) { return std::to_string(c.divergent_warps); },
     [](const Counters& c) { return c.divergent_warps; }},
    {"combines\n(useful)",
     [](const Counters& c) {
         return c.combines == c.useful_combines ? std::to_string(c.combines)
                                                : fmt::format("{}({})", c.combines, c.useful_combines);
     },
     [](const Counters& c) { return c.combines; }},
    {"padding", [](const Counters& c) { return std::to_string(c.padding_combines); },
     [](const Counters& c) { return c.padding_combines; }},
    {"barriers", [](const Counters& c) { return std::to_string(c.barriers); },
     [](const Counters& c) { return c.barriers; }},
    {"ld wave\n/ideal", [](const Counters& c) { return of_ideal(c.shared_load_wavefronts, c.shared_load_ideal); },
     [](const Counters& c) { return c.shared_load_wavefronts; }},
    {"st wave\n/ideal", [](const Counters& c) { return of_ideal(c.shared_store_wavefronts, c.shared_store_ideal); },
     [](const Counters& c) { return c.shared_store_wavefronts; }},
    {"sectors\nld", [](const Counters& c) { return std::to_string(c.global_load_sectors); },
     [](const Counters& c) { return c.global_load_sectors; }},
    {"sectors\nst", [](const Counters& c) { return std::to_string(c.global_store_sectors); },
     [](const Counters& c) { return c.global_store_sectors; }},
    {"shuffles", [](const Counters& c) { return std::to_string(c.shuffles); },
     [](const Counters& c) { return c.shuffles; }},
    {"atomics", [](const Counters& c) { return std::to_string(c.atomics); },
     [](const Counters& c) { return c.atomics; }},
    {"hazards", [](const Counters& c) { return std::to_string(c.hazards); },
     [](const Counters& c) { return c.hazards; }},
};

Table table(const Launch& l) {
    std::vector<std::pair<std::string, Counters>> rows;
    for (const Step& s : l.steps) {
        rows.emplace_back(s.label, s.counters);
    }
    const Counters totals = l.totals();
    rows.emplace_back("total", totals);
    Table table{{{"step"}}, {}};
    for (const auto& row : rows) {
        table.rows.push_back({row.first});
    }
    for (const Counted& column : kCounted) {
        if (column.weight(totals) == 0) {
            continue;
        }
        table.columns.push_back({column.title, true});
        for (std::size_t r = 0; r < rows.size(); ++r) {
            const Counters& c = rows[r].second;
            table.rows[r].emplace_back(column.weight(c) == 0 ? "-" : column.text(c));
        }
    }
    return table;
}

// Every counter of every step of every launch, one row per step.
Table counted(const Trace& t) {
    Table table{{{"launch", true}, {"step"}, {"stride", true}}, {}};
    for (const CounterField& field : counter_fields()) {
        table.columns.push_back({field.name, true});
    }
    for (std::size_t i = 0; i < t.launches.size(); ++i) {
        for (const Step& s : t.launches[i].steps) {
            auto& row = table.rows.emplace_back();
            row = {std::to_string(i + 1), s.label, std::to_string(s.stride)};
            for (const CounterField& field : counter_fields()) {
                row.emplace_back(std::to_string(s.counters.*field.member));
            }
        }
    }
    return table;
}
} // namespace

std::string steps_text(const Trace& t, TableFormat as) {
    if (as == TableFormat::csv) {
        return table_text(counted(t), as);
    }
    std::string out;
    for (std::size_t i = 0; i < t.launches.size(); ++i) {
        const Launch& l = t.launches[i];
        out += fmt::format("{}launch {}: {}{} block{}{}, {} element{}, {} bytes of shared memory per block\n\n",
                           out.empty() ? "" : "\n", i + 1, l.kernel.empty() ? "" : l.kernel + ", ", l.grid,
                           l.grid == 1 ? "" : "s", in_clusters(l) ? " in clusters of " + shape_text(l.cluster) : "",
                           l.elements, l.elements == 1 ? "" : "s", l.shared_bytes);
        out += table_text(table(l), as);
    }
    return out;
}

std::string report_json(const Trace& t, const OrderResults& orders) {
    const RunOptions& o = t.options;
    Json launches = Json::array();
    for (const Launch& l : t.launches) {
        launches.push_back(launch(l));
    }
    Json report{{"format", "warptree.report"},
                {"version", 1},
                {"variant", o.strategy},
                {"n", o.n},
                {"block", t.block()},
                {"type", name(o.type)},
                {"op", name(o.op)},
                {"finish", name(o.finish.value_or(Finish::host))},
                {"parameters", o.parameters},
                {"backend", name(o.backend)},
                {"device", t.device.name},
                {"banks", o.banks},
                {"result", t.completed() ? number(t.result) : Json()},
                {"reference", number(t.reference)},
                {"reference_error", number(t.reference_error)},
                {"tolerance", number(t.tolerance)},
                {"pass", t.pass},
                {"first_wrong", t.first_wrong ? Json(*t.first_wrong) : Json()},
                {"launches", std::move(launches)},
                {"host_partials", t.host_partials},
                {"tree",
                 {{"leaves", t.tree.leaves},
                  {"combines", t.tree.combines},
                  {"useful_combines", t.tree.useful_combines},
                  {"padding_combines", t.tree.padding_combines},
                  {"depth", t.tree.depth}}}};
    if (const StrategyInfo* info = find_strategy(o.strategy); info != nullptr && info->family == Family::exhibit) {
        report["order"] = name(o.order);
        report["hazard"] = info->hazard;
        report["on_gpu"] = info->on_gpu;
    }
    if (Json list = hazards(t); !list.empty()) {
        report["hazards"] = std::move(list);
    }
    if (is_kernel_file(t)) {
        add_kernel(report, t);
    }
    if (is_program(t)) {
        report["file"] = o.kernel.file;
        report["pass"] = nullptr; // a program says itself what it thinks of its result
        report["program"] = program_json(t);
    }
    if (orders.orders != 0) {
        report["orders"] = order_json(orders);
    }
    if (!t.completed()) {
        report["completed"] = false;
        report["stalls"] = stalls(t);
    }
    return json_text(report, 2) + "\n";
}

std::string report_text(const Trace& t, const OrderResults& orders) {
    const RunOptions& o = t.options;
    if (is_program(t)) {
        std::string out =
            fmt::format("{}: a program of {} launch{}, exit code {}, on {}\n\n", o.strategy, t.launches.size(),
                        t.launches.size() == 1 ? "" : "es", t.program.exit, t.device.name) +
            story_text(t);
        if (!t.launches.empty()) {
            out += "\n" + shortened(steps_text(t, TableFormat::text)) + "\n" + findings_text(t) + costs_text(t);
        }
        return out;
    }
    const StrategyInfo* strategy = find_strategy(o.strategy);
    const auto edge = [&](const char* name) {
        const auto it = o.parameters.find(name);
        return it == o.parameters.end() ? 0 : it->second;
    };
    std::string out =
        strategy == nullptr && is_kernel_file(t) ? kernel_heading(t)
        : strategy != nullptr && strategy->answer == Answer::matrix
            ? fmt::format("{}: {} × {} by {} × {} matrices of {} in blocks of {}, on {}\n", o.strategy, edge("rows"),
                          edge("inner"), edge("inner"), edge("columns"), name(o.type), t.block(), t.device.name)
        : strategy != nullptr && strategy->answer == Answer::listed
            ? fmt::format("{}: {} of {} {} in blocks of {}, on {}\n", o.strategy, computed(*strategy, o.op), o.n,
                          name(o.type), t.block(), t.device.name)
        : strategy != nullptr && is_scan(*strategy)
            ? fmt::format("{}: {} of {} {} in blocks of {}, on {}\n", o.strategy, name(o.op), o.n, name(o.type),
                          t.block(), t.device.name)
            : fmt::format("{}: {} of {} {} in blocks of {}, finish {}, on {}\n", o.strategy, name(o.op), o.n,
                          name(o.type), t.block(), name(o.finish.value_or(Finish::host)), t.device.name);
    for (const auto& [name, value] : o.parameters) {
        out += fmt::format("{} {}\n", name, value);
    }
    out += "\n" + shortened(steps_text(t, TableFormat::text));
    if (t.host_partials > 1) {
        out += fmt::format("\nthe host combines {} partial results\n", t.host_partials);
    }
    if (const std::string atomics = explain_atomics(t); !atomics.empty()) {
        out += "\n" + atomics + "\n";
    }
    out += strategy == nullptr && is_kernel_file(t) ? "\n" + findings_text(t) + costs_text(t) : faults(t);
    const std::string padding =
        t.tree.padding_combines == 0
            ? ""
            : fmt::format(", {} padding: one operand is only the identity", t.tree.padding_combines);
    out += fmt::format("\ntree: {} {}, {} combines ({} useful{}), depth {}\n", t.tree.leaves,
                       t.tree.leaves == 1 ? "leaf" : "leaves", t.tree.combines, t.tree.useful_combines, padding,
                       t.tree.depth);
    out += order_text(orders);
    if (strategy == nullptr && is_kernel_file(t)) {
        out += missing_tree(t) + kernel_verdict(t);
        if (expects_nothing(t) || !t.completed()) {
            return out;
        }
    }
    if (const std::string missing = missing_result(t); !missing.empty()) {
        return out + fmt::format("WRONG: {}, reference {}\n", missing, to_string(t.reference));
    }
    out += fmt::format("{}: result {}, reference {}", t.pass ? "correct" : "WRONG",
                       t.completed() ? to_string(t.result) : "none", to_string(t.reference));
    if (t.first_wrong) {
        out += fmt::format(" (element {} of the output, the first wrong one)", *t.first_wrong);
    }
    if (is_floating(o.type) && t.completed()) {
        out += fmt::format(", error {:.3g} of {:.3g} allowed", t.reference_error, t.tolerance);
        if (t.pass && !std::isfinite(t.result.as_double()) && std::isfinite(t.reference.as_double())) {
            out += "; a partial result exceeds the range of the type";
        }
    }
    if (is_floating(o.type) && t.pass && !std::isfinite(t.reference.as_double())) {
        out += "; what is expected exceeds the range of the type, which decides nothing: take other contents, as ones";
    }
    out += "\n";
    if (const StrategyInfo* info = find_strategy(o.strategy); info != nullptr && info->family == Family::exhibit) {
        out += fmt::format("\nwhat is wrong: {}\non a GPU: {}\n", info->hazard, info->on_gpu);
    }
    return out;
}

} // namespace warptree
