// Real time inside a kernel, as recorded on a GPU: cycles of each step, and which multiprocessor ran each block when.
#include "app/measure/clocks/clocks.hpp"
#include "app/base/error.hpp"
#include "app/base/type_words.hpp"
#include "app/document/recordings.hpp"
#include "app/features/theory/figure.hpp"
#include "app/views/parts.hpp"
#include "app/views/recorded.hpp"
#include "app/views/schedule/schedule.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace warptree::topics {

namespace {
struct Found {
    const clocks::Recording* recording = nullptr;
    std::string error; // why there is none
};
Found find(const Subject& c) {
    try {
        if (const clocks::Recording* r = session::nearest_clocks(c.recorded, c.block.threads(), c.type)) {
            return {r, {}};
        }
    } catch (const FileError& e) {
        return {nullptr, e.what()};
    }
    return {nullptr, fmt::format("none of {} ships with this program", c.recorded)};
}

std::string whole(double cycles) { return scene::grouped(static_cast<std::uint64_t>(std::llround(cycles))); }
TableCell cell(double cycles) { return {whole(cycles), cycles}; }

Table steps_table(const clocks::Recording& r) {
    Table table{{{"step", false, 9},
                 {"warps", true, 5},
                 {"least", true, 4},
                 {"median", true, 8},
                 {"most", true, 6},
                 {"at barriers", true, 7}},
                {}};
    for (const clocks::StepCycles& s : r.steps) {
        table.rows.push_back({s.label,
                              {scene::grouped(s.warps), s.warps},
                              cell(s.least),
                              cell(s.median),
                              cell(s.most),
                              cell(s.waiting)});
    }
    return table;
}

class Clocks : public Topic {
  public:
    const char* id() const override { return "clocks"; }
    const char* title() const override { return "Time inside a kernel"; }
    const char* words() const override { return "cycles, latency, time of a step"; }
    std::vector<Field> fields() const override { return {Field::recorded}; }

    std::string sentence(const Subject& c) const override {
        const auto [r, error] = find(c);
        if (r == nullptr) {
            return "No clock readings: " + error + ".";
        }
        const auto slowest = std::max_element(r->steps.begin(), r->steps.end(),
                                              [](const auto& a, const auto& b) { return a.median < b.median; });
        std::string text = fmt::format("{} on an {}, n = {}, B = {}, {}: ", r->strategy, scene::short_device(r->device),
                                       scene::grouped(r->n), r->block, c_name(r->type));
        if (slowest != r->steps.end()) {
            text += fmt::format("the step {} takes a warp longest, {} cycles, {} of them at barriers. ", slowest->label,
                                whole(slowest->median), whole(slowest->waiting));
        }
        return text + scene::schedule_sentence(*r);
    }

    scene::Drawing draw(const FigureContext& context, scene::Rect area, const Subject& c) const override {
        Figure f(context, area);
        const clocks::Recording* r = find(c).recording;
        if (r == nullptr) {
            return f.take();
        }
        scene::Bars bars;
        bars.series = {"cycles of a warp, median", "of them at barriers"};
        std::vector<double> values;
        for (const clocks::StepCycles& s : r->steps) {
            values.push_back(s.median);
            bars.bars.push_back({s.label, {s.median, s.waiting}, whole(s.median), false});
        }
        bars.axis = scene::spanning("cycles", scene::AxisScale::linear, values);
        bars.axis.from = 0;
        const auto [left, right] = split(f, area, 0.4F);
        f.add(scene::draw_bars(f.plot(), left, bars));
        if (right.h > 1) {
            f.add(scene::draw_schedule(*r, f.theme(), *context.measure, context.scale, right));
        }
        return f.take();
    }

    std::vector<Table> tables(const Subject& c) const override {
        const clocks::Recording* r = find(c).recording;
        return r == nullptr ? std::vector<Table>{} : std::vector{steps_table(*r)};
    }

    nlohmann::ordered_json json(const Subject& c) const override {
        const auto [r, error] = find(c);
        nlohmann::ordered_json steps = nlohmann::ordered_json::array();
        if (r == nullptr) {
            return {{"strategy", c.recorded}, {"error", error}, {"steps", steps}};
        }
        for (const clocks::StepCycles& s : r->steps) {
            steps.push_back({{"label", s.label},
                             {"warps", s.warps},
                             {"least", s.least},
                             {"median", s.median},
                             {"most", s.most},
                             {"waiting", s.waiting}});
        }
        const clocks::Occupation o = clocks::occupation(r->blocks);
        return {{"strategy", r->strategy},
                {"error", ""},
                {"device", r->device},
                {"n", r->n},
                {"block", r->block},
                {"type", name(r->type)},
                {"blocks", r->blocks.size()},
                {"multiprocessors_used", o.multiprocessors},
                {"most_blocks_at_a_time", o.most_blocks},
                {"end_ns", o.end_ns},
                {"overhead", r->overhead()},
                {"steps", steps}};
    }
};
} // namespace

std::unique_ptr<Topic> make_clocks() { return std::make_unique<Clocks>(); }

} // namespace warptree::topics
