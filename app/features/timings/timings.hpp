// The Timings screen as draw records: bars of each kernel, a figure beside them, and the table. Pure functions of
// recorded series and the conditions; what was not measured is shown as such.
#pragma once

#include "app/measure/timing/table.hpp"
#include "app/views/plots/plot.hpp"

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::scene {

// What bars and curves show. speedup: against the first kernel of the same series.
enum class TimingShow : std::uint8_t { time, bandwidth, share, speedup };
inline constexpr std::array kTimingShows{TimingShow::time, TimingShow::bandwidth, TimingShow::share,
                                         TimingShow::speedup};
std::string_view name(TimingShow show); // "time", "bandwidth", "peak", "speed-up"
std::optional<TimingShow> timing_show_from(std::string_view text);

// The figure beside the bars. sizes: against n; modes: cold and warm; blocks: block sizes side by side; samples: of one
// point; limits: the best of each series against its device's bandwidth.
enum class TimingFigure : std::uint8_t { sizes, modes, blocks, samples, limits };
inline constexpr std::array kTimingFigures{TimingFigure::sizes, TimingFigure::modes, TimingFigure::blocks,
                                           TimingFigure::samples, TimingFigure::limits};
std::string_view name(TimingFigure figure); // "sizes", "modes", "blocks", "samples", "limits"
std::optional<TimingFigure> timing_figure_from(std::string_view text);

struct TimingsView {
    std::span<const timing::Series> series; // those shown
    std::span<const int> colors;            // of each, an index into the plot styles; fixed while others come and go
    timing::Conditions conditions;
    TimingShow show = TimingShow::speedup;
    TimingFigure figure = TimingFigure::sizes;
    std::optional<std::size_t> selected; // a row of timing::rows(series, conditions); its samples are shown
    int front = 0;                       // if there is room for only one part: bars, figure or table
};

struct TimingHit {
    Rect rect;
    std::size_t series; // index in the view
    const timing::Point* point;
};
struct TimingsDrawing {
    Drawing drawing;
    std::vector<TimingHit> hits; // later ones lie above earlier ones
    int parts = 3;               // how many of bars, figure and table fit at once
    const TimingHit* at(Point p) const;
};
TimingsDrawing draw_timings(const PlotContext& context, Rect area, const TimingsView& view);
// The same as a whole picture with its background.
Drawing compose_timings(const PlotContext& context, float width, float height, const TimingsView& view);

// Every number of a point and where it comes from, one per line. `row`: the point's, for its speed-ups; may be null.
std::string describe(const timing::Series& series, const timing::Point& point, const timing::Row* row);

// Parts of the screen, each in its own area.
struct TimingsPen {
    const PlotContext& context;
    const TimingsView& view;
    std::span<const timing::Row> rows; // timing::rows of the view
    TimingsDrawing& out;

    float px(float at_scale_1) const { return at_scale_1 * context.scale; }
    const Theme& theme() const { return *context.theme; }
    void add(Drawing&& drawing); // above what is there
    // One line in the room, cut with "…" when too long.
    void text(const Rect& room, const std::string& text, Color color, Align align = Align::left, Face face = Face::sans,
              float size = 13);
};
std::string spelled(const timing::Conditions& conditions); // as to_string, with the type as CUDA code spells it
void draw_timing_bars(TimingsPen& pen, const Rect& area);
void draw_timing_figure(TimingsPen& pen, const Rect& area);
void draw_timing_table(TimingsPen& pen, const Rect& area);

// A row's value of that kind, its text, and lower and upper quartile if known.
struct Shown {
    std::optional<double> value, low, high;
    std::string text; // also says why there is no value
};
Shown shown_value(const timing::Row& row, TimingShow show);
// An axis for values from `shown_value`, in a suitable unit: divide the values by `unit`.
struct ShownAxis {
    Axis axis;
    double unit = 1;
};
ShownAxis shown_axis(TimingShow show, const std::vector<double>& values, bool from_first);

// Bars by kernel, and the row of each: rows[group][cell], null if there is none.
struct RowGroups {
    Groups groups;
    std::vector<std::vector<const timing::Row*>> rows;
};
// For the kernels for which `row_of(kernel, column)` finds a row in any column; the others are left out. A column
// without a row says `missing`. Values are in the axis's unit; the caller sets the columns' names and colours.
RowGroups group_rows(const TimingsView& view, std::span<const std::string> kernels, std::size_t columns,
                     const std::function<const timing::Row*(const std::string& kernel, std::size_t column)>& row_of,
                     const char* missing);

} // namespace warptree::scene
