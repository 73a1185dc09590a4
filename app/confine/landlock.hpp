// Landlock: the kernel's own check of each path that is opened.
#pragma once

#include <string>
#include <vector>

namespace warptree::confine {

// Version of the interface; 0: the kernel has none, or it is switched off.
int landlock_version();

// From here on this process opens only what lies in or below `readable`, for reading, and neither binds nor connects
// TCP (from version 4), nor signals processes outside (from version 6). Needs no_new_privs. Returns the version, or 0.
int keep_to(const std::vector<std::string>& readable);

} // namespace warptree::confine
