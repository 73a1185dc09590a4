// Drawings as columns of numbers, for a painter in a page (assets/export/page.html). A record that several drawings share is
// kept once: what a step leaves as it was costs a few bytes.
//
// Numbers are little-endian. Lengths are in sixteenths of a pixel. A column is named, typed ("u8", "u16", "i16", "u32"), and
// begins at a multiple of 4 bytes of the data:
//   curve.x0 … y3, width, color, dash; box.x, y, w, h, radius, fill, stroke, stroke_width, pattern, pattern_color;
//   text.x, y, align, face, size, color, width, string; hit.x, y, w, h, target; target.kind, launch, block, index, step, string
//   frame: for each drawing at frame_at[i]: clip x, y, w, h; the number of layers; for each of them, for curves, boxes and
//     texts, the number of runs and each run's first record and length; and the same for hits
// A colour is an index of the palette, which has it in both themes.
#pragma once

#include "app/drawing/draw.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warptree::render {

class DrawingStore {
  public:
    // `tell`: what a target is, for a tooltip; empty: nothing.
    using Tell = std::function<std::string(const scene::Target&)>;

    // The same picture in two themes; if they differ in more than colours, each is kept for itself. Returns the numbers of the
    // frames for light and for dark.
    std::array<std::uint32_t, 2> add(const scene::Drawing& light, const scene::Drawing& dark,
                                     const scene::TextMeasure& measure, const Tell& tell);
    std::uint32_t string(const std::string& text); // its index in strings()

    struct Column {
        std::string name;
        const char* type;
        std::size_t at, count;
    };
    // All columns one after another, and where each is.
    std::string bytes(std::vector<Column>& columns) const;
    const std::vector<std::string>& strings() const { return strings_; }
    const std::vector<std::array<scene::Color, 2>>& palette() const { return palette_; }

  private:
    // The distinct rows of a table, in the order of their first use.
    template <std::size_t kFields> struct Table {
        std::vector<std::array<std::int32_t, kFields>> rows;
        std::map<std::array<std::int32_t, kFields>, std::uint32_t> found;
        std::uint32_t add(const std::array<std::int32_t, kFields>& row) {
            const auto [at, fresh] = found.try_emplace(row, static_cast<std::uint32_t>(rows.size()));
            if (fresh) {
                rows.push_back(row);
            }
            return at->second;
        }
    };

    std::uint32_t add_frame(const scene::Drawing& light, const scene::Drawing& dark, const scene::TextMeasure& measure,
                            const Tell& tell);
    std::int32_t color(scene::Color light, scene::Color dark);
    void put_runs(const std::vector<std::uint32_t>& records);

    Table<11> curves_;
    Table<10> boxes_;
    Table<8> texts_;
    Table<5> hits_;
    Table<6> targets_;
    std::vector<std::uint32_t> frames_, frame_at_;
    std::vector<std::string> strings_;
    std::unordered_map<std::string, std::uint32_t> string_at_;
    std::vector<std::array<scene::Color, 2>> palette_;
    std::map<std::array<std::uint8_t, 8>, std::int32_t> color_at_;
};

} // namespace warptree::render
