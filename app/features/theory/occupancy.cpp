// How many blocks a multiprocessor holds, which resource is the limiter, and how that changes with the block size.
#include "app/theory/occupancy.hpp"
#include "app/features/theory/figure.hpp"
#include "app/features/theory/multiprocessor.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warptree::topics {

namespace {
using theory::DeviceLimits;
using theory::KernelNeeds;
using theory::Limit;

KernelNeeds needs(const Subject& c) { return {c.block.threads(), c.registers, c.shared}; }

std::string binding_text(const theory::Occupancy& o) {
    std::string text;
    for (std::size_t i = 0; i < o.binding.size(); ++i) {
        text += (i == 0 ? "" : i + 1 == o.binding.size() ? " and " : ", ") + std::string(name(o.binding[i]));
    }
    return text;
}

TableCell counted(std::uint64_t count) { return {scene::grouped(count), count}; }

TableCell has(const DeviceLimits& d, Limit limit) {
    switch (limit) {
    case Limit::threads: return counted(d.threads);
    case Limit::warps: return counted(d.warps);
    case Limit::blocks: return counted(d.blocks);
    case Limit::registers: return counted(d.registers);
    case Limit::shared: break;
    }
    return {fmt::format("{} KB", d.shared / 1024), d.shared};
}

TableCell takes(const KernelNeeds& k, Limit limit) {
    switch (limit) {
    case Limit::threads: return counted(k.threads);
    case Limit::warps: return counted((k.threads + 31) / 32);
    case Limit::blocks: return "1";
    case Limit::registers: return counted(std::uint64_t{k.registers} * k.threads);
    case Limit::shared: break;
    }
    return {fmt::format("{} B", scene::grouped(k.shared)), k.shared};
}

Table limits_table(const DeviceLimits& d, const KernelNeeds& k) {
    Table table{{{"limiter", false, 9},
                 {"a multiprocessor", true, 2},
                 {"a block", true, 1},
                 {"blocks", true, 8},
                 {"", false, 3, "binds"}},
                {}};
    const theory::Occupancy o = theory::occupancy(d, k);
    for (const theory::LimitedBlocks& l : o.limits) {
        const bool binds = std::find(o.binding.begin(), o.binding.end(), l.limit) != o.binding.end();
        const bool none = l.limit == Limit::shared && k.shared == 0;
        if (binds) {
            table.marked.push_back(table.rows.size());
        }
        table.rows.push_back({std::string(name(l.limit)), has(d, l.limit), takes(k, l.limit),
                              none && !binds ? TableCell("–", "") : std::to_string(l.blocks),
                              binds ? "sets the limit" : ""});
    }
    return table;
}

// Whose the block and its shared bytes are, where they are those of a kernel of one's own.
std::string whose(const Subject& c) {
    return c.kernel.name.empty() || !(c.kernel.block == c.block) || c.kernel.shared != c.shared
               ? ""
               : fmt::format(
                     " Block and shared bytes are those of {}; {} registers are assumed, as how many it takes is "
                     "not known here.",
                     c.kernel.name, c.registers);
}

class OccupancyTopic : public Topic {
  public:
    const char* id() const override { return "occupancy"; }
    const char* title() const override { return "Occupancy"; }
    const char* words() const override { return "registers, shared memory, resident blocks, latency hiding"; }
    std::vector<Field> fields() const override {
        return {Field::device, Field::block_x, Field::block_y, Field::registers, Field::shared};
    }

    std::string sentence(const Subject& c) const override {
        const DeviceLimits& d = theory::require_device(c.device);
        const theory::Occupancy o = theory::occupancy(d, needs(c));
        const std::string where = fmt::format("{} ({}, compute capability {}.{})", d.name, d.example, d.major, d.minor);
        if (o.blocks == 0) {
            return fmt::format("On {} no block of {} threads fits: {}.", where, c.block.threads(), o.why_none) +
                   whose(c);
        }
        return fmt::format("On {} a multiprocessor holds {} of {} threads: {} of {} threads, {} of {} warps, occupancy "
                           "{:.3g} %. Limiter: {}.",
                           where, scene::plural(o.blocks, "block"), c.block.threads(), scene::grouped(o.threads),
                           scene::grouped(d.threads), o.warps, d.warps, 100 * o.fraction, binding_text(o)) +
               whose(c);
    }

    scene::Drawing draw(const FigureContext& context, scene::Rect area, const Subject& c) const override {
        Figure f(context, area);
        const DeviceLimits& d = theory::require_device(c.device);
        const auto [left, beside] = split(f, area, 0.42F);
        // The multiprocessor above the curve, or left of it if the area is low; its limits below the table.
        const bool above = beside.h >= f.px(300);
        const float high = above ? beside.h * 0.42F : 0, wide = above || beside.w < f.px(420) ? 0 : beside.w * 0.45F;
        const scene::Rect right{beside.x + wide, beside.y + high, beside.w - wide, beside.h - high};
        draw_warp_slots(f, {beside.x, beside.y, above ? beside.w : wide - f.px(16), above ? high - f.px(12) : beside.h},
                        d, needs(c));
        const float used = draw_table(f, left, limits_table(d, needs(c)));
        float y = left.y + used + f.px(14);
        const std::string granules = fmt::format(
            "Registers are allocated {} at a time per {}, shared memory {} bytes at a time{}.", d.register_granule,
            d.register_unit == theory::RegisterUnit::warp ? "warp" : "block", d.shared_granule,
            d.shared_reserved == 0 ? "" : fmt::format(", plus {} per block for the system", d.shared_reserved));
        const float note = f.paragraph_height(left.w, granules, f.small());
        if (note <= left.bottom() - y) { // whole, or not at all
            f.paragraph({left.x, y, left.w, left.bottom() - y}, granules, f.small(), f.theme().muted);
            y += note + f.px(18);
        }
        draw_limits(f, {left.x, y, left.w, std::min(left.bottom() - y, limits_height(f))}, d, needs(c));
        scene::Plot plot;
        plot.x = {"threads per block", scene::AxisScale::linear, 0, 1024};
        plot.y = {"occupancy, %", scene::AxisScale::linear, 0, 100};
        plot.series.push_back(
            {fmt::format("{} registers per thread, {} bytes shared", c.registers, c.shared), {}, true});
        for (std::uint32_t threads = 32; threads <= 1024; threads += 32) {
            plot.series[0].points.push_back({static_cast<double>(threads), percent(d, c, threads)});
        }
        const std::uint32_t threads = c.block.threads();
        plot.marks.push_back({threads, percent(d, c, threads), fmt::format("{:.3g} %", percent(d, c, threads))});
        f.add(scene::draw_plot(f.plot(), right, plot));
        return f.take();
    }

    std::vector<Table> tables(const Subject& c) const override {
        return {limits_table(theory::require_device(c.device), needs(c))};
    }

    nlohmann::ordered_json json(const Subject& c) const override {
        const DeviceLimits& d = theory::require_device(c.device);
        const theory::Occupancy o = theory::occupancy(d, needs(c));
        nlohmann::ordered_json limits = nlohmann::ordered_json::object(), binding = nlohmann::ordered_json::array(),
                               sizes = nlohmann::ordered_json::array();
        for (const theory::LimitedBlocks& l : o.limits) {
            limits[std::string(name(l.limit))] = l.blocks;
        }
        for (const Limit l : o.binding) {
            binding.push_back(name(l));
        }
        for (std::uint32_t threads = 32; threads <= 1024; threads += 32) {
            const theory::Occupancy at = theory::occupancy(d, {threads, c.registers, c.shared});
            sizes.push_back({{"block", threads}, {"blocks", at.blocks}, {"occupancy", at.fraction}});
        }
        return {{"device", d.id},
                {"compute_capability", fmt::format("{}.{}", d.major, d.minor)},
                {"block", {c.block.x, c.block.y}},
                {"registers", c.registers},
                {"shared_bytes", c.shared},
                {"blocks", o.blocks},
                {"warps", o.warps},
                {"threads", o.threads},
                {"occupancy", o.fraction},
                {"why_none", o.why_none},
                {"limits", limits},
                {"binding", binding},
                {"by_block", sizes}};
    }

  private:
    static double percent(const DeviceLimits& d, const Subject& c, std::uint32_t threads) {
        return 100 * theory::occupancy(d, {threads, c.registers, c.shared}).fraction;
    }
};
} // namespace

std::unique_ptr<Topic> make_occupancy() { return std::make_unique<OccupancyTopic>(); }

} // namespace warptree::topics
