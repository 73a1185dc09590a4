// What CUDA's samples call of their own helpers, for host code, which is parsed only.
#pragma once

#include <helper_string.h>

template <class... _A>
bool sdkLoadPGM(_A&&...);
template <class... _A>
bool sdkSavePGM(_A&&...);
template <class... _A>
bool sdkLoadPPM4(_A&&...);
template <class... _A>
bool sdkSavePPM4ub(_A&&...);
template <class... _A>
bool sdkCompareL2fe(_A&&...);
template <class... _A>
bool compareData(_A&&...);
