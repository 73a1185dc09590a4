// Read before every kernel file, as nvcc reads cuda_runtime.h.
#pragma once

#include "warptree/define.h"

#include "warptree/types.h"

#include "warptree/atomic.h"
#include "warptree/bits.h"
#include "warptree/builtin_variables.h"
#include "warptree/c_library.h"
#include "warptree/conversions.h"
#include "warptree/group_algorithms.h"
#include "warptree/half.h"
#include "warptree/host.h"
#include "warptree/limits.h"
#include "warptree/math.h"
#include "warptree/memory.h"
#include "warptree/numeric_limits.h"
#include "warptree/pipeline.h"
#include "warptree/rounding.h"
#include "warptree/std_names.h"
#include "warptree/synchronise.h"
#include "warptree/texture.h"
#include "warptree/warp.h"
