// Half precision: all of it is there before the first line of a kernel file, but for its short names.
#pragma once

typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
