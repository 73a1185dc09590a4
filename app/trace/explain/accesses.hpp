// Which elements of an array a thread loads, stores or updates in a line of the source.
#pragma once

#include "app/trace/explain/array_contents.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace warptree {

struct Accessed {
    ArrayPlace array;
    std::uint64_t index = 0;
    std::uint32_t step = 0; // in which it does so
    friend bool operator==(const Accessed&, const Accessed&) = default;
};

// Of the array that the source calls `name` in that line of the kernel's own file, in the last step up to `step` in which the
// thread comes there; each element once, in the order of the accesses. A name of no array stands for the only one that the
// line has, as a pointer into it does. Empty: none.
std::vector<Accessed> accesses_of(const Launch& launch, std::string_view name, std::uint32_t line, std::uint32_t block,
                                  std::uint32_t thread, std::uint32_t step);

} // namespace warptree
