// Right: the volatile store of warp 1 overwrites what the atomics of warp 0 have counted or not: a race, shared and global alike.
__global__ void restart(int* total) {
    __shared__ int count[2];
    if (threadIdx.x < 2) count[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        atomicAdd(&count[1], 1);
        atomicMax(total, 5);
    } else if (threadIdx.x == 32) {
        *(volatile int*)&count[1] = 0;
        *(volatile int*)total = -1;
    }
}
