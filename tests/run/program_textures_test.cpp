// Arrays, texture and surface objects in programs: elements, filters, edges and layers as CUDA's guide defines them.
#include "tests/run/program_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptree {
namespace {

using ::testing::IsEmpty;

class ProgramTextures : public Program {};

// Halfway between two elements, and at the edge; an element of another row.
TEST_F(ProgramTextures, FilterBetweenElements) {
    const RanProgram ran = run(R"(#include <cstdio>
__global__ void look(cudaTextureObject_t t, float* out, int w) {
    const int x = threadIdx.x, y = threadIdx.y;
    out[y * w + x] = tex2D<float>(t, x + 1.0f, y + 0.5f);
}
int main() {
    const int w = 8, h = 4;
    float in[w * h], out[w * h], *d;
    for (int i = 0; i < w * h; ++i) in[i] = i * i;
    const cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaMallocArray(&array, &channels, w, h);
    cudaMemcpy2DToArray(array, 0, 0, in, w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc texture = {};
    texture.addressMode[0] = texture.addressMode[1] = cudaAddressModeClamp;
    texture.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t object = 0;
    cudaCreateTextureObject(&object, &resource, &texture, nullptr);
    cudaMalloc(&d, sizeof out);
    look<<<1, dim3(w, h)>>>(object, d, w);
    cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x)
            wrong += out[y * w + x] != (in[y * w + x] + in[y * w + (x + 1 < w ? x + 1 : x)]) / 2;
    printf("%d\n", wrong);
    cudaDestroyTextureObject(object);
    cudaFreeArray(array);
    cudaFree(d);
})");
    EXPECT_EQ(ran.out, "0\n");
    EXPECT_THAT(ran.kinds(), IsEmpty());
}

TEST_F(ProgramTextures, AreReadAsFractionsAndWrap) {
    EXPECT_EQ(run(R"(#include <cstdio>
__global__ void look(cudaTextureObject_t t, float4* out) {
    out[threadIdx.x] = tex2D<float4>(t, threadIdx.x / 4.0f - 0.875f, 0.5f); // -3.5, -2.5 … 1.5 of 4 elements
}
int main() {
    uchar4 in[4];
    for (int i = 0; i < 4; ++i) in[i] = make_uchar4(51 * i, 255, 0, 255 - i);
    const cudaChannelFormatDesc channels = cudaCreateChannelDesc<uchar4>();
    cudaArray_t array;
    cudaMallocArray(&array, &channels, 4, 1);
    cudaMemcpyToArray(array, 0, 0, in, sizeof in, cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    for (const cudaTextureAddressMode mode : {cudaAddressModeWrap, cudaAddressModeMirror, cudaAddressModeBorder}) {
        cudaTextureDesc texture = {};
        texture.addressMode[0] = mode;
        texture.readMode = cudaReadModeNormalizedFloat;
        texture.normalizedCoords = 1;
        texture.borderColor[0] = 9;
        cudaTextureObject_t object;
        cudaCreateTextureObject(&object, &resource, &texture, nullptr);
        float4 *d, out[6];
        cudaMalloc(&d, sizeof out);
        look<<<1, 6>>>(object, d);
        cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost);
        for (const float4& v : out) printf("%g ", v.x);
        printf("%g %g\n", out[4].y, out[5].w);
    }
})")
                  .out,
              "0 0.2 0.4 0.6 0 0.2 1 0.996078\n0.6 0.4 0.2 0 0 0.2 1 0.996078\n9 9 9 9 0 0.2 1 0.996078\n")
        << "before element 0 lie all four again, the four mirrored, or the border";
}

TEST_F(ProgramTextures, HaveLayersAndFaces) {
    EXPECT_EQ(run(R"(#include <cstdio>
__global__ void look(cudaTextureObject_t t, float* out, int w, int layer) {
    out[threadIdx.x] = tex2DLayered<float>(t, (threadIdx.x + 0.5f) / w, 0.25f, layer);
}
__global__ void around(cudaTextureObject_t t, float* out) {
    const float d[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    out[threadIdx.x] = texCubemap<float>(t, d[threadIdx.x][0], d[threadIdx.x][1], d[threadIdx.x][2]);
}
float* d;
void show(int n) {
    float out[8];
    cudaMemcpy(out, d, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i) printf("%g ", out[i]);
}
cudaTextureObject_t object(cudaExtent extent, unsigned flags, float* from, cudaTextureFilterMode filter) {
    const cudaChannelFormatDesc channels = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    cudaArray_t array;
    cudaMalloc3DArray(&array, &channels, extent, flags);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(from, extent.width * sizeof(float), extent.width, extent.height);
    copy.dstArray = array;
    copy.extent = extent;
    copy.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&copy);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc texture = {};
    texture.normalizedCoords = 1;
    texture.filterMode = filter;
    cudaTextureObject_t made;
    cudaCreateTextureObject(&made, &resource, &texture, nullptr);
    return made;
}
int main() {
    float in[24], faces[6] = {10, 11, 12, 13, 14, 15};
    for (int i = 0; i < 24; ++i) in[i] = i;
    cudaMalloc(&d, 8 * sizeof(float));
    const cudaTextureObject_t layers = object(make_cudaExtent(4, 2, 3), cudaArrayLayered, in, cudaFilterModeLinear);
    for (int layer = 0; layer < 3; ++layer) {
        look<<<1, 4>>>(layers, d, 4, layer);
        show(4);
    }
    around<<<1, 6>>>(object(make_cudaExtent(1, 1, 6), cudaArrayCubemap, faces, cudaFilterModePoint), d);
    show(6);
})")
                  .out,
              "0 1 2 3 8 9 10 11 16 17 18 19 10 11 12 13 14 15 ");
}

TEST_F(ProgramTextures, SurfacesAreReadAndWritten) {
    const RanProgram ran = run(R"(#include <cstdio>
__global__ void shift(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
    const int x = threadIdx.x, y = threadIdx.y;
    const int v = surf2Dread<int>(from, (x + 1) * 4, y, cudaBoundaryModeZero);
    surf2Dwrite(v + 1, to, x * 4, y);
}
int main() {
    const cudaChannelFormatDesc channels = cudaCreateChannelDesc<int>();
    int in[6] = {1, 2, 3, 4, 5, 6}, out[6];
    cudaArray_t arrays[2];
    cudaSurfaceObject_t surfaces[2];
    for (int i = 0; i < 2; ++i) {
        cudaMallocArray(&arrays[i], &channels, 3, 2, cudaArraySurfaceLoadStore);
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = arrays[i];
        cudaCreateSurfaceObject(&surfaces[i], &resource);
    }
    cudaMemcpy2DToArray(arrays[0], 0, 0, in, 12, 12, 2, cudaMemcpyHostToDevice);
    shift<<<1, dim3(3, 2)>>>(surfaces[0], surfaces[1]);
    cudaMemcpy2DFromArray(out, 12, arrays[1], 0, 0, 12, 2, cudaMemcpyDeviceToHost);
    for (const int x : out) printf("%d ", x);
    for (int i = 0; i < 2; ++i) {
        printf("%d%d ", cudaDestroySurfaceObject(surfaces[i]), cudaFreeArray(arrays[i]));
    }
})");
    EXPECT_EQ(ran.out, "3 4 1 6 7 1 00 00 ");
    EXPECT_THAT(ran.kinds(), IsEmpty());
}

TEST_F(ProgramTextures, OverPlainMemoryEndWithIt) {
    EXPECT_EQ(run(R"(#include <cstdio>
__global__ void line(cudaTextureObject_t t, int* out) { out[threadIdx.x] = tex1Dfetch<int>(t, (int)threadIdx.x - 1); }
int main() {
    int in[3] = {5, 6, 7}, out[5], *d, *to;
    cudaMalloc(&d, sizeof in);
    cudaMalloc(&to, sizeof out);
    cudaMemcpy(d, in, sizeof in, cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = d;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = sizeof in;
    cudaTextureDesc texture = {};
    cudaTextureObject_t object;
    cudaCreateTextureObject(&object, &resource, &texture, nullptr);
    line<<<1, 5>>>(object, to);
    cudaMemcpy(out, to, sizeof out, cudaMemcpyDeviceToHost);
    for (const int x : out) printf("%d ", x);
    texture.filterMode = cudaFilterModeLinear; // of integers there is nothing between
    puts(cudaGetErrorName(cudaCreateTextureObject(&object, &resource, &texture, nullptr)));
})")
                  .out,
              "0 5 6 7 0 cudaErrorInvalidFilterSetting\n");
}

} // namespace
} // namespace warptree
