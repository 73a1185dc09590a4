// A moment of a trace: launch, step and the part of the step that has happened.
#pragma once

#include <cstdint>

namespace warptree::session {

// Sub-steps of a step, in order of play.
enum class SubStep : std::uint8_t { load_operands, combine, store, barrier };
constexpr const char* name(SubStep part) {
    return part == SubStep::load_operands ? "operands arrive"
           : part == SubStep::combine     ? "they combine"
           : part == SubStep::store       ? "the result is stored"
                                          : "waits at the barrier";
}

// A value of Moment::barrier: all threads that reach it have arrived, and wait.
inline constexpr float kAllArrived = 0.6F;

struct Moment {
    std::uint32_t launch = 0; // launches.size() stands for the host's combine, if there is one
    std::uint32_t step = 0;
    float phase = 1; // 0 … 1 within the step. [0,⅓) loads, [⅓,⅔) combines, [⅔,1) stores; 1: all are complete
    float barrier = 1; // after phase 1, if the step ends at a barrier: 0 no thread has arrived, 1 it is complete
    friend bool operator==(const Moment&, const Moment&) = default;

    bool complete() const { return phase >= 1 && barrier >= 1; }
    SubStep sub_step() const {
        return phase < 1.0F / 3   ? SubStep::load_operands
               : phase < 2.0F / 3 ? SubStep::combine
               : phase < 1        ? SubStep::store
               : barrier < 1      ? SubStep::barrier
                                  : SubStep::store;
    }
};

} // namespace warptree::session
