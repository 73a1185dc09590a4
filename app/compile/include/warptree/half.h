// The functions of cuda_fp16.h and cuda_bf16.h.
#pragma once

#include "warptree/narrow_types.h"

#define __WARPTREE_C __half
#define __WARPTREE_C2 __half2
#define __WARPTREE_BASE _Float16
#define __WARPTREE_WORD half
#include "warptree/narrow_functions.h"
#undef __WARPTREE_C
#undef __WARPTREE_C2
#undef __WARPTREE_BASE
#undef __WARPTREE_WORD

#define __WARPTREE_C __nv_bfloat16
#define __WARPTREE_C2 __nv_bfloat162
#define __WARPTREE_BASE __bf16
#define __WARPTREE_WORD bfloat16
#include "warptree/narrow_functions.h"
#undef __WARPTREE_C
#undef __WARPTREE_C2
#undef __WARPTREE_BASE
#undef __WARPTREE_WORD

#define CUDART_INF_FP16 __ushort_as_half(static_cast<unsigned short>(0x7C00U))
#define CUDART_NAN_FP16 __ushort_as_half(static_cast<unsigned short>(0x7FFFU))
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(static_cast<unsigned short>(0x0001U))
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(static_cast<unsigned short>(0x7BFFU))
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(static_cast<unsigned short>(0x8000U))
#define CUDART_ZERO_FP16 __ushort_as_half(static_cast<unsigned short>(0x0000U))
#define CUDART_ONE_FP16 __ushort_as_half(static_cast<unsigned short>(0x3C00U))
#define CUDART_INF_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7F80U))
#define CUDART_NAN_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7FFFU))
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x0001U))
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7F7FU))
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x8000U))
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x0000U))
#define CUDART_ONE_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x3F80U))
