// A stack for Clang's recursion, which deepens with its input.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace warptree::compile {

inline constexpr std::size_t kDeepStack = 64ULL << 20; // Clang's own guard assumes 8 MB

// Runs it on a thread with a deep stack, an overflow of which ends the process with a message instead of silently.
// Returns what it returns; 1: there is no memory for the stack.
int on_deep_stack(const std::function<int()>& work);

// Writes to standard error, from a signal handler too.
void say(std::string_view words);

} // namespace warptree::compile
