// Which elements each value of a launch was combined from, so that nodes of two traces can be compared whatever threads
// and addresses they use.
#pragma once

#include "app/trace/model/trace.hpp"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace warptree {

// Keys are sums of 64-bit hashes of the elements: equal for equal multisets of elements, different for others except
// with a probability of about 1 in 2^64 per pair. Elements are those of the launch's input; another block's output
// counts as an element, an identity as none.
class ElementSets {
  public:
    explicit ElementSets(const Launch& launch);
    std::uint64_t key(std::uint32_t node) const { return keys_[node]; }
    // Nodes with that key, in their order in the launch.
    std::span<const std::uint32_t> with(std::uint64_t key) const;

  private:
    std::vector<std::uint64_t> keys_;
    std::vector<std::uint32_t> by_key_;
};

enum class Trees : std::uint8_t {
    different,
    same,             // each useful combine of one joins the same two element sets as a useful combine of the other
    same_and_threads, // and by the same thread of the same block
};
// Compares the blocks traced in full, in all launches. Traces without nodes are different.
Trees compare_trees(const Trace& a, const Trace& b);

// The node of `to` that corresponds to `node` of `from`, both of the same launch: of the same elements and kind,
// preferably of the same block and thread, else the first. kNone if there is none.
std::uint32_t counterpart(const Launch& from, const ElementSets& from_sets, std::uint32_t node, const Launch& to,
                          const ElementSets& to_sets);

} // namespace warptree
