#pragma once

#include "app/catalogue/strategy.hpp"

#include <string_view>

namespace warptree {

// A strategy in the interpreter, with defaults for all other options.
inline RunOptions cpu(std::string_view id, std::uint64_t n) {
    RunOptions o;
    o.strategy = id;
    o.n = n;
    o.type = taken_type(require_strategy(id));
    o.backend = Backend::cpu;
    return o;
}

} // namespace warptree
