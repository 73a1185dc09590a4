#include "tests/app/small_picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <stdexcept>

#include <cairo.h>

namespace warptree::testing {

namespace {
struct DestroySurface {
    void operator()(cairo_surface_t* s) const { cairo_surface_destroy(s); }
};
using Surface = std::unique_ptr<cairo_surface_t, DestroySurface>;
} // namespace

SmallPicture SmallPicture::of(const std::vector<std::uint8_t>& rgba, int width, int height, int small_width,
                              std::span<const scene::Rect> blank) {
    const int side = width / small_width;
    SmallPicture out{small_width, height / side, {}};
    if (side < 1 || out.width * side != width || out.height * side != height) {
        throw std::runtime_error("a picture is made small by a whole number");
    }
    out.rgb.reserve(std::size_t{3} * static_cast<std::size_t>(out.width) * static_cast<std::size_t>(out.height));
    const auto count = static_cast<unsigned>(side * side);
    for (int y = 0; y < out.height; ++y) {
        for (int x = 0; x < out.width; ++x) {
            unsigned sum[3]{};
            for (int v = y * side; v < (y + 1) * side; ++v) {
                for (int u = x * side; u < (x + 1) * side; ++u) {
                    const std::uint8_t* p =
                        rgba.data() + std::size_t{4} * (static_cast<std::size_t>(v) * static_cast<std::size_t>(width) +
                                                        static_cast<std::size_t>(u));
                    for (int c = 0; c < 3; ++c) {
                        sum[c] += p[c];
                    }
                }
            }
            const auto at = static_cast<float>(side);
            const scene::Rect square{static_cast<float>(x) * at, static_cast<float>(y) * at, at, at};
            const bool hidden =
                std::any_of(blank.begin(), blank.end(), [&](const scene::Rect& r) { return r.overlaps(square); });
            for (const unsigned s : sum) {
                out.rgb.push_back(static_cast<std::uint8_t>(hidden ? 0 : s / count / 4 * 4));
            }
        }
    }
    return out;
}

SmallPicture SmallPicture::load(const std::filesystem::path& png) {
    const Surface surface(cairo_image_surface_create_from_png(png.c_str()));
    SmallPicture out;
    if (cairo_surface_status(surface.get()) != CAIRO_STATUS_SUCCESS) {
        return out;
    }
    out.width = cairo_image_surface_get_width(surface.get());
    out.height = cairo_image_surface_get_height(surface.get());
    const int stride = cairo_image_surface_get_stride(surface.get());
    for (int y = 0; y < out.height; ++y) {
        const unsigned char* line = cairo_image_surface_get_data(surface.get()) + std::ptrdiff_t{y} * stride;
        for (int x = 0; x < out.width; ++x) {
            out.rgb.insert(out.rgb.end(), {line[4 * x + 2], line[4 * x + 1], line[4 * x]});
        }
    }
    return out;
}

void SmallPicture::save(const std::filesystem::path& png) const {
    const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height));
    cairo_surface_flush(surface.get());
    const int stride = cairo_image_surface_get_stride(surface.get());
    for (int y = 0; y < height; ++y) {
        unsigned char* line = cairo_image_surface_get_data(surface.get()) + std::ptrdiff_t{y} * stride;
        for (int x = 0; x < width; ++x) {
            const std::uint8_t* p =
                rgb.data() + std::size_t{3} * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                                               static_cast<std::size_t>(x));
            line[4 * x] = p[2];
            line[4 * x + 1] = p[1];
            line[4 * x + 2] = p[0];
        }
    }
    cairo_surface_mark_dirty(surface.get());
    std::filesystem::create_directories(png.parent_path());
    if (cairo_surface_write_to_png(surface.get(), png.c_str()) != CAIRO_STATUS_SUCCESS) {
        throw std::runtime_error("cannot write " + png.string());
    }
}

PictureDifference difference(const SmallPicture& a, const SmallPicture& b) {
    constexpr int kCell = 4;
    PictureDifference out;
    if (a.width != b.width || a.height != b.height || a.width == 0) {
        out.worst = 255;
        return out;
    }
    for (int y0 = 0; y0 < a.height; y0 += kCell) {
        for (int x0 = 0; x0 < a.width; x0 += kCell) {
            int sum[3]{}, count = 0;
            for (int y = y0; y < std::min(y0 + kCell, a.height); ++y) {
                for (int x = x0; x < std::min(x0 + kCell, a.width); ++x, ++count) {
                    const std::size_t at =
                        std::size_t{3} *
                        (static_cast<std::size_t>(y) * static_cast<std::size_t>(a.width) + static_cast<std::size_t>(x));
                    for (std::size_t c = 0; c < 3; ++c) {
                        sum[c] += a.rgb[at + c] - b.rgb[at + c];
                    }
                }
            }
            for (const int s : sum) {
                if (const double mean = std::abs(static_cast<double>(s)) / count; mean > out.worst) {
                    out = {mean, x0 + kCell / 2, y0 + kCell / 2};
                }
            }
        }
    }
    return out;
}

} // namespace warptree::testing
