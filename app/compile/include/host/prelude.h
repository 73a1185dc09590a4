// Read before every file whose host code is compiled, as nvcc reads cuda_runtime.h: the system's C headers, our device
// headers, whose device functions have no bodies here, and the runtime API.
#pragma once

#define __WARPTREE_HOST 1
#include "warptree/define.h"
#define __wt_both_ __attribute__((host, device)) // of objects that are __device__ in the file

#include <assert.h>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <time.h>
#include <utility>
// As nvcc does: by these C++'s overloads of abs(), sqrt() and the like are names of the global namespace, too.
#include <math.h>
#include <stdlib.h>

#include "warptree/types.h"

#include "warptree/atomic.h"
#include "warptree/bits.h"
#include "warptree/builtin_variables.h"
#include "warptree/conversions.h"
#include "warptree/group_algorithms.h"
#include "warptree/half.h"
#include "warptree/host.h"
#include "warptree/math.h"
#include "warptree/memory.h"
#include "warptree/pipeline.h"
#include "warptree/rounding.h"
#include "warptree/synchronise.h"
#include "warptree/texture.h"
#include "warptree/warp.h"

#include "host/cuda_math.h"
#include "host/cuda_api.h"
