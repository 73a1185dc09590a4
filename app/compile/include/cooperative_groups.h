// All of it is there before the first line of a kernel file, but for its name.
#pragma once

namespace cooperative_groups = __cooperative_groups;
