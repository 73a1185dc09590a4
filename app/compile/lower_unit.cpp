#include "app/compile/lower_unit.hpp"

#include <llvm/IR/Module.h>

namespace warptree::compile::lowering {

Unit::Unit(const Compiled& c)
    : compiled(c), layout(c.module->getDataLayout()), types(layout), locations(c, program), reach(c, types),
      map(reach, layout, locations, program), pointees(c, reach, map, program), elements(reach, pointees, types),
      combines(reach, pointees, elements) {}

std::uint32_t Unit::function(llvm::Function* function, const Context& context) {
    const auto [at, added] = numbers_.try_emplace({function, context}, static_cast<std::uint32_t>(wanted.size()));
    if (added) wanted.push_back({function, context});
    return at->second;
}

} // namespace warptree::compile::lowering
