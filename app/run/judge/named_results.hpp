// The results that Recognition knows by name, and what each is for given inputs: independent of the interpreter.
#pragma once

#include "app/base/element.hpp"
#include "app/run/judge/recognition.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace warptree::runs {

// An expected value: as an integer modulo 2^64 if it is whole, and as a real number.
struct Wanted {
    std::uint64_t bits = 0;
    long double real = 0;
    long double scale = 0; // sum of the magnitudes it was made of: rounding errors are relative to it
    bool whole = true;
};

Wanted element(const Numbers& numbers, std::uint64_t i);
// The operator on what it made so far of others, and one more.
Wanted applied(Operator op, Wanted all, const Wanted& x);

struct Form {
    enum class Place : std::uint8_t {
        first,   // the output is one value, or has it first
        partial, // the same, or one value a block, to be combined by `fold`
        any,     // one value, which is any of those wanted
        each     // the output's elements, from the first on
    };
    std::string text; // "the sum of in"
    Place place = Place::first;
    Operator fold = Operator::sum;
    // Empty: the form does not fit this run's sizes.
    std::function<std::vector<Wanted>(const Observed&)> wanted;
};

// All that the arrays and scalars of the run allow, the simplest first.
std::vector<Form> forms(const Observed& run);

} // namespace warptree::runs
