// One shared-memory access a kernel, with the lanes' elements and mask given: what the hardware's counters say of each
// is the measured bank rule. script/bank-rules builds this, looks whether each kernel's access has the width it is to
// measure, runs it under Nsight Compute and joins the two.
//
// Every word that a lane loads is used: of a wide load of which only one word is, ptxas makes a load of that word.
//
// usage: bank_rules PATTERNS.csv
// Writes its version, "# bank_rules 2", and one line a launch, in order of launch: bytes,store,mask,index0 … index31. Exit
// code 1 when a launch fails.
#include "bench/bank_patterns.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

using warptree::bench::kElements;
using warptree::bench::Pattern;

struct Lanes {
    std::uint32_t index[32];
    std::uint32_t mask;
};

template <unsigned Words> struct Access;
template <> struct Access<1> {
    __device__ static void load(unsigned address, unsigned* to) {
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(to[0]) : "r"(address));
    }
    __device__ static void store(unsigned address, unsigned value) {
        asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
    }
};
template <> struct Access<2> {
    __device__ static void load(unsigned address, unsigned* to) {
        asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(to[0]), "=r"(to[1]) : "r"(address));
    }
    __device__ static void store(unsigned address, unsigned value) {
        asm volatile("st.shared.v2.u32 [%0], {%1, %1};" ::"r"(address), "r"(value) : "memory");
    }
};
template <> struct Access<4> {
    __device__ static void load(unsigned address, unsigned* to) {
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(address));
    }
    __device__ static void store(unsigned address, unsigned value) {
        asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(address), "r"(value) : "memory");
    }
};

template <unsigned Words, bool Store> __global__ void bank_access(Lanes lanes, unsigned* sink) {
    extern __shared__ __align__(16) unsigned char memory[];
    const unsigned lane = threadIdx.x;
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(memory)) + lanes.index[lane] * Words * 4;
    if ((lanes.mask >> lane & 1U) != 0) {
        if constexpr (Store) {
            Access<Words>::store(address, lane);
        } else {
            unsigned value[Words];
            Access<Words>::load(address, value);
            unsigned all = value[0];
            for (unsigned word = 1; word < Words; ++word) {
                all ^= value[word];
            }
            sink[lane] = all;
        }
    }
}

template <unsigned Words> cudaError_t launch(const Pattern& p, const Lanes& lanes, unsigned* sink) {
    if (p.store) {
        bank_access<Words, true><<<1, 32, kElements * 16>>>(lanes, sink);
    } else {
        bank_access<Words, false><<<1, 32, kElements * 16>>>(lanes, sink);
    }
    return cudaGetLastError();
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: bank_rules PATTERNS.csv\n");
        return 2;
    }
    std::FILE* out = std::fopen(argv[1], "w");
    if (out == nullptr) {
        std::perror(argv[1]);
        return 2;
    }
    const std::vector<Pattern> patterns = warptree::bench::Patterns().make();
    std::fprintf(out, "# bank_rules %d\n", warptree::bench::kBankRulesVersion);
    unsigned* sink = nullptr;
    cudaError_t status = cudaMalloc(&sink, 32 * sizeof(unsigned));
    for (std::size_t i = 0; i < patterns.size() && status == cudaSuccess; ++i) {
        const Pattern& p = patterns[i];
        Lanes lanes{{}, p.mask};
        std::copy(p.index.begin(), p.index.end(), lanes.index);
        status = p.bytes == 4   ? launch<1>(p, lanes, sink)
                 : p.bytes == 8 ? launch<2>(p, lanes, sink)
                                : launch<4>(p, lanes, sink);
        std::fprintf(out, "%u,%d,%08x", p.bytes, p.store ? 1 : 0, p.mask);
        for (const std::uint32_t index : p.index) {
            std::fprintf(out, ",%u", index);
        }
        std::fprintf(out, "\n");
        if (status == cudaSuccess) {
            status = cudaDeviceSynchronize();
        }
    }
    if (std::fclose(out) != 0 || status != cudaSuccess) {
        std::fprintf(stderr, "bank_rules: %s\n", status != cudaSuccess ? cudaGetErrorString(status) : "cannot write");
        return 1;
    }
    cudaFree(sink);
    std::printf("%zu patterns\n", patterns.size());
    return 0;
}
