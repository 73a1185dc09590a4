// Right: thread 0 looks at the box once more after it has set the flag, while warp 1 stores its reply there: lines 10 and 14 race.
__global__ void talk(volatile int* box, int* heard) {
    __shared__ int flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        box[0] = 1;
        __threadfence_block();
        atomicExch(&flag, 1);
        heard[0] = box[0];
    } else if (threadIdx.x == 32) {
        while (atomicAdd(&flag, 0) == 0) {
        }
        box[0] = 2;
        heard[1] = 1;
    }
}
