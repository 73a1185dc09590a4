// Lab 5: first add while loading
// Half the blocks, each with twice the elements.
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define NUM_THREADS 512

#define CHECK(call)                                                                             \
    do {                                                                                        \
        cudaError_t status = (call);                                                            \
        if (status != cudaSuccess) {                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));      \
            exit(2);                                                                            \
        }                                                                                       \
    } while (0)

// Each thread adds two elements while it loads, so that half as many blocks are enough.
__global__ void reduce(double *in, double *out, unsigned int n)
{
    __shared__ double sdata[NUM_THREADS];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;

    double mine = (i < n) ? in[i] : 0.0;
    if (i + blockDim.x < n)
        mine += in[i + blockDim.x];
    sdata[tid] = mine;
    __syncthreads();

    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s)
            sdata[tid] += sdata[tid + s];
        __syncthreads();
    }

    if (tid == 0)
        out[blockIdx.x] = sdata[0];
}

int main(int argc, char **argv)
{
    unsigned int n = 1 << 24;
    if (argc > 1)
        n = (unsigned int)strtoul(argv[1], NULL, 10);
    int numThreads = NUM_THREADS;
    int numBlocks = (n + 2 * numThreads - 1) / (2 * numThreads);

    double *h_in = (double *)malloc(n * sizeof(double));
    srand(1);
    double expected = 0.0;
    for (unsigned int i = 0; i < n; i++) {
        h_in[i] = (double)(rand() % 100);
        expected += h_in[i];
    }

    double *d_in, *d_out;
    CHECK(cudaMalloc((void **)&d_in, n * sizeof(double)));
    CHECK(cudaMalloc((void **)&d_out, numBlocks * sizeof(double)));
    CHECK(cudaMemcpy(d_in, h_in, n * sizeof(double), cudaMemcpyHostToDevice));

    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start, 0));

    reduce<<<numBlocks, numThreads>>>(d_in, d_out, n);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(stop, 0));
    CHECK(cudaEventSynchronize(stop));
    float ms = 0.0f;
    CHECK(cudaEventElapsedTime(&ms, start, stop));

    double *h_out = (double *)malloc(numBlocks * sizeof(double));
    CHECK(cudaMemcpy(h_out, d_out, numBlocks * sizeof(double), cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < numBlocks; i++)
        sum += h_out[i];

    printf("Vector size: %u\n", n);
    printf("Threads per block: %d\n", numThreads);
    printf("Blocks: %d\n", numBlocks);
    printf("Partial sums added by the host: %d\n", numBlocks);
    printf("Time: %f ms\n", ms);
    printf("Bandwidth: %f GB/s\n", n * sizeof(double) / (ms * 1.0e6));
    printf("%s\n", sum == expected ? "TEST PASS" : "TEST FAIL");

    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    free(h_in);
    free(h_out);
    return sum == expected ? 0 : 1;
}
