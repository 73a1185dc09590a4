#include "app/run/program/set_once.hpp"

#include "app/trace/explain/findings.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warptree::runs {

namespace {
bool updates(const Launch& launch, const std::string& array) {
    return std::ranges::any_of(launch.requests, [&](const Request& r) {
        return r.kind == AccessKind::atomic && r.allocation < launch.allocations.size() &&
               launch.allocations[r.allocation].name == array;
    });
}
} // namespace

std::optional<SetOnce> set_once(const Trace& trace) {
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
            return SetOnce{
                line, set.name,
                fmt::format("{} is set in {} alone, before the first of the {} launches here, which add to it "
                            "with atomics: each begins with what those before it left",
                            set.name, place(trace, set.line), launches)};
        }
    }
    return std::nullopt;
}

} // namespace warptree::runs
