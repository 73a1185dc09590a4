// The types of cuFFT, so that kernels that work on its results are complete; its functions are host code.
#pragma once

#include "cuComplex.h"

typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;
typedef int cufftHandle;
enum cufftResult { CUFFT_SUCCESS };
enum cufftType { CUFFT_R2C, CUFFT_C2R, CUFFT_C2C, CUFFT_D2Z, CUFFT_Z2D, CUFFT_Z2Z };
#define CUFFT_FORWARD (-1)
#define CUFFT_INVERSE 1
