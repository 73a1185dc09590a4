#include "app/host/stand_ins.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace warptree::host {

namespace {

// Memory that the program takes is zeros, as in a process that has just begun: here the loader has used it before, and what
// reads too early would find something else in each run.
void* zeroed(std::size_t bytes) {
    void* const memory = std::calloc(1, bytes);
    static std::atomic<bool> told{false};
    if (memory == nullptr && bytes != 0 && !told.exchange(true))
        std::fprintf(stderr, "warptree: malloc of %zu bytes gives a null pointer; --memory allows more\n", bytes);
    return memory;
}
#ifdef __SANITIZE_ADDRESS__ // which tells apart what each way of asking made
void* new_zeroed(std::size_t bytes) { return std::memset(::operator new(bytes), 0, bytes); }
void* new_zeroed_array(std::size_t bytes) { return std::memset(::operator new[](bytes), 0, bytes); }
#else
void* new_zeroed(std::size_t bytes) {
    void* const memory = std::calloc(1, std::max<std::size_t>(bytes, 1));
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}
void* new_zeroed_array(std::size_t bytes) { return new_zeroed(bytes); }
#endif

// What Clang calls to make a bfloat16, and GCC's library of Debian 12 lacks: rounded to the nearest, ties to even. It is
// returned in the low half of a float's register.
float bfloat16_of(float value) {
    auto bits = std::bit_cast<std::uint32_t>(value);
    bits = std::isnan(value) ? bits | 1U << 22 : bits + 0x7FFF + (bits >> 16 & 1);
    return std::bit_cast<float>(bits >> 16);
}
float bfloat16_of_double(double value) {
    auto near = static_cast<float>(value);
    if (std::isfinite(near) &&
        static_cast<double>(near) != value) { // to odd, so that the second rounding decides alone
        auto bits = std::bit_cast<std::uint32_t>(near);
        bits -= std::fabs(static_cast<double>(near)) > std::fabs(value) ? 1 : 0;
        near = std::bit_cast<float>(bits | 1);
    }
    return bfloat16_of(near);
}

} // namespace

void* stand_in(std::string_view name) {
    if (name == "__truncsfbf2") return reinterpret_cast<void*>(&bfloat16_of);
    if (name == "__truncdfbf2") return reinterpret_cast<void*>(&bfloat16_of_double);
    if (name == "malloc") return reinterpret_cast<void*>(&zeroed);
    if (name == "_Znwm") return reinterpret_cast<void*>(&new_zeroed);
    if (name == "_Znam") return reinterpret_cast<void*>(&new_zeroed_array);
    if (name == "atexit") return reinterpret_cast<void*>(static_cast<int (*)(void (*)())>(std::atexit));
    if (name == "at_quick_exit") return reinterpret_cast<void*>(static_cast<int (*)(void (*)())>(std::at_quick_exit));
    return nullptr;
}

} // namespace warptree::host
