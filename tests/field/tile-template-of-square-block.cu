// Right: Side is the side of the block, 16 of 16 x 16 where nothing is stated, not all its 256 threads. No finding.
template <typename T, unsigned Side>
__global__ void turn(const T* in, T* out, int width) {
    __shared__ T square[Side][Side + 1];
    const unsigned x = blockIdx.x * Side + threadIdx.x, y = blockIdx.y * Side + threadIdx.y;
    square[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    out[(blockIdx.x * Side + threadIdx.y) * width + blockIdx.y * Side + threadIdx.x] = square[threadIdx.x][threadIdx.y];
}
