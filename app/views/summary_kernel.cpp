#include "app/views/summary_kernel.hpp"

#include "app/trace/explain/array_contents.hpp"
#include "app/trace/explain/array_names.hpp"
#include "app/trace/explain/explain.hpp"
#include "app/trace/explain/report_kernel.hpp"
#include "app/trace/explain/report_program.hpp"
#include "app/trace/explain/values.hpp"
#include "app/views/atomic_words.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace warptree::scene {

namespace {
// Names of the arrays that requests of that kind access in the step, in the launch's order. Fully traced blocks only.
std::string arrays(const Launch& launch, std::uint32_t step, AccessKind kind) {
    std::set<std::uint16_t> met;
    for (const Request& r : launch.requests) {
        if (r.step == step && r.kind == kind) {
            met.insert(r.allocation);
        }
    }
    std::string names;
    for (const std::uint16_t a : met) {
        const std::string name =
            a < launch.allocations.size() ? kernel_name(launch, a) + buffer_note(launch, a) : "shared memory";
        names += (names.empty() ? "" : " and ") + name;
    }
    return names;
}

// ", all on one word: each waits for those before it".
std::string queue_of(const Launch& launch, std::uint32_t step) {
    const AtomicWords a = atomic_words(launch, step);
    return a.updates < 2          ? ""
           : a.words == 1         ? ", all on one word: each waits for those before it"
           : a.words == a.updates ? ", each on a word of its own"
           : a.most > 1           ? fmt::format(", up to {} of a warp on one word, which wait for one another", a.most)
                                  : ", which wait for one another where they hit the same word";
}
} // namespace

std::string kernel_store_sentence(const Launch& launch, std::uint32_t step) {
    const Counters& c = launch.steps[step].counters;
    std::string text;
    if (c.global_store_requests != 0) {
        const std::string to = arrays(launch, step, AccessKind::global_store);
        const std::uint64_t all = std::uint64_t{launch.grid} * launch.block;
        text = c.active_threads != all ? fmt::format("{} of {} threads {}", grouped(c.active_threads), grouped(all),
                                                     c.active_threads == 1 ? "stores" : "store")
               : all == 1              ? std::string("The only thread stores")
                                       : fmt::format("All {} threads store", grouped(all));
        text += fmt::format(" to {}: {} sector{} of 32 bytes.", to.empty() ? "global memory" : to,
                            grouped(c.global_store_sectors), c.global_store_sectors == 1 ? "" : "s");
    }
    if (c.atomics != 0) {
        std::string on = arrays(launch, step, AccessKind::atomic);
        const std::string shared = arrays(launch, step, AccessKind::shared_atomic);
        const std::string remote = arrays(launch, step, AccessKind::remote_atomic);
        on += on.empty() || shared.empty() ? shared : " and " + shared;
        on += remote.empty() ? "" : (on.empty() ? "" : " and ") + remote + " of other blocks";
        text += fmt::format("{}{} atomic operation{}{}{}.", text.empty() ? "" : " ", grouped(c.atomics),
                            c.atomics == 1 ? "" : "s", on.empty() ? "" : " on " + on, queue_of(launch, step));
    }
    return text.empty() ? "Nothing is stored." : text;
}

std::string first_values(const KernelOutput& output) {
    constexpr std::size_t kShown = 3;
    std::string values;
    for (const std::string& element : first_elements(output, kShown)) {
        values += (values.empty() ? "" : " ") + element;
    }
    return values + (output.count > kShown ? " …" : "");
}

Fact kernel_result(const Trace& t) {
    if (is_program(t)) { // which judges itself
        const auto& events = t.program.events;
        return {"exit code", std::to_string(t.program.exit), events.empty() ? "" : events.back().text,
                t.program.exit != 0};
    }
    if (!t.completed()) {
        return {"result", "none", "the run ended early", true};
    }
    std::string value = t.outputs.empty() ? std::string() : first_values(t.outputs.front());
    const std::string label = t.outputs.empty() ? "result" : t.outputs.front().name;
    if (expects_nothing(t)) {
        return {label, value.empty() ? "none" : value, value.empty() ? "nothing is stored" : t.equals, false};
    }
    if (std::string missing = missing_result(t); !missing.empty()) {
        return {"result", "none", std::move(missing), true};
    }
    return {"result", to_string(t.result), t.pass ? "correct" : "WRONG, expected " + to_string(t.reference), !t.pass};
}

std::optional<Fact> output_after(const Trace& t, std::uint32_t launch, std::uint32_t step) {
    if (t.outputs.empty() || is_program(t) || launch >= t.launches.size()) {
        return std::nullopt;
    }
    for (const ArrayPlace& array : arrays_of(t.launches[launch])) {
        if (array.is_shared() || array.name != t.outputs.front().name) {
            continue;
        }
        constexpr std::uint64_t kShown = 3;
        std::string values;
        for (const ArrayElement& e : contents(t, launch, array, 0, step, 0, std::min(array.elements, kShown))) {
            values += (values.empty() ? "" : " ") + (e.has_value() ? value_text(array.type, e.bits, 4) : "·");
        }
        return Fact{array.name, values + (array.elements > kShown ? " …" : ""), "after this step", false};
    }
    return std::nullopt;
}

std::string left_out(const Launch& launch) {
    constexpr std::size_t kShown = 3;
    std::map<std::pair<std::uint16_t, std::uint32_t>, bool> used; // by array and element, loaded once or more often
    bool combines = false;
    for (const Node& n : launch.nodes) {
        combines = combines || n.kind == NodeKind::combine;
        if (n.kind == NodeKind::leaf) {
            bool& any = used[{n.allocation, n.element()}];
            any = any || n.useful;
        }
    }
    const auto unused =
        static_cast<std::size_t>(std::count_if(used.begin(), used.end(), [](const auto& e) { return !e.second; }));
    if (!combines || unused == 0 || unused == used.size()) {
        return {};
    }
    std::string shown;
    std::size_t count = 0;
    for (const auto& [of, any] : used) {
        if (!any && count++ < kShown) {
            shown += fmt::format("{}{}[{}]", shown.empty() ? "" : ", ", kernel_name(launch, of.first), of.second);
        }
    }
    return fmt::format(" Of {} that are loaded {} in nothing that is stored: {}{}", plural(used.size(), "element"),
                       unused == 1 ? "one is" : grouped(unused) + " are", shown,
                       unused > kShown ? " and others." : ".");
}

std::string block_text(const Launch& l) {
    const auto& s = l.block_shape;
    return s[2] > 1   ? fmt::format("B = {} × {} × {}", s[0], s[1], s[2])
           : s[1] > 1 ? fmt::format("B = {} × {}", s[0], s[1])
                      : fmt::format("B = {}", l.block);
}

std::string option_text(const std::array<std::uint32_t, 3>& e, std::uint32_t all) {
    return e[2] > 1   ? fmt::format("{},{},{}", e[0], e[1], e[2])
           : e[1] > 1 ? fmt::format("{},{}", e[0], e[1])
                      : std::to_string(all);
}

} // namespace warptree::scene
