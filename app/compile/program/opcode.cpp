#include "app/compile/program/opcode.hpp"

#include <cstddef>
#include <iterator>

namespace warptree::compile {

const char* name(Opcode op) {
    static constexpr const char* kNames[] = {
#define WARPTREE_X(name) #name,
        WARPTREE_OPCODES(WARPTREE_X)
#undef WARPTREE_X
    };
    const auto index = static_cast<std::size_t>(op);
    return index < std::size(kNames) ? kNames[index] : "?";
}

const char* name(Function f) {
    static constexpr const char* kNames[] = {
#define WARPTREE_X(name) #name,
        WARPTREE_FUNCTIONS(WARPTREE_X)
#undef WARPTREE_X
    };
    const auto index = static_cast<std::size_t>(f);
    return index < std::size(kNames) ? kNames[index] : "?";
}

} // namespace warptree::compile
