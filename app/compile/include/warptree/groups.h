// Cooperative groups: block, grid, tiles of a warp, lanes that run together. cooperative_groups.h gives the namespace its
// name.
#pragma once

#include "warptree/synchronise.h"
#include "warptree/warp.h"

namespace __cooperative_groups {

namespace details {

__WARPTREE_DEVICE unsigned int lane() { return static_cast<unsigned int>(__nvvm_read_ptx_sreg_laneid()); }
__WARPTREE_DEVICE unsigned int rank_in_block() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
__WARPTREE_DEVICE unsigned int block_size() { return blockDim.x * blockDim.y * blockDim.z; }
__WARPTREE_DEVICE unsigned int lanes_below() { return static_cast<unsigned int>(__nvvm_read_ptx_sreg_lanemask_lt()); }
// The mask of this lane's tile of `size` lanes.
__WARPTREE_DEVICE unsigned int tile_mask(unsigned int size) {
    return (0xFFFFFFFFU >> (32 - size)) << (lane() & ~(size - 1));
}

// Shuffles a value of any size: word by word unless it is a number that CUDA can shuffle.
template <class T> inline constexpr bool is_number = (__is_integral(T) || __is_floating_point(T)) && sizeof(T) >= 4;
template <class T> struct words { unsigned int word[(sizeof(T) + 3) / 4]; };
#define __WARPTREE_SHUFFLE(name, L)                                                                                    \
    template <class T> __WARPTREE_MEMBER T name(unsigned int mask, T value, L lane, int width) {                       \
        if constexpr (is_number<T>) {                                                                                  \
            return __##name##_sync(mask, value, lane, width);                                                          \
        } else {                                                                                                       \
            words<T> parts{};                                                                                          \
            __builtin_memcpy(&parts, &value, sizeof(T));                                                               \
            for (unsigned int& word : parts.word) word = __##name##_sync(mask, word, lane, width);                     \
            __builtin_memcpy(&value, &parts, sizeof(T));                                                               \
            return value;                                                                                              \
        }                                                                                                              \
    }
__WARPTREE_SHUFFLE(shfl, int)
__WARPTREE_SHUFFLE(shfl_up, unsigned int)
__WARPTREE_SHUFFLE(shfl_down, unsigned int)
__WARPTREE_SHUFFLE(shfl_xor, int)
#undef __WARPTREE_SHUFFLE

} // namespace details

struct thread_block {
    static constexpr unsigned int kind = 0;
    __WARPTREE_MEMBER static void sync() { __syncthreads(); }
    __WARPTREE_MEMBER static unsigned int thread_rank() { return details::rank_in_block(); }
    __WARPTREE_MEMBER static unsigned int size() { return details::block_size(); }
    __WARPTREE_MEMBER static unsigned int num_threads() { return details::block_size(); }
    __WARPTREE_MEMBER static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    __WARPTREE_MEMBER static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    __WARPTREE_MEMBER static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    __WARPTREE_MEMBER static dim3 dim_threads() { return group_dim(); }
    struct arrival_token {};
    __WARPTREE_MEMBER static arrival_token barrier_arrive() { return {}; }
    __WARPTREE_MEMBER static void barrier_wait(arrival_token) { __syncthreads(); }
    __WARPTREE_MEMBER static void barrier_wait() { __syncthreads(); }
};
__WARPTREE_DEVICE thread_block this_thread_block() { return {}; }
// Memory for tiles of several warps; those of this program have their own.
template <unsigned int MaxBlockSize = 1024> struct block_tile_memory { unsigned char reserved; };
template <unsigned int MaxBlockSize>
__WARPTREE_MEMBER thread_block this_thread_block(block_tile_memory<MaxBlockSize>&) {
    return {};
}

// The blocks of a cluster, whose threads reach one another's shared memory.
struct cluster_group {
    static constexpr unsigned int kind = 4;
    struct arrival_token {};
    __WARPTREE_MEMBER static arrival_token barrier_arrive() {
        __nvvm_barrier_cluster_arrive();
        return {};
    }
    __WARPTREE_MEMBER static void barrier_wait() { __nvvm_barrier_cluster_wait(); }
    __WARPTREE_MEMBER static void barrier_wait(arrival_token&&) { __nvvm_barrier_cluster_wait(); }
    __WARPTREE_MEMBER static void sync() {
        __nvvm_barrier_cluster_arrive();
        __nvvm_barrier_cluster_wait();
    }
    template <class T> __WARPTREE_MEMBER static T* map_shared_rank(T* address, int rank) {
        return (T*)__nvvm_mapa((void*)address, rank);
    }
    __WARPTREE_MEMBER static unsigned int query_shared_rank(const void* address) {
        return static_cast<unsigned int>(__nvvm_getctarank((void*)address));
    }
    __WARPTREE_MEMBER static dim3 block_index() {
        return dim3(__nvvm_read_ptx_sreg_cluster_ctaid_x(), __nvvm_read_ptx_sreg_cluster_ctaid_y(),
                    __nvvm_read_ptx_sreg_cluster_ctaid_z());
    }
    __WARPTREE_MEMBER static dim3 dim_blocks() {
        return dim3(__nvvm_read_ptx_sreg_cluster_nctaid_x(), __nvvm_read_ptx_sreg_cluster_nctaid_y(),
                    __nvvm_read_ptx_sreg_cluster_nctaid_z());
    }
    __WARPTREE_MEMBER static dim3 thread_index() {
        const dim3 block = block_index();
        return dim3(block.x * blockDim.x + threadIdx.x, block.y * blockDim.y + threadIdx.y,
                    block.z * blockDim.z + threadIdx.z);
    }
    __WARPTREE_MEMBER static dim3 dim_threads() {
        const dim3 blocks = dim_blocks();
        return dim3(blocks.x * blockDim.x, blocks.y * blockDim.y, blocks.z * blockDim.z);
    }
    __WARPTREE_MEMBER static unsigned int block_rank() {
        return static_cast<unsigned int>(__nvvm_read_ptx_sreg_cluster_ctarank());
    }
    __WARPTREE_MEMBER static unsigned int num_blocks() {
        return static_cast<unsigned int>(__nvvm_read_ptx_sreg_cluster_nctarank());
    }
    __WARPTREE_MEMBER static unsigned int thread_rank() {
        return block_rank() * details::block_size() + details::rank_in_block();
    }
    __WARPTREE_MEMBER static unsigned int num_threads() { return num_blocks() * details::block_size(); }
    __WARPTREE_MEMBER static unsigned int size() { return num_threads(); }
};
__WARPTREE_DEVICE cluster_group this_cluster() { return {}; }

struct grid_group {
    static constexpr unsigned int kind = 2;
    __WARPTREE_MEMBER static bool is_valid() { return true; }
    __WARPTREE_MEMBER static void sync() { __warptree_grid_sync(); }
    __WARPTREE_MEMBER static unsigned long long block_rank() {
        return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    __WARPTREE_MEMBER static unsigned long long num_blocks() {
        return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
    }
    __WARPTREE_MEMBER static unsigned long long thread_rank() {
        return block_rank() * details::block_size() + details::rank_in_block();
    }
    __WARPTREE_MEMBER static unsigned long long num_threads() { return num_blocks() * details::block_size(); }
    __WARPTREE_MEMBER static unsigned long long size() { return num_threads(); }
    __WARPTREE_MEMBER static dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    __WARPTREE_MEMBER static dim3 group_dim() { return dim_blocks(); }
    __WARPTREE_MEMBER static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
};
__WARPTREE_DEVICE grid_group this_grid() { return {}; }

// Any group, if only its size, the thread's rank and sync() matter.
class thread_group {
  public:
    template <class Group> __WARPTREE_MEMBER thread_group(const Group& group) : kind_(Group::kind), mask_(0), size_(1) {
        if constexpr (Group::kind == 1) mask_ = group.__mask();
        size_ = group.num_threads();
    }
    __WARPTREE_MEMBER thread_group(unsigned int mask, unsigned int size) : kind_(1), mask_(mask), size_(size) {}
    __WARPTREE_MEMBER void sync() const {
        if (kind_ == 0)
            __syncthreads();
        else if (kind_ == 1)
            __syncwarp(mask_);
        else if (kind_ == 4)
            cluster_group::sync();
        else
            __warptree_grid_sync();
    }
    __WARPTREE_MEMBER unsigned long long size() const { return size_; }
    __WARPTREE_MEMBER unsigned long long num_threads() const { return size_; }
    __WARPTREE_MEMBER unsigned long long thread_rank() const {
        if (kind_ == 0) return details::rank_in_block();
        if (kind_ == 1) return static_cast<unsigned int>(__popc(mask_ & details::lanes_below()));
        return kind_ == 4 ? cluster_group::thread_rank() : grid_group::thread_rank();
    }
    __WARPTREE_MEMBER unsigned int __mask() const { return mask_; }

  private:
    unsigned int kind_, mask_;
    unsigned long long size_;
};

// The index of a tile within its parent. A tile whose parent is not part of its type carries it along.
template <unsigned int Size, class Parent> struct __tile_place {
    __WARPTREE_MEMBER static unsigned int meta_group_rank() {
        if constexpr (__warptree_same<Parent, thread_block>)
            return details::rank_in_block() / Size;
        else
            return details::lane() % Parent::__size / Size;
    }
    __WARPTREE_MEMBER static unsigned int meta_group_size() {
        if constexpr (__warptree_same<Parent, thread_block>)
            return (details::block_size() + Size - 1) / Size;
        else
            return Parent::__size / Size;
    }
};
template <unsigned int Size> struct __tile_place<Size, void> {
    unsigned int rank_, count_;
    __WARPTREE_MEMBER unsigned int meta_group_rank() const { return rank_; }
    __WARPTREE_MEMBER unsigned int meta_group_size() const { return count_; }
};

// A tile within a warp.
template <unsigned int Size> class __warp_tile {
  public:
    static constexpr unsigned int kind = 1, __size = Size;
    __WARPTREE_MEMBER static unsigned int __mask() { return details::tile_mask(Size); }
    __WARPTREE_MEMBER static void sync() { __syncwarp(__mask()); }
    __WARPTREE_MEMBER static unsigned int thread_rank() { return details::lane() & (Size - 1); }
    __WARPTREE_MEMBER static constexpr unsigned int size() { return Size; }
    __WARPTREE_MEMBER static constexpr unsigned int num_threads() { return Size; }
    template <class T> __WARPTREE_MEMBER static T shfl(T value, int rank) {
        return details::shfl(__mask(), value, rank, Size);
    }
    template <class T> __WARPTREE_MEMBER static T shfl_up(T value, unsigned int delta) {
        return details::shfl_up(__mask(), value, delta, Size);
    }
    template <class T> __WARPTREE_MEMBER static T shfl_down(T value, unsigned int delta) {
        return details::shfl_down(__mask(), value, delta, Size);
    }
    template <class T> __WARPTREE_MEMBER static T shfl_xor(T value, unsigned int mask) {
        return details::shfl_xor(__mask(), value, static_cast<int>(mask), Size);
    }
    __WARPTREE_MEMBER static int any(int predicate) { return __any_sync(__mask(), predicate); }
    __WARPTREE_MEMBER static int all(int predicate) { return __all_sync(__mask(), predicate); }
    // Bits by rank in the tile.
    __WARPTREE_MEMBER static unsigned int ballot(int predicate) {
        return __ballot_sync(__mask(), predicate) >> (details::lane() & ~(Size - 1));
    }
    template <class T> __WARPTREE_MEMBER static unsigned int match_any(T value) {
        return __match_any_sync(__mask(), value) >> (details::lane() & ~(Size - 1));
    }
    template <class T> __WARPTREE_MEMBER static unsigned int match_all(T value, int& predicate) {
        return __match_all_sync(__mask(), value, &predicate) >> (details::lane() & ~(Size - 1));
    }
};

// A tile of several warps, which communicate through shared memory and synchronise at a barrier of their own.
template <unsigned int Size> class __block_tile {
  public:
    static constexpr unsigned int kind = 3, __size = Size, __warps = Size / 32;
    __WARPTREE_MEMBER static void sync() { __barrier_sync_count(1 + details::rank_in_block() / Size, Size); }
    __WARPTREE_MEMBER static unsigned int thread_rank() { return details::rank_in_block() & (Size - 1); }
    __WARPTREE_MEMBER static constexpr unsigned int size() { return Size; }
    __WARPTREE_MEMBER static constexpr unsigned int num_threads() { return Size; }
    template <class T> __WARPTREE_MEMBER static T shfl(T value, unsigned int rank) {
        T* const place = reinterpret_cast<T*>(__memory<T>());
        if (thread_rank() == rank) *place = value;
        sync();
        value = *place;
        sync();
        return value;
    }
    __WARPTREE_MEMBER static int any(int predicate) { return combine(__any_sync(0xFFFFFFFF, predicate)) != 0; }
    __WARPTREE_MEMBER static int all(int predicate) { return combine(__any_sync(0xFFFFFFFF, !predicate)) == 0; }
    // 16 bytes for each warp of the tile.
    template <class T> __WARPTREE_MEMBER static unsigned long long* __memory() {
        static_assert(sizeof(T) <= 16,
                      "values of more than 16 bytes in tiles of several warps are not part of warptree");
        __shared__ unsigned long long block_tile_memory[64];
        return block_tile_memory + details::rank_in_block() / Size * __warps * 2;
    }

  private:
    __WARPTREE_MEMBER static int combine(int of_warp) {
        unsigned long long* const words = __memory<int>();
        words[thread_rank() / 32] = static_cast<unsigned int>(of_warp);
        sync();
        unsigned long long result = 0;
        for (unsigned int warp = 0; warp < __warps; ++warp) result |= words[warp];
        sync();
        return static_cast<int>(result);
    }
};

template <bool Multiple, unsigned int Size> struct __tile_kind { typedef __warp_tile<Size> type; };
template <unsigned int Size> struct __tile_kind<true, Size> { typedef __block_tile<Size> type; };
template <unsigned int Size, class Parent = void>
class thread_block_tile : public __tile_place<Size, Parent>, public __tile_kind<(Size > 32), Size>::type {
    static_assert(Size != 0 && (Size & (Size - 1)) == 0 && Size <= 1024,
                  "the size of a tile is a power of two to 1024");

  public:
    thread_block_tile() = default;
    template <class Other>
    __WARPTREE_MEMBER thread_block_tile(const thread_block_tile<Size, Other>& other)
        : __tile_place<Size, Parent>{other.meta_group_rank(), other.meta_group_size()} {}
};

class coalesced_group {
  public:
    static constexpr unsigned int kind = 1;
    __WARPTREE_MEMBER explicit coalesced_group(unsigned int mask, unsigned int rank = 0, unsigned int count = 1)
        : mask_(mask), meta_rank_(rank), meta_count_(count) {}
    template <unsigned int Size, class Parent>
    __WARPTREE_MEMBER coalesced_group(const thread_block_tile<Size, Parent>& tile)
        : mask_(tile.__mask()), meta_rank_(tile.meta_group_rank()), meta_count_(tile.meta_group_size()) {}

    __WARPTREE_MEMBER unsigned int __mask() const { return mask_; }
    __WARPTREE_MEMBER void sync() const { __syncwarp(mask_); }
    __WARPTREE_MEMBER unsigned int thread_rank() const {
        return static_cast<unsigned int>(__popc(mask_ & details::lanes_below()));
    }
    __WARPTREE_MEMBER unsigned int size() const { return static_cast<unsigned int>(__popc(mask_)); }
    __WARPTREE_MEMBER unsigned int num_threads() const { return size(); }
    __WARPTREE_MEMBER unsigned int meta_group_rank() const { return meta_rank_; }
    __WARPTREE_MEMBER unsigned int meta_group_size() const { return meta_count_; }
    // For a rank outside the group, the thread's own value.
    template <class T> __WARPTREE_MEMBER T shfl(T value, unsigned int rank) const {
        return details::shfl(mask_, value, static_cast<int>(lane_of(rank % size())), 32);
    }
    template <class T> __WARPTREE_MEMBER T shfl_up(T value, unsigned int delta) const {
        const unsigned int mine = thread_rank();
        return details::shfl(mask_, value, static_cast<int>(lane_of(delta > mine ? mine : mine - delta)), 32);
    }
    template <class T> __WARPTREE_MEMBER T shfl_down(T value, unsigned int delta) const {
        const unsigned int mine = thread_rank();
        return details::shfl(mask_, value, static_cast<int>(lane_of(mine + delta < size() ? mine + delta : mine)), 32);
    }
    __WARPTREE_MEMBER int any(int predicate) const { return __any_sync(mask_, predicate); }
    __WARPTREE_MEMBER int all(int predicate) const { return __all_sync(mask_, predicate); }
    // Bits by rank in the group.
    __WARPTREE_MEMBER unsigned int ballot(int predicate) const { return packed(__ballot_sync(mask_, predicate)); }
    template <class T> __WARPTREE_MEMBER unsigned int match_any(T value) const {
        return packed(__match_any_sync(mask_, value));
    }
    template <class T> __WARPTREE_MEMBER unsigned int match_all(T value, int& predicate) const {
        return packed(__match_all_sync(mask_, value, &predicate));
    }

  private:
    __WARPTREE_MEMBER unsigned int lane_of(unsigned int rank) const {
        return __fns(mask_, 0, static_cast<int>(rank) + 1);
    }
    __WARPTREE_MEMBER unsigned int packed(unsigned int lanes) const {
        unsigned int result = 0, place = 0;
        for (unsigned int rest = mask_; rest != 0; rest &= rest - 1) // from the lowest lane on
            result |= ((lanes & rest & -rest) != 0) << place++;
        return result;
    }
    unsigned int mask_, meta_rank_, meta_count_;
};
__WARPTREE_DEVICE coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <unsigned int Size, class Group>
__WARPTREE_MEMBER thread_block_tile<Size, Group> tiled_partition(const Group&) {
    return {};
}
template <unsigned int Size> __WARPTREE_MEMBER thread_block_tile<Size> tiled_partition(const thread_group&) {
    return thread_block_tile<Size, thread_block>();
}
template <class Group> __WARPTREE_MEMBER thread_group tiled_partition(const Group&, unsigned int size) {
    return thread_group(details::tile_mask(size), size);
}
__WARPTREE_DEVICE coalesced_group tiled_partition(const coalesced_group& parent, unsigned int size) {
    const unsigned int tile = parent.thread_rank() / size;
    unsigned int mask = 0, rank = 0;
    for (unsigned int rest = parent.__mask(); rest != 0; rest &= rest - 1)
        mask |= rank++ / size == tile ? rest & -rest : 0;
    return coalesced_group(mask, tile, (parent.size() + size - 1) / size);
}
template <class Group> __WARPTREE_MEMBER coalesced_group binary_partition(const Group& parent, bool predicate) {
    const unsigned int yes = __ballot_sync(parent.__mask(), predicate);
    return coalesced_group(predicate ? yes : parent.__mask() & ~yes, predicate, 2);
}
template <class Group, class Label>
__WARPTREE_MEMBER coalesced_group labeled_partition(const Group& parent, Label label) {
    return coalesced_group(__match_any_sync(parent.__mask(), label));
}

template <class Group> __WARPTREE_MEMBER void sync(const Group& group) { group.sync(); }
template <class Group> __WARPTREE_MEMBER void synchronize(const Group& group) { group.sync(); }
template <class Group> __WARPTREE_MEMBER auto thread_rank(const Group& group) { return group.thread_rank(); }
template <class Group> __WARPTREE_MEMBER auto group_size(const Group& group) { return group.num_threads(); }
template <class Group, class F, class... Arguments>
__WARPTREE_MEMBER void invoke_one(const Group& group, F&& f, Arguments&&... arguments) {
    if (group.thread_rank() == 0) f(static_cast<Arguments&&>(arguments)...);
}
template <class Group, class F, class... Arguments>
__WARPTREE_MEMBER auto invoke_one_broadcast(const Group& group, F&& f, Arguments&&... arguments) {
    decltype(f(static_cast<Arguments&&>(arguments)...)) result{};
    if (group.thread_rank() == 0) result = f(static_cast<Arguments&&>(arguments)...);
    return group.shfl(result, 0);
}

} // namespace __cooperative_groups
