// Index expressions such as "2*s*t" or "t^s", as in C.
#pragma once

#include "app/base/expression.hpp"

#include <cstdint>
#include <string_view>

namespace warptree::banks {

struct Variables {
    std::int64_t t = 0, lane = 0, warp = 0, s = 1;
};

// An expression over t, lane, warp and s (app/base/expression.hpp). Evaluated in 64 bits, with wrap-around.
class Expression {
  public:
    // Throws OptionError with the position and what was expected there.
    explicit Expression(std::string_view text);
    // Throws OptionError for a division by zero or a shift by less than 0 or more than 63.
    std::int64_t value(const Variables& variables) const;

  private:
    IntegerExpression expression_;
};

} // namespace warptree::banks
