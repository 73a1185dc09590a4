#include "app/trace/explain/costs.hpp"

#include "app/base/identifier.hpp"
#include "app/trace/explain/findings.hpp"
#include "app/trace/explain/repeated_work.hpp"
#include "app/trace/explain/vector_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

namespace warptree {

namespace {
struct Cost {
    SourceLine line;
    AccessKind kind = AccessKind::global_load;
    bool banks = false; // else sectors
    std::uint64_t done = 0, ideal = 0;
    std::uint32_t parts = 1,
                  parts_used = 0; // of an array of vectors: how many an element has; which are accessed, a bit each
    double times() const { return static_cast<double>(done) / static_cast<double>(std::max<std::uint64_t>(ideal, 1)); }
};

// by_kind: the line is told of both its loads and its stores.
std::string words(const Trace& trace, const Cost& cost, bool by_kind) {
    const bool whole = std::ranges::all_of(trace.launches, [](const Launch& l) { return l.window_count == l.grid; });
    const std::string where = place(trace, cost.line), in = whole ? "" : ", in the blocks traced";
    return cost.banks ? fmt::format("{}: bank conflicts{}: {} wavefronts where {} would do{}", where,
                                    !by_kind                               ? ""
                                    : cost.kind == AccessKind::shared_load ? " of loads"
                                                                           : " of stores",
                                    cost.done, cost.ideal, in)
                      : fmt::format("{}: lanes do not {} neighbouring elements: {} sectors of global memory where {} "
                                    "would hold what they use{}",
                                    where, cost.kind == AccessKind::global_store ? "store" : "load", cost.done,
                                    cost.ideal, in);
}

// The threads that combine, spread over more warps than would hold them, as where every other one does: an idle lane takes as long as
// one at work.
std::vector<LineCost> divergence(const Trace& trace) {
    constexpr std::uint64_t kTimes = 2, kMore = 64;
    std::uint64_t warps = 0, fewest = 0;
    std::map<SourceLine, std::uint64_t> lines; // where the warps split, how often
    for (const Launch& launch : trace.launches) {
        for (std::size_t s = 0; s < launch.steps.size(); ++s) {
            const Step& step = launch.steps[s];
            const std::uint64_t blocks = std::max<std::uint64_t>(launch.grid, 1);
            const std::uint64_t of_block = (step.counters.active_threads + blocks - 1) / blocks;
            const std::uint64_t least = (of_block + kWarpSize - 1) / kWarpSize * blocks;
            if (step.kind != StepKind::stage || step.counters.combines == 0 || step.counters.active_warps <= least) {
                continue;
            }
            warps += step.counters.active_warps;
            fewest += least;
            for (const Branch& b : launch.branches) {
                if (b.step == s && b.taken != 0 && b.not_taken != 0 && b.line.known()) {
                    lines[b.line] += 1;
                }
            }
        }
    }
    if (lines.empty() || warps < kTimes * fewest || warps < fewest + kMore) {
        return {};
    }
    const auto most =
        std::max_element(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    return {{most->first,
             fmt::format(
                 "{}: warps diverge: in the steps where fewer would do, {} warps, counted in each, have lanes at work "
                 "and others idle where {} would hold those at work, if they were neighbours",
                 place(trace, most->first), warps, fewest)}};
}

// Whether a line of code changes an array: "s[t] = 0", "s[i][j] += x", "total++".
bool changes(std::string_view code, const std::string& array) {
    for (std::size_t at = code.find(array); at != std::string_view::npos; at = code.find(array, at + 1)) {
        std::size_t after = at + array.size();
        if ((at > 0 && in_identifier(code[at - 1])) || (after < code.size() && in_identifier(code[after]))) {
            continue;
        }
        int open = 0;
        while (after < code.size() && (open > 0 || code[after] == '[' || code[after] == ' ')) {
            open += code[after] == '[' ? 1 : code[after] == ']' ? -1 : 0;
            ++after;
        }
        const std::string_view rest = code.substr(std::min(after, code.size()));
        if ((rest.starts_with('=') && !rest.starts_with("==")) || rest.starts_with("++") || rest.starts_with("--") ||
            (rest.size() > 1 && rest[1] == '=' &&
             std::string_view("+-*/|&^%").find(rest[0]) != std::string_view::npos)) {
            return true;
        }
    }
    return false;
}

// Whether the text has atomics or stores to shared arrays in lines where this run had none, as its data did not ask for them.
bool may_change_more(const Trace& trace, const Launch& launch) {
    std::set<std::uint32_t> atomic, stored; // lines of the first file
    for (const Request& r : launch.requests) {
        if (r.line.known() && r.line.file() == 0) {
            if (r.kind == AccessKind::atomic || r.kind == AccessKind::shared_atomic) {
                atomic.insert(r.line.line());
            }
            if (r.kind == AccessKind::shared_store || r.kind == AccessKind::shared_atomic) {
                stored.insert(r.line.line());
            }
        }
    }
    const std::string_view text = trace.sources.empty() ? std::string_view() : trace.sources.front().text;
    const auto lines = static_cast<std::uint32_t>(1 + std::ranges::count(text, '\n'));
    for (std::uint32_t line = 1; line <= lines; ++line) {
        const std::string_view code = code_of(text, line);
        if (code.find("atomic") != std::string_view::npos && !atomic.contains(line)) {
            return true;
        }
        const auto changed = [&](const SharedArray& a) { return changes(code, a.name); };
        if (!stored.contains(line) && std::ranges::any_of(launch.shared_arrays, changed)) {
            return true;
        }
    }
    return false;
}

// Barriers of a block where no thread comes to an element that another may have changed.
std::vector<LineCost> barriers(const Trace& trace) {
    constexpr std::size_t kMost = std::size_t{1} << 16; // requests, the lanes of all of which are looked at
    std::set<SourceLine> lines;
    for (const Launch& launch : trace.launches) {
        if (launch.barriers.empty() || launch.requests.size() > kMost || !launch.completed()) {
            return {};
        }
        using Place =
            std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>; // block, 0 in global memory; allocation, element
        std::map<Place, std::uint64_t> thread_at;                    // of the grid
        std::map<std::uint32_t, std::uint32_t> bytes; // of an access, by allocation: elements only if all are alike
        for (const Request& r : launch.requests) {
            const bool global = r.kind == AccessKind::global_load || r.kind == AccessKind::global_store;
            if (global && r.allocation < launch.allocations.size() && !launch.allocations[r.allocation].output) {
                continue;
            }
            const std::uint32_t allocation = global ? r.allocation : kNone;
            const bool shared = r.kind == AccessKind::shared_load || r.kind == AccessKind::shared_store;
            if ((!shared && !global) || bytes.try_emplace(allocation, r.bytes).first->second != r.bytes) {
                return {};
            }
            for (std::uint32_t rest = r.mask; rest != 0; rest &= rest - 1) {
                const auto lane = static_cast<unsigned>(std::countr_zero(rest));
                const std::uint64_t thread = std::uint64_t{r.block} * launch.block + r.warp * kWarpSize + lane;
                const Place place{global ? 0 : r.block, allocation, launch.index_of(r, lane)};
                if (thread_at.try_emplace(place, thread).first->second != thread) {
                    return {};
                }
            }
        }
        if (thread_at.empty() || !launch.shuffles.empty() || may_change_more(trace, launch)) {
            return {};
        }
        for (const Barrier& b : launch.barriers) {
            if (b.line.known()) {
                lines.insert(b.line);
            }
        }
    }
    if (lines.empty()) {
        return {};
    }
    return {{*lines.begin(),
             fmt::format("{}{}: barriers that order nothing: no thread uses an element that another one may change",
                         place(trace, *lines.begin()),
                         lines.size() > 1 ? fmt::format(" and {} more", lines.size() - 1) : "")}};
}

// Whether a line of the source begins a statement with an atomic that combines, and whose old value nobody takes; not with one that
// takes a lock or a ticket.
bool combines_by_atomic(const Trace& trace, SourceLine line) {
    if (line.file() >= trace.sources.size()) {
        return false;
    }
    const std::string_view code = code_of(trace.sources[line.file()].text, line.line());
    for (const std::string_view name : {"atomicAdd", "atomicMin", "atomicMax", "atomicAnd", "atomicOr", "atomicXor"}) {
        if (const std::size_t at = code.find(name); at != std::string_view::npos) {
            const std::size_t before = at == 0 ? std::string_view::npos : code.find_last_not_of(" \t", at - 1);
            return before == std::string_view::npos ||
                   std::string_view(";{})").find(code[before]) != std::string_view::npos;
        }
    }
    return false;
}

// Atomics of all threads to a few elements of global memory, one of each block for each element would do.
std::vector<LineCost> atomics(const Trace& trace) {
    constexpr std::size_t kFewElements = 8, kMany = 512, kTimes = 16;
    struct Atomics {
        std::set<SourceLine> lines;
        std::set<std::uint64_t> elements, of_blocks; // of_blocks: with the block's number
        std::uint64_t count = 0;
    };
    std::map<std::string, Atomics> by_array;
    std::map<SourceLine, bool> combines; // by line
    for (const Launch& launch : trace.launches) {
        for (const Request& r : launch.requests) {
            if (r.kind != AccessKind::atomic || !r.line.known() || r.allocation >= launch.allocations.size()) {
                continue;
            }
            const auto [line, unseen] = combines.try_emplace(r.line, false);
            line->second = unseen ? combines_by_atomic(trace, r.line) : line->second;
            if (!line->second) {
                continue;
            }
            Atomics& its = by_array[launch.allocations[r.allocation].name];
            its.lines.insert(r.line);
            for (std::uint32_t rest = r.mask; rest != 0; rest &= rest - 1) {
                const std::uint64_t element = launch.index_of(r, static_cast<unsigned>(std::countr_zero(rest)));
                its.count += 1;
                if (its.elements.size() <= kFewElements) {
                    its.elements.insert(element);
                    its.of_blocks.insert(std::uint64_t{r.block} << 32U | element);
                }
            }
        }
    }
    std::vector<LineCost> told;
    for (const auto& [array, its] : by_array) {
        const std::size_t elements = its.elements.size(), fewest = its.of_blocks.size();
        if (elements <= kFewElements && its.count >= kMany && its.count >= kTimes * fewest) {
            told.push_back(
                {*its.lines.begin(),
                 fmt::format("{}{}: {} atomics to {} element{} of {}: combined in each block first, {} would do",
                             place(trace, *its.lines.begin()),
                             its.lines.size() > 1 ? fmt::format(" and {} more", its.lines.size() - 1) : "", its.count,
                             elements, elements == 1 ? "" : "s", array, fewest)});
        }
    }
    return told;
}
} // namespace

std::uint64_t fewest_sectors(const Launch& launch, const Request& request) {
    constexpr std::uint64_t kSectorBytes = 32;
    std::array<std::uint32_t, kWarpSize> index{};
    auto end = index.begin();
    for (std::uint32_t rest = request.mask; rest != 0; rest &= rest - 1) {
        *end++ = launch.index_of(request, static_cast<unsigned>(std::countr_zero(rest)));
    }
    std::sort(index.begin(), end);
    const auto used = static_cast<std::uint64_t>(std::unique(index.begin(), end) - index.begin()) * request.bytes;
    const std::uint64_t ideal = (used + kSectorBytes - 1) / kSectorBytes;
    return request.sectors <= ideal + 1 ? request.sectors : ideal;
}

SectorUse sector_use(const Launch& launch, AccessKind kind, std::uint32_t step) {
    SectorUse all;
    for (const Request& r : launch.requests) {
        if (r.kind == kind && r.sectors != 0 && (step == kNone || r.step == step)) {
            all.touched += r.sectors;
            all.fewest += fewest_sectors(launch, r);
        }
    }
    return all;
}

std::vector<LineCost> line_costs(const Trace& trace) {
    constexpr double kBanks = 2, kSectors = 3; // times what would do; of pairs each line takes every other element
    constexpr std::uint64_t kMore = 64;
    constexpr std::size_t kMost = 3;
    std::map<std::pair<std::uint32_t, AccessKind>, Cost> by_line;
    for (const Launch& launch : trace.launches) {
        std::vector<std::uint32_t> parts; // of each allocation's elements
        for (const Allocation& a : launch.allocations) {
            parts.push_back(parts_of_array(trace, launch, a.name));
        }
        for (const Request& r : launch.requests) {
            const bool banks = r.wavefronts != 0;
            if (!r.line.known() || r.kind == AccessKind::atomic || is_remote(r.kind) || (!banks && r.sectors == 0)) {
                continue;
            }
            Cost& cost = by_line.try_emplace({r.line.packed, r.kind}, Cost{r.line, r.kind, banks}).first->second;
            cost.done += banks ? r.wavefronts : r.sectors;
            cost.ideal += banks ? r.ideal : fewest_sectors(launch, r);
            if (!banks && r.allocation < parts.size()) {
                cost.parts = std::max(cost.parts, parts[r.allocation]);
                cost.parts_used |=
                    1U << launch.index_of(r, static_cast<unsigned>(std::countr_zero(r.mask))) % parts[r.allocation];
            }
        }
    }
    std::vector<Cost> found;
    for (const auto& [key, cost] : by_line) {
        // Whole elements of three parts, which are neighbours, one part after the other.
        const bool whole = cost.parts == 3 && cost.parts_used == 7;
        if (!whole && cost.times() >= (cost.banks ? kBanks : kSectors) && cost.done >= cost.ideal + kMore) {
            found.push_back(cost);
        }
    }
    std::stable_sort(found.begin(), found.end(), [](const Cost& a, const Cost& b) { return a.times() > b.times(); });
    std::vector<LineCost> told;
    for (std::size_t k = 0; k < std::min(kMost, found.size()); ++k) {
        const auto twin = [&](const Cost& other) {
            return other.line == found[k].line && other.banks && found[k].banks && other.kind != found[k].kind;
        };
        told.push_back({found[k].line, words(trace, found[k], std::any_of(found.begin(), found.end(), twin))});
    }
    for (const std::vector<LineCost>& more : {divergence(trace), atomics(trace), barriers(trace)}) {
        told.insert(told.end(), more.begin(), more.end());
    }
    return told;
}

std::vector<std::string> costs(const Trace& trace) {
    std::vector<std::string> texts;
    for (LineCost& cost : line_costs(trace)) {
        texts.push_back(std::move(cost.text));
    }
    return texts;
}

} // namespace warptree
