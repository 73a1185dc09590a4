// Threads that do the work of one element several times, as where an index leaves out the block or a stride is too short.
#pragma once

#include <cstdint>
#include <string_view>

namespace warptree {

// A line (1-based) of a text without its comment; empty: there is none.
std::string_view code_of(std::string_view text, std::uint32_t line);
// Whether a line of a kernel's text adds the same to an element whatever thread does so: a[i] += b[i] or a[i] += 1, where
// i is made of the thread's numbers, or counted by each thread alike, and of nothing that is loaded. Threads that meet there have
// one index, and an atomic operation would only add it several times. A guess about the text: false for what is not understood.
bool adds_the_same(std::string_view text, std::uint32_t line);
// Whether a line has an atomic operation of the scope of a block, as atomicAdd_block.
bool is_of_block_scope(std::string_view text, std::uint32_t line);

} // namespace warptree
