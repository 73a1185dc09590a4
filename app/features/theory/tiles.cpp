// A matrix product by tiles: how often a loaded element is used, and what that asks of a multiprocessor.
#include "app/theory/tiles.hpp"
#include "app/features/theory/figure.hpp"
#include "app/theory/occupancy.hpp"
#include "app/theory/roofline.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace warptree::topics {

namespace {
using theory::Tile;

constexpr std::array kWidths{1U, 2U, 4U, 8U, 16U, 32U};
constexpr double kLecture = 150e9; // bytes per second of the lectures' example

// The choices, and what follows from them for any width.
struct Product {
    explicit Product(const Subject& c)
        : type(is_floating(c.type) ? c.type : ElementType::f32), limits(theory::require_device(c.device)),
          machine(theory::machine_of(c.device)), registers(c.registers), chosen(c.tile) {}

    Tile tile(std::uint32_t width) const { return theory::tile(width, static_cast<std::uint32_t>(bytes(type))); }
    // The chosen one is among them.
    std::vector<std::uint32_t> widths() const {
        std::vector<std::uint32_t> all(kWidths.begin(), kWidths.end());
        if (std::find(all.begin(), all.end(), chosen) == all.end()) {
            all.insert(std::upper_bound(all.begin(), all.end(), chosen), chosen);
        }
        return all;
    }
    // Additions and multiplications per second; 0: the device has no such type or is not known.
    double peak() const {
        return machine == nullptr ? 0 : 2 * (type == ElementType::f64 ? machine->adds_f64 : machine->adds_f32);
    }
    double bandwidth() const { return machine == nullptr ? 0 : machine->bytes_per_second; }
    double fed(const Tile& t) const { return t.intensity * bandwidth(); }
    double reached(const Tile& t) const { return theory::attainable(peak(), bandwidth(), t.intensity); }
    theory::Occupancy occupancy(const Tile& t) const {
        return theory::occupancy(limits, {t.threads, registers, t.shared});
    }
    // That shared memory alone allows, of which the system takes a part for each block; nullopt: any number.
    std::optional<std::uint32_t> blocks_by_shared(const Tile& t) const {
        const std::uint64_t taken =
            theory::taken_by_block(limits, {t.threads, registers, t.shared}, theory::Limit::shared);
        return taken == 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(limits.shared / taken));
    }

    ElementType type;
    const theory::DeviceLimits& limits;
    const theory::Machine* machine;
    std::uint32_t registers;
    std::uint32_t chosen;
};

std::string giga(double per_second) {
    const double value = per_second / 1e9;
    return value < 1e3 ? fmt::format("{:.4g}", value) : scene::grouped(static_cast<std::uint64_t>(std::llround(value)));
}

Table reuse_table(const Product& p) {
    Table table{{{"tile", true, 9},
                 {"loads a block", true, 7, "loads"},
                 {"operations", true, 8},
                 {"operations per byte", true, 9, "operations per byte"},
                 {"GFLOPS that 150 GB/s feed", true, 6},
                 {fmt::format("GFLOPS that {} GB/s feed", giga(p.bandwidth())), true, 7}},
                {}};
    for (const std::uint32_t width : p.widths()) {
        const Tile t = p.tile(width);
        if (width == p.chosen) {
            table.marked.push_back(table.rows.size());
        }
        table.rows.push_back({{width == 1 ? "none" : std::to_string(width), width},
                              {scene::grouped(t.loads), t.loads},
                              {scene::grouped(t.operations), t.operations},
                              {fmt::format("{:.4g}", t.intensity), t.intensity},
                              {giga(t.intensity * kLecture), t.intensity * kLecture / 1e9},
                              {giga(p.fed(t)), p.fed(t) / 1e9}});
    }
    return table;
}

Table residence_table(const Product& p) {
    Table table{{{"tile", true, 9},
                 {"threads", true, 6},
                 {"shared bytes", true, 7},
                 {"blocks by shared memory", true, 8},
                 {"their pending loads", true, 7},
                 {"resident blocks", true, 9},
                 {"pending loads", true, 8},
                 {"limited by", false, 5}},
                {}};
    for (const std::uint32_t width : p.widths()) {
        const Tile t = p.tile(width);
        const theory::Occupancy o = p.occupancy(t);
        const std::optional<std::uint32_t> by_shared = p.blocks_by_shared(t);
        if (width == p.chosen) {
            table.marked.push_back(table.rows.size());
        }
        std::string limited;
        for (const theory::Limit limit : o.binding) {
            limited += (limited.empty() ? "" : ", ") + std::string(theory::name(limit));
        }
        table.rows.push_back(
            {{width == 1 ? "none" : std::to_string(width), width},
             {scene::grouped(t.threads), t.threads},
             {scene::grouped(t.shared), t.shared},
             !by_shared ? TableCell("any number", "") : TableCell(scene::grouped(*by_shared), *by_shared),
             !by_shared ? TableCell("", "") : TableCell(scene::grouped(*by_shared * t.loads), *by_shared * t.loads),
             {scene::grouped(o.blocks), o.blocks},
             {scene::grouped(o.blocks * t.loads), o.blocks * t.loads},
             o.blocks == 0 ? std::string(o.why_none) : limited});
    }
    return table;
}

class Tiles : public Topic {
  public:
    const char* id() const override { return "tiles"; }
    const char* title() const override { return "Tiles of a matrix product"; }
    const char* words() const override {
        return "matrix product, tiled-matmul, reuse, roofline, intensity, shared memory";
    }
    std::vector<Field> fields() const override {
        return {Field::device, Field::tile, Field::float_type, Field::registers};
    }

    std::string sentence(const Subject& c) const override {
        const Product p(c);
        const Tile t = p.tile(p.chosen);
        std::string text =
            p.chosen == 1
                ? fmt::format("Without tiles every thread loads two elements for a multiplication and an addition: "
                              "{:.3g} operations per byte. ",
                              t.intensity)
                : fmt::format("Between two barriers a block loads {} elements for {} operations: each is used {} "
                              "times, {:.3g} operations per byte. ",
                              scene::grouped(t.loads), scene::grouped(t.operations), t.width, t.intensity);
        if (p.peak() == 0) {
            text +=
                p.machine == nullptr ? "" : fmt::format("The {} has no {} arithmetic. ", p.machine->name, name(p.type));
        } else {
            const bool fed = p.fed(t) >= p.peak();
            text += fmt::format("{} GB/s feed {} GFLOPS, {} than the {} of the {}. ", giga(p.bandwidth()),
                                giga(p.fed(t)), fed ? "no less" : "less", giga(p.peak()), p.machine->name);
        }
        const theory::Occupancy o = p.occupancy(t);
        if (o.blocks == 0) {
            return text + fmt::format("No such block fits on a {} multiprocessor: {}.", p.limits.name, o.why_none);
        }
        return text +
               fmt::format("{} such block{} {} resident on a multiprocessor, with {} loads on their way at once.",
                           o.blocks, o.blocks == 1 ? "" : "s", o.blocks == 1 ? "is" : "are",
                           scene::grouped(o.blocks * t.loads));
    }

    scene::Drawing draw(const FigureContext& context, scene::Rect area, const Subject& c) const override {
        Figure f(context, area);
        const Product p(c);
        const float rows = f.line_height(f.body()) * static_cast<float>(p.widths().size() + 2);
        const bool tables = area.h - rows >= f.px(200);
        const scene::Rect upper{area.x, area.y, area.w, tables ? area.h - rows : area.h};
        if (p.peak() > 0) {
            f.add(scene::draw_plot(f.plot(), upper, roofline(p)));
        } else {
            f.text({upper.x, upper.y, upper.w, f.line_height(f.body())}, "Choose f32, or a later device.", f.body(),
                   f.theme().muted);
        }
        if (tables) {
            const float gap = f.px(24), y = upper.bottom() + f.px(10), h = area.bottom() - y;
            const float half = (area.w - gap) / 2;
            if (area.w >= f.px(900)) {
                draw_table(f, {area.x, y, half, h}, reuse_table(p));
                draw_table(f, {area.x + half + gap, y, half, h}, residence_table(p));
            } else {
                draw_table(f, {area.x, y, area.w, h}, reuse_table(p));
            }
        }
        return f.take();
    }

    std::vector<Table> tables(const Subject& c) const override {
        const Product p(c);
        return {reuse_table(p), residence_table(p)};
    }
    std::string notes(const Subject& c) const override {
        const Product p(c);
        return (p.machine == nullptr ? "" : "Source: " + std::string(p.machine->source) + "\n") +
               "Pending loads: two a thread of the blocks that are resident at once.\n";
    }

    nlohmann::ordered_json json(const Subject& c) const override {
        const Product p(c);
        nlohmann::ordered_json all = nlohmann::ordered_json::array();
        for (const std::uint32_t width : p.widths()) {
            const Tile t = p.tile(width);
            const theory::Occupancy o = p.occupancy(t);
            all.push_back(
                {{"tile", width},
                 {"threads", t.threads},
                 {"loads", t.loads},
                 {"operations", t.operations},
                 {"operations_per_byte", t.intensity},
                 {"shared_bytes", t.shared},
                 {"fed_operations_per_second", p.fed(t)},
                 {"attainable_operations_per_second", p.reached(t)},
                 {"blocks_by_shared_memory",
                  p.blocks_by_shared(t) ? nlohmann::ordered_json(*p.blocks_by_shared(t)) : nlohmann::ordered_json()},
                 {"resident_blocks", o.blocks},
                 {"pending_loads", o.blocks * t.loads}});
        }
        return {{"device", c.device},
                {"type", name(p.type)},
                {"tile", p.chosen},
                {"bytes_per_second", p.bandwidth()},
                {"peak_operations_per_second", p.peak()},
                {"tiles", all}};
    }

  private:
    static scene::Plot roofline(const Product& p) {
        scene::Plot plot;
        plot.x = {"operations per byte loaded", scene::AxisScale::log2, 1.0 / 16, 64};
        plot.series = {{fmt::format("{}, {}", p.machine->name, name(p.type)), {}, false, false},
                       {"if limited only by memory", {}, false, false},
                       {"tiles", {}, true, false, false}};
        const double ridge = theory::ridge(p.peak(), p.bandwidth());
        std::vector<double> at, values;
        for (int k = -4; k <= 6; ++k) {
            at.push_back(std::exp2(k));
        }
        if (ridge > plot.x.from && ridge < plot.x.to) {
            at.push_back(ridge);
        }
        std::sort(at.begin(), at.end());
        for (const double x : at) {
            plot.series[0].points.push_back({x, theory::attainable(p.peak(), p.bandwidth(), x)});
            plot.series[1].points.push_back({x, x * p.bandwidth()});
            values.push_back(plot.series[0].points.back().y);
        }
        for (const std::uint32_t width : p.widths()) {
            const Tile t = p.tile(width);
            plot.series[2].points.push_back({t.intensity, p.reached(t)});
        }
        plot.y = scene::spanning("operations a second", scene::AxisScale::log10, values);
        const Tile t = p.tile(p.chosen);
        plot.marks = {{t.intensity, p.reached(t),
                       fmt::format("{}: {} GFLOPS", p.chosen == 1 ? "no tiles" : fmt::format("tile {}", p.chosen),
                                   giga(p.reached(t)))},
                      {ridge, std::nullopt, fmt::format("ridge: {:.3g}", ridge)}};
        return plot;
    }
};
} // namespace

std::unique_ptr<Topic> make_tiles() { return std::make_unique<Tiles>(); }

} // namespace warptree::topics
