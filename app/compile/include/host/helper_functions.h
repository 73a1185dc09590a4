// What CUDA's samples call of their own helpers.
#pragma once

#include <helper_string.h>
#include <helper_timer.h>
