// Registers, shared and local memory of the compiled kernels, recorded from a build.
#include "app/base/resources.hpp"
#include "app/base/error.hpp"
#include "app/base/type_words.hpp"
#include "app/base/whole_file.hpp"
#include "app/features/theory/figure.hpp"
#include "app/theory/kernel_resources.hpp"
#include "app/theory/occupancy.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warptree::topics {

namespace {
constexpr const char* kFile = "assets/kernels/resources-sm_90.json";

struct Loaded {
    theory::ResourceTable table;
    std::string error;
};
const Loaded& loaded() {
    static const Loaded all = [] {
        Loaded it;
        try {
            const auto path = resource(kFile);
            it.table = theory::parse_resources(read_whole(path), path.string());
        } catch (const FileError& e) {
            it.error = e.what();
        }
        return it;
    }();
    return all;
}

std::vector<theory::KernelResources> kernels(const Subject& c) {
    return theory::select(loaded().table, c.type, Operator::sum, c.block.threads());
}
// Occupancy with these registers, without dynamic shared memory.
theory::Occupancy resident(const Subject& c, const theory::KernelResources& k) {
    return theory::occupancy(theory::require_device("hopper"), {c.block.threads(), k.registers, k.shared_bytes});
}

Table kernels_table(const Subject& c) {
    Table table{{{"strategy", false, 9},
                 {"registers", true, 8},
                 {"shared B", true, 5},
                 {"local B", true, 6},
                 {"stack B", true, 4},
                 {"occupancy", true, 7}},
                {}};
    for (const theory::KernelResources& k : kernels(c)) {
        table.rows.push_back(
            {k.strategy, std::to_string(k.registers), std::to_string(k.shared_bytes), std::to_string(k.local_bytes),
             std::to_string(k.stack_bytes),
             TableCell(fmt::format("{:.3g} %", 100 * resident(c, k).fraction), resident(c, k).fraction)});
    }
    return table;
}

class Resources : public Topic {
  public:
    const char* id() const override { return "resources"; }
    const char* title() const override { return "Resources of the kernels"; }
    const char* words() const override { return "registers, spills, local memory"; }
    std::vector<Field> fields() const override { return {Field::any_type, Field::block_x}; }

    std::string sentence(const Subject& c) const override {
        if (!loaded().error.empty()) {
            return "No recorded resources: " + loaded().error + ".";
        }
        const auto all = kernels(c);
        if (all.empty()) {
            return fmt::format("No kernel for {} is recorded.", c_name(c.type));
        }
        const auto [least, most] = std::minmax_element(
            all.begin(), all.end(), [](const auto& a, const auto& b) { return a.registers < b.registers; });
        const auto spilling =
            std::count_if(all.begin(), all.end(), [](const auto& k) { return k.local_bytes + k.stack_bytes > 0; });
        return fmt::format(
            "Compiled for {}{}, {}: {} to {} registers per thread; {}. Shared memory is given at launch.",
            loaded().table.architecture, loaded().table.cuda.empty() ? "" : " by CUDA " + loaded().table.cuda,
            c_name(c.type), least->registers, most->registers,
            spilling == 0
                ? std::string("none spills into local memory")
                : fmt::format("{} of {} use local memory, for what spills or as a stack", spilling, all.size()));
    }

    scene::Drawing draw(const FigureContext& context, scene::Rect area, const Subject& c) const override {
        Figure f(context, area);
        const auto all = kernels(c);
        if (all.empty()) {
            return f.take();
        }
        scene::Bars bars;
        std::vector<double> values;
        for (const theory::KernelResources& k : all) {
            std::string label = std::to_string(k.registers);
            label += k.local_bytes == 0 ? "" : fmt::format(", {} B local", k.local_bytes);
            label += k.stack_bytes == 0 ? "" : fmt::format(", {} B stack", k.stack_bytes);
            values.push_back(k.registers);
            bars.bars.push_back(
                {k.strategy, {static_cast<double>(k.registers)}, std::move(label), k.local_bytes + k.stack_bytes != 0});
        }
        bars.axis = scene::spanning("registers per thread", scene::AxisScale::linear, values);
        const auto [left, right] = split(f, area, 0.5F);
        f.add(scene::draw_bars(f.plot(), left, bars));
        const float used = draw_table(f, right, kernels_table(c));
        f.paragraph({right.x, right.y + used + f.px(10), right.w, right.bottom() - right.y - used - f.px(10)},
                    fmt::format("Occupancy: of blocks of {} threads on compute capability 9.0, by registers and static "
                                "shared memory.",
                                c.block.threads()),
                    f.small(), f.theme().muted);
        return f.take();
    }

    std::vector<Table> tables(const Subject& c) const override {
        return kernels(c).empty() ? std::vector<Table>{} : std::vector{kernels_table(c)};
    }

    nlohmann::ordered_json json(const Subject& c) const override {
        nlohmann::ordered_json all = nlohmann::ordered_json::array();
        for (const theory::KernelResources& k : kernels(c)) {
            all.push_back({{"strategy", k.strategy},
                           {"block", k.block},
                           {"registers", k.registers},
                           {"shared_bytes", k.shared_bytes},
                           {"local_bytes", k.local_bytes},
                           {"stack_bytes", k.stack_bytes},
                           {"occupancy", resident(c, k).fraction}});
        }
        return {{"architecture", loaded().table.architecture},
                {"cuda", loaded().table.cuda},
                {"type", name(c.type)},
                {"block", c.block.threads()},
                {"error", loaded().error},
                {"kernels", all}};
    }
};
} // namespace

std::unique_ptr<Topic> make_resources() { return std::make_unique<Resources>(); }

} // namespace warptree::topics
