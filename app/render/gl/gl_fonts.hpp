// The window's fonts, baked at the sizes the views use.
#pragma once

#include "app/drawing/draw.hpp"

#include <string>
#include <string_view>
#include <vector>

struct ImFont;

namespace warptree::render {

class Fonts : public scene::TextMeasure {
  public:
    // Fills ImGui's atlas for text at `scale`; invalidates older fonts. ImGui's backend must upload the atlas again.
    void build(float scale);
    ImFont* font(scene::Face face, float size) const; // the nearest baked size
    ImFont* body() const { return font(scene::Face::sans, 15 * scale_); }
    ImFont* bold() const { return font(scene::Face::sans_bold, 15 * scale_); }
    ImFont* mono() const { return font(scene::Face::mono, 14 * scale_); }
    float width(std::string_view text, scene::Face face, float size) const override;
    float scale() const { return scale_; }

  private:
    struct Baked {
        scene::Face face;
        float size;
        ImFont* font;
    };
    std::vector<Baked> fonts_;
    float scale_ = 1;
    std::string paths_[3]; // by face; found once
    bool searched_ = false;
};

} // namespace warptree::render
