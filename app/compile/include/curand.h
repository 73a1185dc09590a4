// cuRAND's host side, for device code: host code that calls it is not read here.
#pragma once

#include "warptree/curand_types.h"
