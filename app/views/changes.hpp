// What became of a run by an edit of its text.
#pragma once

#include "app/trace/model/trace.hpp"

#include <string>

namespace warptree::scene {

// "racing accesses: 504, now none · out[0]: 22039, now 41741 · barriers: 8, now 64": findings, what goes out, what the run adds up
// to; at most a few. "nothing that is counted": the runs are alike.
std::string what_changed(const Trace& before, const Trace& now);

} // namespace warptree::scene
