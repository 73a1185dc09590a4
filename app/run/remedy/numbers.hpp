// Types and first values of a kernel's or a program's numbers.
#pragma once

#include "app/run/remedy/statements.hpp"
#include "app/run/remedy/text_edit.hpp"
#include "app/trace/model/trace.hpp"

#include <cstdint>
#include <vector>

namespace warptree::runs {

// Each is a guess about the text of a line, or of what it names.

// a * b, or what it is declared as, with 64 bits.
std::vector<Change> wider_integers(const Statements& code, std::uint32_t line);
// a / b of integers, of which the first is made a number with a fraction.
std::vector<Change> quotients_with_fraction(const Statements& code, std::uint32_t line);
// float sum; that is added to: it begins with 0. Of a finding whose text begins with the variable's name.
std::vector<Change> first_values(const Statements& code, const Finding& finding);
// v += __shfl_up_sync(…, d): only in lanes that have a source.
std::vector<Change> lanes_with_a_source(const Statements& code, std::uint32_t line);
// A tile with a halo on one side, temp[B + R], which has one on either.
std::vector<Change> wider_tile(const Statements& code, const std::string& array);

} // namespace warptree::runs
