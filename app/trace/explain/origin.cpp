#include "app/trace/explain/origin.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warptree {

namespace {
// The last store to the element; null: none that is traced.
const Output* store_to(const Launch& launch, std::uint16_t allocation, std::uint32_t element) {
    const auto last = std::find_if(launch.outputs.rbegin(), launch.outputs.rend(),
                                   [&](const Output& o) { return o.allocation == allocation && o.index == element; });
    return last == launch.outputs.rend() ? nullptr : &*last;
}
} // namespace

std::optional<Origin> origin_of(const Trace& trace, std::uint32_t launch, std::uint16_t allocation,
                                std::uint32_t element) {
    if (launch >= trace.launches.size() || allocation >= trace.launches[launch].allocations.size()) {
        return std::nullopt;
    }
    const std::string& name = trace.launches[launch].allocations[allocation].name;
    const auto& events = trace.program.events;
    auto at = std::find_if(events.rbegin(), events.rend(),
                           [&](const StoryEvent& e) { return e.kind == StoryKind::launch && e.launch == launch; });
    for (; at != events.rend(); ++at) {
        if ((at->kind == StoryKind::copy || at->kind == StoryKind::set) && at->name == name) {
            return Origin{kNone, nullptr, &*at};
        }
        if (at->kind == StoryKind::allocate && at->name == name) {
            return std::nullopt;
        }
        if (at->kind != StoryKind::launch || at->launch >= launch || at->launch >= trace.launches.size()) {
            continue;
        }
        const Launch& before = trace.launches[at->launch];
        if (allocation >= before.allocations.size() || before.allocations[allocation].name != name ||
            !before.allocations[allocation].output) {
            continue;
        }
        if (const Output* const store = store_to(before, allocation, element)) {
            return Origin{at->launch, store, nullptr};
        }
        if (before.window_count < before.grid) { // a block that is not traced may have stored it
            return Origin{at->launch, nullptr, nullptr};
        }
    }
    return std::nullopt;
}

std::string origin_text(const Trace& trace, const std::optional<Origin>& origin) {
    if (!origin) {
        return {};
    }
    if (origin->event != nullptr) {
        const StoryEvent& e = *origin->event;
        const std::string at = e.line.known() ? fmt::format(" in line {}", e.line.line()) : "";
        return e.kind == StoryKind::set ? fmt::format("set to {}{}{}", e.text == "0" ? "" : "bytes of ", e.text, at)
                                        : fmt::format("copied from {}{}", e.other.empty() ? "memory" : e.other, at);
    }
    if (origin->output == nullptr) {
        return fmt::format("of an array that launch {} writes", origin->launch + 1);
    }
    const Launch& launch = trace.launches[origin->launch];
    return fmt::format("thread {} of block {} stores it in launch {} ({})", origin->output->thread,
                       origin->output->block, origin->launch + 1, launch.kernel);
}

} // namespace warptree
