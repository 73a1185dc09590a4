#include "app/features/compare/alignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

namespace warptree::session {

std::string_view name(Alignment alignment) {
    constexpr std::array<std::string_view, 3> kNames{"stage", "stride", "combines"};
    return kNames[static_cast<std::size_t>(alignment)];
}

std::optional<Alignment> alignment_from(std::string_view text) {
    for (const Alignment a : kAlignments) {
        if (text == name(a)) {
            return a;
        }
    }
    return std::nullopt;
}

namespace {
constexpr std::uint32_t kHost = 0xFFFFU; // the host's launch index, after all others

struct Place {
    std::uint32_t launch = 0;
    const Step* step = nullptr; // null: the host's combine
    std::uint32_t section = 0;  // of the launch: a step of an earlier kind starts the next one
    std::uint32_t rank = 0;     // among those of its kind in the section
    std::uint64_t combines = 0; // useful ones done after it
    std::uint32_t again = 0;    // number of places before it with the same count
    int kind() const { return step == nullptr ? 9 : static_cast<int>(step->kind); }
    std::uint32_t stride() const { return step == nullptr ? 0 : step->stride; }
    std::string label() const { return step == nullptr ? "host" : step->label; }
    bool first_of_launch = false;
};

std::vector<Place> places_of(const Trace& trace) {
    std::vector<Place> all;
    std::uint64_t combines = 0;
    const auto add = [&](Place place, std::uint64_t done) {
        combines += done;
        place.combines = combines;
        place.again = !all.empty() && all.back().combines == combines ? all.back().again + 1 : 0;
        all.push_back(place);
    };
    for (std::uint32_t l = 0; l < trace.launches.size(); ++l) {
        std::uint32_t section = 0;
        std::array<std::uint32_t, kStepKinds> ranks{};
        StepKind before = StepKind::load;
        bool first = true;
        for (const Step& step : trace.launches[l].steps) {
            if (step.kind < before) {
                ++section;
                ranks = {};
            }
            before = step.kind;
            Place place{l, &step, section, ranks[static_cast<std::size_t>(step.kind)]++};
            place.first_of_launch = std::exchange(first, false);
            add(place, step.counters.useful_combines);
        }
    }
    if (trace.host_partials > 1) {
        Place host{kHost, nullptr};
        host.first_of_launch = true;
        add(host, trace.host_partials - 1);
    }
    return all;
}

// Equal for places that are aligned.
using Key = std::tuple<std::uint64_t, std::uint32_t, int, std::uint32_t>;
Key key_of(const Place& place, Alignment alignment) {
    switch (alignment) {
    case Alignment::stage: return {place.launch, place.section, place.kind(), place.rank};
    case Alignment::stride: return {place.launch, 0, place.kind(), place.stride()};
    case Alignment::combines: break;
    }
    return {place.combines, place.again, 0, 0};
}

struct Merged {
    Key key;
    AlignedStep aligned_step;
};

// Merges a column into the aligned steps: the longest common subsequence of keys shares steps, the rest get their own.
std::vector<Merged> merge(const std::vector<Merged>& aligned_steps, const std::vector<Key>& keys, std::size_t column,
                          std::size_t columns) {
    const std::size_t n = aligned_steps.size(), m = keys.size();
    std::vector<std::uint32_t> longest((n + 1) * (m + 1)); // of the suffixes from i and j
    const auto at = [m](std::size_t i, std::size_t j) { return i * (m + 1) + j; };
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t j = m; j-- > 0;) {
            longest[at(i, j)] = aligned_steps[i].key == keys[j]
                                    ? longest[at(i + 1, j + 1)] + 1
                                    : std::max(longest[at(i + 1, j)], longest[at(i, j + 1)]);
        }
    }
    std::vector<Merged> out;
    for (std::size_t i = 0, j = 0; i < n || j < m;) {
        if (i < n && j < m && aligned_steps[i].key == keys[j]) {
            out.push_back(aligned_steps[i++]);
            out.back().aligned_step.places[column] = static_cast<std::uint32_t>(j++);
        } else if (j == m || (i < n && longest[at(i + 1, j)] >= longest[at(i, j + 1)])) {
            out.push_back(aligned_steps[i++]);
        } else {
            Merged fresh{keys[j], {}};
            fresh.aligned_step.places.resize(columns);
            fresh.aligned_step.places[column] = static_cast<std::uint32_t>(j++);
            out.push_back(std::move(fresh));
        }
    }
    return out;
}

std::string label_of(const AlignedStep& aligned_step, const std::vector<std::vector<Place>>& places,
                     Alignment alignment) {
    const Place* first = nullptr;
    bool agree = true;
    for (std::size_t c = 0; c < places.size(); ++c) {
        if (aligned_step.places[c]) {
            const Place& place = places[c][*aligned_step.places[c]];
            agree = first == nullptr || (agree && place.label() == first->label());
            first = first == nullptr ? &place : first;
        }
    }
    if (alignment == Alignment::combines && first->kind() == static_cast<int>(StepKind::stage)) {
        return std::to_string(first->combines);
    }
    return agree                                                ? first->label()
           : first->kind() == static_cast<int>(StepKind::stage) ? fmt::format("#{}", first->rank + 1)
                                                                : first->label();
}
} // namespace

std::vector<AlignedStep> align(std::span<const Trace* const> traces, Alignment alignment) {
    std::vector<std::vector<Place>> places;
    for (const Trace* trace : traces) {
        places.push_back(places_of(*trace));
    }
    const auto key = [alignment](const Place& place) { return key_of(place, alignment); };
    std::vector<Merged> merged;
    for (std::size_t c = 0; c < places.size() && alignment == Alignment::stride; ++c) {
        std::vector<Key> keys;
        std::transform(places[c].begin(), places[c].end(), std::back_inserter(keys), key);
        merged = merge(merged, keys, c, places.size());
    }
    std::map<Key, AlignedStep> sorted; // the other keys increase along each column
    for (std::size_t c = 0; c < places.size() && alignment != Alignment::stride; ++c) {
        for (std::uint32_t p = 0; p < places[c].size(); ++p) {
            AlignedStep& aligned_step = sorted[key(places[c][p])];
            aligned_step.places.resize(places.size());
            aligned_step.places[c] = p;
        }
    }
    std::vector<AlignedStep> aligned_steps;
    for (Merged& m : merged) {
        aligned_steps.push_back(std::move(m.aligned_step));
    }
    for (auto& [at, aligned_step] : sorted) {
        aligned_steps.push_back(std::move(aligned_step));
    }
    for (AlignedStep& aligned_step : aligned_steps) {
        aligned_step.label = label_of(aligned_step, places, alignment);
        for (std::size_t c = 0; c < places.size(); ++c) {
            if (aligned_step.places[c]) {
                aligned_step.begins_launch =
                    *aligned_step.places[c] > 0 && places[c][*aligned_step.places[c]].first_of_launch;
                break;
            }
        }
    }
    return aligned_steps;
}

ColumnMoment column_moment(const Trace& trace, std::span<const AlignedStep> aligned_steps, std::size_t column,
                           std::uint32_t aligned_step, float phase) {
    const auto moment = [&](std::uint32_t place, float at) {
        Moment m{0, place, at};
        while (m.launch < trace.launches.size() && m.step >= trace.launches[m.launch].steps.size()) {
            m.step -= static_cast<std::uint32_t>(trace.launches[m.launch++].steps.size());
        }
        return m;
    };
    for (std::uint32_t b = aligned_step + 1; b-- > 0;) {
        if (b < aligned_steps.size() && aligned_steps[b].places[column]) {
            return {moment(*aligned_steps[b].places[column], b == aligned_step ? phase : 1), b != aligned_step, true};
        }
    }
    return {moment(0, 0), true, false};
}

} // namespace warptree::session
