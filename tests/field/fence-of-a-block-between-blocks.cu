// Right: __threadfence_block reaches no other block, so block 1 may find the old message behind the flag, volatile or not.
__device__ int ready;

__global__ void send(volatile double2* message, double* got) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        message->y = 2.5;
        __threadfence_block();
        atomicExch(&ready, 1);
    } else if (blockIdx.x == 1 && threadIdx.x == 0) {
        while (atomicAdd(&ready, 0) == 0) {
        }
        __threadfence();
        *got = message->y;
    }
}
