// A shared-memory request as the user enters it.
#pragma once

#include "app/theory/banks/analyze.hpp"

#include <string>

namespace warptree::banks {

struct RequestText {
    std::string index; // an expression in t, lane, warp and s (expression.hpp) …
    std::string lanes; // … or up to 32 element indices, "0,2,4"; lanes not listed are inactive
    std::string bytes = "4", mask, stride = "1", warp = "0", banks = "32"; // mask: hexadecimal; empty: all lanes
    bool store = false;
};

// Throws OptionError with the option ("--mask"), its value and what would work.
BankRequest parse(const RequestText& text);

} // namespace warptree::banks
