// Only the name: the prelude, read before every kernel file, has all of it.
#pragma once

namespace cooperative_groups = __cooperative_groups;
