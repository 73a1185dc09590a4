// A main for files without one: it calls a host function that launches kernels, with arguments chosen as a kernel's are.
#pragma once

#include "app/base/options.hpp"
#include "app/compile/program/program.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warptree::runs {

struct EntryCall {
    std::string text;                // C++ of a function main, to follow the file's text
    std::vector<std::string> chosen; // in words: "count = 1024", "input = random"
};

// The entry of that name, or the last one. Throws OptionError: there is none, or none of that name.
const compile::HostEntry& choose_entry(const compile::HostCode& host, const std::string& name);

// `options`: n, input, seed and values of arguments by name. `squared`: arrays have n times as many elements.
EntryCall call_of(const compile::HostEntry& entry, const RunOptions& options, bool squared);

} // namespace warptree::runs
