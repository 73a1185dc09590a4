// State shared by all functions of one lowering: the analyses, the resulting program, and the numbers of functions.
#pragma once

#include "app/compile/lower/combines.hpp"
#include "app/compile/lower/elements.hpp"
#include "app/compile/lower/locations.hpp"
#include "app/compile/lower/memory_map.hpp"
#include "app/compile/lower/pointees.hpp"
#include "app/compile/lower/reach.hpp"
#include "app/compile/program/notes.hpp"

#include <map>

namespace warptree::compile::lowering {

struct Unit {
    explicit Unit(const Compiled& compiled);

    const Compiled& compiled;
    const llvm::DataLayout& layout;
    Program program;
    Types types;
    Locations locations;
    Reach reach;
    MemoryMap map;
    Pointees pointees;
    Elements elements;
    StepNotes notes;
    Combines combines;

    // Its number in Program::functions for this context; it will be lowered later.
    std::uint32_t function(llvm::Function* function, const Context& context = {});
    std::uint64_t bits(const llvm::Constant* constant) {
        return map.bits(constant, [this](llvm::Function* f) { return this->function(f); });
    }
    struct Wanted {
        llvm::Function* function = nullptr;
        Context context;
    };
    std::vector<Wanted> wanted; // by number

    template <class T> static std::uint32_t add(std::vector<T>& table, T entry) {
        table.push_back(std::move(entry));
        return static_cast<std::uint32_t>(table.size() - 1);
    }

  private:
    std::map<std::pair<llvm::Function*, Context>, std::uint32_t> numbers_;
};

} // namespace warptree::compile::lowering
