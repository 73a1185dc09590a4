// The system calls that a confined process may make: a list, held by a seccomp filter.
#pragma once

#include "app/confine/policy.hpp"

#include <string>

namespace warptree::confine {

// Loads the filter for this process and all its threads. `opens`: files may be opened for reading. Returns why the
// system refused it; empty: it holds.
std::string keep_to_calls(const Policy& policy, bool opens);

// Installs the handler that names refused calls (Refusal::signal).
void name_refused_calls(const Policy& policy);

} // namespace warptree::confine
