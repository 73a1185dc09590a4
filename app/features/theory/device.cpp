// The GPUs found here, and the named devices with their limits.
#include "app/gpu/device.hpp"
#include "app/features/theory/figure.hpp"
#include "app/theory/device_limits.hpp"
#include "app/theory/roofline.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warptree::topics {

namespace {
const std::vector<gpu::DeviceFacts>& found() {
    static const std::vector<gpu::DeviceFacts> all = gpu::devices();
    return all;
}

Table found_table(const gpu::DeviceFacts& g) {
    const auto row = [](const char* what, std::string value) { return std::vector<TableCell>{what, std::move(value)}; };
    Table table{{{g.name, false, 2}, {"", false, 1}}, {}};
    table.rows = {
        row("compute capability", fmt::format("{}.{}", g.compute_major, g.compute_minor)),
        row("multiprocessors", std::to_string(g.multiprocessors)),
        row("core clock", fmt::format("{:.0f} MHz", g.core_clock_khz / 1e3)),
        row("memory", fmt::format("{:.1f} GB", static_cast<double>(g.memory_bytes) / 1e9)),
        row("memory clock, bus", fmt::format("{:.0f} MHz, {} bit", g.memory_clock_khz / 1e3, g.memory_bus_bits)),
        row("theoretical bandwidth", fmt::format("{:.1f} GB/s", g.theoretical_bytes_per_second() / 1e9)),
        row("L2 cache", fmt::format("{:.1f} MB", static_cast<double>(g.l2_bytes) / 1e6)),
        row("threads per block", std::to_string(g.threads_per_block)),
        row("threads per multiprocessor", std::to_string(g.threads_per_multiprocessor)),
        row("blocks per multiprocessor", std::to_string(g.blocks_per_multiprocessor)),
        row("registers per multiprocessor", std::to_string(g.registers_per_multiprocessor)),
        row("shared memory per block",
            fmt::format("{} KB, {} KB on request", g.shared_per_block / 1024, g.shared_per_block_optin / 1024)),
        row("shared memory per multiprocessor", fmt::format("{} KB", g.shared_per_multiprocessor / 1024))};
    return table;
}

Table named_table() {
    Table table{{{"device", false, 9},
                 {"as in", false, 1},
                 {"cc", true, 8},
                 {"threads", true, 7},
                 {"warps", true, 3},
                 {"blocks", true, 6},
                 {"registers", true, 5},
                 {"shared KB", true, 4},
                 {"GB/s", true, 2}},
                {}};
    for (const theory::DeviceLimits& d : theory::device_limits()) {
        const theory::Machine* m = theory::machine_of(d.id);
        table.rows.push_back({std::string(d.name), std::string(d.example), fmt::format("{}.{}", d.major, d.minor),
                              std::to_string(d.threads), std::to_string(d.warps), std::to_string(d.blocks),
                              std::to_string(d.registers), std::to_string(d.shared / 1024),
                              m == nullptr ? TableCell()
                                           : TableCell(fmt::format("{}: {:.4g}", m->name, m->bytes_per_second / 1e9),
                                                       m->bytes_per_second / 1e9)});
    }
    return table;
}

class Device : public Topic {
  public:
    const char* id() const override { return "device"; }
    const char* title() const override { return "Devices"; }
    const char* words() const override { return "limits of the GPU"; }

    std::string sentence(const Subject&) const override {
        const std::string formula =
            fmt::format("Theoretical bandwidth = bus width × transfers a second / 8: the 8800 GTX has 384 bit × 1800 "
                        "MT/s / 8 = {:.1f} GB/s.",
                        theory::bandwidth(384, 1800e6) / 1e9);
        if (found().empty()) {
            return formula + " There is no GPU here: " + gpu::why_not() + ".";
        }
        const gpu::DeviceFacts& g = found().front();
        return formula + fmt::format(" The {} here: {} bit × 2 × {:.0f} MHz / 8 = {:.1f} GB/s.", g.name,
                                     g.memory_bus_bits, g.memory_clock_khz / 1e3,
                                     g.theoretical_bytes_per_second() / 1e9);
    }

    scene::Drawing draw(const FigureContext& context, scene::Rect area, const Subject&) const override {
        Figure f(context, area);
        scene::Rect rest = area;
        if (!found().empty()) {
            const auto [left, right] = split(f, area, 0.36F);
            draw_table(f, left, found_table(found().front()));
            rest = right;
        }
        const float used = draw_table(f, rest, named_table());
        f.paragraph({rest.x, rest.y + used + f.px(10), rest.w, rest.bottom() - rest.y - used - f.px(10)},
                    "Threads, warps, blocks, registers and shared memory are those of one multiprocessor. Sources: "
                    "CUDA C++ Programming Guide, technical specifications per compute capability; bandwidths from "
                    "the data sheets of the products named.",
                    f.small(), f.theme().muted);
        return f.take();
    }

    std::vector<Table> tables(const Subject&) const override {
        std::vector<Table> all;
        for (const gpu::DeviceFacts& g : found()) {
            all.push_back(found_table(g));
        }
        all.push_back(named_table());
        return all;
    }

    nlohmann::ordered_json json(const Subject&) const override {
        nlohmann::ordered_json named = nlohmann::ordered_json::array(), here = nlohmann::ordered_json::array();
        for (const theory::DeviceLimits& d : theory::device_limits()) {
            const theory::Machine* m = theory::machine_of(d.id);
            named.push_back({{"id", d.id},
                             {"name", d.name},
                             {"example", d.example},
                             {"compute_capability", fmt::format("{}.{}", d.major, d.minor)},
                             {"threads_per_block", d.threads_per_block},
                             {"threads", d.threads},
                             {"warps", d.warps},
                             {"blocks", d.blocks},
                             {"registers", d.registers},
                             {"register_granule", d.register_granule},
                             {"shared_bytes", d.shared},
                             {"shared_bytes_per_block", d.shared_per_block},
                             {"bytes_per_second", m == nullptr ? 0 : m->bytes_per_second},
                             {"bandwidth_of", m == nullptr ? "" : m->name},
                             {"bandwidth_source", m == nullptr ? "" : m->source}});
        }
        for (const gpu::DeviceFacts& g : found()) {
            here.push_back({{"name", g.name}, {"theoretical_bytes_per_second", g.theoretical_bytes_per_second()}});
        }
        return {{"check_bytes_per_second", theory::bandwidth(384, 1800e6)}, {"gpus", here}, {"devices", named}};
    }
};
} // namespace

std::unique_ptr<Topic> make_device() { return std::make_unique<Device>(); }

} // namespace warptree::topics
