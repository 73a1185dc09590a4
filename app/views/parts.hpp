// Helpers shared by the views: colours, fitting text, shortcuts for adding records.
#pragma once

#include "app/views/views.hpp"

#include <string>
#include <vector>

namespace warptree::scene {

inline constexpr Color kClear{0, 0, 0, 0};
Color with_alpha(Color color, float alpha);      // scales its alpha by 0 … 1
Color mix(Color from, Color to, float fraction); // fully opaque
Color ink_on(const Theme& theme, Color fill);    // text or background, whichever reads better on `fill`

// The longest prefix that is at most `room` wide, ending in "…" if cut; empty if not even one letter fits.
std::string fitted(const TextMeasure& measure, const std::string& text, Face face, float size, float room);
// Lines of whole words, each at most `room` wide unless a single word is wider.
std::vector<std::string> wrapped(const TextMeasure& measure, const std::string& text, Face face, float size,
                                 float room);
std::string grouped(std::uint64_t count);                      // "16,384"
std::string plural(std::uint64_t count, const char* singular); // "1 warp", "8 warps"
// A value in at most about `digits` significant digits: "0.333", "1.05e+06"; whole numbers in full.
std::string short_value(const Scalar& value, int digits);
// A number of five digits or more in at most three: "12k", "1.2M", "-524M"; any other text as it is.
std::string compact(const std::string& number);

Rect intersect(const Rect& a, const Rect& b); // width and height never negative
Rect inset(const Rect& r, float by);
bool inside(const Rect& outer, const Rect& inner);

Curve straight(Point from, Point to, float width, Color color, float dash = 0);
// A curve that starts and ends vertically.
Curve falling(Point from, Point to, float width, Color color);
Point along(const Curve& curve, float t);

// Adds text only if all of it lies in `room`; returns whether it did.
bool put_text(Layer& layer, const TextMeasure& measure, const Rect& room, Text text);
// Adds a hit clipped to `room`, if anything is left of it.
void put_hit(Drawing& drawing, const Rect& room, const Rect& rect, const Target& target);

// Whether there is something to draw, with theme and fonts, and room for it.
bool can_draw(const ViewContext& context, const Rect& area);

// The launch shown at a moment; during the host's combine, the last one. nullptr without launches.
const Launch* shown_launch(const Trace& trace, const session::Moment& moment, std::uint32_t* index = nullptr);
bool is_host(const Trace& trace, const session::Moment& moment);
// Steps before this one are complete, later ones are to come; during the host's combine all are complete.
std::uint32_t current_step(const Trace& trace, const session::Moment& moment);

// Whether the user has yet to predict the step.
bool is_hidden(const ViewContext& context, std::uint32_t launch, std::uint32_t step);
// Its placeholder: hatched, with a "?" if it fits.
void add_unknown(const ViewContext& context, Layer& layer, const Rect& rect);

} // namespace warptree::scene
