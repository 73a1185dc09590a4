// The values of a merge of records, in words.
#pragma once

#include "app/trace/model/trace.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace warptree {

// Of a node of the launch, in the order in which they are computed; empty: it is no merge.
std::span<const NodePart> parts_of(const Launch& launch, std::uint32_t node);

struct MergedPart {
    std::string name;  // what its line assigns to: "mean", "m2"; else what its operation is called: "max"
    std::string value; // "36", "0.1"
};
// The same in words.
std::vector<MergedPart> merged_parts(const Trace& trace, const Launch& launch, std::uint32_t node);

} // namespace warptree
