// Paints drawings with OpenGL 3.3 inside ImGui's frame: boxes and curves instanced, texts by ImGui.
#pragma once

#include "app/render/gl_fonts.hpp"
#include "app/scene/draw.hpp"

#include <cstdint>
#include <deque>
#include <vector>

struct ImDrawList;
struct ImDrawCmd;

namespace warptree::render {

class GlPainter {
  public:
    explicit GlPainter(const Fonts& fonts); // needs a current context
    ~GlPainter();
    GlPainter(const GlPainter&) = delete;
    GlPainter& operator=(const GlPainter&) = delete;

    void begin_frame();
    // Appends the drawing to `list`; its clip is intersected with the list's.
    void add(const scene::Drawing& drawing, ImDrawList* list);
    // Uploads what was added; call before ImGui's own drawing.
    void upload();

  private:
    struct BoxInstance {
        float rect[4];
        float shape[4];
        std::uint8_t fill[4], stroke[4], pattern[4];
    };
    struct CurveInstance {
        float points[8];
        float form[2];
        std::uint8_t color[4];
    };
    struct Batch { // what one callback draws
        GlPainter* painter;
        bool boxes;
        std::size_t first, count;
    };
    static void draw(const ImDrawList* list, const ImDrawCmd* command);
    void draw_batch(const Batch& batch, const ImDrawCmd& command) const;
    void add_batch(ImDrawList* list, bool boxes, std::size_t first, std::size_t count);

    const Fonts& fonts_;
    unsigned box_program_ = 0, curve_program_ = 0;
    int box_view_ = -1, curve_view_ = -1;
    unsigned box_array_ = 0, curve_array_ = 0, box_buffer_ = 0, curve_buffer_ = 0;
    std::vector<BoxInstance> boxes_;
    std::vector<CurveInstance> curves_;
    std::deque<Batch> batches_; // addresses stay while the frame is drawn
};

} // namespace warptree::render
