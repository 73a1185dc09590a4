// How the steps of several traces are aligned, so that they can be stepped as one.
#pragma once

#include "app/document/moment.hpp"
#include "app/trace/model/trace.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::session {

// stage: the k-th load, stage or store of a launch with the k-th of its kind in the others, launch by launch.
// stride: steps of equal kind and stride, as many as can be aligned without any column going back in time.
// combines: by the number of useful combines done after a step, over the whole run; the columns that reach it step,
// the others wait.
// In every column the host's combine is a separate step after all launches.
enum class Alignment : std::uint8_t { stage, stride, combines };
inline constexpr std::array kAlignments{Alignment::stage, Alignment::stride, Alignment::combines};
std::string_view name(Alignment alignment); // "stage", "stride", "combines"
std::optional<Alignment> alignment_from(std::string_view text);

// A step of the comparison: for each column, the place (a step counted over all launches, the host last) that it
// completes, or nullopt where the column waits.
struct AlignedStep {
    std::string label; // the steps' own if equal; else the first one's, stages: "#3"; stages by combines: "192" done
    std::vector<std::optional<std::uint32_t>> places;
    bool begins_launch = false; // a later launch, in the first column that does not wait
    friend bool operator==(const AlignedStep&, const AlignedStep&) = default;
};
// Every place of every trace is in exactly one aligned step, in order. Traces have at least one step.
std::vector<AlignedStep> align(std::span<const Trace* const> traces, Alignment alignment);

// What a column shows in an aligned step.
struct ColumnMoment {
    Moment moment;      // of its own trace; while it waits, its last place, completed
    bool waits = false; // it has no step in this aligned step
    bool begun = true;  // false: it waits for its first step, and `moment` is before that
};
ColumnMoment column_moment(const Trace& trace, std::span<const AlignedStep> aligned_steps, std::size_t column,
                           std::uint32_t aligned_step, float phase);

} // namespace warptree::session
