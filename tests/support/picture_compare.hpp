// How far two PNG pictures differ.
#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include <cairo.h>

namespace warptree::tests {

// The largest mean colour difference over cells of 12 by 12 pixels: another font changes it little, a missing box or a
// wrong colour much. Infinite if a file is not a picture or the sizes differ.
inline double difference(const std::filesystem::path& first, const std::filesystem::path& second) {
    constexpr int kCell = 12;
    cairo_surface_t* a = cairo_image_surface_create_from_png(first.c_str());
    cairo_surface_t* b = cairo_image_surface_create_from_png(second.c_str());
    double worst = std::numeric_limits<double>::infinity();
    const int width = cairo_image_surface_get_width(a), height = cairo_image_surface_get_height(a);
    if (cairo_surface_status(a) == CAIRO_STATUS_SUCCESS && cairo_surface_status(b) == CAIRO_STATUS_SUCCESS &&
        width == cairo_image_surface_get_width(b) && height == cairo_image_surface_get_height(b)) {
        worst = 0;
        const auto at = [](cairo_surface_t* s, int x, int y, int c) {
            return cairo_image_surface_get_data(
                s)[static_cast<std::ptrdiff_t>(y) * cairo_image_surface_get_stride(s) + 4 * x + c];
        };
        for (int y0 = 0; y0 < height; y0 += kCell) {
            for (int x0 = 0; x0 < width; x0 += kCell) {
                for (int c = 0; c < 3; ++c) {
                    double sum = 0;
                    for (int y = y0; y < std::min(y0 + kCell, height); ++y) {
                        for (int x = x0; x < std::min(x0 + kCell, width); ++x) {
                            sum += at(a, x, y, c) - at(b, x, y, c);
                        }
                    }
                    worst = std::max(worst, std::abs(sum) / (kCell * kCell));
                }
            }
        }
    }
    cairo_surface_destroy(a);
    cairo_surface_destroy(b);
    return worst;
}

} // namespace warptree::tests
