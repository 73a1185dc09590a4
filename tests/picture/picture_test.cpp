// Pictures as files: formats, refusals, and each view in each theme, compared with recorded pictures.
// WARPTREE_UPDATE_GOLDENS=1 records them again.
#include "app/base/error.hpp"
#include "app/render/cairo/cairo_picture.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/recorded_picture.hpp"
#include "tests/support/scene_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

namespace warptree::render {
namespace {

namespace fs = std::filesystem;
using scene::ThemeName;

constexpr int kWidth = 480, kHeight = 300;

const Trace& sample() { return tests::trace_of({"interleaved-strided", 256, 64}); }

// A separate directory for each test.
class Pictures : public testing::Test {
  protected:
    void SetUp() override {
        directory_ = fs::path(testing::TempDir()) /
                     ("pictures-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
        fs::create_directories(directory_);
    }
    void TearDown() override { fs::remove_all(directory_); }
    PictureRequest request(const std::string& file) const {
        PictureRequest it;
        it.trace = &sample();
        it.width = kWidth;
        it.height = kHeight;
        it.path = directory_ / file;
        it.moment = default_moment(sample(), it.view);
        return it;
    }
    std::size_t files() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory_), fs::directory_iterator()));
    }
    fs::path directory_;
};

std::string beginning(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::string text(5, '\0');
    in.read(text.data(), 5);
    return text;
}

TEST_F(Pictures, AreWhatTheirNamesSay) {
    for (const auto& [file, start] :
         {std::pair{"a.png", "\x89PNG\r"}, std::pair{"a.PDF", "%PDF-"}, std::pair{"a.svg", "<?xml"}}) {
        render_picture(request(file));
        EXPECT_EQ(beginning(directory_ / file), start) << file;
    }
    EXPECT_EQ(files(), 3U) << "no temporary file stays";
}

std::string whole(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

TEST_F(Pictures, AreTheSameBytesTwice) {
    for (const std::string extension : {".png", ".svg", ".pdf"}) {
        render_picture(request("a" + extension));
        render_picture(request("b" + extension));
        EXPECT_TRUE(whole(directory_ / ("a" + extension)) == whole(directory_ / ("b" + extension))) << extension;
    }
    EXPECT_NE(whole(directory_ / "a.pdf").find("(20000101"), std::string::npos) << "not the day it was made";
}

TEST_F(Pictures, KeepTextAsTextInSvg) {
    render_picture(request("a.svg"));
    const std::string svg = whole(directory_ / "a.svg");
    EXPECT_THAT(svg, testing::HasSubstr(">interleaved-strided</text>"));
    EXPECT_THAT(svg, testing::HasSubstr("textLength="));
}

TEST_F(Pictures, RefuseWhatCannotBe) {
    EXPECT_THROW(render_picture(request("a.jpg")), OptionError);
    EXPECT_THROW(render_picture(request("a")), OptionError);
    PictureRequest small = request("a.png");
    small.width = 3;
    EXPECT_THROW(render_picture(small), OptionError);
    EXPECT_THROW(render_picture(request("no/such/directory/a.png")), FileError);
    EXPECT_THROW(render_picture(request("no/such/directory/a.svg")), FileError);
    EXPECT_EQ(files(), 0U) << "nothing is left behind";
}

TEST(Moments, CountPlacesOverAllLaunches) {
    const Trace& trace = tests::trace_of({"sequential", 5000, 64, Finish::relaunch});
    const auto expected = tests::moments(trace);
    ASSERT_GT(trace.launches.size(), 1U);
    for (std::uint32_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(moment_of_place(trace, i), expected[i]);
    }
    const auto past = static_cast<std::uint32_t>(expected.size());
    EXPECT_THAT([&] { moment_of_place(trace, past); },
                testing::ThrowsMessage<OptionError>(testing::HasSubstr("0 to " + std::to_string(past - 1))));
}

TEST(Moments, ShowTheWorstStepByDefault) {
    const Trace& trace = tests::trace_of({"interleaved-modulo", 64, 64});
    const auto warps = default_moment(trace, View::warps);
    for (const Step& step : trace.launches[0].steps) {
        EXPECT_LE(step.counters.divergent_warps, trace.launches[0].steps[warps.step].counters.divergent_warps);
    }
    EXPECT_EQ(default_moment(trace, View::tree).step + 1, trace.launches[0].steps.size());
}

TEST(Views, HaveNamesThatReadBack) {
    EXPECT_EQ(view_from("tree"), View::tree);
    EXPECT_EQ(view_from("source"), View::source);
    EXPECT_EQ(view_from("Tree"), std::nullopt);
}

class Golden : public testing::TestWithParam<std::tuple<std::string, ThemeName>> {};
INSTANTIATE_TEST_SUITE_P(Views, Golden,
                         testing::Combine(testing::Values("tree", "warps", "banks", "source"),
                                          testing::ValuesIn(scene::kThemeNames)),
                         [](const auto& info) {
                             return std::get<0>(info.param) + "_" + std::string(name(std::get<1>(info.param)));
                         });

void expect_as_recorded(PictureRequest request, const std::string& file) {
    request.width = kWidth;
    request.height = kHeight;
    request.scale = 0.75F;
    tests::expect_as_recorded(file, [&](const fs::path& path) {
        request.path = path;
        render_picture(request);
    });
}

TEST_P(Golden, LooksAsRecorded) {
    const auto& [view, theme] = GetParam();
    PictureRequest request;
    request.trace = &sample();
    request.view = *view_from(view);
    request.moment = {0, 3, 1};
    request.theme = theme;
    expect_as_recorded(request, view + "-" + std::string(name(theme)) + ".png");
}

// A tree at a moment that the theme samples do not cover.
struct Scene {
    const char* name;
    tests::Case run;
    std::uint32_t place;
    float phase;
};
void PrintTo(const Scene& scene, std::ostream* out) { *out << scene.name; }

class GoldenTree : public testing::TestWithParam<Scene> {};
INSTANTIATE_TEST_SUITE_P(Scenes, GoldenTree,
                         testing::Values(Scene{"operands", {"interleaved-modulo", 16, 16}, 2, 0.2F},
                                         Scene{"combining", {"interleaved-modulo", 16, 16}, 2, 0.5F},
                                         Scene{"storing", {"interleaved-modulo", 16, 16}, 2, 0.85F},
                                         Scene{"useless", {"unroll-last-warp", 128, 64}, 5, 1},
                                         Scene{"identity", {"sequential", 11, 16}, 1, 1},
                                         Scene{"words", {"adjacent-pairs", 64, 32}, 2, 1},
                                         Scene{"warp-bars", {"sequential", 2048, 512}, 3, 1},
                                         Scene{"relaunch", {"first-add", 4096, 64, Finish::relaunch, 2}, 10, 1},
                                         Scene{"host", {"sequential", 256, 64}, 8, 1}),
                         [](const auto& info) {
                             std::string name = info.param.name;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

TEST_P(GoldenTree, LooksAsRecorded) {
    PictureRequest request;
    request.trace = &tests::trace_of(GetParam().run);
    request.moment = moment_of_place(*request.trace, GetParam().place);
    request.moment.phase = GetParam().phase;
    expect_as_recorded(request, std::string("tree-") + GetParam().name + ".png");
}

} // namespace
} // namespace warptree::render
