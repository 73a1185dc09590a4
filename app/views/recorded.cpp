#include "app/views/recorded.hpp"

#include "app/base/type_words.hpp"
#include "app/views/tree/parts.hpp"

#include <fmt/format.h>

#include <cmath>

namespace warptree::scene {

namespace {
std::string recorded_launch(std::uint64_t n, std::uint32_t block, ElementType type) {
    return fmt::format("n = {}, B = {}, {}: ", grouped(n), block, c_name(type));
}

std::string whole(double cycles) { return grouped(static_cast<std::uint64_t>(std::llround(cycles))); }
} // namespace

std::string short_device(const std::string& device) {
    constexpr std::string_view kMaker = "NVIDIA ";
    return device.starts_with(kMaker) ? device.substr(kMaker.size()) : device;
}

std::vector<Fact> clock_facts(const Trace& trace, const session::Moment& moment, const clocks::Recording& r) {
    const Launch* launch = shown_launch(trace, moment);
    if (launch == nullptr || launch->steps.empty() || is_host(trace, moment) || r.block != trace.block() ||
        r.type != trace.options.type) {
        return {};
    }
    const clocks::StepCycles* step = clocks::find_step(r, launch->steps[current_step(trace, moment)].label);
    if (step == nullptr) {
        return {};
    }
    return {{short_device(r.device) + " cycles", whole(step->median),
             fmt::format("{}a warp in this step, {} of them at barriers", recorded_launch(r.n, r.block, r.type),
                         whole(step->waiting)),
             false}};
}

std::vector<Fact> counter_facts(const Trace& trace, const counters::Recording& recording,
                                const std::vector<counters::Explanation>& explanations) {
    const counters::Row* row = counters::nearest(recording, trace.options.strategy, trace.block(), trace.options.type);
    if (row == nullptr || row->block != trace.block() || row->type != trace.options.type) {
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
    const std::string launch = recorded_launch(row->n, row->block, row->type);
    const bool predicates = row->divergent_branches == 0 && counters::how_compiled(*row).starts_with("predicates");
    return {{short_device(recording.device) + " counters",
             differences.empty() ? "as predicted"
                                 : fmt::format("{} differ{} from the prediction", differences.size(),
                                               differences.size() == 1 ? "s" : ""),
             launch + counters::headline(*row) + why, !differences.empty()},
            {"compiled to",
             row->divergent_branches != 0 ? "branches"
             : predicates                 ? "predicated instructions"
                                          : "neither branches nor predicates",
             launch + counters::how_compiled(*row), false}};
}

} // namespace warptree::scene
