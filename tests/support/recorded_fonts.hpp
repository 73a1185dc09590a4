// The fonts that the goldens were recorded with: tests/golden/screens/fonts.txt, a file name and FNV-1a hash per line.
#pragma once

#include "app/base/whole_file.hpp"
#include "tests/support/paths.hpp"

#include <fmt/format.h>
#include <fontconfig/fontconfig.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>

namespace warptree::tests {

inline std::string font_line(std::string_view name, std::string_view bytes) {
    std::uint64_t sum = 14695981039346656037ULL;
    for (const char byte : bytes) {
        sum = (sum ^ static_cast<unsigned char>(byte)) * 1099511628211ULL;
    }
    return fmt::format("{} {:016x}", name, sum);
}

// A sentence that names the first font that differs or is missing here; empty when all are the same.
inline std::string other_fonts() {
    const std::unique_ptr<FcPattern, void (*)(FcPattern*)> any(FcPatternCreate(), FcPatternDestroy);
    const std::unique_ptr<FcObjectSet, void (*)(FcObjectSet*)> file(FcObjectSetBuild(FC_FILE, nullptr),
                                                                    FcObjectSetDestroy);
    const std::unique_ptr<FcFontSet, void (*)(FcFontSet*)> fonts(FcFontList(nullptr, any.get(), file.get()),
                                                                 FcFontSetDestroy);
    std::istringstream recorded(read_whole(golden_dir() / "screens" / "fonts.txt"));
    for (std::string line; std::getline(recorded, line);) {
        bool same = false;
        for (int i = 0; i < fonts->nfont && !same; ++i) {
            FcChar8* text = nullptr;
            if (FcPatternGetString(fonts->fonts[i], FC_FILE, 0, &text) != FcResultMatch) {
                continue;
            }
            const std::filesystem::path path(reinterpret_cast<const char*>(text));
            const std::string name = path.filename().string();
            same = line.starts_with(name + " ") && line == font_line(name, read_whole(path));
        }
        if (!same) {
            return "the pictures were recorded with another " + line.substr(0, line.find(' '));
        }
    }
    return {};
}

} // namespace warptree::tests
