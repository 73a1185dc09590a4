// The memory spaces of a kernel: who shares them, and how long they last.
//
// Source: CUDA C++ Programming Guide, "Memory Hierarchy" and "Variable Memory Space Specifiers".
#pragma once

#include <span>
#include <string_view>

namespace warptree::theory {

struct MemorySpace {
    std::string_view name;        // "shared"
    std::string_view declaration; // how it is declared
    std::string_view place;       // physical location
    std::string_view scope;       // who sees it: "thread", "block", "grid and host"
    std::string_view lifetime;    // "its thread", "its block", "the program"
    std::string_view access;      // "read and write" or "read"
    std::string_view note;        // what a reduction uses it for
};

std::span<const MemorySpace> memory_spaces(); // narrowest scope first

} // namespace warptree::theory
