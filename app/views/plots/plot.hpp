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
// At most about `most` round values within the axis.
std::vector<Tick> ticks(const Axis& axis, int most);
// "1200", "3.5k", "16M", "0.25", "1e-7": at most about three digits.
std::string short_number(double value);
// Place on the axis: 0 at `from`, 1 at `to`.
double fraction(const Axis& axis, double value);
// An axis over all values with a little room, for logarithmic ones over those above 0; 0 … 1 without any.
Axis spanning(std::string title, AxisScale scale, const std::vector<double>& values);

struct PlotPoint {
    double x = 0, y = 0;
    double low = std::numeric_limits<double>::quiet_NaN(), high = low; // an error bar, where both are numbers
};
// Series differ in colour, dash and the shape of their points. Values that no axis can show are skipped.
struct Series {
    std::string name; // in the legend
    std::vector<PlotPoint> points;
    bool marked = false;       // its points are marked
    bool stepped = false;      // horizontal from each point to the next
    bool joined = true;        // by lines
    int color = -1, dash = -1; // of the styles; negative: by the place in the plot
};
// A chosen value: an upright or a level line with a label; `point`: also a disc at (x, y).
struct Mark {
    std::optional<double> x, y;
    std::string text;
    bool left = false; // the label of a level line stands at its left end
};
struct Plot {
    Axis x, y;
    std::vector<Series> series;
    std::vector<Mark> marks;
    bool label_ends = false; // names at the right, level with the curves' ends, where there is room; else in a legend
};
struct PlotHit { // where a point lies
    Rect rect;
    std::size_t series, point;
};

struct Bar {
    std::string name;
    std::vector<double> values; // one of each series; negative or not finite: none, `note` says why
    std::string note;           // behind the bar; empty: the value
    bool attention = false;
};
struct Bars {
    Axis axis;                       // horizontal; logarithmic ones begin at `from`
    std::vector<std::string> series; // names in the legend; one or none: no legend
    std::vector<Bar> bars;
};

// Bars of several series side by side, each with its own text.
struct GroupCell {
    std::optional<double> value; // nothing: no bar
    std::string text;            // behind the bar, or in its place
    std::optional<double> low, high;
};
struct Group {
    std::string name;
    std::vector<GroupCell> cells; // one of each series
};
struct Groups {
    Axis axis;
    std::vector<std::string> series; // names in the legend; one or none: no legend
    std::vector<int> colors;         // of the series among the styles; empty: by their place
    std::vector<Group> groups;
};

struct PlotContext {
    const Theme* theme = nullptr;
    const TextMeasure* measure = nullptr;
    float scale = 1; // of text and strokes
};
Drawing draw_plot(const PlotContext& context, Rect area, const Plot& plot, std::vector<PlotHit>* hits = nullptr);
// Rows from top to bottom, with names at the left; those without room are counted in a last line.
Drawing draw_bars(const PlotContext& context, Rect area, const Bars& bars);
// The same for groups; a hit's series and point are cell and group. It reaches over the whole row.
Drawing draw_groups(const PlotContext& context, Rect area, const Groups& groups, std::vector<PlotHit>* hits = nullptr);

} // namespace warptree::scene
