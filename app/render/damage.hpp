// What differs between one frame and the next, by squares of the window: each square keeps a hash of everything that
// was painted on it, in painter's order.
#pragma once

#include <cstdint>
#include <vector>

namespace warptree::render {

// Pixels of the framebuffer, y down; right and bottom are exclusive.
struct PixelRect {
    int left = 0, top = 0, right = 0, bottom = 0;
    bool empty() const { return right <= left || bottom <= top; }
    bool overlaps(const PixelRect& o) const {
        return left < o.right && o.left < right && top < o.bottom && o.top < bottom;
    }
    std::int64_t area() const { return empty() ? 0 : std::int64_t{right - left} * (bottom - top); }
    friend bool operator==(const PixelRect&, const PixelRect&) = default;
};
PixelRect intersect(const PixelRect& a, const PixelRect& b);

class Damage {
  public:
    static constexpr int kSquare = 32; // pixels
    static constexpr int kMostRects = 12;

    // Begins a frame. The first one, and one of another size, differ everywhere.
    void begin(int width, int height);
    // Adds an item that paints only inside `where`; `hash` covers everything that determines its pixels.
    void add(const PixelRect& where, std::uint64_t hash);
    // The frame is complete: rectangles, none of which overlap, that cover every square that differs from the frame
    // before; at most kMostRects.
    const std::vector<PixelRect>& end();
    // After end: is any square that `where` touches within the rectangles?
    bool touches(const PixelRect& where) const;
    void forget();                        // the next frame differs everywhere
    bool whole() const { return whole_; } // after end: everything differed, as there was no earlier frame

  private:
    void merge(std::vector<PixelRect>& squares) const; // in squares, not pixels

    int width_ = 0, height_ = 0, columns_ = 0, rows_ = 0;
    bool known_ = false, whole_ = true;
    std::vector<std::uint64_t> now_, before_; // by square
    std::vector<std::uint8_t> differs_;
    std::vector<PixelRect> rects_;
};

// Hashes of draw records: order matters.
constexpr std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15U;
    return hash ^ hash >> 29;
}
std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t seed);

} // namespace warptree::render
