// The memory spaces of a kernel: who shares them, and how long they last.
//
// Source: CUDA C++ Programming Guide, "Memory Hierarchy" and "Variable Memory Space Specifiers".
#pragma once

#include <span>
#include <string_view>

namespace warptree::theory {

struct MemorySpace {
    std::string_view name;        // "shared"
    std::string_view declaration; // how a kernel asks for it
    std::string_view place;       // where it lies
    std::string_view scope;       // who sees it: "thread", "block", "grid"
    std::string_view lifetime;    // "kernel": as long as the thread or block runs; "program"
    std::string_view access;      // "read and write" or "read"
    std::string_view note;        // what a reduction uses it for
};

std::span<const MemorySpace> memory_spaces(); // nearest first

} // namespace warptree::theory
