// Right: the members are zeroed by one thread while others already add (lines 5 and 6).
struct Stats { unsigned count; float sum; };
__global__ void k(const float* v, Stats* s, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) { s->count = 0; s->sum = 0; }
    if (i < n) { atomicAdd(&s->count, 1u); atomicAdd(&s->sum, v[i]); }
}
