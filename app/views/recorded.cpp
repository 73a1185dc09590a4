#include "app/views/recorded.hpp"

#include "app/views/tree/parts.hpp"

#include <fmt/format.h>

#include <cmath>

namespace warptree::scene {

namespace {
// What of the recorded launch is another than in the trace: "B = 256, i32; ", or nothing.
std::string other_launch(const Trace& trace, std::uint32_t block, ElementType type) {
    std::string text;
    if (block != trace.block()) {
        text = fmt::format("B = {}", block);
    }
    if (type != trace.options.type) {
        text += fmt::format("{}{}", text.empty() ? "" : ", ", name(type));
    }
    return text.empty() ? text : text + "; ";
}

std::string whole(double cycles) { return grouped(static_cast<std::uint64_t>(std::llround(cycles))); }
} // namespace

std::string short_device(const std::string& device) {
    constexpr std::string_view kMaker = "NVIDIA ";
    return device.starts_with(kMaker) ? device.substr(kMaker.size()) : device;
}

std::vector<Fact> clock_facts(const Trace& trace, const session::Moment& moment, const clocks::Recording& r) {
    const Launch* launch = shown_launch(trace, moment);
    if (launch == nullptr || launch->steps.empty() || is_host(trace, moment)) {
        return {};
    }
    const clocks::StepCycles* step = clocks::find_step(r, launch->steps[current_step(trace, moment)].label);
    if (step == nullptr) {
        return {};
    }
    return {{short_device(r.device) + " cycles", whole(step->median),
             fmt::format("{}a warp, {} at barriers", other_launch(trace, r.block, r.type), whole(step->waiting)),
             false}};
}

std::vector<Fact> counter_facts(const Trace& trace, const counters::Recording& recording,
                                const std::vector<counters::Explanation>& explanations) {
    const counters::Row* row = counters::nearest(recording, trace.options.strategy, trace.block(), trace.options.type);
    if (row == nullptr) {
        return {};
    }
    const auto differences = counters::differences(*row, explanations);
    std::string why;
    for (const counters::Difference& d : differences) {
        why += fmt::format("; {} predicted {}, counted {}: {}", d.field, d.predicted, d.counted,
                           !d.why.empty()     ? d.why
                           : d.denied.empty() ? std::string("not explained")
                                              : "not explained: it should be " + d.denied);
    }
    const std::string launch = fmt::format("n = {}, B = {}, {}: ", row->n, row->block, name(row->type));
    return {{short_device(recording.device) + " counted",
             differences.empty() ? "as predicted"
                                 : fmt::format("{} differ{}", differences.size(), differences.size() == 1 ? "s" : ""),
             launch + counters::headline(*row) + why, !differences.empty()},
            {"compiler", row->divergent_branches != 0 ? "branches" : "predicates",
             launch + counters::how_compiled(*row), false}};
}

} // namespace warptree::scene
