// Elements of one type, kept as bytes.
#pragma once

#include "app/base/element.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace warptree {

struct Elements {
    ElementType type = ElementType::i32;
    std::vector<std::byte> bytes;

    std::size_t size() const { return bytes.size() / warptree::bytes(type); }
    void resize(std::size_t n) { bytes.resize(n * warptree::bytes(type)); }
    template <class T> const T* as() const { return reinterpret_cast<const T*>(bytes.data()); }
    template <class T> T* as() { return reinterpret_cast<T*>(bytes.data()); }
    std::uint64_t bits(std::size_t i) const {
        std::uint64_t value = 0;
        std::memcpy(&value, bytes.data() + i * warptree::bytes(type), warptree::bytes(type));
        return value;
    }
    void set_bits(std::size_t i, std::uint64_t value) {
        std::memcpy(bytes.data() + i * warptree::bytes(type), &value, warptree::bytes(type));
    }
};

} // namespace warptree
