// Atomic operations in the place of a load and a store that other threads come between.
#pragma once

#include "app/run/remedy/statements.hpp"
#include "app/run/remedy/text_edit.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warptree::runs {

// Whether what is stored at `at` depends on a test of the very array before it: what one thread stores, the test of another has not
// seen.
bool is_tested_first(const Statements& code, const std::string& array, std::size_t at);

// Each is a guess about the text. `at`: in the statement that stores.
// if (v > x) x = v: an atomic maximum; if (x == a) x = b: a compare-and-swap. What else the condition asks stays.
std::vector<Change> atomic_tests(const Statements& code, const std::string& array, std::size_t at);
// x += y, x = x + y, ++x, x = max(x, y): an atomic operation; a[x] = y; x += 1: a slot that it takes.
std::vector<Change> atomic_updates(const Statements& code, std::size_t at);

// int slot = *count; …; atomicAdd(count, 1); in that line: the slot is what the atomic operation gives.
std::vector<Change> atomic_slots(const Statements& code, std::uint32_t line);

} // namespace warptree::runs
