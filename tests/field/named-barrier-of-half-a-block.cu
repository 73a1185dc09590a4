// Right: the named barriers are of 64 threads each; thread 64 reads what thread 0 of the other half stored, lines 5 and 6.
__global__ void k(const int* in, int* out) {
    __shared__ int s[128];
    int t = threadIdx.x;
    if (t < 64) { s[t] = in[t]; asm volatile("bar.sync 1, 64;"); out[t] = s[63 - t]; }
    else { s[t] = in[t]; asm volatile("bar.sync 2, 64;"); out[t] = s[t == 64 ? 0 : t - 1]; }
}
