// Rules that hold for every view: pure, inside its area, linked by its targets, coarser when there is less room.
#include "app/views/banks/exchange.hpp"
#include "app/views/parts.hpp"
#include "app/views/tree/tree_frame.hpp"
#include "tests/support/scene_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace warptree::scene {
namespace {

using tests::kMeasure;
constexpr Rect kArea{40, 30, 1100, 430};

bool same(const Drawing& a, const Drawing& b) {
    const auto key = [](const Drawing& d) {
        std::vector<float> numbers;
        std::string words;
        for (const Layer& layer : d.layers) {
            for (const Curve& c : layer.curves) {
                numbers.insert(numbers.end(), {c.from.x, c.from.y, c.to.x, c.to.y, c.width, c.dash, float(c.color.r),
                                               float(c.color.a)});
            }
            for (const Box& x : layer.boxes) {
                numbers.insert(numbers.end(), {x.rect.x, x.rect.y, x.rect.w, x.rect.h, x.radius, float(x.fill.r),
                                               float(x.stroke.r), float(x.pattern)});
            }
            for (const Text& t : layer.texts) {
                numbers.insert(numbers.end(), {t.anchor.x, t.anchor.y, t.size, float(t.align)});
                words += t.text + "\n";
            }
        }
        for (const Hit& h : d.hits) {
            numbers.insert(numbers.end(),
                           {h.rect.x, h.rect.y, h.rect.w, h.rect.h, float(h.target.kind), float(h.target.index)});
        }
        return std::pair(numbers, words);
    };
    return key(a) == key(b);
}

std::vector<Drawing> every_view(const ViewContext& context, Rect area) {
    return {draw_tree(context, area, {}), draw_warps(context, area, 0), draw_banks(context, area),
            draw_source(context, area)};
}

class ViewsOf : public testing::TestWithParam<tests::Case> {};
INSTANTIATE_TEST_SUITE_P(Traces, ViewsOf, testing::ValuesIn(tests::cases()));

TEST_P(ViewsOf, ArePureAndStayInside) {
    const Trace& trace = tests::trace_of(GetParam());
    for (const session::Moment& moment : tests::moments(trace)) {
        const ViewContext context = tests::context_of(trace, moment, kMeasure);
        const auto views = every_view(context, kArea);
        const auto again = every_view(context, kArea);
        for (std::size_t v = 0; v < views.size(); ++v) {
            EXPECT_TRUE(same(views[v], again[v])) << "view " << v;
            EXPECT_EQ(views[v].clip, kArea);
            for (const Hit& hit : views[v].hits) {
                EXPECT_TRUE(inside(kArea, hit.rect)) << "view " << v;
                EXPECT_NE(hit.target.kind, Target::Kind::none);
            }
        }
    }
}

TEST_P(ViewsOf, SurviveAnyAreaAndCamera) {
    const Trace& trace = tests::trace_of(GetParam());
    const session::Moment moment = tests::moments(trace).back();
    for (const Rect area : {Rect{0, 0, 1, 1}, Rect{0, 0, 60, 20}, Rect{0, 0, 20, 600}, Rect{0, 0, 9000, 40}}) {
        every_view(tests::context_of(trace, moment, kMeasure, ThemeName::light, 3), area);
    }
    for (const float zoom : {0.05F, 0.5F, 7.0F, 300.0F}) {
        for (const float pan : {-1e5F, -500.0F, 0.0F, 1e5F}) {
            const Drawing d = draw_tree(tests::context_of(trace, {0, 0, 1}, kMeasure), kArea,
                                        {.zoom = zoom, .pan_x = pan, .pan_y = pan / 3});
            for (const Hit& hit : d.hits) {
                EXPECT_TRUE(inside(kArea, hit.rect));
            }
        }
    }
}

std::set<Target::Kind> kinds(const Drawing& d) {
    std::set<Target::Kind> all;
    for (const Hit& hit : d.hits) {
        all.insert(hit.target.kind);
    }
    return all;
}

TEST(Tree, GrowsCoarserAsColumnsNarrow) {
    const Trace& trace = tests::trace_of({"sequential", 8192, 1024});
    const auto context = tests::context_of(trace, {0, 2, 1}, kMeasure);
    using Kind = Target::Kind;
    Camera close;
    zoom_about(close, kArea, {kArea.x + 150, kArea.y + 200}, 60, 1, 64);
    EXPECT_TRUE(kinds(draw_tree(context, kArea, close)).contains(Kind::node));
    EXPECT_FALSE(kinds(draw_tree(context, {0, 0, 3000, 500}, {})).contains(Kind::node));
    EXPECT_TRUE(kinds(draw_tree(context, {0, 0, 3000, 500}, {})).contains(Kind::warp));
    const Drawing blocks = draw_tree(context, {0, 0, 700, 500}, {});
    EXPECT_FALSE(kinds(blocks).contains(Kind::node));
    EXPECT_TRUE(kinds(blocks).contains(Kind::block));
    std::size_t records = 0;
    for (const Layer& layer : blocks.layers) {
        records += layer.boxes.size() + layer.curves.size();
    }
    EXPECT_LT(records, 2000U) << "no smear of thousands of marks";
}

TEST(Tree, BarsKeepThePatternOfTheirWarps) {
    const auto lit = [](const char* strategy) {
        const Trace& trace = tests::trace_of({strategy, 1024, 256});
        const auto context = tests::context_of(trace, {0, 2, 1}, kMeasure); // s = 2: a quarter of the threads
        std::vector<Rect> all;
        const Drawing tree = draw_tree(context, {0, 0, 900, 500}, {});
        for (const Layer& layer : tree.layers) {
            for (const Box& b : layer.boxes) {
                if (b.fill == context.theme->accent && b.rect.h > 2) {
                    all.push_back(b.rect);
                }
            }
        }
        return all;
    };
    EXPECT_GE(lit("interleaved-modulo").size(), 4U * 8 * 2) << "spread over each warp of each block";
    EXPECT_LE(lit("interleaved-strided").size(), 4U * 8 / 2) << "packed into the first warps";
}

TEST(Tree, KeepsWhatIsUnderThePointerWhileZooming) {
    const Trace& trace = tests::trace_of({"interleaved-modulo", 64, 64});
    const auto context = tests::context_of(trace, {0, 7, 1}, kMeasure);
    Camera camera;
    const auto place = [&](std::uint32_t node) {
        const Drawing d = draw_tree(context, kArea, camera);
        for (const Hit& hit : d.hits) {
            if (hit.target.kind == Target::Kind::node && hit.target.index == node) {
                return Point{hit.rect.x + hit.rect.w / 2, hit.rect.y + hit.rect.h / 2};
            }
        }
        return Point{};
    };
    const std::uint32_t node = trace.launches[0].nodes.size() * 2 / 3; // in a middle row
    const Point before = place(node);
    for (int i = 0; i < 12; ++i) {
        zoom_tree_about(context, camera, kArea, before, 1.2F, 64);
        EXPECT_NEAR(place(node).x, before.x, 1);
        EXPECT_NEAR(place(node).y, before.y, 1);
    }
    EXPECT_GT(camera.zoom, kMostRowZoom);
}

TEST(LaunchTree, SaysWhichBlocksFeedWhich) {
    const Trace& trace = tests::trace_of({"sequential", 5000, 64, Finish::relaunch}); // 79, 2, 1 blocks
    ASSERT_EQ(trace.launches.size(), 3U);
    const Drawing d = draw_tree(tests::context_of(trace, {1, 0, 1}, kMeasure), {0, 0, 1300, 800}, {});
    std::set<std::string> words;
    for (const Text& text : tests::texts(d)) {
        words.insert(text.text);
    }
    EXPECT_TRUE(words.contains("blocks 0–63 → block 0"));
    EXPECT_TRUE(words.contains("79 blocks × 64"));
    EXPECT_TRUE(words.contains("all blocks are done"));
    EXPECT_TRUE(kinds(d).contains(Target::Kind::launch));
}

TEST(LaunchTree, EndsWithTheHost) {
    const Trace& trace = tests::trace_of({"sequential", 1000, 256});
    std::set<std::string> words;
    for (const Text& text : tests::texts(draw_tree(tests::context_of(trace, {1, 0, 1}, kMeasure), kArea, {}))) {
        words.insert(text.text);
    }
    EXPECT_TRUE(words.contains("combines 4 partials"));
    EXPECT_TRUE(words.contains("blocks 0–3 → host"));
    EXPECT_TRUE(words.contains(to_string(trace.result)));
}

TEST(Tree, WritesValuesOnlyWhereTheyFit) {
    const Trace& trace = tests::trace_of({"interleaved-modulo", 64, 64});
    const auto count = [&](Rect area) {
        return tests::texts(draw_tree(tests::context_of(trace, {0, 7, 1}, kMeasure), area, {})).size();
    };
    EXPECT_GT(count({0, 0, 1600, 700}), 120U);
    EXPECT_LT(count({0, 0, 260, 300}), 80U);
}

// Input 0 1 2 3 4 5 6 7 in blocks of 4 ends as 0 1 3 6 | 4 9 15 22, each below its element, without a common root.
TEST(Tree, DrawsAScanAsItsNetwork) {
    const Trace& trace = tests::trace_of({"scan-shared", 8, 4});
    const auto last = static_cast<std::uint32_t>(trace.launches[0].steps.size() - 1);
    const Drawing d = draw_tree(tests::context_of(trace, {0, last, 1}, kMeasure), kArea, {});
    float lowest = 0;
    for (const Text& text : tests::texts(d)) {
        lowest = text.face == Face::mono ? std::max(lowest, text.anchor.y) : lowest;
    }
    std::map<float, std::string> row; // the outputs, left to right
    for (const Text& text : tests::texts(d)) {
        if (text.face == Face::mono && std::abs(text.anchor.y - lowest) < 1) {
            row[text.anchor.x] = text.text;
        }
    }
    std::string all;
    for (const auto& [x, text] : row) {
        all += text + " ";
    }
    EXPECT_EQ(all, "0 1 3 6 4 9 15 22 ");
}

// Every node of the subtree changes its look, and no other does.
TEST(Tree, LightsTheWholeSubtreeAndNothingElse) {
    const Trace& trace = tests::trace_of({"sequential", 64, 64});
    const Launch& launch = trace.launches[0];
    ViewContext context = tests::context_of(trace, {0, 7, 1}, kMeasure);
    const Drawing plain = draw_tree(context, kArea, {});
    std::uint32_t root = 0;
    for (std::uint32_t i = 0; i < launch.nodes.size(); ++i) {
        root = launch.nodes[i].step == 3 && launch.nodes[i].thread == 2 ? i : root;
    }
    context.hover = {Target::Kind::node, 0, 0, root};
    const Drawing lit = draw_tree(context, kArea, {});
    const auto strokes = [](const Drawing& d, Rect at) {
        std::vector<Color> all;
        for (const Layer& layer : d.layers) {
            for (const Box& box : layer.boxes) {
                if (std::abs(box.rect.x - at.x) + std::abs(box.rect.y - at.y) < 0.01F &&
                    std::abs(box.rect.w - at.w) < 0.01F) {
                    all.push_back(box.stroke);
                }
            }
        }
        return all;
    };
    std::set<std::uint32_t> changed;
    for (const Hit& hit : plain.hits) {
        if (hit.target.kind == Target::Kind::node && strokes(plain, hit.rect) != strokes(lit, hit.rect)) {
            changed.insert(hit.target.index);
        }
    }
    std::set<std::uint32_t> expected; // the root is thread 2's value after s = 8: all elements 8 apart
    std::vector<std::uint32_t> open{root};
    while (!open.empty()) {
        const std::uint32_t i = open.back();
        open.pop_back();
        if (i != kNone && expected.insert(i).second) {
            open.push_back(launch.nodes[i].left);
            open.push_back(launch.nodes[i].right());
        }
    }
    EXPECT_GT(expected.size(), 10U);
    EXPECT_EQ(changed, expected);
}

TEST(Views, AnswerToAHoverElsewhere) {
    const Trace& trace = tests::trace_of({"sequential", 64, 64});
    ViewContext context = tests::context_of(trace, {0, 1, 1}, kMeasure);
    const auto plain = every_view(context, kArea);
    context.hover = {Target::Kind::thread, 0, 0, 5};
    const auto lit = every_view(context, kArea);
    for (const std::size_t view : {0, 1, 2}) {
        EXPECT_FALSE(same(plain[view], lit[view])) << "view " << view;
    }
}

TEST(Banks, ShowAsManyWordsAsWavefrontsInTheFullestBank) {
    for (const char* strategy : {"interleaved-strided", "interleaved-modulo", "sequential", "adjacent-pairs"}) {
        const Trace& trace = tests::trace_of({strategy, 256, 128});
        const Launch& launch = trace.launches[0];
        for (std::uint32_t i = 0; i < launch.requests.size(); ++i) {
            const Request& request = launch.requests[i];
            if (!is_shared(request.kind) || request.block != 0) {
                continue;
            }
            const Drawing d = draw_banks(tests::context_of(trace, {0, request.step, 1}, kMeasure), kArea, i);
            std::multiset<float> columns;
            for (const Hit& hit : d.hits) {
                if (hit.target.kind == Target::Kind::word) {
                    columns.insert(std::round(hit.rect.x));
                }
            }
            std::size_t most = 0;
            for (const float x : columns) {
                most = std::max(most, columns.count(x));
            }
            EXPECT_EQ(most, request.wavefronts);
        }
    }
}

// Beside a program's strip the panel is low: what an access costs is said before the picture has all of its room.
TEST(Banks, SayWhatAnAccessCostsInALowPanel) {
    const Trace& trace = tests::trace_of({"interleaved-strided", 256, 128});
    const Launch& launch = trace.launches[0];
    for (const float height : {56.0F, 80.0F, 109.0F, 110.0F, 200.0F}) {
        for (std::uint32_t i = 0; i < launch.requests.size(); i += 7) {
            const Request& request = launch.requests[i];
            const Drawing d =
                draw_banks(tests::context_of(trace, {0, request.step, 1}, kMeasure), {0, 0, 400, height}, i);
            std::string all;
            for (const Text& text : tests::texts(d)) {
                all += text.text + '|';
                EXPECT_LT(text.anchor.y, height);
            }
            const std::string cost =
                plural(is_shared(request.kind) ? request.wavefronts : make_sector_plan(launch, request).sectors.size(),
                       is_shared(request.kind) ? "wavefront" : "sector");
            EXPECT_NE(all.find(cost + "|ideal "), std::string::npos) << height << ": " << all;
        }
    }
}

TEST(Banks, NameTheIndexExpression) {
    const Trace& trace = tests::trace_of({"interleaved-strided", 256, 128});
    std::string all;
    for (std::uint32_t step = 1; step < 8; ++step) {
        for (const Text& text : tests::texts(draw_banks(tests::context_of(trace, {0, step, 1}, kMeasure), kArea))) {
            all += text.text + "\n";
        }
    }
    EXPECT_NE(all.find("index = 2 × lane"), std::string::npos) << all;
    EXPECT_NE(all.find("index = 8 × lane"), std::string::npos);
    EXPECT_NE(all.find("index 0"), std::string::npos) << "a single lane";
}

bool says(const Drawing& drawing, const char* part) {
    const auto words = tests::texts(drawing);
    return std::any_of(words.begin(), words.end(),
                       [&](const Text& t) { return t.text.find(part) != std::string::npos; });
}

TEST(Banks, ShowShufflesAndSectorsWhereNothingIsShared) {
    const Trace& trace = tests::trace_of({"warp-shuffle", 32, 32});
    const Drawing shuffle = draw_banks(tests::context_of(trace, {0, 1, 1}, kMeasure), kArea);
    EXPECT_TRUE(says(shuffle, "shuffle down, delta 16, width 32"));
    EXPECT_TRUE(says(shuffle, "16 sources out of range"));
    const Drawing sectors = draw_banks(tests::context_of(trace, {0, 0, 1}, kMeasure), kArea);
    EXPECT_TRUE(says(sectors, "4 sectors"));
    EXPECT_TRUE(says(sectors, "ideal 4"));
}

TEST(Banks, SayWhenThereIsNothing) {
    const Trace& trace = tests::trace_of({"sequential", 1000, 64});
    const auto host = static_cast<std::uint32_t>(trace.launches.size());
    EXPECT_TRUE(says(draw_banks(tests::context_of(trace, {host, 0, 1}, kMeasure), kArea), "shared"));
}

TEST(Drawing, AnswersWithTheTopmostHit) {
    Drawing d;
    d.clip = {0, 0, 100, 100};
    d.hits = {{{0, 0, 50, 50}, {Target::Kind::warp, 0, 0, 1}}, {{10, 10, 10, 10}, {Target::Kind::thread, 0, 0, 2}}};
    EXPECT_EQ(d.at({15, 15}).kind, Target::Kind::thread);
    EXPECT_EQ(d.at({40, 40}).kind, Target::Kind::warp);
    EXPECT_EQ(d.at({60, 60}).kind, Target::Kind::none);
    EXPECT_EQ(d.at({-5, 10}).kind, Target::Kind::none);
}

} // namespace
} // namespace warptree::scene
