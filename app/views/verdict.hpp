// What a run came to, in a few words: "right: 4950", "2 races", "ended in d = 4".
#pragma once

#include "app/views/views.hpp"

#include <functional>
#include <string>

namespace warptree::scene {

struct RunVerdict {
    enum class Mark : std::uint8_t { right, unchecked, risk, wrong };
    Mark mark = Mark::unchecked;
    std::string text;        // its parts begin with what matters most, with " · " between
    bool may_expect = false; // nothing is compared, and what to expect can be said
};
RunVerdict verdict(const Trace& trace);

// The text of a verdict, or as many of its parts as fit, from "wrong: 5, expected 6 · leak (risk)" down to "wrong", or from
// "race (risk) with n = 1000" to "race". A part that goes on has an ellipsis; empty: not even the first part fits.
std::string in_parts(const std::string& text, const std::function<bool(const std::string&)>& fits);

// What ended a run that did not complete: "out of bounds", "never ends", "waits forever".
std::string what_ended(const Trace& trace);

// Whether a finding that is a fault concerns the step.
bool goes_wrong(const Launch& launch, std::uint32_t step);

} // namespace warptree::scene
