#include "app/render/gl/gl_retained.hpp"

#include "app/base/error.hpp"
#include "app/render/gl/gl_dialect.hpp"
#include "app/render/gl/gl_program.hpp"

#include <glad/gl.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace warptree::render {

namespace {
static_assert(sizeof(ImDrawIdx) == sizeof(unsigned short));
constexpr int kCurveVertices = 2 * (40 + 1); // as in shaders/curve.vert

const void* offset(std::size_t bytes) { return reinterpret_cast<const void*>(bytes); }
void attribute(GLuint index, GLint size, GLenum type, std::size_t stride, std::size_t at, GLuint divisor = 1) {
    glEnableVertexAttribArray(index);
    glVertexAttribPointer(index, size, type, type == GL_UNSIGNED_BYTE ? GL_TRUE : GL_FALSE,
                          static_cast<GLsizei>(stride), offset(at));
    glVertexAttribDivisor(index, divisor);
}
// A pointer in older ImGui, an integer in newer.
template <class Id> unsigned texture_name(Id id) {
    if constexpr (std::is_pointer_v<Id>) {
        return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(id));
    } else {
        return static_cast<unsigned>(id);
    }
}
unsigned texture_of(const ImDrawCmd& command) { return texture_name(command.GetTexID()); }
bool within(const PixelRect& inner, const PixelRect& outer) {
    return inner.left >= outer.left && inner.right <= outer.right && inner.top >= outer.top &&
           inner.bottom <= outer.bottom;
}
template <class T> void fill(GLenum target, const std::vector<T>& from) {
    glBufferData(target, static_cast<GLsizeiptr>(from.size() * sizeof(T)), from.data(), GL_STREAM_DRAW);
}
} // namespace

void GlRetained::prepare(Program& p, const char* vertex, const char* fragment) {
    p.program = load_program(vertex, fragment);
    p.view = glGetUniformLocation(p.program, "view");
    glGenVertexArrays(1, &p.array);
    glGenBuffers(1, &p.buffer);
}

GlRetained::GlRetained(const GlPainter& painter) : painter_(painter) {
    prepare(box_, "box.vert", "box.frag");
    prepare(curve_, "curve.vert", "curve.frag");
    prepare(ui_, "ui.vert", "ui.frag");
    glGenBuffers(1, &index_buffer_);
    glBindVertexArray(ui_.array);
    glBindBuffer(GL_ARRAY_BUFFER, ui_.buffer);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, index_buffer_);
    attribute(0, 2, GL_FLOAT, sizeof(ImDrawVert), offsetof(ImDrawVert, pos), 0);
    attribute(1, 2, GL_FLOAT, sizeof(ImDrawVert), offsetof(ImDrawVert, uv), 0);
    attribute(2, 4, GL_UNSIGNED_BYTE, sizeof(ImDrawVert), offsetof(ImDrawVert, col), 0);
    glBindVertexArray(0);
    glGenFramebuffers(1, &frame_);
    glGenTextures(1, &picture_);
    check_gl("preparing the window's picture");
}

GlRetained::~GlRetained() {
    for (const Program& p : {box_, curve_, ui_}) {
        glDeleteBuffers(1, &p.buffer);
        glDeleteVertexArrays(1, &p.array);
        glDeleteProgram(p.program);
    }
    glDeleteBuffers(1, &index_buffer_);
    glDeleteFramebuffers(1, &frame_);
    glDeleteTextures(1, &picture_);
}

bool GlRetained::resize(int width, int height) {
    if (width <= 0 || height <= 0) {
        return false;
    }
    if (width == width_ && height == height_) {
        return true;
    }
    width_ = width;
    height_ = height;
    glBindTexture(GL_TEXTURE_2D, picture_);
    // Unsized, so that software renderers use the window's pixel layout, and presenting is a plain copy.
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, width, height, 0, kPixelLayout, GL_UNSIGNED_BYTE, nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, frame_);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, picture_, 0);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
        throw DeviceError("the OpenGL driver has no framebuffer for a window of this size");
    }
    return true;
}

PixelRect GlRetained::pixels(float left, float top, float right, float bottom) const {
    // Clamped far outside the window, to fit an int.
    const auto pixel = [this](float at, int axis) {
        return std::clamp((at - origin_[axis]) * scale_[axis], -1e6F, 1e6F);
    };
    return {static_cast<int>(std::floor(pixel(left, 0))), static_cast<int>(std::floor(pixel(top, 1))),
            static_cast<int>(std::ceil(pixel(right, 0))), static_cast<int>(std::ceil(pixel(bottom, 1)))};
}

void GlRetained::add(const Piece& piece, std::uint64_t hash) {
    const Command& command = commands_[piece.command];
    const PixelRect seen = intersect(piece.where, command.clip);
    if (seen.empty()) {
        return;
    }
    // A clip that cuts the piece changes what is painted, so it is hashed too.
    damage_.add(seen, within(piece.where, command.clip) ? hash : hash_bytes(&command.clip, sizeof command.clip, hash));
    pieces_.push_back(piece);
}

void GlRetained::collect_batch(const GlPainter::Batch& batch, std::uint32_t command) {
    for (std::size_t i = batch.first; i < batch.first + batch.count; ++i) {
        const auto first = static_cast<std::uint32_t>(i);
        if (batch.boxes) {
            const auto& b = painter_.boxes()[i];
            const float* r = b.rect;
            add({pixels(r[0] - 1, r[1] - 1, r[0] + r[2] + 1, r[1] + r[3] + 1), command, first},
                hash_bytes(&b, sizeof b, 1));
        } else {
            // A curve stays within the hull of its points.
            const auto& c = painter_.curves()[i];
            const float* p = c.points;
            const float reach = c.form[0] / 2 + 1;
            add({pixels(std::min({p[0], p[2], p[4], p[6]}) - reach, std::min({p[1], p[3], p[5], p[7]}) - reach,
                        std::max({p[0], p[2], p[4], p[6]}) + reach, std::max({p[1], p[3], p[5], p[7]}) + reach),
                 command, first},
                hash_bytes(&c, sizeof c, 2));
        }
    }
}

void GlRetained::collect_triangles(std::uint32_t command, unsigned count) {
    const Command& c = commands_[command];
    for (unsigned at = 0; at + 3 <= count;) {
        const unsigned short* i = c.indices + at;
        const bool pair = at + 6 <= count && i[3] == i[0] && i[4] == i[2];
        const unsigned short corners[4] = {i[0], i[1], i[2], pair ? i[5] : i[2]};
        ImVec2 low = c.vertices[i[0]].pos, high = low;
        // A glyph's vertices are contiguous.
        const bool together = pair && i[1] == i[0] + 1 && i[2] == i[0] + 2 && i[5] == i[0] + 3;
        std::uint64_t hash = together ? hash_bytes(&c.vertices[i[0]], 4 * sizeof(ImDrawVert), c.texture) : c.texture;
        for (int k = 0; k < (pair ? 4 : 3); ++k) {
            const ImDrawVert& v = c.vertices[corners[k]];
            low = {std::min(low.x, v.pos.x), std::min(low.y, v.pos.y)};
            high = {std::max(high.x, v.pos.x), std::max(high.y, v.pos.y)};
            hash = together ? hash : hash_bytes(&v, sizeof v, hash);
        }
        const unsigned taken = pair ? 6 : 3;
        add({pixels(low.x, low.y, high.x, high.y), command, at, static_cast<std::uint8_t>(taken)}, hash);
        at += taken;
    }
}

void GlRetained::collect(const ImDrawData& data) {
    commands_.clear();
    pieces_.clear();
    for (int i = 0; i < data.CmdListsCount; ++i) {
        const ImDrawList& list = *data.CmdLists[i];
        for (const ImDrawCmd& c : list.CmdBuffer) {
            const GlPainter::Batch* batch = GlPainter::batch_of(c);
            if (batch == nullptr && c.UserCallback != nullptr) {
                continue;
            }
            const ImVec4& r = c.ClipRect;
            // Rounded as ImGui's own renderers do: towards zero.
            const PixelRect clip{
                static_cast<int>((r.x - origin_[0]) * scale_[0]), static_cast<int>((r.y - origin_[1]) * scale_[1]),
                static_cast<int>((r.z - origin_[0]) * scale_[0]), static_cast<int>((r.w - origin_[1]) * scale_[1])};
            const auto command = static_cast<std::uint32_t>(commands_.size());
            if (batch != nullptr) {
                commands_.push_back({batch->boxes ? Kind::boxes : Kind::curves, 0, clip, nullptr, nullptr});
                collect_batch(*batch, command);
            } else {
                commands_.push_back({Kind::triangles, texture_of(c), clip, list.VtxBuffer.Data + c.VtxOffset,
                                     list.IdxBuffer.Data + c.IdxOffset});
                collect_triangles(command, c.ElemCount);
            }
        }
    }
}

void GlRetained::pick(const Piece& piece, const PixelRect& rect) {
    const Command& c = commands_[piece.command];
    // Ignore a clip that does not cut anything, so that more pieces share a draw call.
    const PixelRect scissor = within(piece.where, c.clip) ? rect : intersect(c.clip, rect);
    if (intersect(piece.where, scissor).empty()) {
        return;
    }
    const bool same = groups_.size() > groups_of_.back().first && groups_.back().kind == c.kind &&
                      groups_.back().texture == c.texture && groups_.back().scissor == scissor;
    if (!same) {
        const std::size_t first = c.kind == Kind::boxes    ? boxes_.size()
                                  : c.kind == Kind::curves ? curves_.size()
                                                           : indices_.size();
        groups_.push_back({c.kind, c.texture, scissor, first, 0});
    }
    Group& group = groups_.back();
    switch (c.kind) {
    case Kind::boxes: boxes_.push_back(painter_.boxes()[piece.first]); break;
    case Kind::curves: curves_.push_back(painter_.curves()[piece.first]); break;
    case Kind::triangles:
        const unsigned short* i = c.indices + piece.first;
        const auto base = static_cast<std::uint32_t>(vertices_.size() / sizeof(ImDrawVert));
        const bool pair = piece.indices == 6;
        for (const unsigned short corner : {i[0], i[1], i[2], pair ? i[5] : i[2]}) {
            const auto* bytes = reinterpret_cast<const unsigned char*>(c.vertices + corner);
            vertices_.insert(vertices_.end(), bytes, bytes + sizeof(ImDrawVert));
        }
        indices_.insert(indices_.end(), {base, base + 1, base + 2});
        if (pair) {
            indices_.insert(indices_.end(), {base, base + 2, base + 3});
        }
        group.count += piece.indices;
        return;
    }
    ++group.count;
}

void GlRetained::pick(const std::vector<PixelRect>& rects) {
    boxes_.clear();
    curves_.clear();
    vertices_.clear();
    indices_.clear();
    groups_.clear();
    groups_of_.clear();
    near_.clear();
    for (const Piece& piece : pieces_) {
        if (damage_.touches(intersect(piece.where, commands_[piece.command].clip))) {
            near_.push_back(&piece);
        }
    }
    for (const PixelRect& rect : rects) {
        groups_of_.emplace_back(groups_.size(), 0);
        for (const Piece* piece : near_) {
            if (piece->where.overlaps(rect)) {
                pick(*piece, rect);
            }
        }
        groups_of_.back().second = groups_.size();
    }
}

void GlRetained::upload() const {
    glBindVertexArray(0);
    glBindBuffer(GL_ARRAY_BUFFER, box_.buffer);
    fill(GL_ARRAY_BUFFER, boxes_);
    glBindBuffer(GL_ARRAY_BUFFER, curve_.buffer);
    fill(GL_ARRAY_BUFFER, curves_);
    glBindBuffer(GL_ARRAY_BUFFER, ui_.buffer);
    fill(GL_ARRAY_BUFFER, vertices_);
    glBindVertexArray(ui_.array); // holds the index buffer
    fill(GL_ELEMENT_ARRAY_BUFFER, indices_);
    check_gl("uploading a frame");
}

bool GlRetained::draw(const ImDrawData& data, const scene::Color& background) {
    scale_[0] = data.FramebufferScale.x;
    scale_[1] = data.FramebufferScale.y;
    origin_[0] = data.DisplayPos.x;
    origin_[1] = data.DisplayPos.y;
    if (!resize(static_cast<int>(data.DisplaySize.x * scale_[0]), static_cast<int>(data.DisplaySize.y * scale_[1]))) {
        return false;
    }
    damage_.begin(width_, height_);
    damage_.add({0, 0, width_, height_}, hash_bytes(&background, sizeof background, 3));
    collect(data);
    const std::vector<PixelRect>& rects = damage_.end();
    changed_ = rects;
    if (rects.empty()) {
        return false;
    }
    ++(damage_.whole() ? whole_frames_ : partial_frames_);
    pick(rects);
    upload();
    paint(rects, background, {origin_[0], origin_[1], data.DisplaySize.x, data.DisplaySize.y});
    check_gl("drawing a frame");
    return true;
}

void GlRetained::paint(const std::vector<PixelRect>& rects, const scene::Color& b, const float (&view)[4]) const {
    glBindFramebuffer(GL_FRAMEBUFFER, frame_);
    glViewport(0, 0, width_, height_);
    glEnable(GL_BLEND);
    glBlendEquation(GL_FUNC_ADD);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glDisable(GL_CULL_FACE);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_STENCIL_TEST);
    glEnable(GL_SCISSOR_TEST);
    glActiveTexture(GL_TEXTURE0);
    for (const Program& p : {box_, curve_, ui_}) {
        glUseProgram(p.program);
        glUniform4fv(p.view, 1, view);
    }
    glClearColor(static_cast<float>(b.r) / 255, static_cast<float>(b.g) / 255, static_cast<float>(b.b) / 255, 1);
    for (std::size_t i = 0; i < rects.size(); ++i) {
        const PixelRect& r = rects[i];
        glScissor(r.left, r.top, r.right - r.left, r.bottom - r.top);
        glClear(GL_COLOR_BUFFER_BIT);
        for (std::size_t g = groups_of_[i].first; g < groups_of_[i].second; ++g) {
            paint(groups_[g]);
        }
    }
    glBindVertexArray(0);
    glUseProgram(0);
}

void GlRetained::paint(const Group& group) const {
    const PixelRect& s = group.scissor;
    glScissor(s.left, s.top, s.right - s.left, s.bottom - s.top);
    const Program& p = group.kind == Kind::boxes ? box_ : group.kind == Kind::curves ? curve_ : ui_;
    glUseProgram(p.program);
    glBindVertexArray(p.array);
    const auto count = static_cast<GLsizei>(group.count);
    // OpenGL 3.3 has no base instance, so the attributes' offsets start at the group.
    if (group.kind == Kind::boxes) {
        using Instance = GlPainter::BoxInstance;
        const std::size_t size = sizeof(Instance), at = group.first * size;
        glBindBuffer(GL_ARRAY_BUFFER, p.buffer);
        attribute(0, 4, GL_FLOAT, size, at + offsetof(Instance, rect));
        attribute(1, 4, GL_FLOAT, size, at + offsetof(Instance, shape));
        attribute(2, 4, GL_UNSIGNED_BYTE, size, at + offsetof(Instance, fill));
        attribute(3, 4, GL_UNSIGNED_BYTE, size, at + offsetof(Instance, stroke));
        attribute(4, 4, GL_UNSIGNED_BYTE, size, at + offsetof(Instance, pattern));
        glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, count);
    } else if (group.kind == Kind::curves) {
        using Instance = GlPainter::CurveInstance;
        const std::size_t size = sizeof(Instance), at = group.first * size;
        glBindBuffer(GL_ARRAY_BUFFER, p.buffer);
        attribute(0, 4, GL_FLOAT, size, at + offsetof(Instance, points));
        attribute(1, 4, GL_FLOAT, size, at + offsetof(Instance, points) + 4 * sizeof(float));
        attribute(2, 2, GL_FLOAT, size, at + offsetof(Instance, form));
        attribute(3, 4, GL_UNSIGNED_BYTE, size, at + offsetof(Instance, color));
        glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, kCurveVertices, count);
    } else {
        glBindTexture(GL_TEXTURE_2D, group.texture);
        glDrawElements(GL_TRIANGLES, count, GL_UNSIGNED_INT, offset(group.first * sizeof(std::uint32_t)));
    }
}

void GlRetained::present(const std::vector<PixelRect>& parts) const {
    glBindFramebuffer(GL_READ_FRAMEBUFFER, frame_);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    glDisable(GL_SCISSOR_TEST);
    for (const PixelRect& p : parts) {
        glBlitFramebuffer(p.left, p.top, p.right, p.bottom, p.left, height_ - p.top, p.right, height_ - p.bottom,
                          GL_COLOR_BUFFER_BIT, GL_NEAREST);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    check_gl("presenting a frame");
}

std::vector<std::uint8_t> GlRetained::read() const {
    std::vector<std::uint8_t> pixels(std::size_t{4} * static_cast<std::size_t>(width_) *
                                     static_cast<std::size_t>(height_));
    glBindFramebuffer(GL_READ_FRAMEBUFFER, frame_);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width_, height_, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    check_gl("reading the window's picture");
    return pixels;
}

} // namespace warptree::render
