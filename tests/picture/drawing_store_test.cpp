// Drawings as columns of numbers: read back by the format's description, they are the drawings that the views made.
#include "app/render/cairo/cairo_text.hpp"
#include "app/render/web/drawing_store.hpp"
#include "app/views/views.hpp"
#include "tests/support/scene_fixture.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>

namespace warptree::render {
namespace {

using scene::Drawing;
using scene::ThemeName;

// What a painter has: the columns alone.
class Reader {
  public:
    explicit Reader(const DrawingStore& store) : store_(store), bytes_(store.bytes(list_)) {
        for (const auto& column : list_) {
            columns_[column.name] = column;
        }
    }
    std::int64_t at(const std::string& name, std::size_t row) const {
        const auto& column = columns_.at(name);
        const std::string_view type = column.type;
        EXPECT_LT(row, column.count) << name;
        EXPECT_EQ(column.at % 4, 0U) << name;
        const unsigned width = type == "u8" ? 1 : type == "u32" ? 4 : 2;
        std::uint32_t value = 0;
        for (unsigned b = 0; b < width; ++b) {
            value |= std::uint32_t{static_cast<std::uint8_t>(bytes_.at(column.at + row * width + b))} << (8 * b);
        }
        return type == "i16" ? static_cast<std::int16_t>(value) : std::int64_t{value};
    }
    float length(const std::string& name, std::size_t row) const { return static_cast<float>(at(name, row)) / 16; }
    scene::Color color(const std::string& name, std::size_t row, ThemeName theme) const {
        return store_.palette().at(static_cast<std::size_t>(at(name, row)))[theme == ThemeName::dark ? 1 : 0];
    }
    std::size_t count(const std::string& name) const { return columns_.at(name).count; }

  private:
    const DrawingStore& store_;
    std::vector<DrawingStore::Column> list_;
    std::string bytes_;
    std::map<std::string, DrawingStore::Column> columns_;
};

void expect_near(const scene::Rect& is, const scene::Rect& should) {
    constexpr float kStep = 1.0F / 32 + 1e-4F;
    EXPECT_NEAR(is.x, should.x, kStep);
    EXPECT_NEAR(is.y, should.y, kStep);
    EXPECT_NEAR(is.w, should.w, kStep);
    EXPECT_NEAR(is.h, should.h, kStep);
}

void expect_frame(const Reader& reader, const DrawingStore& store, std::uint32_t frame, const Drawing& drawing,
                  ThemeName theme) {
    std::size_t at = static_cast<std::size_t>(reader.at("frame_at", frame)) + 4; // behind the clip
    const auto next = [&] { return static_cast<std::size_t>(reader.at("frame", at++)); };
    const auto rows = [&] {
        std::vector<std::size_t> all;
        for (std::size_t runs = next(); runs > 0; --runs) {
            const std::size_t first = next(), length = next();
            for (std::size_t i = first; i < first + length; ++i) {
                all.push_back(i);
            }
        }
        return all;
    };
    ASSERT_EQ(next(), drawing.layers.size());
    for (const scene::Layer& layer : drawing.layers) {
        const auto curves = rows();
        ASSERT_EQ(curves.size(), layer.curves.size());
        for (std::size_t i = 0; i < curves.size(); ++i) {
            EXPECT_NEAR(reader.length("curve.x0", curves[i]), layer.curves[i].from.x, 0.04);
            EXPECT_NEAR(reader.length("curve.y3", curves[i]), layer.curves[i].to.y, 0.04);
            EXPECT_EQ(reader.color("curve.color", curves[i], theme), layer.curves[i].color);
        }
        const auto boxes = rows();
        ASSERT_EQ(boxes.size(), layer.boxes.size());
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            expect_near({reader.length("box.x", boxes[i]), reader.length("box.y", boxes[i]),
                         reader.length("box.w", boxes[i]), reader.length("box.h", boxes[i])},
                        layer.boxes[i].rect);
            EXPECT_EQ(reader.color("box.fill", boxes[i], theme), layer.boxes[i].fill);
            EXPECT_EQ(reader.color("box.stroke", boxes[i], theme), layer.boxes[i].stroke);
            EXPECT_EQ(reader.at("box.pattern", boxes[i]), static_cast<int>(layer.boxes[i].pattern));
        }
        const auto texts = rows();
        ASSERT_EQ(texts.size(), layer.texts.size());
        for (std::size_t i = 0; i < texts.size(); ++i) {
            EXPECT_EQ(store.strings().at(static_cast<std::size_t>(reader.at("text.string", texts[i]))),
                      layer.texts[i].text);
            EXPECT_EQ(reader.color("text.color", texts[i], theme), layer.texts[i].color);
        }
    }
    const auto hits = rows();
    ASSERT_EQ(hits.size(), drawing.hits.size());
    for (std::size_t i = 0; i < hits.size(); ++i) {
        const auto target = static_cast<std::size_t>(reader.at("hit.target", hits[i]));
        EXPECT_EQ(reader.at("target.kind", target), static_cast<int>(drawing.hits[i].target.kind));
        EXPECT_EQ(reader.at("target.index", target), drawing.hits[i].target.index);
        EXPECT_EQ(store.strings().at(static_cast<std::size_t>(reader.at("target.string", target))),
                  std::to_string(drawing.hits[i].target.index));
    }
}

TEST(DrawingStore, GivesBackWhatTheViewsDrew) {
    const CairoMeasure measure;
    DrawingStore store;
    struct Added {
        std::array<std::uint32_t, 2> frames;
        Drawing light, dark;
    };
    std::vector<Added> all;
    std::size_t records = 0;
    for (const char* id : {"sequential", "interleaved-modulo", "scan-blelloch"}) {
        const Trace& trace = tests::trace_of({id, 100, 64});
        for (std::uint32_t step = 0; step < trace.launches.front().steps.size(); ++step) {
            for (int view = 0; view < 3; ++view) {
                const auto draw = [&](ThemeName theme) {
                    scene::ViewContext context;
                    context.trace = &trace;
                    context.moment = {0, step, 1};
                    context.theme = &scene::theme(theme);
                    context.measure = &measure;
                    const scene::Rect area{0, 0, 640, 400};
                    return view == 0   ? scene::draw_tree(context, area, {})
                           : view == 1 ? scene::draw_warps(context, area, 0)
                                       : scene::draw_banks(context, area);
                };
                Added added{{}, draw(ThemeName::light), draw(ThemeName::dark)};
                added.frames = store.add(added.light, added.dark, measure,
                                         [](const scene::Target& t) { return std::to_string(t.index); });
                for (const scene::Layer& layer : added.light.layers) {
                    records += layer.boxes.size() + layer.curves.size() + layer.texts.size();
                }
                all.push_back(std::move(added));
            }
        }
    }
    const Reader reader(store);
    for (const Added& added : all) {
        expect_frame(reader, store, added.frames[0], added.light, ThemeName::light);
        expect_frame(reader, store, added.frames[1], added.dark, ThemeName::dark);
    }
    EXPECT_LT(2 * (reader.count("box.x") + reader.count("curve.x0") + reader.count("text.x")), records)
        << "most is kept once";
}

TEST(DrawingStore, KeepsThemesApartThatDifferInMoreThanColours) {
    const CairoMeasure measure;
    DrawingStore store;
    Drawing light{.clip = {0, 0, 10, 10}, .layers = {{}}, .hits = {}}, dark = light;
    light.layers[0].boxes.push_back({.rect = {1, 2, 3, 4}, .fill = {9, 8, 7}});
    const auto frames = store.add(light, dark, measure, {});
    EXPECT_NE(frames[0], frames[1]);
    const Reader reader(store);
    expect_frame(reader, store, frames[0], light, ThemeName::light);
    expect_frame(reader, store, frames[1], dark, ThemeName::dark);
}

} // namespace
} // namespace warptree::render
