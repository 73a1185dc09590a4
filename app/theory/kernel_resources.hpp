// Registers, shared and local memory of compiled kernels, as script/kernel-resources reads them from a binary.
//
// The file: {"format": "warptree.kernel-resources", "version": 1, "architecture": "sm_90", "cuda": "13.0",
// "kernels": [{"strategy": id, "type": "f32", "op": "sum", "block": 256 or 0, "registers": 16, "shared_bytes": 0,
// "local_bytes": 0, "stack_bytes": 0}, …]}
#pragma once

#include "app/base/element.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warptree::theory {

struct KernelResources {
    std::string strategy; // id
    ElementType type = ElementType::i32;
    Operator op = Operator::sum;
    std::uint32_t block = 0;        // size that the kernel is instantiated for; 0: any
    std::uint32_t registers = 0;    // per thread
    std::uint32_t shared_bytes = 0; // per block, static only
    std::uint32_t local_bytes = 0;  // per thread: spills and arrays
    std::uint32_t stack_bytes = 0;  // per thread
};

struct ResourceTable {
    std::string architecture; // "sm_90"
    std::string cuda;         // version of the compiler; empty: unknown
    std::vector<KernelResources> kernels;
};

// `file` is for messages. Throws FileError "file: reason" for anything that is not such a table.
ResourceTable parse_resources(const std::string& text, const std::string& file);

// The kernels of that type and operator, one per strategy: if there are several block sizes, `block`, else the next
// larger one, else the largest. In the order of the table.
std::vector<KernelResources> select(const ResourceTable& table, ElementType type, Operator op, std::uint32_t block);

} // namespace warptree::theory
