// The thread that a target stands for.
#pragma once

#include "app/drawing/draw.hpp"
#include "app/trace/model/trace.hpp"

namespace warptree::scene {

// kNone: none. Of a value in a later step than its own: who stores it there.
std::uint32_t thread_of(const Launch& launch, const Target& target);

} // namespace warptree::scene
