#include "app/features/theory/multiprocessor.hpp"

#include "app/views/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warptree::topics {

namespace {
using scene::Align;
using scene::Color;
using scene::Face;
using scene::Pattern;
using scene::Rect;
using theory::Limit;

class Multiprocessor {
  public:
    Multiprocessor(Figure& figure, const Rect& room, const theory::DeviceLimits& device,
                   const theory::KernelNeeds& kernel)
        : f_(figure), room_(room), device_(device), kernel_(kernel), occupancy_(theory::occupancy(device, kernel)) {}

    void warp_slots() {
        const float head = f_.line_height(f_.body()) + f_.px(4);
        if (room_.w < f_.px(200) || room_.h < head + f_.px(40)) {
            return;
        }
        f_.text({room_.x, room_.y, room_.w, head}, heading(), f_.body(), f_.theme().text, Align::left, Face::sans_bold);
        slots({room_.x, room_.y + head, room_.w, room_.h - head});
    }
    void limits() {
        const float head = f_.line_height(f_.body()) + f_.px(4);
        const float bar = std::min(f_.px(30), (room_.h - head) / static_cast<float>(occupancy_.limits.size()));
        if (room_.w < f_.px(220) || bar < f_.px(17)) {
            return;
        }
        f_.text({room_.x, room_.y, room_.w, head}, "What its blocks take of it", f_.body(), f_.theme().text,
                Align::left, Face::sans_bold);
        float y = room_.y + head;
        for (const theory::LimitedBlocks& l : occupancy_.limits) {
            resource({room_.x, y, room_.w, bar}, l);
            y += bar;
        }
    }

  private:
    std::string heading() const {
        return occupancy_.blocks == 0
                   ? std::string("No block fits on a multiprocessor")
                   : fmt::format("A multiprocessor with {}", scene::plural(occupancy_.blocks, "block"));
    }
    bool binds(Limit limit) const {
        return std::find(occupancy_.binding.begin(), occupancy_.binding.end(), limit) != occupancy_.binding.end();
    }
    // Neighbouring blocks are drawn differently.
    Color fill(std::uint32_t block, bool strong) const {
        const scene::Theme& t = f_.theme();
        const Color base = strong ? t.attention : t.accent;
        return scene::mix(t.panel, base, block % 2 == 0 ? 0.85F : 0.55F);
    }

    // A cell for each warp that can be resident; blocks one after another.
    void slots(const Rect& r) {
        const std::uint32_t count = device_.warps;
        const std::uint32_t warps = (std::max(1U, kernel_.threads) + 31) / 32;
        // Cells as square as the room allows.
        std::uint32_t columns = 1;
        float best = 0;
        for (std::uint32_t c = 1; c <= count; ++c) {
            const auto rows = static_cast<float>((count + c - 1) / c);
            const float size = std::min(r.w / static_cast<float>(c), r.h / rows);
            if (size > best) {
                best = size;
                columns = c;
            }
        }
        const std::uint32_t rows = (count + columns - 1) / columns;
        const float w = std::min(r.w / static_cast<float>(columns), f_.px(56));
        const float h = std::min(r.h / static_cast<float>(rows), f_.px(44));
        const float gap = std::min(f_.px(3), std::min(w, h) * 0.12F);
        for (std::uint32_t i = 0; i < count; ++i) {
            const Rect cell{r.x + w * static_cast<float>(i % columns), r.y + h * static_cast<float>(i / columns),
                            w - gap, h - gap};
            if (i >= occupancy_.warps) {
                f_.box(cell, f_.theme().panel, f_.theme().faint, Pattern::hatch, f_.theme().faint);
                continue;
            }
            const std::uint32_t block = i / warps;
            const Color color = fill(block, false);
            f_.box(cell, color, f_.theme().accent);
            const std::string name = std::to_string(block);
            if (f_.width(name, f_.small(), Face::mono) < cell.w - f_.px(2)) {
                f_.text(cell, name, f_.small(), scene::ink_on(f_.theme(), color), Align::center, Face::mono);
            }
        }
    }

    // What the blocks use of one resource; the rest is hatched.
    void resource(const Rect& r, const theory::LimitedBlocks& limit) {
        const bool strong = binds(limit.limit);
        const std::uint64_t all = theory::capacity(device_, limit.limit);
        const std::uint64_t each = theory::taken_by_block(device_, kernel_, limit.limit);
        const std::uint64_t taken = each * occupancy_.blocks;
        const std::string used =
            fmt::format("{} of {}{}", scene::grouped(taken), scene::grouped(all), strong ? ", limiter" : "");
        const float name = f_.width("shared memory", f_.small(), Face::sans_bold) + f_.px(10);
        const float words = f_.width("65,536 of 65,536, limiter", f_.small()) + f_.px(10);
        const bool said = r.w - name - words > f_.px(80);
        const Rect bar{r.x + name, r.y + r.h * 0.2F, std::max(f_.px(20), r.w - name - (said ? words : 0)), r.h * 0.6F};
        f_.text({r.x, r.y, name, r.h}, std::string(theory::name(limit.limit)), f_.small(),
                strong ? f_.theme().text : f_.theme().muted, Align::left, strong ? Face::sans_bold : Face::sans);
        f_.box(bar, f_.theme().panel, f_.theme().faint, Pattern::hatch, f_.theme().faint);
        if (all > 0 && each > 0) {
            const float width = bar.w * static_cast<float>(each) / static_cast<float>(all);
            if (width >= f_.px(3)) {
                for (std::uint32_t b = 0; b < occupancy_.blocks; ++b) {
                    const float x = bar.x + width * static_cast<float>(b);
                    f_.box({x, bar.y, std::min(width, bar.right() - x), bar.h}, fill(b, strong),
                           strong ? f_.theme().attention : f_.theme().accent);
                }
            } else {
                f_.box({bar.x, bar.y, std::min(bar.w, width * static_cast<float>(occupancy_.blocks)), bar.h},
                       fill(0, strong));
            }
        }
        if (said) {
            f_.text({bar.right() + f_.px(8), r.y, words - f_.px(8), r.h}, used, f_.small(),
                    strong ? f_.theme().text : f_.theme().muted);
        }
    }

    Figure& f_;
    Rect room_;
    const theory::DeviceLimits& device_;
    theory::KernelNeeds kernel_;
    theory::Occupancy occupancy_;
};
} // namespace

void draw_warp_slots(Figure& figure, const Rect& room, const theory::DeviceLimits& device,
                     const theory::KernelNeeds& kernel) {
    Multiprocessor(figure, room, device, kernel).warp_slots();
}

float limits_height(const Figure& figure) {
    return figure.line_height(figure.body()) + figure.px(4) + 5 * figure.px(30);
}

void draw_limits(Figure& figure, const Rect& room, const theory::DeviceLimits& device,
                 const theory::KernelNeeds& kernel) {
    Multiprocessor(figure, room, device, kernel).limits();
}

} // namespace warptree::topics
