#include "app/compile/lower/unit.hpp"

#include <llvm/IR/Module.h>

namespace warptree::compile::lowering {

Unit::Unit(const Compiled& c)
    : compiled(c), layout(c.module->getDataLayout()), types(layout), locations(c, program), reach(c, types),
      map(reach, layout, locations, program), pointees(c, reach, map, program), elements(reach, pointees, types),
      notes(c.files), combines(reach, pointees, elements, [this](const llvm::Loop& loop) {
          if (notes.empty()) return false;
          const std::uint32_t at = locations.of(loop.getStartLoc().get());
          return notes.on_line_of(program.locations, at) != nullptr;
      }) {}

std::uint32_t Unit::function(llvm::Function* function, const Context& context) {
    const auto [at, added] = numbers_.try_emplace({function, context}, static_cast<std::uint32_t>(wanted.size()));
    if (added) wanted.push_back({function, context});
    return at->second;
}

} // namespace warptree::compile::lowering
