// LLVM IR to Program: analyses of everything that the kernels reach, then the functions, then the kernels' properties.
#include "app/compile/client/compiler.hpp"
#include "app/compile/lower/compiled.hpp"
#include "app/compile/lower/function.hpp"
#include "app/compile/lower/kernels.hpp"

namespace warptree::compile {

Program lower(const Compiled& compiled) {
    Program program;
    program.files = compiled.files;
    program.locations.emplace_back();
    program.templates = compiled.templates;
    program.diagnostics = compiled.diagnostics;
    if (!program.compiled() || compiled.module == nullptr) return program;

    lowering::Unit unit(compiled);
    unit.program.templates = compiled.templates;
    unit.program.refused = compiled.refused;
    unit.program.diagnostics = compiled.diagnostics;
    for (const lowering::Reach::Kernel& kernel : unit.reach.kernels()) unit.function(kernel.function);
    for (std::uint32_t i = 0; i < unit.wanted.size(); ++i) { // grows in the loop
        unit.program.functions.resize(unit.wanted.size());
        lowering::lower_function(unit, unit.wanted[i], i);
    }
    unit.map.initialise([&](llvm::Function* function) { return unit.function(function); });
    for (std::uint32_t i = static_cast<std::uint32_t>(unit.program.functions.size()); i < unit.wanted.size(); ++i) {
        unit.program.functions.resize(unit.wanted.size()); // functions that only initial values point to
        lowering::lower_function(unit, unit.wanted[i], i);
    }
    lowering::add_kernels(unit);
    unit.program.host_code = compiled.host_code;
    return std::move(unit.program);
}

} // namespace warptree::compile
