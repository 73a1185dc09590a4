// Numbers and words as the views print them.
#pragma once

#include "kernels/simt/element.hpp"
#include "kernels/trace/trace.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace warptree::scene {

// At most `room` characters where that can be done: "36", "12k", "1.5M", "0.33"; else the shortest there is.
std::string short_value(const Scalar& value, std::size_t room);
std::string grouped(std::uint64_t count);                            // "32,768"
std::string plural(std::uint64_t count, std::string_view noun);      // "1 warp", "32,768 warps", "2 classes"
std::string percent(std::uint64_t part, std::uint64_t whole);        // "12.5 %"
std::string base_name(std::string_view path);                        // "sequential.cuh"
// "16 of 64 threads", "all 64 threads", "no thread".
std::string of_all(std::uint64_t part, std::uint64_t whole, std::string_view noun);

} // namespace warptree::scene
