// Arithmetic intensity: why bandwidth is the metric of a reduction.
#include "app/features/theory/figure.hpp"
#include "app/theory/roofline.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace warptree::topics {

namespace {
using theory::Machine;

const Machine& machine(const Subject& c) {
    const Machine* found = theory::machine_of(c.device);
    return found == nullptr ? theory::machines().back() : *found;
}
ElementType type_of(const Subject& c) { return is_floating(c.type) ? c.type : ElementType::f32; }
double peak(const Subject& c) { return type_of(c) == ElementType::f64 ? machine(c).adds_f64 : machine(c).adds_f32; }
double intensity(const Subject& c) { return theory::intensity(c.n, bytes(type_of(c))); }

class Intensity : public Topic {
  public:
    const char* id() const override { return "intensity"; }
    const char* title() const override { return "Arithmetic intensity"; }
    const char* words() const override { return "roofline, bandwidth, arithmetic intensity"; }
    std::vector<Field> fields() const override { return {Field::device, Field::float_type, Field::elements}; }

    std::string sentence(const Subject& c) const override {
        const Machine& m = machine(c);
        const std::string one = fmt::format("One combine for each {} element of {} bytes is {:.3g} combines per byte. ",
                                            name(type_of(c)), bytes(type_of(c)), intensity(c));
        if (peak(c) == 0) {
            return one + fmt::format("The {} has no {} arithmetic.", m.name, name(type_of(c)));
        }
        const double reached = theory::attainable(peak(c), m.bytes_per_second, intensity(c));
        const double ridge = theory::ridge(peak(c), m.bytes_per_second);
        return one +
               (intensity(c) < ridge
                    ? fmt::format("At {:.4g} GB/s the {} can load enough for {} combines a second, {:.2g} % of "
                                  "what its units can add: bandwidth is the metric, up to {:.3g} combines per byte.",
                                  m.bytes_per_second / 1e9, m.name, scene::short_number(reached),
                                  100 * reached / peak(c), ridge)
                    : fmt::format("The {} adds only {} a second, which {:.3g} GB/s would feed: here arithmetic "
                                  "is the limit.",
                                  m.name, scene::short_number(peak(c)), peak(c) / intensity(c) / 1e9));
    }

    scene::Drawing draw(const FigureContext& context, scene::Rect area, const Subject& c) const override {
        Figure f(context, area);
        const Machine& m = machine(c);
        if (peak(c) == 0) {
            f.text({area.x, area.y, area.w, f.line_height(f.body())}, "Choose f32, or a later device.", f.body(),
                   f.theme().muted);
            return f.take();
        }
        scene::Plot plot;
        plot.x = {"combines per byte loaded", scene::AxisScale::log2, 1.0 / 64, 64};
        plot.series = {{fmt::format("{}, {}", m.name, name(type_of(c))), {}, false, false},
                       {"if limited only by memory", {}, false, false}};
        std::vector<double> values;
        const double ridge = theory::ridge(peak(c), m.bytes_per_second);
        std::vector<double> at{ridge};
        for (int k = -6; k <= 6; ++k) {
            at.push_back(std::exp2(k));
        }
        std::sort(at.begin(), at.end());
        for (const double x : at) {
            if (x < plot.x.from || x > plot.x.to) {
                continue;
            }
            plot.series[0].points.push_back({x, theory::attainable(peak(c), m.bytes_per_second, x)});
            plot.series[1].points.push_back({x, x * m.bytes_per_second});
            values.push_back(plot.series[0].points.back().y);
        }
        plot.y = scene::spanning("combines a second", scene::AxisScale::log10, values);
        const double here = theory::attainable(peak(c), m.bytes_per_second, intensity(c));
        plot.marks = {{intensity(c), here, fmt::format("a reduction: {} a second", scene::short_number(here))},
                      {ridge, std::nullopt, fmt::format("ridge: {:.3g}", ridge)}};
        const float note = area.h < f.px(170) ? 0 : f.line_height(f.small()); // the plot comes first
        f.text({area.x, area.bottom() - note, area.w, note}, "Source: " + std::string(m.source), f.small(),
               f.theme().muted);
        f.add(scene::draw_plot(f.plot(), {area.x, area.y, area.w, area.h - note - f.px(4)}, plot));
        return f.take();
    }

    std::vector<Table> tables(const Subject& c) const override {
        const Machine& m = machine(c);
        Table table{{{"quantity", false, 9}, {"value", true, 8}, {"unit", false, 7}}, {}};
        const auto row = [&](const char* what, double value, const char* unit) {
            table.rows.push_back({what, TableCell(fmt::format("{:.4g}", value), value), unit});
        };
        row("a reduction", intensity(c), "combines per byte");
        row("memory", m.bytes_per_second / 1e9, "GB/s");
        if (peak(c) > 0) {
            row("arithmetic", peak(c) / 1e9, "G combines a second");
            row("ridge", theory::ridge(peak(c), m.bytes_per_second), "combines per byte");
            row("a reduction reaches", theory::attainable(peak(c), m.bytes_per_second, intensity(c)) / 1e9,
                "G combines a second");
        }
        return {table};
    }
    std::string notes(const Subject& c) const override { return "Source: " + std::string(machine(c).source) + "\n"; }

    nlohmann::ordered_json json(const Subject& c) const override {
        const Machine& m = machine(c);
        return {{"device", m.device},
                {"product", m.name},
                {"type", name(type_of(c))},
                {"n", c.n},
                {"combines_per_byte", intensity(c)},
                {"bytes_per_second", m.bytes_per_second},
                {"peak_combines_per_second", peak(c)},
                {"attainable_combines_per_second", theory::attainable(peak(c), m.bytes_per_second, intensity(c))},
                {"ridge_combines_per_byte", theory::ridge(peak(c), m.bytes_per_second)},
                {"source", m.source}};
    }
};
} // namespace

std::unique_ptr<Topic> make_intensity() { return std::make_unique<Intensity>(); }

} // namespace warptree::topics
