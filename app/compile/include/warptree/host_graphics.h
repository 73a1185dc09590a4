// Sharing with OpenGL and the like: declarations only.
#pragma once

struct cudaGraphicsResource;
typedef struct cudaGraphicsResource* cudaGraphicsResource_t;
#define cudaGraphicsMapFlagsNone 0
#define cudaGraphicsMapFlagsReadOnly 1
#define cudaGraphicsMapFlagsWriteDiscard 2
#define cudaGraphicsRegisterFlagsNone 0
#define cudaGraphicsRegisterFlagsReadOnly 1
#define cudaGraphicsRegisterFlagsWriteDiscard 2
extern "C" {
cudaError_t cudaGraphicsMapResources(int, cudaGraphicsResource_t*, cudaStream_t = nullptr);
cudaError_t cudaGraphicsUnmapResources(int, cudaGraphicsResource_t*, cudaStream_t = nullptr);
cudaError_t cudaGraphicsResourceGetMappedPointer(void**, size_t*, cudaGraphicsResource_t);
cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource_t);
cudaError_t cudaGraphicsGLRegisterBuffer(cudaGraphicsResource**, unsigned int, unsigned int);
}
