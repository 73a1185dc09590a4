#include "app/base/error.hpp"
#include "app/render/movie/animation.hpp"
#include "app/render/movie/movie_file.hpp"
#include "app/run/run.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include <unistd.h>

namespace warptree::render {
namespace {

namespace fs = std::filesystem;

Trace trace_of(std::uint64_t n, std::uint32_t block, Finish finish = Finish::host) {
    RunOptions options;
    options.strategy = "sequential";
    options.n = n;
    options.block = block;
    options.finish = finish;
    options.backend = Backend::cpu;
    return runs::run_any(options);
}

std::string bytes_of(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// A temporary directory, and a PATH that is restored.
class Animation : public testing::Test {
  protected:
    void SetUp() override {
        directory_ = fs::temp_directory_path() / ("warptree_animation_" + std::to_string(::getpid()));
        fs::remove_all(directory_);
        fs::create_directory(directory_);
        path_ = std::getenv("PATH");
    }
    void TearDown() override {
        ::setenv("PATH", path_.c_str(), 1);
        fs::remove_all(directory_);
    }
    void programs_only_from(const fs::path& directory) { ::setenv("PATH", directory.c_str(), 1); }
    std::size_t files() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory_), {}));
    }
    PictureRequest request(const Trace& trace, const char* name) const {
        PictureRequest r;
        r.trace = &trace;
        r.width = 320;
        r.height = 240;
        r.path = directory_ / name;
        return r;
    }
    fs::path directory_;
    std::string path_;
};

// n = 8, B = 8: load, three stages, store.
TEST_F(Animation, EachStepIsPlayedFromBeginningToEnd) {
    const Trace trace = trace_of(8, 8);
    const auto frames = frames_of(trace, {.steps_per_second = 2, .frames_per_second = 8, .rest = 0.5F});
    ASSERT_EQ(frames.size(), 5U * 4 + 4);
    for (std::size_t f = 0; f < 20; ++f) {
        EXPECT_EQ(frames[f].launch, 0U);
        EXPECT_EQ(frames[f].step, f / 4);
        // Loads, combines, stores and the barrier share a step; no barrier ends the last one.
        const float part = static_cast<float>(f % 4 + 1);
        EXPECT_FLOAT_EQ(frames[f].phase, f / 4 == 4 ? part / 4 : std::min(1.0F, part / 3));
        EXPECT_FLOAT_EQ(frames[f].barrier, f / 4 < 4 && f % 4 == 2 ? 0.0F : 1.0F);
    }
    for (std::size_t f = 20; f < 24; ++f) {
        EXPECT_EQ(frames[f], frames[19]);
    }
}

TEST_F(Animation, PartOfARunAndItsHost) {
    const Trace trace = trace_of(32, 8); // four blocks: five steps, then the host's combine
    const Pace pace{.steps_per_second = 1, .frames_per_second = 2, .rest = 0};
    EXPECT_EQ(frames_of(trace, pace).size(), 12U);
    EXPECT_EQ(frames_of(trace, pace, 5, 5).front().launch, 1U);
    EXPECT_EQ(frames_of(trace, pace, 1, 3).size(), 6U);
    EXPECT_THROW(frames_of(trace, pace, 0, 6), OptionError);
    EXPECT_THROW(frames_of(trace, pace, 3, 2), OptionError);
}

TEST_F(Animation, NamesThatSayNeither) {
    EXPECT_NO_THROW(require_animation_name("a.GIF"));
    EXPECT_NO_THROW(require_animation_name("a.png"));
    EXPECT_THROW(require_animation_name("a.svg"), OptionError);
    EXPECT_THROW(require_animation_name("a"), OptionError);
}

TEST_F(Animation, NumberedPicturesAreThePicturesOfTheirMoments) {
    const Trace trace = trace_of(8, 8);
    const Pace pace{.steps_per_second = 1, .frames_per_second = 1, .rest = 0};
    const auto moments = frames_of(trace, pace);
    const Animated made = animate(request(trace, "run.png"), moments, pace);
    EXPECT_FALSE(made.movie);
    EXPECT_EQ(made.path, directory_ / "run-frames");
    ASSERT_EQ(moments.size(), 5U);
    for (std::size_t f = 0; f < moments.size(); ++f) {
        PictureRequest one = request(trace, "one.png");
        one.moment = moments[f];
        render_picture(one);
        EXPECT_EQ(bytes_of(made.path / ("frame-000" + std::to_string(f + 1) + ".png")), bytes_of(one.path));
    }
    EXPECT_THROW(animate(request(trace, "run.png"), moments, pace), FileError); // already exists
}

TEST_F(Animation, WithoutFfmpegNumberedPicturesAndAHint) {
    programs_only_from(directory_);
    const Trace trace = trace_of(8, 8);
    const Pace pace{.steps_per_second = 1, .frames_per_second = 1, .rest = 0};
    const Animated made = animate(request(trace, "run.gif"), frames_of(trace, pace, 0, 1), pace);
    EXPECT_FALSE(made.movie);
    EXPECT_TRUE(fs::exists(directory_ / "run-frames" / "frame-0002.png"));
    EXPECT_EQ(files(), 1U);
    AnimationFile file;
    file.frames = 2;
    file.path = directory_ / "run.gif";
    EXPECT_NE(told(made, file).find("ffmpeg -framerate 20 -i"), std::string::npos);
}

TEST_F(Animation, AFailingFfmpegIsToldAndLeavesNothing) {
    {
        std::ofstream script(directory_ / "ffmpeg");
        script << "#!/bin/sh\necho 'no such codec' >&2\nexit 3\n";
    }
    fs::permissions(directory_ / "ffmpeg", fs::perms::owner_all);
    programs_only_from(directory_);
    const Trace trace = trace_of(8, 8);
    const Pace pace{};
    try {
        animate(request(trace, "run.mp4"), frames_of(trace, pace), pace);
        FAIL() << "it did not fail";
    } catch (const FileError& e) {
        EXPECT_NE(std::string(e.what()).find("no such codec"), std::string::npos) << e.what();
    }
    EXPECT_EQ(files(), 1U); // the script
}

TEST_F(Animation, CancelledLeavesNothing) {
    const Trace trace = trace_of(8, 8);
    const Pace pace{};
    for (const char* name : {"run.png", "run.gif"}) {
        RunControl control;
        control.progress = [&](double fraction) { control.cancel = fraction > 0.1; };
        PictureRequest r = request(trace, name);
        r.control = &control;
        EXPECT_THROW(animate(r, frames_of(trace, pace), pace), Cancelled) << name;
    }
    EXPECT_EQ(files(), 0U);
}

// The sum of the delays in a GIF's graphic control extensions, in hundredths of a second.
int duration_of(const std::string& gif) {
    int sum = 0;
    for (std::size_t at = 0; at + 8 <= gif.size(); ++at) {
        if (gif[at] == 0x21 && gif[at + 1] == static_cast<char>(0xF9) && gif[at + 2] == 4 && gif[at + 7] == 0) {
            sum += static_cast<unsigned char>(gif[at + 4]) + 256 * static_cast<unsigned char>(gif[at + 5]);
        }
    }
    return sum;
}

TEST_F(Animation, AGifLastsAsLongAsItsFrames) {
    if (!has_ffmpeg()) {
        GTEST_SKIP() << "ffmpeg is not installed";
    }
    const Trace trace = trace_of(8, 8);
    const Pace pace{.steps_per_second = 1, .frames_per_second = 4, .rest = 1};
    const auto moments = frames_of(trace, pace);
    const Animated made = animate(request(trace, "run.gif"), moments, pace);
    EXPECT_TRUE(made.movie);
    const std::string gif = bytes_of(made.path);
    EXPECT_EQ(gif.substr(0, 6), "GIF89a");
    EXPECT_EQ(gif.substr(6, 4), std::string("\x40\x01\xF0\x00", 4)); // 320 by 240
    EXPECT_NEAR(duration_of(gif), 100 * 6, 30); // five steps and a second; the last delay is ffmpeg's
    EXPECT_EQ(files(), 1U);
}

} // namespace
} // namespace warptree::render
