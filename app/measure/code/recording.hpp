// Recorded listings that ship with the program, below assets/code: one file per strategy.
#pragma once

#include "app/base/element_type.hpp"
#include "app/measure/code/listing.hpp"

#include <filesystem>
#include <string>

namespace warptree::code {

// For the sum of one element type.
struct Recording {
    std::string strategy;
    ElementType type = ElementType::i32;
    Disassembly code;
    friend bool operator==(const Recording&, const Recording&) = default;
};

// One line of text per line of code.
std::string to_json(const Recording& recording);
// Throws FileError.
Recording load_recording(const std::filesystem::path& file);

} // namespace warptree::code
