#include "app/views/recorded.hpp"

#include "app/base/type_words.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
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

namespace {
std::string reason(const counters::Difference& d) {
    const std::string why = !d.why.empty()     ? d.why
                            : d.denied.empty() ? std::string("Not explained")
                                               : "Not explained: it should be " + d.denied;
    return why.substr(0, why.find_last_not_of('.') + 1);
}

// ". Shared load requests: 1520 predicted, 2064 counted; shared store requests: …. The reason for both."
std::string explained(const std::vector<counters::Difference>& differences) {
    std::string text;
    for (std::size_t i = 0; i < differences.size(); ++i) {
        const counters::Difference& d = differences[i];
        const bool joins = i > 0 && reason(d) == reason(differences[i - 1]);
        std::string field(d.field);
        std::replace(field.begin(), field.end(), '_', ' ');
        if (!joins) {
            field[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(field[0])));
        }
        text += fmt::format("{}{}: {} predicted, {} counted", joins ? "; " : ". ", field, d.predicted, d.counted);
        if (i + 1 == differences.size() || reason(differences[i + 1]) != reason(d)) {
            text += ". " + reason(d);
        }
    }
    return text.empty() ? text : text + ".";
}
} // namespace

std::vector<Fact> counter_facts(const Trace& trace, const counters::Recording& recording,
                                const std::vector<counters::Explanation>& explanations) {
    const counters::Row* row = counters::nearest(recording, trace.options.strategy, trace.block(), trace.options.type);
    if (row == nullptr || row->block != trace.block() || row->type != trace.options.type) {
        return {};
    }
    const auto differences = counters::differences(*row, explanations);
    const bool unexplained =
        std::any_of(differences.begin(), differences.end(), [](const auto& d) { return d.why.empty(); });
    const std::string launch = recorded_launch(row->n, row->block, row->type);
    const bool predicates = row->divergent_branches == 0 && counters::how_compiled(*row).starts_with("predicates");
    return {{short_device(recording.device) + " counters",
             differences.empty()
                 ? "as predicted"
                 : fmt::format("{} differ{}, {}", differences.size(), differences.size() == 1 ? "s" : "",
                               unexplained ? "not all explained" : "for a known reason"),
             launch + counters::headline(*row) + explained(differences), unexplained},
            {"compiled to",
             row->divergent_branches != 0 ? "branches"
             : predicates                 ? "predicated instructions"
                                          : "neither branches nor predicates",
             launch + counters::how_compiled(*row), false}};
}

} // namespace warptree::scene
