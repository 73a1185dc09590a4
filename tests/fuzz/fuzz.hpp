// The functions that libFuzzer calls, and those it provides.
#pragma once

#include "app/base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace warptree::fuzz {

inline std::string text_of(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

// An invalid input throws an Error with a message; any other exception is a bug.
template <class F> int refusable(F&& f) {
    try {
        f();
    } catch (const Error& e) {
        if (std::string_view(e.what()).empty()) {
            std::abort();
        }
    }
    return 0;
}

// What must hold for an accepted input.
inline void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

} // namespace warptree::fuzz
