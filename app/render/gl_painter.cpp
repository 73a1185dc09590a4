#include "app/render/gl_painter.hpp"

#include "app/render/gl_program.hpp"

#include <glad/gl.h>
#include <imgui.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace warptree::render {

namespace {
constexpr int kCurveVertices = 2 * (16 + 1); // as shaders/curve.vert has it

void copy(std::uint8_t (&to)[4], const scene::Color& c) {
    to[0] = c.r;
    to[1] = c.g;
    to[2] = c.b;
    to[3] = c.a;
}
const void* offset(std::size_t bytes) { return reinterpret_cast<const void*>(bytes); }
void attribute(GLuint index, GLint size, GLenum type, std::size_t stride, std::size_t at) {
    glEnableVertexAttribArray(index);
    glVertexAttribPointer(index, size, type, type == GL_UNSIGNED_BYTE ? GL_TRUE : GL_FALSE,
                          static_cast<GLsizei>(stride), offset(at));
    glVertexAttribDivisor(index, 1);
}
ImU32 color_of(const scene::Color& c) { return IM_COL32(c.r, c.g, c.b, c.a); }
} // namespace

GlPainter::GlPainter(const Fonts& fonts) : fonts_(fonts) {
    box_program_ = load_program("box.vert", "box.frag");
    curve_program_ = load_program("curve.vert", "curve.frag");
    box_view_ = glGetUniformLocation(box_program_, "view");
    curve_view_ = glGetUniformLocation(curve_program_, "view");
    glGenVertexArrays(1, &box_array_);
    glGenVertexArrays(1, &curve_array_);
    glGenBuffers(1, &box_buffer_);
    glGenBuffers(1, &curve_buffer_);
    check_gl("preparing the painter");
}

GlPainter::~GlPainter() {
    glDeleteBuffers(1, &box_buffer_);
    glDeleteBuffers(1, &curve_buffer_);
    glDeleteVertexArrays(1, &box_array_);
    glDeleteVertexArrays(1, &curve_array_);
    glDeleteProgram(box_program_);
    glDeleteProgram(curve_program_);
}

void GlPainter::begin_frame() {
    boxes_.clear();
    curves_.clear();
    batches_.clear();
}

void GlPainter::add_batch(ImDrawList* list, bool boxes, std::size_t first, std::size_t count) {
    if (count != 0) {
        list->AddCallback(&GlPainter::draw, &batches_.emplace_back(Batch{this, boxes, first, count}));
    }
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
        if (curves_.size() != first_curve || boxes_.size() != first_box) {
            list->AddCallback(ImDrawCallback_ResetRenderState, nullptr);
        }
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

void GlPainter::upload() {
    glBindVertexArray(box_array_);
    glBindBuffer(GL_ARRAY_BUFFER, box_buffer_);
    glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(boxes_.size() * sizeof(BoxInstance)), boxes_.data(),
                 GL_STREAM_DRAW);
    glBindVertexArray(curve_array_);
    glBindBuffer(GL_ARRAY_BUFFER, curve_buffer_);
    glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(curves_.size() * sizeof(CurveInstance)), curves_.data(),
                 GL_STREAM_DRAW);
    glBindVertexArray(0);
    check_gl("uploading a frame");
}

void GlPainter::draw(const ImDrawList*, const ImDrawCmd* command) {
    const Batch& batch = *static_cast<const Batch*>(command->UserCallbackData);
    batch.painter->draw_batch(batch, *command);
}

// Runs within ImGui's renderer, which sets its own state again afterwards (ResetRenderState).
void GlPainter::draw_batch(const Batch& batch, const ImDrawCmd& command) const {
    const ImDrawData& data = *ImGui::GetDrawData();
    const ImVec2 scale = data.FramebufferScale;
    const float left = (command.ClipRect.x - data.DisplayPos.x) * scale.x;
    const float top = (command.ClipRect.y - data.DisplayPos.y) * scale.y;
    const float right = (command.ClipRect.z - data.DisplayPos.x) * scale.x;
    const float bottom = (command.ClipRect.w - data.DisplayPos.y) * scale.y;
    if (right <= left || bottom <= top) {
        return;
    }
    glScissor(static_cast<GLint>(left), static_cast<GLint>(data.DisplaySize.y * scale.y - bottom),
              static_cast<GLsizei>(right - left), static_cast<GLsizei>(bottom - top));
    const float view[4] = {data.DisplayPos.x, data.DisplayPos.y, data.DisplaySize.x, data.DisplaySize.y};
    glUseProgram(batch.boxes ? box_program_ : curve_program_);
    glUniform4fv(batch.boxes ? box_view_ : curve_view_, 1, view);
    glBindVertexArray(batch.boxes ? box_array_ : curve_array_);
    glBindBuffer(GL_ARRAY_BUFFER, batch.boxes ? box_buffer_ : curve_buffer_);
    // OpenGL 3.3 has no base instance: the attributes start at the batch.
    if (batch.boxes) {
        const std::size_t size = sizeof(BoxInstance), at = batch.first * size;
        attribute(0, 4, GL_FLOAT, size, at + offsetof(BoxInstance, rect));
        attribute(1, 4, GL_FLOAT, size, at + offsetof(BoxInstance, shape));
        attribute(2, 4, GL_UNSIGNED_BYTE, size, at + offsetof(BoxInstance, fill));
        attribute(3, 4, GL_UNSIGNED_BYTE, size, at + offsetof(BoxInstance, stroke));
        attribute(4, 4, GL_UNSIGNED_BYTE, size, at + offsetof(BoxInstance, pattern));
        glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(batch.count));
    } else {
        const std::size_t size = sizeof(CurveInstance), at = batch.first * size;
        attribute(0, 4, GL_FLOAT, size, at + offsetof(CurveInstance, points));
        attribute(1, 4, GL_FLOAT, size, at + offsetof(CurveInstance, points) + 4 * sizeof(float));
        attribute(2, 2, GL_FLOAT, size, at + offsetof(CurveInstance, form));
        attribute(3, 4, GL_UNSIGNED_BYTE, size, at + offsetof(CurveInstance, color));
        glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, kCurveVertices, static_cast<GLsizei>(batch.count));
    }
    check_gl("drawing");
}

} // namespace warptree::render
