// One launch, as the pipeline asks for it and a backend answers it.
#pragma once

#include "kernels/options.hpp"
#include "kernels/trace/nodes.hpp"
#include "kernels/trace/trace.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warptree {

// Elements of one type, kept as bytes.
struct Elements {
    ElementType type = ElementType::i32;
    std::vector<std::byte> bytes;

    std::size_t size() const { return bytes.size() / warptree::bytes(type); }
    void resize(std::size_t n) { bytes.resize(n * warptree::bytes(type)); }
    template <class T> const T* as() const { return reinterpret_cast<const T*>(bytes.data()); }
    template <class T> T* as() { return reinterpret_cast<T*>(bytes.data()); }
    std::uint64_t bits(std::size_t i) const;
    void set_bits(std::size_t i, std::uint64_t bits);
};

struct LaunchRequest {
    const RunOptions& options; // resolved
    const Elements& input;
    const std::vector<PartialMeta>* partials = nullptr; // of the input, when it is an earlier launch's output
    std::uint32_t grid = 1;
};

// An atomic combine into the total, in block order.
struct AtomicValue {
    std::uint64_t bits = 0;
    PartialMeta meta;
};

struct LaunchResult {
    Launch launch;
    Elements output;                // empty when the launch finishes atomically
    std::vector<PartialMeta> metas; // of output
    std::vector<AtomicValue> atomics;
};

} // namespace warptree
