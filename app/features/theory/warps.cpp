// Which threads of a block form which warp, also in two dimensions; and how many warps several such blocks have.
#include "app/features/theory/figure.hpp"

#include "app/theory/block_warps.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace warptree::topics {

namespace {
using scene::Align;
using scene::Color;
using scene::Rect;
using theory::BlockShape;

std::string shape_text(const BlockShape& s) {
    return s.y == 1 ? std::to_string(s.x) : fmt::format("{} × {}", s.x, s.y);
}

class Warps : public Topic {
  public:
    const char* id() const override { return "warps"; }
    const char* title() const override { return "Warps of a block"; }
    const char* words() const override { return "divergence, inactive lanes, branch"; }
    std::vector<Field> fields() const override { return {Field::block_x, Field::block_y}; }

    std::string sentence(const Subject& c) const override {
        const BlockShape& s = c.block;
        const std::uint32_t warps = theory::warps(s);
        std::string text = fmt::format("A block of {} threads is {}: threads in order of x{}, 32 at a time.",
                                       shape_text(s), scene::plural(warps, "warp"), s.y > 1 ? ", then y" : "");
        if (const std::uint32_t empty = theory::empty_lanes(s)) {
            text += fmt::format(" The last warp has {} without a thread.", scene::plural(empty, "lane"));
        }
        if (s.y > 1 && warps > 0) {
            const std::uint32_t rows = theory::rows_of(s, 0);
            text += rows > 1 ? fmt::format(" Warp 0 spans {} rows of y.", rows) : " Warp 0 lies in one row of y.";
        }
        return text + fmt::format(" A multiprocessor that holds three such blocks holds {} warps.", 3 * warps);
    }

    scene::Drawing draw(const FigureContext& context, Rect area, const Subject& c) const override {
        Figure f(context, area);
        const BlockShape& s = c.block;
        // One-dimensional blocks are shown with a warp per row; others in their shape, x to the right.
        const bool flat = s.y == 1;
        const std::uint32_t columns = flat ? std::min(32U, s.x) : s.x, rows = flat ? theory::warps(s) : s.y;
        const float label = std::min(f.width("warp 31", f.small()) + f.px(10), area.w / 4);
        const float head = f.line_height(f.small());
        const Rect grid{area.x + label, area.y + head, area.w - label - f.px(2), area.h - head};
        if (grid.w < 8 || grid.h < 8) {
            return f.take();
        }
        const float cell_w = std::min(grid.w / static_cast<float>(columns), f.px(54));
        const float cell_h = std::min(grid.h / static_cast<float>(rows), f.px(64));
        const float gap = std::min({f.px(1.5F), cell_w * 0.12F, cell_h * 0.12F});
        const auto cell = [&](std::uint32_t column, std::uint32_t row) {
            return Rect{grid.x + cell_w * static_cast<float>(column), grid.y + cell_h * static_cast<float>(row),
                        cell_w - gap, cell_h - gap};
        };
        heads(f, grid, flat, columns, cell_w);
        sides(f, area, grid, flat, rows, cell_h, label);
        const float size = std::min({f.small(), cell_h * 0.62F, cell_w / std::max(1.0F, f.width("1023", 1) + 0.6F)});
        const bool numbers = size >= f.px(8);
        for (std::uint32_t t = 0; t < s.threads(); ++t) {
            const theory::ThreadIndex at = theory::thread_at(s, t);
            const Rect r = flat ? cell(t % 32, t / 32) : cell(at.x, at.y);
            f.box(r, color(f, theory::warp_of(t)), {0, 0, 0, 0}, pattern(flat || numbers, theory::warp_of(t)),
                  f.theme().panel);
            if (numbers) {
                f.text(r, std::to_string(flat ? t : theory::warp_of(t)), size,
                       scene::ink_on(f.theme(), color(f, theory::warp_of(t))), Align::center);
            }
        }
        for (std::uint32_t lane = 32 - theory::empty_lanes(s); flat && s.x >= 32 && lane < 32; ++lane) {
            f.box(cell(lane, rows - 1), f.theme().panel, f.theme().faint, scene::Pattern::hatch, f.theme().faint);
        }
        return f.take();
    }

    std::vector<Table> tables(const Subject& c) const override {
        Table table{{{"warp", true}, {"threads"}, {"from (x, y)"}, {"to (x, y)"}, {"rows of y", true}}, {}};
        const BlockShape& s = c.block;
        for (std::uint32_t w = 0; w < theory::warps(s); ++w) {
            const std::uint32_t last = std::min(w * 32 + 31, s.threads() - 1);
            const auto from = theory::thread_at(s, w * 32), to = theory::thread_at(s, last);
            table.rows.push_back({std::to_string(w), fmt::format("{}–{}", w * 32, last),
                                  fmt::format("{}, {}", from.x, from.y), fmt::format("{}, {}", to.x, to.y),
                                  std::to_string(theory::rows_of(s, w))});
        }
        return {table};
    }

    nlohmann::ordered_json json(const Subject& c) const override {
        nlohmann::ordered_json all = nlohmann::ordered_json::array();
        const BlockShape& s = c.block;
        for (std::uint32_t w = 0; w < theory::warps(s); ++w) {
            const std::uint32_t last = std::min(w * 32 + 31, s.threads() - 1);
            const auto from = theory::thread_at(s, w * 32), to = theory::thread_at(s, last);
            all.push_back({{"warp", w},
                           {"first_thread", w * 32},
                           {"last_thread", last},
                           {"from", {from.x, from.y}},
                           {"to", {to.x, to.y}},
                           {"rows", theory::rows_of(s, w)}});
        }
        return {{"block", {s.x, s.y}},
                {"threads", s.threads()},
                {"warps", theory::warps(s)},
                {"empty_lanes", theory::empty_lanes(s)},
                {"warps_of_3_blocks", 3 * theory::warps(s)},
                {"warp_threads", all}};
    }

  private:
    // Neighbouring warps differ in colour, and in pattern where there are no numbers.
    static Color color(const Figure& f, std::uint32_t warp) {
        const scene::Theme& t = f.theme();
        const Color all[]{t.accent, t.attention, t.agree, t.conflict};
        return scene::mix(t.panel, all[warp % 4], 0.45F);
    }
    static scene::Pattern pattern(bool told, std::uint32_t warp) {
        return told || warp % 2 == 0 ? scene::Pattern::plain : scene::Pattern::dots;
    }
    static void heads(Figure& f, const Rect& grid, bool flat, std::uint32_t columns, float cell_w) {
        const float widest = f.width("1023", f.small()) + f.px(6);
        std::uint32_t every = 1;
        while (cell_w * static_cast<float>(every) < widest) {
            every *= 2;
        }
        const float h = f.line_height(f.small());
        f.text({grid.x - f.px(40), grid.y - h, f.px(36), h}, flat ? "lane" : "x", f.small(), f.theme().muted,
               Align::right);
        for (std::uint32_t x = 0; x < columns; x += every) {
            f.text({grid.x + cell_w * static_cast<float>(x), grid.y - h, std::max(cell_w, widest), h},
                   std::to_string(x), f.small(), f.theme().muted, cell_w >= widest ? Align::center : Align::left);
        }
    }
    static void sides(Figure& f, const Rect& area, const Rect& grid, bool flat, std::uint32_t rows, float cell_h,
                      float label) {
        std::uint32_t every = 1;
        while (cell_h * static_cast<float>(every) < f.small() * 1.15F) {
            every *= 2;
        }
        for (std::uint32_t y = 0; y < rows; y += every) {
            const float top = grid.y + cell_h * static_cast<float>(y);
            const float h = std::max(cell_h, f.small() * 1.15F);
            if (top + h <= area.bottom() + 0.5F) {
                f.text({area.x, top, label - f.px(8), std::min(h, area.bottom() - top)},
                       fmt::format("{} {}", flat ? "warp" : "y", y), f.small(), f.theme().muted, Align::right);
            }
        }
    }
};
} // namespace

std::unique_ptr<Topic> make_warps() { return std::make_unique<Warps>(); }

} // namespace warptree::topics
