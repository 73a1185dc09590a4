// One launch, as the pipeline asks for it and a backend answers it.
#pragma once

#include "app/base/options.hpp"
#include "app/trace/model/trace.hpp"
#include "kernels/strategy.hpp"
#include "kernels/trace/nodes.hpp"

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
    Geometry geometry;                                  // of this launch
    std::uint32_t grid = 1;
    std::uint64_t outputs = 1; // elements the launch puts out, before any atomic or last-block finish
    // Elements are mapped as they are loaded (the operator's map), which only the first launch does.
    bool maps() const { return partials == nullptr; }
};
// Shared elements of a block: what the strategy needs, and what a finish in the last block does.
std::uint32_t shared_elements(std::uint32_t of_strategy, const LaunchRequest& request);
// The launch of resolved options over `input`.
LaunchRequest make_launch(const RunOptions& options, const Elements& input,
                          const std::vector<PartialMeta>* partials = nullptr);

// A value and what it stands for.
struct Partial {
    std::uint64_t bits = 0;
    PartialMeta meta;
};

struct LaunchResult {
    Launch launch;
    Elements output;                // empty when the launch finishes atomically
    std::vector<PartialMeta> metas; // of output; none for a scan
    std::vector<Partial> atomics;   // combines into the total, in block order
    PartialMeta reached{0, 0};      // by all outputs together
    Partial total;                  // of the last block to arrive, under Finish::last_block
};

} // namespace warptree
