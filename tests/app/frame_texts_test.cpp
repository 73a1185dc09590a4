// read_frame() reports the faults of a frame, and nothing else.
#include "tests/app/frame_texts.hpp"

#include "app/render/gl/gl_fonts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include <functional>

namespace warptree::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class FrameTextsTest : public ::testing::Test {
  protected:
    void SetUp() override {
        ImGui::CreateContext();
        ImGui::GetIO().IniFilename = nullptr;
        ImGui::GetIO().DisplaySize = {600, 400};
        ImGui::GetStyle().WindowRounding = 6;
        ImGui::GetStyle().Colors[ImGuiCol_WindowBg].w = 1;
        fonts_.build(1);
    }
    void TearDown() override { ImGui::DestroyContext(); }

    static void window(const char* name, ImVec2 at, ImVec2 size, const std::function<void()>& content) {
        ImGui::SetNextWindowPos(at);
        ImGui::SetNextWindowSize(size);
        ImGui::Begin(name, nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoSavedSettings);
        content();
        ImGui::End();
    }
    // Reads the third frame: by then each window lies where it was placed.
    FrameTexts frame(const std::function<void()>& draw) {
        for (int i = 0; i < 3; ++i) {
            ImGui::NewFrame();
            painter_.begin_frame();
            draw();
            ImGui::Render();
        }
        return read_frame(*ImGui::GetDrawData(), painter_);
    }
    static std::vector<std::string> faults(const FrameTexts& frame) {
        std::vector<std::string> all;
        for (const FrameFault& f : frame.faults) {
            all.push_back(f.text + " " + f.what);
        }
        return all;
    }
    static std::vector<std::string> texts(const FrameTexts& frame) {
        std::vector<std::string> all;
        for (const FrameText& t : frame.texts) {
            all.push_back(t.text);
        }
        return all;
    }

    render::Fonts fonts_;
    render::GlPainter painter_{fonts_};
};

TEST_F(FrameTextsTest, ReadsTextsAsTheyWereWritten) {
    const FrameTexts f = frame([] {
        window("a", {10, 10}, {300, 200}, [] {
            ImGui::TextUnformatted("two words");
            ImGui::Button("press");
            ImGui::SameLine();
            ImGui::TextUnformatted("beside");
        });
    });
    EXPECT_THAT(texts(f), ElementsAre("two words", "press", "beside"));
    EXPECT_THAT(faults(f), IsEmpty());
    EXPECT_EQ(f.texts[0].seen, 8U);
    EXPECT_EQ(f.texts[0].window, "a");
    EXPECT_GT(f.texts[1].ink.y, f.texts[0].ink.bottom());
}

TEST_F(FrameTextsTest, FindsALabelWiderThanItsButton) {
    int found = 0;
    for (int width = 40; width < 60; ++width) {
        const FrameTexts f = frame([width] {
            window("a", {10, 10}, {300, 200}, [width] {
                ImGui::Button("unbreakable", {static_cast<float>(width), 0});
            });
        });
        found += f.faults.size() == 1 && f.faults[0].what == "cut to its frame" ? 1 : 0;
    }
    EXPECT_GE(found, 14) << "of 20; the others fall between two letters";
}

TEST_F(FrameTextsTest, FindsATextThatItsWindowCutsAtTheRight) {
    int found = 0;
    for (int width = 50; width < 70; ++width) {
        const FrameTexts f = frame([width] {
            window("a", {10, 10}, {static_cast<float>(width), 200},
                   [] { ImGui::TextUnformatted("wider-than-the-window-is"); });
        });
        found += f.faults.size() == 1 && f.faults[0].what == "cut at the right" ? 1 : 0;
    }
    EXPECT_GE(found, 10) << "of 20; the others fall between two letters";
}

TEST_F(FrameTextsTest, TakesWhatScrollsUpAndDownAsItIs) {
    const auto lines = [] {
        for (int i = 0; i < 20; ++i) {
            ImGui::Text("line %d", i);
        }
    };
    const auto within = [&](bool scrolls) {
        return frame([&] {
            ImGui::SetNextWindowPos({10, 10});
            ImGui::SetNextWindowSize({200, 111});
            ImGui::Begin(scrolls ? "scrolls" : "fixed", nullptr,
                         ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                             (scrolls ? 0 : ImGuiWindowFlags_NoScrollbar));
            if (scrolls) {
                lines();
            } else { // no item that would make it scroll
                ImGui::GetWindowDrawList()->AddText({20, 114}, 0xFFFFFFFF, "half of it");
            }
            ImGui::End();
        });
    };
    EXPECT_THAT(faults(within(true)), IsEmpty());
    EXPECT_THAT(faults(within(false)), ElementsAre(StartsWith("half of it cut at the bottom")));
}

TEST_F(FrameTextsTest, FindsTextsThatOverlap) {
    const FrameTexts f = frame([this] {
        window("a", {10, 10}, {300, 200}, [this] {
            ImGui::TextUnformatted("of the window");
            scene::Drawing drawing{{10, 10, 300, 200}, {1, scene::Layer{}}, {}};
            drawing.layers[0].texts.push_back({{60, 26}, scene::Align::left, scene::Face::sans, 15, {}, "drawn"});
            painter_.add(drawing, ImGui::GetWindowDrawList());
        });
    });
    ASSERT_EQ(f.faults.size(), 1U);
    EXPECT_THAT(faults(f)[0], StartsWith("of the window overlaps \"drawn\""));
}

TEST_F(FrameTextsTest, FindsWhatABoxOfTheSameWindowCovers) {
    const auto with_box = [this](float width) {
        return frame([this, width] {
            window("a", {10, 10}, {300, 200}, [this, width] {
                ImGui::TextUnformatted("covered");
                scene::Drawing drawing{{10, 10, 300, 200}, {1, scene::Layer{}}, {}};
                drawing.layers[0].boxes.push_back({.rect = {14, 10, width, 40}, .fill = {1, 2, 3, 255}});
                painter_.add(drawing, ImGui::GetWindowDrawList());
            });
        });
    };
    EXPECT_THAT(faults(with_box(30)), ElementsAre("covered partly covered"));
    const FrameTexts hidden = with_box(200);
    EXPECT_THAT(hidden.texts, IsEmpty());
    EXPECT_THAT(faults(hidden), IsEmpty());
}

TEST_F(FrameTextsTest, LetsWindowsHideWhatIsBelow) {
    const FrameTexts f = frame([] {
        window("below", {10, 10}, {300, 200}, [] {
            ImGui::TextUnformatted("hidden in part by the other");
            ImGui::TextUnformatted("seen");
        });
        window("above", {60, 5}, {300, 28}, [] { ImGui::TextUnformatted("above"); });
    });
    EXPECT_THAT(faults(f), IsEmpty());
    ASSERT_EQ(f.texts.size(), 3U);
    EXPECT_GT(f.texts[0].hidden, 5U);
}

TEST_F(FrameTextsTest, FindsWhatLeavesTheDisplay) {
    const FrameTexts f = frame([] {
        ImGui::GetForegroundDrawList()->PushClipRect({-100, -100}, {900, 900});
        ImGui::GetForegroundDrawList()->AddText({570, 100}, 0xFFFFFFFF, "over the edge");
        ImGui::GetForegroundDrawList()->PopClipRect();
    });
    ASSERT_EQ(f.faults.size(), 1U);
    EXPECT_EQ(f.faults[0].what, "outside the window");
}

} // namespace
} // namespace warptree::testing
