// What a value was made of, in words.
#pragma once

#include "app/trace/model/trace.hpp"

#include <cstdint>
#include <string>

namespace warptree::scene {

// "sum of 3 and 4"; "sum of 3 and 20 (c[60])" where the second comes from no element: it is reckoned from the first and the value.
std::string made_of(const Trace& trace, std::uint32_t launch, const Node& node);

} // namespace warptree::scene
