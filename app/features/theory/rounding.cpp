// The rounding error of every strategy against the exact sum.
#include "app/run/judge/rounding.hpp"
#include "app/base/type_words.hpp"
#include "app/features/theory/figure.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace warptree::topics {

namespace {
constexpr std::uint64_t kMostByAll = 1ULL << 24; // elements

Table rounding_table(const runs::RoundingTable& t) {
    Table table{{{"strategy", false, 9},
                 {"result", true, 5},
                 {"error", true, 8},
                 {"relative", true, 6},
                 {"bound", true, 7},
                 {"depth", true, 4}},
                {}};
    for (const runs::RoundingRow& r : t.rows) {
        const auto small = [](double value) { return TableCell(fmt::format("{:.2e}", value), value); };
        table.rows.push_back({r.strategy, TableCell(fmt::format("{:.9g}", r.result), r.result), small(r.error),
                              small(r.relative), small(r.bound), std::to_string(r.depth)});
    }
    return table;
}

class Rounding : public Topic {
  public:
    const char* id() const override { return "error"; }
    const char* title() const override { return "Rounding error"; }
    const char* words() const override { return "floating point, error, accuracy, Kahan, pairwise"; }
    std::vector<Field> fields() const override {
        return {Field::elements, Field::float_type, Field::input, Field::seed};
    }
    std::optional<runs::RoundingOptions> runs(const Choices& c) const override {
        return runs::RoundingOptions{
            std::min(c.n, kMostByAll), is_floating(c.type) ? c.type : ElementType::f32, c.input, c.seed, 0, ""};
    }

    std::string sentence(const Subject& c) const override {
        if (!c.rounding || c.rounding->rows.empty()) {
            return "Floating-point sums depend on the order of combines. Every strategy runs, and its result is "
                   "compared with the exact sum.";
        }
        const runs::RoundingTable& t = *c.rounding;
        const auto strategies = t.rows.end() - 1; // "one by one" is last
        const auto worst = std::max_element(t.rows.begin(), strategies,
                                            [](const auto& a, const auto& b) { return a.error < b.error; });
        const runs::RoundingRow& serial = t.rows.back();
        return fmt::format("The exact sum of {} {} elements ({}{}) is {:.9g}. One by one the error is {:.2g}; of the "
                           "strategies the largest is {:.2g} ({}). The bound is depth × u × the sum of |x|: the "
                           "fewer combines one after another, the smaller.",
                           scene::grouped(t.options.n), c_name(t.options.type), name(t.options.input),
                           cut(c.n, t.options.n, kMostByAll), t.reference, serial.error,
                           worst == strategies ? 0 : worst->error, worst == strategies ? "none" : worst->strategy);
    }

    scene::Drawing draw(const FigureContext& context, scene::Rect area, const Subject& c) const override {
        Figure f(context, area);
        if (!c.rounding) {
            return f.take();
        }
        scene::Bars bars;
        bars.series = {"error", "bound"};
        std::vector<double> values;
        for (const runs::RoundingRow& r : c.rounding->rows) {
            values.insert(values.end(), {r.error, r.bound});
            bars.bars.push_back({r.strategy,
                                 {r.error, r.bound},
                                 r.error == 0 ? std::string("exact") : fmt::format("{:.2g}", r.error),
                                 r.error > r.bound});
        }
        bars.axis = scene::spanning("error", scene::AxisScale::log10, values);
        bars.axis.from /= 10; // so that the smallest has a bar, too
        const auto [left, right] = split(f, area, 0.52F);
        f.add(scene::draw_bars(f.plot(), left, bars));
        draw_table(f, right, rounding_table(*c.rounding));
        return f.take();
    }

    std::vector<Table> tables(const Subject& c) const override {
        return c.rounding ? std::vector{rounding_table(*c.rounding)} : std::vector<Table>{};
    }

    nlohmann::ordered_json json(const Subject& c) const override {
        nlohmann::ordered_json all = nlohmann::ordered_json::array();
        if (!c.rounding) {
            return {{"rows", all}};
        }
        const runs::RoundingTable& t = *c.rounding;
        for (const runs::RoundingRow& r : t.rows) {
            all.push_back({{"strategy", r.strategy},
                           {"result", r.result},
                           {"error", r.error},
                           {"relative_error", r.relative},
                           {"bound", r.bound},
                           {"depth", r.depth}});
        }
        return {{"n", t.options.n},
                {"type", name(t.options.type)},
                {"input", name(t.options.input)},
                {"seed", t.options.seed},
                {"exact", t.reference},
                {"sum_of_sizes", t.sum_of_sizes},
                {"unit_roundoff", t.unit},
                {"rows", all}};
    }
};
} // namespace

std::unique_ptr<Topic> make_rounding() { return std::make_unique<Rounding>(); }

} // namespace warptree::topics
