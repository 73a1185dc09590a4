// The text that a new kernel file begins with.
#pragma once

#include <string>

namespace warptree::session {

// A strategy of the catalogue as plain CUDA; empty: there is none of that id.
std::string strategy_text(const std::string& id);

std::string first_kernel(); // one of Harris's reductions, to start from

} // namespace warptree::session
