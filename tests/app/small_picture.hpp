// A picture of the window small enough to keep: averaged by area, with a quarter of the colour levels.
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
    std::vector<std::uint8_t> rgb; // rows from top to bottom

    // From RGBA pixels whose width and height are the same multiple of the small ones; each colour is the mean of its
    // square, rounded down to a multiple of 4, which halves the file size. Areas in `blank` are masked.
    static SmallPicture of(const std::vector<std::uint8_t>& rgba, int width, int height, int small_width,
                           std::span<const scene::Rect> blank);
    static SmallPicture load(const std::filesystem::path& png); // width 0: no picture
    void save(const std::filesystem::path& png) const;          // throws std::runtime_error
};

struct PictureDifference {
    double worst = 0; // largest difference between cell means, 0 to 255; 255: sizes differ
    int x = 0, y = 0; // middle of that cell
};
// Means over cells of 4 by 4 pixels: rounding changes them little; a missing word, moved edge or other colour, much.
PictureDifference difference(const SmallPicture& a, const SmallPicture& b);

} // namespace warptree::testing
