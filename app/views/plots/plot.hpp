// Plots as draw records: lines over two axes, and bars. Labels never overlap: those without room are left out.
#pragma once

#include "app/drawing/draw.hpp"
#include "app/drawing/theme.hpp"

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace warptree::scene {

enum class AxisScale : std::uint8_t { linear, log2, log10 };

struct Axis {
    std::string title; // with its unit
    AxisScale scale = AxisScale::linear;
    double from = 0, to = 1; // from < to; logarithmic ones above 0
};

struct Tick {
    double at;
    std::string text;
};
// At most about `most` round values within the range of the axis.
std::vector<Tick> ticks(const Axis& axis, int most);
// "1200", "12.5k", "16M", "0.25", "1e-07": two to four significant digits.
std::string short_number(double value);
// Position on the axis: 0 at `from`, 1 at `to`.
double fraction(const Axis& axis, double value);
// An axis over all values: a linear one starts at 0 or below and leaves a little room above; a logarithmic one covers
// the values above 0 and ends at whole powers.
Axis spanning(std::string title, AxisScale scale, const std::vector<double>& values);

struct PlotPoint {
    double x = 0, y = 0;
    double low = std::numeric_limits<double>::quiet_NaN(), high = low; // error bar, if both are numbers
};
// Series differ in colour, dash and the shape of their points. Values that an axis cannot show are skipped.
struct Series {
    std::string name; // in the legend
    std::vector<PlotPoint> points;
    bool marked = false;       // with a mark at each point
    bool stepped = false;      // horizontal from each point to the next
    bool joined = true;        // points are connected
    int color = -1, dash = -1; // index of the style; negative: by position in the plot
};
// A labelled value: a vertical line at x, a horizontal line at y, or with both a disc at (x, y).
struct Mark {
    std::optional<double> x, y;
    std::string text;
    bool left = false; // label of a horizontal line at its left end
};
struct Plot {
    Axis x, y;
    std::vector<Series> series;
    std::vector<Mark> marks;
    bool label_ends = false; // names at the right, beside the curves' ends, if there is room; else in a legend
};
struct PlotHit { // where a point is drawn
    Rect rect;
    std::size_t series, point;
};

struct Bar {
    std::string name;
    std::vector<double> values; // one per series; no bar if NaN or below the axis, `note` says why
    std::string note;           // after the bar; empty: the last value
    bool attention = false;
};
struct Bars {
    Axis axis;                       // horizontal; bars begin at `from`
    std::vector<std::string> series; // names in the legend; fewer than two: no legend
    std::vector<Bar> bars;
};

// Bars of several series side by side, each with its own text.
struct GroupCell {
    std::optional<double> value; // nullopt: no bar
    std::string text;            // after the bar, or in its place
    std::optional<double> low, high;
};
struct Group {
    std::string name;
    std::vector<GroupCell> cells; // one per series
};
struct Groups {
    Axis axis;
    std::vector<std::string> series; // names in the legend; fewer than two: no legend
    std::vector<int> colors;         // index of the style, by series; empty: by position
    std::vector<Group> groups;
};

struct PlotContext {
    const Theme* theme = nullptr;
    const TextMeasure* measure = nullptr;
    float scale = 1; // of text and strokes
};
Drawing draw_plot(const PlotContext& context, Rect area, const Plot& plot, std::vector<PlotHit>* hits = nullptr);
// Rows from top to bottom, with names at the left; a last line counts those that do not fit.
Drawing draw_bars(const PlotContext& context, Rect area, const Bars& bars);
// The same for groups; a hit's series and point are cell and group. It spans the whole line of the cell.
Drawing draw_groups(const PlotContext& context, Rect area, const Groups& groups, std::vector<PlotHit>* hits = nullptr);

} // namespace warptree::scene
