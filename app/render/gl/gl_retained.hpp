// Keeps the window's picture from frame to frame and draws only what differs. A frame is ImGui's draw lists with the
// records of a GlPainter among them.
#pragma once

#include "app/render/damage.hpp"
#include "app/render/gl/gl_painter.hpp"

struct ImDrawData;
struct ImDrawVert;

namespace warptree::render {

class GlRetained {
  public:
    explicit GlRetained(const GlPainter& painter); // needs a current context, as does everything below
    ~GlRetained();
    GlRetained(const GlRetained&) = delete;
    GlRetained& operator=(const GlRetained&) = delete;

    // Brings the picture up to date. False: it already was.
    bool draw(const ImDrawData& data, const scene::Color& background);
    // Copies these parts of the picture to the window's back buffer.
    void present(const std::vector<PixelRect>& parts) const;
    std::vector<std::uint8_t> read() const; // its pixels as RGBA, first line on top
    PixelRect whole() const { return {0, 0, width_, height_}; }
    const std::vector<PixelRect>& changed() const { return changed_; } // by the last draw()
    void forget() { damage_.forget(); }                                // a texture changed: redraw the whole next frame
    std::uint64_t whole_frames() const { return whole_frames_; }
    std::uint64_t partial_frames() const { return partial_frames_; }

  private:
    enum class Kind : std::uint8_t { boxes, curves, triangles };
    // A run of draw records with one clip.
    struct Command {
        Kind kind = Kind::triangles;
        unsigned texture = 0;
        PixelRect clip;
        const ImDrawVert* vertices = nullptr;
        const unsigned short* indices = nullptr;
    };
    // The smallest unit that is drawn or skipped: a box, a curve, a triangle, two triangles with a common edge.
    struct Piece {
        PixelRect where; // before clipping
        std::uint32_t command = 0;
        std::uint32_t first = 0; // box, curve or index
        std::uint8_t indices = 0;
    };
    // What one draw call draws.
    struct Group {
        Kind kind = Kind::triangles;
        unsigned texture = 0;
        PixelRect scissor;
        std::size_t first = 0, count = 0; // of the picked records: instances or indices
        friend bool operator==(const Group&, const Group&) = default;
    };
    struct Program {
        unsigned program = 0, array = 0, buffer = 0;
        int view = -1;
    };

    void prepare(Program& p, const char* vertex, const char* fragment);
    bool resize(int width, int height);
    void collect(const ImDrawData& data);
    void collect_batch(const GlPainter::Batch& batch, std::uint32_t command);
    void collect_triangles(std::uint32_t command, unsigned count);
    void add(const Piece& piece, std::uint64_t hash);
    PixelRect pixels(float left, float top, float right, float bottom) const;
    void pick(const std::vector<PixelRect>& rects);
    void pick(const Piece& piece, const PixelRect& rect);
    void upload() const;
    void paint(const std::vector<PixelRect>& rects, const scene::Color& background, const float (&view)[4]) const;
    void paint(const Group& group) const;

    const GlPainter& painter_;
    Damage damage_;
    Program box_, curve_, ui_;
    unsigned index_buffer_ = 0;
    unsigned frame_ = 0, picture_ = 0; // framebuffer and its texture, first line on top
    std::vector<PixelRect> changed_;
    int width_ = 0, height_ = 0;
    float origin_[2] = {0, 0}, scale_[2] = {1, 1}; // from display units to pixels
    std::uint64_t whole_frames_ = 0, partial_frames_ = 0;

    std::vector<Command> commands_;
    std::vector<Piece> pieces_;
    std::vector<const Piece*> near_; // that the damage touches
    // Picked for drawing.
    std::vector<GlPainter::BoxInstance> boxes_;
    std::vector<GlPainter::CurveInstance> curves_;
    std::vector<unsigned char> vertices_; // of ImDrawVert
    std::vector<std::uint32_t> indices_;
    std::vector<std::pair<std::size_t, std::size_t>> groups_of_; // by rectangle: first, end
    std::vector<Group> groups_;
};

} // namespace warptree::render
