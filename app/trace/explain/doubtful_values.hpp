// Values of a launch that hardly anyone means.
#pragma once

#include "app/trace/model/trace.hpp"

#include <cstdint>
#include <optional>

namespace warptree {

// Of a shuffle up or down whose source is past the segment's end, so that the lane gets its own value: a risk at the line that adds or
// multiplies the lane's value by it, where a result depends on that.
std::optional<Finding> own_value(const Launch& launch);

// Elements that are stored and are no numbers, though what is loaded is: a risk at the line whose value is the first that is none.
// overflows_only: where that is infinite, as what else is no number may come of an input that was chosen.
std::optional<Finding> not_a_number(const Launch& launch, ValueType element, bool overflows_only);

} // namespace warptree
