// bfloat16, only the short names: the prelude, read before every kernel file, has the rest.
#pragma once

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
