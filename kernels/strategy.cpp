#include "kernels/strategy.hpp"

#include "app/base/error.hpp"
#include "kernels/cpu/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

namespace warptree {

std::string_view title(Family family) {
    switch (family) {
    case Family::shared_memory: return "Shared memory";
    case Family::shuffle_atomic: return "Shuffles and atomics";
    case Family::scan: return "Scans";
    case Family::exhibit: break;
    }
    return "What goes wrong";
}
std::string_view name(Family family) {
    switch (family) {
    case Family::shared_memory: return "shared-memory";
    case Family::shuffle_atomic: return "shuffle-atomic";
    case Family::scan: return "scan";
    case Family::exhibit: break;
    }
    return "exhibit";
}

std::span<const StrategyInfo> strategies() {
    static const std::vector<StrategyInfo> all = [] {
        std::vector<StrategyInfo> list;
        for (const cpu::KernelTable* table : cpu::kernel_tables()) {
            list.push_back(table->info);
        }
        return list;
    }();
    return all;
}

const StrategyInfo* find_strategy(std::string_view id) {
    const auto all = strategies();
    const auto it = std::find_if(all.begin(), all.end(), [&](const StrategyInfo& s) { return s.id == id; });
    return it == all.end() ? nullptr : &*it;
}

namespace {
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t here = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1] ? 1 : 0)});
            diagonal = row[j];
            row[j] = here;
        }
    }
    return row.back();
}

std::string block_limits(const BlockRule& rule) {
    if (rule.least == rule.most) {
        return fmt::format("{}", rule.least);
    }
    if (rule.power_of_two && rule.factor * rule.least == rule.most) {
        return fmt::format("{} or {}", rule.least, rule.most);
    }
    if (rule.power_of_two) {
        return fmt::format("a power of {}, {} to {}", rule.factor == 2 ? "two" : "four", rule.least, rule.most);
    }
    return fmt::format("a multiple of {}, {} to {}", rule.multiple, rule.least, rule.most);
}
} // namespace

const StrategyInfo& require_strategy(std::string_view id) {
    if (const StrategyInfo* info = find_strategy(id)) {
        return *info;
    }
    if (id.size() > 64) {
        throw OptionError("no such strategy; 'warptree list' names them all");
    }
    const auto all = strategies();
    const auto nearest = std::min_element(all.begin(), all.end(), [&](const StrategyInfo& a, const StrategyInfo& b) {
        return edit_distance(a.id, id) < edit_distance(b.id, id);
    });
    throw OptionError(
        fmt::format("no strategy '{}'; the nearest is '{}', and 'warptree list' names them all", id, nearest->id));
}

std::vector<Finish> finishes(const StrategyInfo& info) {
    if (info.finishes_atomically) {
        return {Finish::atomic};
    }
    if (info.finishes_last) {
        return {Finish::last_block};
    }
    if (info.answer != Answer::total) {
        return {Finish::host}; // which has nothing to combine
    }
    if (info.outputs_per_block != nullptr) {
        return {Finish::relaunch, Finish::host};
    }
    if (info.relaunch_block != 0) {
        return {Finish::relaunch};
    }
    std::vector<Finish> all{Finish::host, Finish::relaunch, Finish::atomic, Finish::last_block};
    std::rotate(all.begin(), std::find(all.begin(), all.end(), info.default_finish), all.end());
    return all;
}

namespace {
const Parameter* find_parameter(const StrategyInfo& info, std::string_view name) {
    const auto it = std::find_if(info.parameters.begin(), info.parameters.end(),
                                 [&](const Parameter& p) { return p.name == name; });
    return it == info.parameters.end() ? nullptr : &*it;
}
bool in_range(const Parameter& p, std::uint32_t value) {
    return value >= p.least && value <= p.most && (!p.power_of_two || std::has_single_bit(value));
}
} // namespace

Arguments arguments(const StrategyInfo& info, const ParameterValues& asked, std::uint64_t n) {
    for (const auto& [name, value] : asked) {
        const Parameter* p = find_parameter(info, name);
        if (p == nullptr) {
            throw OptionError(fmt::format("--{} means nothing to {}; leave it out", name, info.id));
        }
        if (!in_range(*p, value)) {
            throw OptionError(fmt::format("--{} {} is not usable; take {}{} to {}", name, value,
                                          p->power_of_two ? "a power of two, " : "", p->least, p->most));
        }
    }
    Arguments values{};
    for (std::size_t i = 0; i < info.parameters.size(); ++i) {
        const auto it = asked.find(info.parameters[i].name);
        values[i] = it == asked.end() ? info.parameters[i].fallback : it->second;
        if (values[i] == 0 && info.parameters[i].as_n) {
            values[i] = static_cast<std::uint32_t>(std::min<std::uint64_t>(n, ~0U));
        }
    }
    return values;
}

ParameterValues parameters_of(const StrategyInfo& info, const ParameterValues& values) {
    ParameterValues kept;
    for (const auto& [name, value] : values) {
        if (const Parameter* p = find_parameter(info, name); p != nullptr && in_range(*p, value)) {
            kept.emplace(name, value);
        }
    }
    return kept;
}

std::uint64_t grid_for(const StrategyInfo& info, const Geometry& g) {
    if (info.grid != nullptr) {
        return info.grid(g);
    }
    const std::uint64_t tile = static_cast<std::uint64_t>(g.block) * info.elements_per_thread;
    const std::uint64_t blocks = (g.n + tile - 1) / tile;
    return info.max_grid == 0 ? blocks : std::min<std::uint64_t>(blocks, info.max_grid);
}

std::uint64_t inputs_for(const RunOptions& o) {
    const StrategyInfo& info = require_strategy(o.strategy);
    return info.inputs == nullptr ? o.n : info.inputs(arguments(info, o.parameters, o.n));
}

std::uint32_t outputs_per_block(const StrategyInfo& info, const Geometry& g) {
    return info.outputs_per_block != nullptr ? info.outputs_per_block(g) : is_scan(info) ? g.block : 1;
}

std::uint64_t outputs_for(const StrategyInfo& info, const Geometry& g) {
    if (info.outputs != nullptr) {
        return info.outputs(g.arguments);
    }
    return is_scan(info) ? g.n : grid_for(info, g) * outputs_per_block(info, g);
}

std::uint64_t tiles_for(const StrategyInfo& info, const Geometry& g) {
    const std::uint64_t tile = outputs_per_block(info, g);
    return (g.n + tile - 1) / tile;
}

std::uint64_t left_for_host(const StrategyInfo& info, const Geometry& g, const RunOptions& o) {
    return std::max<std::uint64_t>(o.host_below, info.outputs_per_block == nullptr ? 1 : info.outputs_per_block(g));
}

std::string limits(const StrategyInfo& info) {
    std::string text = "block: " + block_limits(info.blocks);
    for (const Parameter& p : info.parameters) {
        text += p.flag ? fmt::format("; --{}: {}", p.name, p.help)
                       : fmt::format("; --{} {}{} to {}: {}", p.name, p.power_of_two ? "a power of two, " : "", p.least,
                                     p.most, p.help);
    }
    text += info.answer == Answer::total ? "; finish: " : "";
    const char* separator = "";
    for (const Finish f : info.answer == Answer::total ? finishes(info) : std::vector<Finish>{}) {
        text += separator;
        text += name(f);
        separator = ", ";
    }
    return text;
}

namespace {
// Whether every launch leaves fewer partials than it was given, down to those left for the host.
bool relaunching_ends(const StrategyInfo& info, Geometry g, const RunOptions& o) {
    for (;;) {
        const std::uint64_t left = outputs_for(info, g);
        if (left <= left_for_host(info, g, o)) {
            return true;
        }
        if (left >= g.n) {
            return false;
        }
        g.n = left;
        g.block = info.relaunch_block != 0 ? info.relaunch_block : g.block;
    }
}
} // namespace

std::optional<std::string> refusal(const RunOptions& o) {
    const StrategyInfo& info = require_strategy(o.strategy);
    if (o.n == 0 || o.n > kMaxElements) {
        return fmt::format("{} elements cannot be traced; take 1 to 2^31", o.n);
    }
    if (!supports(o.type, o.op)) {
        return fmt::format("{} is not defined on {}; take i32, u32 or i64, or another operator", name(o.op),
                           name(o.type));
    }
    const std::uint32_t block = o.block.value_or(info.default_block);
    const BlockRule& rule = info.blocks;
    if (!rule.takes(block)) {
        return fmt::format("{} does not run with a block of {}; its block must be {}", info.id, block,
                           block_limits(rule));
    }
    if (info.words_only && (bytes(o.type) != 4 || is_floating(o.type) || o.op == Operator::product)) {
        return fmt::format("{} of {} is nothing the hardware reduces a warp by; {} takes i32 and u32 with sum, min, "
                           "max, xor or sum-of-squares",
                           name(o.op), name(o.type), info.id);
    }
    Geometry geometry{o.n, block, {}, bytes(o.type)};
    try {
        geometry.arguments = arguments(info, o.parameters, o.n);
    } catch (const OptionError& e) {
        return e.what();
    }
    const auto allowed = finishes(info);
    const Finish finish = o.finish.value_or(allowed.front());
    if (std::find(allowed.begin(), allowed.end(), finish) == allowed.end()) {
        return fmt::format("{} {} and has nothing left for --finish {}; take --finish {}", info.id,
                           info.answer == Answer::total ? "combines what its blocks leave in its own way"
                                                        : "gives many results, not one,",
                           name(finish), name(allowed.front()));
    }
    if (info.deadlocks && o.backend == Backend::cuda) {
        return fmt::format("{} never completes and would hang the GPU; take --backend cpu", info.id);
    }
    if (o.host_below == 0) {
        return std::string("--host-below 0 leaves nothing for the host; take 1 or more");
    }
    if (o.host_below != 1 && finish != Finish::relaunch) {
        return fmt::format("--host-below goes with --finish relaunch, not {}", name(finish));
    }
    if (finish == Finish::relaunch && !relaunching_ends(info, geometry, o)) {
        return fmt::format("{} with a block of {} leaves as many partials as there were elements, so relaunching never "
                           "ends; take a larger --block",
                           info.id, block);
    }
    if (info.refusal != nullptr) {
        if (auto why = info.refusal(o, geometry)) {
            return why;
        }
    }
    if (const std::uint64_t grid = grid_for(info, geometry); grid > 0x7FFFFFFFULL) {
        return fmt::format("{} blocks are more than a grid holds; take a larger --block", grid);
    }
    if (o.banks != 32 && o.banks != 16) {
        return fmt::format("{} banks: no such device; take 32, or 16 for cc 1.x", o.banks);
    }
    if (o.input == InputKind::file && o.input_file.empty()) {
        return std::string("no input file named");
    }
    return std::nullopt;
}

RunOptions resolve(RunOptions o) {
    if (const auto why = refusal(o)) {
        throw OptionError(*why);
    }
    const StrategyInfo& info = require_strategy(o.strategy);
    o.block = o.block.value_or(info.default_block);
    o.finish = o.finish.value_or(finishes(info).front());
    const Arguments values = arguments(info, o.parameters, o.n);
    for (std::size_t i = 0; i < info.parameters.size(); ++i) {
        o.parameters.insert_or_assign(std::string(info.parameters[i].name), values[i]);
    }
    return o;
}

} // namespace warptree
