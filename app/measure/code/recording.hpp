// Listings of kernels that ship with the program, below assets/code: a file a strategy.
#pragma once

#include "app/base/element_type.hpp"
#include "app/measure/code/listing.hpp"

#include <filesystem>
#include <string>

namespace warptree::code {

// Of the sum of one element type.
struct Recording {
    std::string strategy;
    ElementType type = ElementType::i32;
    Disassembly code;
    friend bool operator==(const Recording&, const Recording&) = default;
};

// A line of text for each line of code.
std::string to_json(const Recording& recording);
// Throws FileError.
Recording load_recording(const std::filesystem::path& file);

} // namespace warptree::code
