// Right: synchronize(group) is group.sync(); the odd rows never come to the block's, so it is a barrier in divergent code (line 12).
#include <cooperative_groups.h>
using namespace cooperative_groups;

__global__ void rows(const short* in, short* out) {
    __shared__ short row[16][4];
    const auto block = this_thread_block();
    const unsigned x = threadIdx.x, y = threadIdx.y;
    row[y][x] = in[thread_rank(block)];
    synchronize(block);
    if (y % 2 == 0) {
        synchronize(block);
        out[thread_rank(block)] = row[y + 1][x];
    }
}
