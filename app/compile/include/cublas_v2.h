// cuBLAS, for device code: host code that calls it is not read here.
#pragma once

#include "warptree/cublas_types.h"
