// A picture of the window small enough to keep: area by area averaged, colours to a quarter of their depth.
#pragma once

#include "app/drawing/draw.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace warptree::testing {

struct SmallPicture {
    int width = 0, height = 0;
    std::vector<std::uint8_t> rgb; // line by line, first one on top

    // Of RGBA pixels whose width and height are the same multiple of the small ones; each colour is the mean of its
    // square, rounded down to a multiple of 4, which halves what the file needs. What lies in `blank` is left out.
    static SmallPicture of(const std::vector<std::uint8_t>& rgba, int width, int height, int small_width,
                           std::span<const scene::Rect> blank);
    static SmallPicture load(const std::filesystem::path& png); // width 0: no picture
    void save(const std::filesystem::path& png) const;          // throws std::runtime_error
};

struct PictureDifference {
    double worst = 0; // of the cells' means, 0 to 255; 255: not the same size
    int x = 0, y = 0; // middle of that cell
};
// Means over cells of 4 by 4 pixels: rounding moves them little, a missing word, a moved edge or another colour much.
PictureDifference difference(const SmallPicture& a, const SmallPicture& b);

} // namespace warptree::testing
