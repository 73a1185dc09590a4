// The results of one sum in many orders of its blocks and warps, beside the exact sum.
#include "app/base/type_words.hpp"
#include "app/features/theory/figure.hpp"
#include "app/run/judge/rounding.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace warptree::topics {

namespace {
constexpr std::uint32_t kOrders = 1000;
constexpr std::uint64_t kMostInOrders = 1ULL << 14; // elements

// The exact sum as the type has it, and the distance of its neighbours there.
struct Exact {
    explicit Exact(const runs::RoundingTable& t) {
        if (t.options.type == ElementType::f32) {
            const auto narrow = static_cast<float>(t.reference);
            value = static_cast<double>(narrow);
            unit = static_cast<double>(std::nextafter(std::abs(narrow), std::numeric_limits<float>::infinity())) -
                   std::abs(value);
        } else {
            value = t.reference;
            unit = std::nextafter(std::abs(value), std::numeric_limits<double>::infinity()) - std::abs(value);
        }
    }
    // Units in the last place of the exact sum, from it to `result`.
    double away(double result) const { return (result - value) / unit; }

    double value = 0, unit = 1;
};

Table results_table(const runs::RoundingTable& t) {
    const Exact exact(t);
    Table table{{{"result", true, 9}, {"orders", true, 8}, {"units from the exact sum", true, 7}}, {}};
    for (const OrderResult& r : t.orders.results) {
        if (r.value == exact.value) {
            table.marked.push_back(table.rows.size());
        }
        table.rows.push_back({TableCell(fmt::format("{:.9g}", r.value), r.value),
                              TableCell(std::to_string(r.orders), r.orders),
                              TableCell(fmt::format("{:.4g}", exact.away(r.value)), exact.away(r.value))});
    }
    return table;
}

class OrderSums : public Topic {
  public:
    const char* id() const override { return "orders"; }
    const char* title() const override { return "Order of additions"; }
    const char* words() const override {
        return "floating point, order, atomics, reproducible, deterministic, associative, exact sum";
    }
    std::vector<Field> fields() const override {
        return {Field::summed, Field::elements, Field::float_type, Field::input, Field::seed};
    }
    std::optional<runs::RoundingOptions> runs(const Choices& c) const override {
        return runs::RoundingOptions{std::min(c.n, kMostInOrders),
                                     is_floating(c.type) ? c.type : ElementType::f32,
                                     c.input,
                                     c.seed,
                                     kOrders,
                                     c.summed};
    }

    std::string sentence(const Subject& c) const override {
        if (!c.rounding || c.rounding->orders.results.empty()) {
            return "Nothing says in which order blocks and warps arrive at an atomic addition, and every order rounds "
                   "in "
                   "its own way. One kernel runs in a thousand orders.";
        }
        const runs::RoundingTable& t = *c.rounding;
        const Exact exact(t);
        const OrderResults& o = t.orders;
        const std::string what =
            fmt::format("{} sums {} ({}, {}{}) in {} orders of its blocks and warps: ", t.options.strategy,
                        scene::grouped(t.options.n), c_name(t.options.type), name(t.options.input),
                        cut(c.n, t.options.n, kMostInOrders), scene::grouped(o.orders));
        if (o.results.size() == 1) {
            const double value = o.results.front().value;
            return what + (value == exact.value
                               ? fmt::format("always the exact sum, {:.9g}.", exact.value)
                               : fmt::format("always {:.9g}, {:.4g} units in the last place from the exact sum {:.9g}.",
                                             value, std::abs(exact.away(value)), exact.value));
        }
        std::uint32_t right = 0;
        for (const OrderResult& r : o.results) {
            right += r.value == exact.value ? r.orders : 0;
        }
        return what + fmt::format("{} different results, from {:.9g} to {:.9g}. The exact sum, {:.9g}, is that of {}.",
                                  o.results.size(), o.results.front().value, o.results.back().value, exact.value,
                                  right == 0   ? "none"
                                  : right == 1 ? "one order"
                                               : fmt::format("{} orders", scene::grouped(right)));
    }

    scene::Drawing draw(const FigureContext& context, scene::Rect area, const Subject& c) const override {
        Figure f(context, area);
        if (!c.rounding || c.rounding->orders.results.empty()) {
            return f.take();
        }
        const auto [left, right] = split(f, area, 0.64F);
        f.add(scene::draw_plot(f.plot(), left, histogram(*c.rounding)));
        draw_table(f, right, results_table(*c.rounding));
        return f.take();
    }

    std::vector<Table> tables(const Subject& c) const override {
        return c.rounding ? std::vector{results_table(*c.rounding)} : std::vector<Table>{};
    }

    nlohmann::ordered_json json(const Subject& c) const override {
        if (!c.rounding) {
            return {{"orders", nlohmann::ordered_json::array()}};
        }
        const runs::RoundingTable& t = *c.rounding;
        return {{"strategy", t.options.strategy},  {"n", t.options.n},
                {"type", name(t.options.type)},    {"input", name(t.options.input)},
                {"seed", t.options.seed},          {"exact", t.reference},
                {"exact_rounded", Exact(t).value}, {"unit_in_the_last_place", Exact(t).unit},
                {"orders", order_json(t.orders)}};
    }

  private:
    // Orders by distance from the exact sum, in bars of whole units, at most some 60.
    static scene::Plot histogram(const runs::RoundingTable& t) {
        const Exact exact(t);
        double least = 0, most = 0;
        for (const OrderResult& r : t.orders.results) {
            least = std::min(least, exact.away(r.value));
            most = std::max(most, exact.away(r.value));
        }
        const double width = std::max(1.0, std::ceil((most - least) / 60));
        std::map<long long, double> bars;
        for (const OrderResult& r : t.orders.results) {
            bars[std::llround(exact.away(r.value) / width)] += r.orders;
        }
        scene::Plot plot;
        plot.series.push_back({fmt::format("{}, {} orders", t.options.strategy, t.orders.orders), {}, false, true});
        const long long first = std::min(bars.begin()->first, 0LL) - 1, last = std::max(bars.rbegin()->first, 0LL) + 1;
        double highest = 0;
        for (long long k = first; k <= last + 1; ++k) {
            const auto found = bars.find(k);
            const double count = found == bars.end() ? 0 : found->second;
            plot.series[0].points.push_back({(static_cast<double>(k) - 0.5) * width, count});
            highest = std::max(highest, count);
        }
        plot.x = {"units in the last place from the exact sum", scene::AxisScale::linear,
                  (static_cast<double>(first) - 0.5) * width, (static_cast<double>(last) + 0.5) * width};
        plot.y = {"orders", scene::AxisScale::linear, 0, highest * 1.1};
        plot.marks.push_back({0.0, std::nullopt, fmt::format("exact: {:.9g}", exact.value)});
        return plot;
    }
};
} // namespace

std::unique_ptr<Topic> make_order_sums() { return std::make_unique<OrderSums>(); }

} // namespace warptree::topics
