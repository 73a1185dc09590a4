#include "app/render/gl/gl_fonts.hpp"

#include "app/render/font_file.hpp"

#include <imgui.h>

#include <cmath>

namespace warptree::render {

namespace {
// The characters that the program's texts use.
const ImWchar kGlyphs[] = {0x20,   0x7E,   0xA0,   0xFF,   0x2013, 0x2026, 0x2032, 0x2033, 0x2190,
                           0x2193, 0x2212, 0x2212, 0x2260, 0x2265, 0x25B6, 0x25C0, 0};
} // namespace

void Fonts::build(float scale) {
    scale_ = scale;
    if (!searched_) {
        for (const scene::Face face : {scene::Face::sans, scene::Face::sans_bold, scene::Face::mono}) {
            paths_[static_cast<std::size_t>(face)] = font_file(face);
        }
        searched_ = true;
    }
    ImFontAtlas* atlas = ImGui::GetIO().Fonts;
    atlas->Clear();
    fonts_.clear();
    const struct {
        scene::Face face;
        float size;
    } wanted[] = {{scene::Face::sans, 18},         {scene::Face::sans, 15},      {scene::Face::sans, 12.5F},
                  {scene::Face::sans, 11},         {scene::Face::sans_bold, 15}, {scene::Face::sans_bold, 18},
                  {scene::Face::sans_bold, 12.5F}, {scene::Face::mono, 20},      {scene::Face::mono, 14},
                  {scene::Face::mono, 12},         {scene::Face::mono, 10}};
    for (const auto& w : wanted) {
        const std::string& path = paths_[static_cast<std::size_t>(w.face)];
        // An em of these fonts is smaller than the line height by which ImGui sizes them.
        const float line = std::round(w.size * scale * 1.21F);
        ImFontConfig config;
        config.OversampleH = 2;
        config.PixelSnapH = false;
        ImFont* font = path.empty() ? nullptr : atlas->AddFontFromFileTTF(path.c_str(), line, &config, kGlyphs);
        if (font == nullptr) { // the built-in bitmap font, when no outline font can be used
            config.SizePixels = line;
            font = atlas->AddFontDefault(&config);
        }
        fonts_.push_back({w.face, w.size * scale, font});
    }
    atlas->Flags |= ImFontAtlasFlags_NoPowerOfTwoHeight;
#if IMGUI_VERSION_NUM < 19200 // newer versions bake glyphs on demand
    atlas->TexDesiredWidth = scale > 1.6F ? 4096 : 2048;
    atlas->Build();
#endif
    ImGui::GetIO().FontDefault = font(scene::Face::sans, 15 * scale);
}

ImFont* Fonts::font(scene::Face face, float size) const {
    const Baked* best = nullptr;
    for (const Baked& b : fonts_) {
        if (b.face == face && (best == nullptr || std::abs(b.size - size) < std::abs(best->size - size))) {
            best = &b;
        }
    }
    return best->font;
}

float Fonts::width(std::string_view text, scene::Face face, float size) const {
    ImFont* f = font(face, size);
    return f->CalcTextSizeA(size * 1.21F, 1e9F, 0, text.data(), text.data() + text.size()).x;
}

} // namespace warptree::render
