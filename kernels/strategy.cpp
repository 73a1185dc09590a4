#include "kernels/strategy.hpp"

#include "kernels/cpu/registry.hpp"
#include "kernels/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

namespace warptree {

std::string_view title(Family family) {
    switch (family) {
    case Family::shared_memory: return "Shared memory";
    case Family::shuffle_atomic: return "Shuffles and atomics";
    case Family::exhibit: break;
    }
    return "What goes wrong";
}
std::string_view name(Family family) {
    switch (family) {
    case Family::shared_memory: return "shared-memory";
    case Family::shuffle_atomic: return "shuffle-atomic";
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
    if (rule.power_of_two) {
        return fmt::format("a power of two, {} to {}", rule.least, rule.most);
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
    return {Finish::host, Finish::relaunch, Finish::atomic};
}

std::uint32_t grid_for(const StrategyInfo& info, std::uint32_t block, std::uint64_t n) {
    const std::uint64_t tile = static_cast<std::uint64_t>(block) * info.elements_per_thread;
    const std::uint64_t blocks = (n + tile - 1) / tile;
    return static_cast<std::uint32_t>(info.max_grid == 0 ? blocks : std::min<std::uint64_t>(blocks, info.max_grid));
}

std::string limits(const StrategyInfo& info) {
    std::string text = "block: " + block_limits(info.blocks) + "; finish: ";
    const char* separator = "";
    for (const Finish f : finishes(info)) {
        text += separator;
        text += name(f);
        separator = ", ";
    }
    return text;
}

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
    if (block < rule.least || block > rule.most || (rule.power_of_two && !std::has_single_bit(block)) ||
        block % rule.multiple != 0) {
        return fmt::format("{} does not run with a block of {}; its block must be {}", info.id, block,
                           block_limits(rule));
    }
    const auto allowed = finishes(info);
    const Finish finish = o.finish.value_or(allowed.front());
    if (std::find(allowed.begin(), allowed.end(), finish) == allowed.end()) {
        return fmt::format("{} combines into one total itself and has nothing left for --finish {}; take --finish {}",
                           info.id, name(finish), name(allowed.front()));
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
    if (finish == Finish::relaunch && block * info.elements_per_thread == 1 && o.n > o.host_below) {
        return fmt::format("{} with a block of 1 leaves as many partials as there were elements, so relaunching never "
                           "ends; take --block 2 or more",
                           info.id);
    }
    const std::uint64_t tile = static_cast<std::uint64_t>(block) * info.elements_per_thread;
    if (const std::uint64_t grid = (o.n + tile - 1) / tile; info.max_grid == 0 && grid > 0x7FFFFFFFULL) {
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
    return o;
}

} // namespace warptree
