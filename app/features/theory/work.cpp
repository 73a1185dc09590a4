// Work, steps, cost and parallelism of a sum of n numbers, with one, P and n processors.
#include "app/theory/work.hpp"
#include "app/features/theory/figure.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace warptree::topics {

namespace {
using theory::Plan;

struct Way {
    std::string name;
    Plan plan;
};

std::vector<Way> ways(const Subject& c) {
    const std::uint32_t block = c.block.threads();
    return {{"one processor", theory::with_processors(c.n, 1)},
            {fmt::format("one block, B = {}", block), theory::with_processors(c.n, block)},
            {fmt::format("P = {}", scene::grouped(c.processors)), theory::with_processors(c.n, c.processors)},
            {"n / log n", theory::brent(c.n)},
            {"n", theory::one_each(c.n)}};
}

Table ways_table(const Subject& c) {
    Table table{{{"processors", false, 9},
                 {"how many", true, 2},
                 {"steps", true, 8},
                 {"cost", true, 7},
                 {"speed-up", true, 5},
                 {"efficiency", true, 6}},
                {}};
    for (const Way& way : ways(c)) {
        const Plan& p = way.plan;
        table.rows.push_back({{way.name},
                              {scene::short_number(static_cast<double>(p.processors)), p.processors},
                              {scene::grouped(p.steps), p.steps},
                              {scene::short_number(static_cast<double>(p.cost)), p.cost},
                              {scene::short_number(p.speedup), p.speedup},
                              {fmt::format("{:.3g} %", 100 * p.efficiency), p.efficiency}});
    }
    return table;
}

class Work : public Topic {
  public:
    const char* id() const override { return "work"; }
    const char* title() const override { return "Work, steps and cost"; }
    const char* words() const override { return "Brent, depth, steps, cost, parallelism, complexity"; }
    std::vector<Field> fields() const override { return {Field::elements, Field::block_x, Field::processors}; }

    std::string sentence(const Subject& c) const override {
        const Plan p = theory::with_processors(c.n, c.processors);
        const auto bound = static_cast<double>(c.n) / static_cast<double>(c.processors) + theory::tree_steps(c.n);
        return fmt::format("{} combines in {} steps: at most {} at once, {} on average. {} {} {} steps, "
                           "within n/P + log n, which is {}; n processors finish first but cost n log n, n / log n "
                           "processors cost about 2n: cost efficient (Brent).",
                           scene::grouped(theory::combines(c.n)), theory::tree_steps(c.n),
                           scene::grouped(theory::peak_parallel(c.n)),
                           scene::grouped(static_cast<std::uint64_t>(std::llround(theory::average_parallel(c.n)))),
                           scene::plural(c.processors, "processor"), c.processors == 1 ? "takes" : "take",
                           scene::grouped(p.steps), scene::grouped(static_cast<std::uint64_t>(bound)));
    }

    scene::Drawing draw(const FigureContext& context, scene::Rect area, const Subject& c) const override {
        Figure f(context, area);
        const float table_height = f.line_height(f.body()) * 7;
        const bool table = area.h - table_height >= f.px(220);
        const scene::Rect plots{area.x, area.y, area.w, table ? area.h - table_height : area.h};
        const auto [left, right] = split(f, plots, 0.46F);
        f.add(scene::draw_plot(f.plot(), left, parallelism(c)));
        f.add(scene::draw_plot(f.plot(), right, time(c)));
        if (table) {
            const float y = plots.bottom() + f.px(12);
            draw_table(f, {area.x, y, area.w, area.bottom() - y}, ways_table(c));
        }
        return f.take();
    }

    std::vector<Table> tables(const Subject& c) const override { return {ways_table(c)}; }

    nlohmann::ordered_json json(const Subject& c) const override {
        nlohmann::ordered_json all = nlohmann::ordered_json::array(), steps = nlohmann::ordered_json::array();
        for (const Way& way : ways(c)) {
            all.push_back({{"name", way.name},
                           {"processors", way.plan.processors},
                           {"steps", way.plan.steps},
                           {"cost", way.plan.cost},
                           {"speedup", way.plan.speedup},
                           {"efficiency", way.plan.efficiency}});
        }
        for (std::uint32_t s = 0; s < theory::tree_steps(c.n); ++s) {
            steps.push_back(theory::combines_of_step(c.n, s));
        }
        return {{"n", c.n},
                {"combines", theory::combines(c.n)},
                {"steps", theory::tree_steps(c.n)},
                {"peak_parallelism", theory::peak_parallel(c.n)},
                {"average_parallelism", theory::average_parallel(c.n)},
                {"combines_of_step", steps},
                {"greedy_steps", theory::greedy_steps(c.n, c.processors)},
                {"brent_bound", theory::brent_bound(c.n, c.processors)},
                {"ways", all}};
    }

  private:
    static scene::Plot parallelism(const Subject& c) {
        scene::Plot plot;
        const std::uint32_t steps = theory::tree_steps(c.n);
        plot.x = {"step", scene::AxisScale::linear, 1, std::max(2.0, static_cast<double>(steps))};
        plot.series.push_back({"combines at once", {}, true, false});
        std::vector<double> values{theory::average_parallel(c.n)};
        for (std::uint32_t s = 0; s < steps; ++s) {
            const auto count = static_cast<double>(theory::combines_of_step(c.n, s));
            plot.series[0].points.push_back({s + 1.0, count});
            values.push_back(count);
        }
        plot.y = scene::spanning("combines", scene::AxisScale::log10, values);
        plot.marks.push_back({std::nullopt, theory::average_parallel(c.n),
                              "average " + scene::short_number(std::round(theory::average_parallel(c.n)))});
        return plot;
    }

    static scene::Plot time(const Subject& c) {
        scene::Plot plot;
        plot.series = {
            {"steps with P processors", {}, false, false}, {"n / P", {}, false, false}, {"cost ÷ n", {}, false, false}};
        std::vector<double> values;
        const auto n = static_cast<double>(c.n);
        const int last = static_cast<int>(std::ceil(std::log2(n)));
        for (int half = 0; half <= 2 * last; ++half) {
            const double p = std::min(n, std::round(std::exp2(half / 2.0)));
            const Plan plan = theory::with_processors(c.n, static_cast<std::uint64_t>(p));
            plot.series[0].points.push_back({p, static_cast<double>(plan.steps)});
            plot.series[1].points.push_back({p, n / p});
            plot.series[2].points.push_back({p, static_cast<double>(plan.cost) / n});
            values.insert(values.end(), {static_cast<double>(plan.steps), n / p, static_cast<double>(plan.cost) / n});
        }
        plot.x = {"processors P", scene::AxisScale::log2, 1, std::max(2.0, std::exp2(last))};
        plot.y = scene::spanning("steps", scene::AxisScale::log10, values);
        const auto p = static_cast<double>(std::min(c.n, c.processors));
        const auto steps = static_cast<double>(theory::with_processors(c.n, static_cast<std::uint64_t>(p)).steps);
        plot.marks.push_back({p, steps, fmt::format("P: {} steps", scene::short_number(steps))});
        const auto fair = static_cast<double>(theory::brent(c.n).processors);
        plot.marks.push_back({fair, std::nullopt, "n / log n"});
        return plot;
    }
};
} // namespace

std::unique_ptr<Topic> make_work() { return std::make_unique<Work>(); }

} // namespace warptree::topics
