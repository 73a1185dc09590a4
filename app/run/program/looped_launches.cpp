#include "app/run/program/looped_launches.hpp"

#include "app/trace/explain/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>

namespace warptree::runs {

namespace {
bool updates(const Launch& launch, const std::string& array) {
    return std::ranges::any_of(launch.requests, [&](const Request& r) {
        return r.kind == AccessKind::atomic && r.allocation < launch.allocations.size() &&
               launch.allocations[r.allocation].name == array;
    });
}
} // namespace

std::optional<LoopDoubt> set_once(const Trace& trace) {
    const auto& events = trace.program.events;
    for (std::size_t first = 0; first < events.size(); ++first) {
        const StoryEvent& set = events[first];
        if (set.kind != StoryKind::set &&
            (set.kind != StoryKind::copy || set.direction != CopyDirection::host_to_device)) {
            continue;
        }
        SourceLine line = SourceLine::none();
        std::size_t launches = 0;
        bool copied = false;
        for (std::size_t k = first + 1; k < events.size(); ++k) {
            const StoryEvent& e = events[k];
            const bool to = e.kind == StoryKind::copy && e.direction != CopyDirection::device_to_host;
            if (e.name == set.name && (e.kind == StoryKind::set || e.kind == StoryKind::free || to)) {
                break;
            }
            copied |= e.kind == StoryKind::copy && e.direction == CopyDirection::device_to_host &&
                      e.other == set.name && launches > 1;
            const bool again = line.known() && e.line != line;
            if (e.kind == StoryKind::launch && !again && e.launch < trace.launches.size() &&
                updates(trace.launches[e.launch], set.name)) {
                line = e.line;
                ++launches;
            }
        }
        if (copied) {
            return LoopDoubt{
                line, set.name,
                fmt::format("{} is set in {} alone, before the first of the {} launches here, which add to it "
                            "with atomics: each begins with what those before it left",
                            set.name, place(trace, set.line), launches)};
        }
    }
    return std::nullopt;
}

namespace {
struct Touched {
    std::set<std::string> read, written; // arrays of global memory
    bool adds = false;                   // by atomics
};
Touched touched_by(const Launch& launch) {
    Touched all;
    for (const Request& r : launch.requests) {
        if (r.allocation < launch.allocations.size() && !is_shared(r.kind) && !is_remote(r.kind)) {
            (r.kind == AccessKind::global_load ? all.read : all.written).insert(launch.allocations[r.allocation].name);
            all.adds |= r.kind == AccessKind::atomic;
        }
    }
    return all;
}
} // namespace

std::optional<LoopDoubt> same_again(const Trace& trace) {
    const auto& events = trace.program.events;
    const auto launched = [&](const StoryEvent& e) -> const Launch* {
        return e.kind == StoryKind::launch && e.launch < trace.launches.size() ? &trace.launches[e.launch] : nullptr;
    };
    std::map<const Launch*, Touched> touched; // each is looked at once
    const auto touches = [&](const Launch& launch) -> const Touched& {
        const auto [at, absent] = touched.try_emplace(&launch);
        if (absent) {
            at->second = touched_by(launch);
        }
        return at->second;
    };
    std::set<std::uint32_t> lines; // that were looked at
    for (std::size_t first = 0; first < events.size(); ++first) {
        const Launch* const one = launched(events[first]);
        const SourceLine line = events[first].line;
        if (one == nullptr || !line.known() || !lines.insert(line.packed).second) {
            continue;
        }
        const Touched& its = touches(*one);
        const auto is_read = [&](const std::string& name) { return its.read.contains(name); };
        std::size_t launches = 1;
        bool same = !its.adds && !its.written.empty() && std::ranges::none_of(its.written, is_read);
        for (std::size_t k = first + 1; k < events.size() && same; ++k) {
            const StoryEvent& e = events[k];
            const Launch* const other = launched(e);
            if (other != nullptr && e.line == line) {
                ++launches;
                same = std::tie(other->arguments, other->grid, other->grid_shape, other->block, other->block_shape) ==
                       std::tie(one->arguments, one->grid, one->grid_shape, one->block, one->block_shape);
            } else if (other != nullptr) {
                same = std::ranges::none_of(touches(*other).written, is_read);
            } else if (e.kind == StoryKind::set || e.kind == StoryKind::copy) {
                same = e.direction == CopyDirection::device_to_host || !is_read(e.name);
            }
        }
        if (same && launches > 1) {
            return LoopDoubt{line,
                             {},
                             fmt::format("all {} launches of {} here are given the same, and nothing that they read "
                                         "changes between them: each stores what the first one did",
                                         launches, one->kernel)};
        }
    }
    return std::nullopt;
}

} // namespace warptree::runs
