// Paints drawings inside ImGui's frame: keeps boxes and curves as records for GlRetained, gives texts to ImGui.
#pragma once

#include "app/drawing/draw.hpp"
#include "app/render/gl/gl_fonts.hpp"

#include <cstdint>
#include <deque>
#include <vector>

struct ImDrawList;
struct ImDrawCmd;

namespace warptree::render {

class GlPainter {
  public:
    // The inputs of shaders/box.vert and shaders/curve.vert.
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
    // Records that are adjacent in ImGui's order.
    struct Batch {
        bool boxes; // else curves
        std::size_t first, count;
    };

    explicit GlPainter(const Fonts& fonts) : fonts_(fonts) {}

    void begin_frame();
    // Appends the drawing to `list`; its clip is intersected with the list's.
    void add(const scene::Drawing& drawing, ImDrawList* list);

    // The batch that a draw command stands for; null: not one of the painter's.
    static const Batch* batch_of(const ImDrawCmd& command);
    const std::vector<BoxInstance>& boxes() const { return boxes_; }
    const std::vector<CurveInstance>& curves() const { return curves_; }

  private:
    static void mark(const ImDrawList* list, const ImDrawCmd* command); // never called: marks the painter's commands
    void add_batch(ImDrawList* list, bool boxes, std::size_t first, std::size_t count);

    const Fonts& fonts_;
    std::vector<BoxInstance> boxes_;
    std::vector<CurveInstance> curves_;
    std::deque<Batch> batches_; // addresses stay valid while the frame is drawn
};

} // namespace warptree::render
