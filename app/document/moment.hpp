// A place in time within a trace, and what the pointer is on.
#pragma once

#include <cstdint>

namespace warptree::session {

// Sub-steps of a step, in order of play.
enum class SubStep : std::uint8_t { load_operands, combine, store };

struct Moment {
    std::uint32_t launch = 0; // launches.size() stands for the host's combine, if there is one
    std::uint32_t step = 0;
    float phase = 1; // 0 … 1 within the step; 1: the step is complete. [0,⅓) loads, [⅓,⅔) combines, [⅔,1] stores
    friend bool operator==(const Moment&, const Moment&) = default;

    SubStep sub_step() const {
        return phase < 1.0F / 3 ? SubStep::load_operands : phase < 2.0F / 3 ? SubStep::combine : SubStep::store;
    }
};

} // namespace warptree::session
