// Lab 2: a second invocation
// The partial sums of the first launch are the input of the second; 64 are left for 2^24 elements.
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

// Neighbours first: the thread whose number is a multiple of 2 * s adds what lies s further on.
__global__ void reduce(double *in, double *out, unsigned int n)
{
    __shared__ double sdata[NUM_THREADS];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

    sdata[tid] = (i < n) ? in[i] : 0.0;
    __syncthreads();

    for (unsigned int s = 1; s < blockDim.x; s *= 2) {
        if (tid % (2 * s) == 0)
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
    int numBlocks = (n + numThreads - 1) / numThreads;

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
    // The partial sums once more: what is left is few enough for the host. Their sums go to the front of the input,
    // which is not needed any more.
    int left = (numBlocks + numThreads - 1) / numThreads;
    reduce<<<left, numThreads>>>(d_out, d_in, numBlocks);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(stop, 0));
    CHECK(cudaEventSynchronize(stop));
    float ms = 0.0f;
    CHECK(cudaEventElapsedTime(&ms, start, stop));

    double *h_out = (double *)malloc(left * sizeof(double));
    CHECK(cudaMemcpy(h_out, d_in, left * sizeof(double), cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < left; i++)
        sum += h_out[i];

    printf("Vector size: %u\n", n);
    printf("Threads per block: %d\n", numThreads);
    printf("Blocks: %d\n", numBlocks);
    printf("Partial sums added by the host: %d\n", left);
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
