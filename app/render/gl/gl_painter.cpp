#include "app/render/gl/gl_painter.hpp"

#include <imgui.h>

#include <cstddef>

namespace warptree::render {

namespace {
void copy(std::uint8_t (&to)[4], const scene::Color& c) {
    to[0] = c.r;
    to[1] = c.g;
    to[2] = c.b;
    to[3] = c.a;
}
ImU32 color_of(const scene::Color& c) { return IM_COL32(c.r, c.g, c.b, c.a); }
} // namespace

void GlPainter::begin_frame() {
    boxes_.clear();
    curves_.clear();
    batches_.clear();
}

void GlPainter::add_batch(ImDrawList* list, bool boxes, std::size_t first, std::size_t count) {
    if (count != 0) {
        list->AddCallback(&GlPainter::mark, &batches_.emplace_back(Batch{boxes, first, count}));
    }
}

void GlPainter::mark(const ImDrawList*, const ImDrawCmd*) {}

const GlPainter::Batch* GlPainter::batch_of(const ImDrawCmd& command) {
    return command.UserCallback == &GlPainter::mark ? static_cast<const Batch*>(command.UserCallbackData) : nullptr;
}

void GlPainter::add(const scene::Drawing& drawing, ImDrawList* list) {
    const scene::Rect& clip = drawing.clip;
    list->PushClipRect({clip.x, clip.y}, {clip.right(), clip.bottom()}, true);
    for (const scene::Layer& layer : drawing.layers) {
        const std::size_t first_curve = curves_.size(), first_box = boxes_.size();
        for (const scene::Curve& c : layer.curves) {
            CurveInstance& i = curves_.emplace_back(CurveInstance{
                {c.from.x, c.from.y, c.control1.x, c.control1.y, c.control2.x, c.control2.y, c.to.x, c.to.y},
                {c.width, c.dash},
                {}});
            copy(i.color, c.color);
        }
        for (const scene::Box& b : layer.boxes) {
            if (!b.rect.overlaps(clip)) {
                continue;
            }
            BoxInstance& i =
                boxes_.emplace_back(BoxInstance{{b.rect.x, b.rect.y, b.rect.w, b.rect.h},
                                                {b.radius, b.stroke_width, static_cast<float>(b.pattern), 0},
                                                {},
                                                {},
                                                {}});
            copy(i.fill, b.fill);
            copy(i.stroke, b.stroke);
            copy(i.pattern, b.pattern_color);
        }
        add_batch(list, false, first_curve, curves_.size() - first_curve);
        add_batch(list, true, first_box, boxes_.size() - first_box);
        for (const scene::Text& t : layer.texts) {
            const float line = t.size * 1.21F;
            const float width = t.align == scene::Align::left ? 0 : fonts_.width(t.text, t.face, t.size);
            const float x = t.anchor.x - (t.align == scene::Align::center  ? width / 2
                                          : t.align == scene::Align::right ? width
                                                                           : 0);
            list->AddText(fonts_.font(t.face, t.size), line, {x, t.anchor.y - line / 2}, color_of(t.color),
                          t.text.data(), t.text.data() + t.text.size());
        }
    }
    list->PopClipRect();
}

} // namespace warptree::render
