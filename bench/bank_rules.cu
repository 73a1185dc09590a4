// One shared-memory access a kernel, with the lanes' elements and mask given: what the hardware's counters say of each
// is the measured bank rule. script/bank-rules builds this, runs it under Nsight Compute and joins the two.
//
// usage: bank_rules PATTERNS.csv
// Writes one line a launch, in order of launch: bytes,store,mask,index0 … index31. Exit code 1 when a launch fails.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

namespace {

using Indices = std::array<std::uint32_t, 32>;
constexpr std::uint32_t kAll = 0xFFFFFFFFU;
constexpr std::uint32_t kElements = 2048; // of 16 bytes: 32 KiB

struct Pattern {
    unsigned bytes;
    bool store;
    std::uint32_t mask;
    Indices index;
};
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
            sink[lane] = value[0];
        }
    }
}

class Patterns {
  public:
    // Everything for the wide loads, whose rule is the open one; samples of the rest.
    std::vector<Pattern> make() {
        for (const unsigned bytes : {8U, 16U, 4U}) {
            for (const bool store : {false, true}) {
                bytes_ = bytes;
                store_ = store;
                const bool wide = bytes != 4;
                strides(wide && !store ? 34 : 17);
                random_ones(wide && !store ? 5 : 2);
                one_address();
                if (wide) {
                    shared_by_lanes(store);
                    broken_by_one_lane();
                    halves_and_quarters(store);
                    few_addresses(store ? 4 : 12);
                }
            }
        }
        return std::move(all_);
    }

  private:
    std::uint32_t any(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
    template <class F> void add(std::uint32_t mask, F&& index_of) {
        Pattern p{bytes_, store_, mask, {}};
        for (unsigned lane = 0; lane < 32; ++lane) {
            p.index[lane] = index_of(lane) % kElements;
        }
        if (mask != 0) {
            all_.push_back(p);
        }
    }
    Indices distinct(std::uint32_t below) {
        std::vector<std::uint32_t> pool(below);
        for (std::uint32_t i = 0; i < below; ++i) {
            pool[i] = i;
        }
        Indices out{};
        for (unsigned i = 0; i < 32; ++i) {
            std::swap(pool[i], pool[i + any(below - i)]);
            out[i] = pool[i];
        }
        return out;
    }

    void strides(unsigned most) {
        for (unsigned s = 0; s <= most; ++s) {
            add(kAll, [&](unsigned lane) { return s * lane; });
        }
        for (const std::uint32_t mask : {0x0000FFFFU, 0xFFFF0000U, 0x55555555U, 0x000000FFU, 0x00FF00FFU}) {
            for (const unsigned s : {1U, 2U, 8U}) {
                add(mask, [&](unsigned lane) { return s * lane; });
            }
        }
    }
    void random_ones(unsigned each) {
        for (unsigned bits = 1; bits <= 11; ++bits) {
            for (unsigned i = 0; i < each; ++i) {
                add(kAll, [&](unsigned) { return any(1U << bits); });
                add(random_(), [&](unsigned) { return any(1U << bits); });
                add(random_() & random_(), [&](unsigned) { return any(1U << bits); });
            }
        }
    }
    void one_address() {
        for (const std::uint32_t mask :
             {kAll,        0x0000FFFFU, 0xFFFF0000U, 0x000000FFU, 0x0000FF00U, 0x00FF0000U, 0xFF000000U,
              0x00FF00FFU, 0xFF0000FFU, 0x55555555U, 0xAAAAAAAAU, 0x33333333U, 0x0F0F0F0FU, 0x00000001U,
              0x00010001U, 0x80000001U, 0x01010101U, 0x7FFFFFFFU, 0xFFFFFFFEU, 0xFFFF7FFFU}) {
            add(mask, [&](unsigned) { return 7U; });
        }
        for (int i = 0; i < 8; ++i) {
            add(random_(), [&](unsigned) { return 5U; });
        }
    }
    // Lanes that differ only in the bits of `same` ask for one element.
    void shared_by_lanes(bool few) {
        for (unsigned same = 1; same < 32; ++same) {
            if (few && (same & (same - 1)) != 0 && same != 3 && same != 31) {
                continue;
            }
            const Indices far = distinct(kElements), near = distinct(32);
            add(kAll, [&](unsigned lane) { return far[lane & ~same]; });
            add(kAll, [&](unsigned lane) { return near[lane & ~same]; });
            add(kAll, [&](unsigned lane) { return lane & ~same; });
            const std::uint32_t mask = random_() | random_();
            add(mask, [&](unsigned lane) { return far[lane & ~same]; });
            const std::uint32_t sparse = random_() & random_();
            add(sparse, [&](unsigned lane) { return near[lane & ~same]; });
        }
    }
    void broken_by_one_lane() {
        for (const unsigned same : {1U, 2U, 4U, 8U, 16U, 3U, 31U}) {
            for (const unsigned odd : {0U, 1U, 9U, 18U, 31U}) {
                const Indices near = distinct(32);
                add(kAll, [&](unsigned lane) { return lane == odd ? 40 + near[lane] : near[lane & ~same]; });
                add(kAll & ~(1U << odd), [&](unsigned lane) { return near[lane & ~same]; });
            }
        }
    }
    // Another structure in each half or quarter of the warp.
    void halves_and_quarters(bool few) {
        for (const unsigned low : {0U, 1U, 2U, 4U, 8U, 15U}) {
            for (const unsigned high : {0U, 1U, 2U, 4U, 8U, 15U}) {
                if (few && low != high && low != 0 && high != 0) {
                    continue;
                }
                const Indices near = distinct(64);
                add(kAll, [&](unsigned lane) { return near[lane & ~(lane < 16 ? low : high)]; });
            }
        }
        for (unsigned alike = 1; alike < 16; ++alike) { // quarters of pairs, the others all different
            for (const unsigned same : {1U, 2U, 7U}) {
                const Indices near = distinct(64);
                add(kAll, [&](unsigned lane) { return near[(alike >> lane / 8 & 1U) != 0 ? lane & ~same : lane]; });
                if (!few) {
                    std::uint32_t mask = 0; // only those quarters are active
                    for (unsigned q = 0; q < 4; ++q) {
                        mask |= (alike >> q & 1U) != 0 ? 0xFFU << 8 * q : 0;
                    }
                    add(mask, [&](unsigned lane) { return near[lane & ~same]; });
                }
            }
        }
        for (const unsigned size : {4U, 8U, 16U}) { // groups that ask for the same elements in another order
            for (int i = 0; i < 4; ++i) {
                const Indices near = distinct(64);
                std::array<unsigned, 16> order{};
                for (unsigned k = 0; k < size; ++k) {
                    order[k] = k;
                }
                std::shuffle(order.begin(), order.begin() + size, random_);
                add(kAll, [&](unsigned lane) {
                    return near[(lane & size) != 0 ? (lane / (2 * size)) * 2 * size + order[lane % size] : lane];
                });
            }
        }
    }
    // Two to four addresses, in one bank or several, dealt out at random or in turn.
    void few_addresses(int each) {
        for (int i = 0; i < each; ++i) {
            for (const unsigned count : {2U, 3U, 4U}) {
                const unsigned apart = i % 2 == 0 ? 1 : 64;
                add(kAll, [&](unsigned) { return apart * any(count); });
                add(random_() | random_(), [&](unsigned) { return apart * any(count); });
            }
        }
        for (unsigned bit = 0; bit < 5; ++bit) {
            for (const unsigned apart : {1U, 64U}) {
                add(kAll, [&](unsigned lane) { return apart * (lane >> bit & 1U); });
                add(kAll,
                    [&](unsigned lane) { return apart * ((lane >> bit & 1U) + 2 * (lane >> (bit + 1) % 5 & 1U)); });
            }
        }
    }

    std::mt19937 random_{20};
    unsigned bytes_ = 4;
    bool store_ = false;
    std::vector<Pattern> all_;
};

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
    const std::vector<Pattern> patterns = Patterns().make();
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
