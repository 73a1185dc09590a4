// Right: each __syncwarp orders its own half; lane 16 reads what lane 15 stored in line 6 without one that has both (line 8).
struct Pair { double a, b; };
__global__ void k(const double* in, Pair* out) {
    __shared__ Pair s[32];
    unsigned lane = threadIdx.x;
    s[lane].a = in[lane];
    if (lane < 16) { __syncwarp(0x0000ffff); s[lane].b = s[15 - lane].a; }
    else { __syncwarp(0xffff0000); s[lane].b = s[lane - 1].a; }
    __syncwarp();
    out[lane] = s[lane];
}
