#include "app/run/program/headers.hpp"

#include "app/compile/client/files.hpp"

#include <algorithm>
#include <filesystem>

namespace warptree::runs {

namespace {

// How many folders up the file goes that a line includes.
unsigned levels_of(std::string_view line) {
    const auto skip = [&](std::string_view word) {
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        if (!line.starts_with(word)) {
            return false;
        }
        line.remove_prefix(word.size());
        return true;
    };
    if (!skip("#") || !skip("include") || !skip("\"")) {
        return 0;
    }
    constexpr std::string_view kUp = "../";
    unsigned levels = 0;
    for (; line.starts_with(kUp); line.remove_prefix(kUp.size())) {
        ++levels;
    }
    return levels;
}

} // namespace

std::string folder_above(std::string_view text, const std::string& folder) {
    constexpr unsigned kMost = 2;
    unsigned levels = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (const unsigned here = levels_of(text.substr(0, end)); here <= kMost) {
            levels = std::max(levels, here);
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    const std::filesystem::path inner = std::filesystem::path(folder).lexically_normal();
    std::filesystem::path outer = inner;
    for (unsigned i = 0; i < levels; ++i) {
        outer = outer.parent_path();
    }
    if (levels == 0 || outer == outer.root_path()) {
        return {};
    }
    return outer.string() + std::string(compile::kReachesUp) + inner.lexically_relative(outer).string();
}

} // namespace warptree::runs
