// What a search for words finds a strategy by.
#pragma once

#include "app/catalogue/strategy.hpp"

#include <string>

namespace warptree {

// Its id, title and family, what it teaches, and what goes wrong in it.
std::string subject_of(const StrategyInfo& info);

} // namespace warptree
