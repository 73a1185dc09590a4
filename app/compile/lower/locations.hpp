// Source locations, from LLVM's debug locations.
#pragma once

#include "app/compile/lower/compiled.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DebugInfoMetadata.h>

#include <array>
#include <map>

namespace warptree::compile::lowering {

class Locations {
  public:
    Locations(const Compiled& compiled, Program& program);
    // 0 if there is no location, or it is in a header of ours and not called by the user's code. Code of our headers
    // has the location of its call.
    std::uint32_t of(const llvm::DILocation* location);
    // Where the statements around it begin, outwards, also around the calls that lead there.
    std::vector<std::uint32_t> around(const llvm::DILocation* location);
    // A line without column or call.
    std::uint32_t of(const llvm::DIFile* file, unsigned line);

  private:
    std::uint32_t file(const llvm::DIFile* file);
    std::uint32_t entry(const Location& location);
    Program& program_;
    llvm::DenseMap<const llvm::DILocation*, std::uint32_t> known_;
    llvm::DenseMap<const llvm::DIFile*, std::uint32_t> files_;
    std::map<std::array<std::uint32_t, 4>, std::uint32_t> entries_;
};

} // namespace warptree::compile::lowering
