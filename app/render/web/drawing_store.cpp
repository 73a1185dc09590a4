#include "app/render/web/drawing_store.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warptree::render {

namespace {

using scene::Box;
using scene::Color;
using scene::Curve;
using scene::Drawing;
using scene::Hit;
using scene::Layer;
using scene::Target;
using scene::Text;

// Sixteenths of a pixel, within what a column of 16 bits holds.
std::int32_t fixed(float pixels) {
    constexpr float kMost = std::numeric_limits<std::int16_t>::max();
    return static_cast<std::int32_t>(std::lround(std::clamp(pixels * 16, -kMost, kMost)));
}

bool same_shape(const Drawing& a, const Drawing& b) {
    const auto equal_layers = [](const Layer& x, const Layer& y) {
        const auto texts = [](const Text& s, const Text& t) {
            return s.anchor == t.anchor && s.align == t.align && s.face == t.face && s.size == t.size &&
                   s.text == t.text;
        };
        const auto boxes = [](const Box& s, const Box& t) {
            return s.rect == t.rect && s.radius == t.radius && s.stroke_width == t.stroke_width &&
                   s.pattern == t.pattern;
        };
        const auto curves = [](const Curve& s, const Curve& t) {
            return s.from == t.from && s.control1 == t.control1 && s.control2 == t.control2 && s.to == t.to &&
                   s.width == t.width && s.dash == t.dash;
        };
        return std::equal(x.texts.begin(), x.texts.end(), y.texts.begin(), y.texts.end(), texts) &&
               std::equal(x.boxes.begin(), x.boxes.end(), y.boxes.begin(), y.boxes.end(), boxes) &&
               std::equal(x.curves.begin(), x.curves.end(), y.curves.begin(), y.curves.end(), curves);
    };
    const auto hits = [](const Hit& s, const Hit& t) { return s.rect == t.rect && s.target == t.target; };
    return std::equal(a.layers.begin(), a.layers.end(), b.layers.begin(), b.layers.end(), equal_layers) &&
           std::equal(a.hits.begin(), a.hits.end(), b.hits.begin(), b.hits.end(), hits);
}

std::int32_t signed_bits(std::uint32_t value) { return static_cast<std::int32_t>(value); }

void append(std::string& to, std::uint32_t value, unsigned bytes) {
    for (unsigned b = 0; b < bytes; ++b) {
        to += static_cast<char>(value >> (8 * b) & 0xFF);
    }
}

} // namespace

std::uint32_t DrawingStore::string(const std::string& text) {
    const auto [at, fresh] = string_at_.try_emplace(text, static_cast<std::uint32_t>(strings_.size()));
    if (fresh) {
        strings_.push_back(text);
    }
    return at->second;
}

std::int32_t DrawingStore::color(Color light, Color dark) {
    const std::array<std::uint8_t, 8> both{light.r, light.g, light.b, light.a, dark.r, dark.g, dark.b, dark.a};
    const auto [at, fresh] = color_at_.try_emplace(both, static_cast<std::int32_t>(palette_.size()));
    if (fresh) {
        palette_.push_back({light, dark});
    }
    return at->second;
}

void DrawingStore::put_runs(const std::vector<std::uint32_t>& records) {
    const std::size_t count_at = frames_.size();
    frames_.push_back(0);
    for (std::size_t i = 0; i < records.size();) {
        std::size_t end = i + 1;
        while (end < records.size() && records[end] == records[end - 1] + 1) {
            ++end;
        }
        frames_.push_back(records[i]);
        frames_.push_back(static_cast<std::uint32_t>(end - i));
        ++frames_[count_at];
        i = end;
    }
}

std::uint32_t DrawingStore::add_frame(const Drawing& light, const Drawing& dark, const scene::TextMeasure& measure,
                                      const Tell& tell) {
    frame_at_.push_back(static_cast<std::uint32_t>(frames_.size()));
    const scene::Rect& clip = light.clip;
    for (const float side : {clip.x, clip.y, clip.w, clip.h}) {
        frames_.push_back(static_cast<std::uint32_t>(fixed(side)));
    }
    frames_.push_back(static_cast<std::uint32_t>(light.layers.size()));
    std::vector<std::uint32_t> records;
    for (std::size_t l = 0; l < light.layers.size(); ++l) {
        const Layer &a = light.layers[l], &b = dark.layers[l];
        records.clear();
        for (std::size_t i = 0; i < a.curves.size(); ++i) {
            const Curve& c = a.curves[i];
            records.push_back(curves_.add({fixed(c.from.x), fixed(c.from.y), fixed(c.control1.x), fixed(c.control1.y),
                                           fixed(c.control2.x), fixed(c.control2.y), fixed(c.to.x), fixed(c.to.y),
                                           fixed(c.width), color(c.color, b.curves[i].color), fixed(c.dash)}));
        }
        put_runs(records);
        records.clear();
        for (std::size_t i = 0; i < a.boxes.size(); ++i) {
            const Box &c = a.boxes[i], &d = b.boxes[i];
            records.push_back(
                boxes_.add({fixed(c.rect.x), fixed(c.rect.y), fixed(c.rect.w), fixed(c.rect.h), fixed(c.radius),
                            color(c.fill, d.fill), color(c.stroke, d.stroke), fixed(c.stroke_width),
                            static_cast<std::int32_t>(c.pattern), color(c.pattern_color, d.pattern_color)}));
        }
        put_runs(records);
        records.clear();
        for (std::size_t i = 0; i < a.texts.size(); ++i) {
            const Text& t = a.texts[i];
            records.push_back(
                texts_.add({fixed(t.anchor.x), fixed(t.anchor.y), static_cast<std::int32_t>(t.align),
                            static_cast<std::int32_t>(t.face), fixed(t.size), color(t.color, b.texts[i].color),
                            fixed(measure.width(t.text, t.face, t.size)), signed_bits(string(t.text))}));
        }
        put_runs(records);
    }
    records.clear();
    for (const Hit& hit : light.hits) {
        const Target& t = hit.target;
        const std::uint32_t told = string(tell ? tell(t) : std::string());
        const std::uint32_t target =
            targets_.add({static_cast<std::int32_t>(t.kind), signed_bits(t.launch), signed_bits(t.block),
                          signed_bits(t.index), signed_bits(t.step), signed_bits(told)});
        records.push_back(hits_.add(
            {fixed(hit.rect.x), fixed(hit.rect.y), fixed(hit.rect.w), fixed(hit.rect.h), signed_bits(target)}));
    }
    put_runs(records);
    return static_cast<std::uint32_t>(frame_at_.size() - 1);
}

std::array<std::uint32_t, 2> DrawingStore::add(const Drawing& light, const Drawing& dark,
                                               const scene::TextMeasure& measure, const Tell& tell) {
    if (same_shape(light, dark)) {
        const std::uint32_t both = add_frame(light, dark, measure, tell);
        return {both, both};
    }
    const std::uint32_t first = add_frame(light, light, measure, tell);
    return {first, add_frame(dark, dark, measure, tell)};
}

std::string DrawingStore::bytes(std::vector<Column>& columns) const {
    std::string all;
    const auto put = [&](const std::string& name, const char* type, std::size_t count, auto&& value) {
        all.resize((all.size() + 3) / 4 * 4);
        columns.push_back({name, type, all.size(), count});
        const unsigned width = type[1] == '8' ? 1 : type[1] == '1' ? 2 : 4;
        for (std::size_t i = 0; i < count; ++i) {
            append(all, static_cast<std::uint32_t>(value(i)), width);
        }
    };
    const auto put_table = [&](const char* name, const auto& table,
                               std::initializer_list<std::pair<const char*, const char*>> fields) {
        std::size_t f = 0;
        for (const auto& [field, type] : fields) {
            put(std::string(name) + "." + field, type, table.rows.size(),
                [&](std::size_t i) { return table.rows[i][f]; });
            ++f;
        }
    };
    put_table("curve", curves_,
              {{"x0", "i16"},
               {"y0", "i16"},
               {"x1", "i16"},
               {"y1", "i16"},
               {"x2", "i16"},
               {"y2", "i16"},
               {"x3", "i16"},
               {"y3", "i16"},
               {"width", "u16"},
               {"color", "u16"},
               {"dash", "u16"}});
    put_table("box", boxes_,
              {{"x", "i16"},
               {"y", "i16"},
               {"w", "i16"},
               {"h", "i16"},
               {"radius", "u16"},
               {"fill", "u16"},
               {"stroke", "u16"},
               {"stroke_width", "u16"},
               {"pattern", "u8"},
               {"pattern_color", "u16"}});
    put_table("text", texts_,
              {{"x", "i16"},
               {"y", "i16"},
               {"align", "u8"},
               {"face", "u8"},
               {"size", "u16"},
               {"color", "u16"},
               {"width", "u16"},
               {"string", "u32"}});
    put_table("hit", hits_, {{"x", "i16"}, {"y", "i16"}, {"w", "i16"}, {"h", "i16"}, {"target", "u32"}});
    put_table(
        "target", targets_,
        {{"kind", "u8"}, {"launch", "u32"}, {"block", "u32"}, {"index", "u32"}, {"step", "u32"}, {"string", "u32"}});
    put("frame", "u32", frames_.size(), [&](std::size_t i) { return frames_[i]; });
    put("frame_at", "u32", frame_at_.size(), [&](std::size_t i) { return frame_at_[i]; });
    all.resize((all.size() + 3) / 4 * 4);
    return all;
}

} // namespace warptree::render
