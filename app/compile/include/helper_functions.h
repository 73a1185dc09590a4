// What CUDA's samples call of their own helpers, for host code, which is parsed only.
#pragma once

#include <helper_image.h>
#include <helper_string.h>
#include <helper_timer.h>
