// What a run of a file of one's own is compared with unless something is asked for.
#pragma once

#include "app/trace/model/trace.hpp"

#include <cstdint>
#include <string>

namespace warptree::session {

// A strategy that does work of the same kind: a scan beside a scan, a sum beside a sum, a matrix product beside a matrix
// product. Of a program, the kind is that of what the launch combines. Empty: none that ships does.
std::string partner_of(const Trace& trace, std::uint32_t launch);

} // namespace warptree::session
