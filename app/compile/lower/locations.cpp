#include "app/compile/lower/locations.hpp"

#include <algorithm>
#include <limits>

namespace warptree::compile::lowering {

Locations::Locations(const Compiled& compiled, Program& program) : program_(program) {
    program_.files = compiled.files;
    program_.locations.assign(1, Location{});
}

// Debug records may name a file with its folder; the program's list has it as it was included.
std::uint32_t Locations::file(const llvm::DIFile* file) {
    if (file == nullptr) return kNone;
    const auto [at, added] = files_.try_emplace(file, kNone);
    if (!added) return at->second;
    const llvm::StringRef name = file->getFilename();
    std::size_t best = 0;
    for (std::uint32_t i = 0; i < program_.files.size(); ++i) {
        const llvm::StringRef path = program_.files[i].path;
        const bool same = name == path || (name.ends_with(path) && name.drop_back(path.size()).ends_with("/"));
        if (same && path.size() > best) {
            best = path.size();
            at->second = i;
        }
    }
    return at->second;
}

std::uint32_t Locations::entry(const Location& location) {
    const auto [at, added] = entries_.try_emplace({location.file, location.line, location.column, location.inlined_at},
                                                  program_.locations.size());
    if (added) program_.locations.push_back(location);
    return at->second;
}

std::uint32_t Locations::of(const llvm::DILocation* location) {
    if (location == nullptr) return 0;
    if (const auto at = known_.find(location); at != known_.end()) return at->second;
    const std::uint32_t call = of(location->getInlinedAt());
    const std::uint32_t in_file = file(location->getFile());
    std::uint32_t index = call;
    if (in_file != kNone && !program_.files[in_file].ours && location->getLine() != 0) {
        const auto most = unsigned{std::numeric_limits<std::uint16_t>::max()};
        index = entry({in_file, location->getLine(), static_cast<std::uint16_t>(std::min(location->getColumn(), most)),
                       call == 0 ? kNone : call});
    }
    known_[location] = index;
    return index;
}

std::vector<std::uint32_t> Locations::around(const llvm::DILocation* location) {
    std::vector<std::uint32_t> all;
    for (; location != nullptr; location = location->getInlinedAt()) {
        const auto* block = llvm::dyn_cast<llvm::DILexicalBlockBase>(location->getScope());
        for (; block != nullptr; block = llvm::dyn_cast<llvm::DILexicalBlockBase>(block->getScope())) {
            const auto* begins = llvm::dyn_cast<llvm::DILexicalBlock>(block);
            const std::uint32_t in_file = begins == nullptr ? kNone : file(begins->getFile());
            if (in_file == kNone || begins->getLine() == 0 || program_.files[in_file].ours) continue;
            all.push_back(entry({in_file, begins->getLine(), static_cast<std::uint16_t>(begins->getColumn()), kNone}));
        }
    }
    return all;
}

std::uint32_t Locations::of(const llvm::DIFile* where, unsigned line) {
    const std::uint32_t in_file = file(where);
    if (in_file == kNone || line == 0 || program_.files[in_file].ours) return 0;
    return entry({in_file, line, 0, kNone});
}

} // namespace warptree::compile::lowering
