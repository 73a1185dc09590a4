// An option that is a record in the table is everywhere without more code: in a form, in the palette, in a state string,
// in a column of Compare, in the settings and in a trace's manifest. The command line's help is read from the program.
#include "app/base/whole_file.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/features/compare/column_options.hpp"
#include "app/features/explore/explore_state.hpp"
#include "app/features/screen.hpp"
#include "app/request/said.hpp"
#include "app/run/run.hpp"
#include "app/shell/actions.hpp"
#include "app/shell/settings.hpp"
#include "app/trace/io/file.hpp"
#include "tests/app/process.hpp"
#include "tests/app/rig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace warptree::testing {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;

// Of a member that no record stands for.
request::Option imaginary() {
    request::Option option;
    option.id = "order-seed";
    option.label = "seed of the order";
    option.help = "Seed of the warp order";
    option.group = "Limits of a run";
    option.choices = {"1", "5"};
    option.works = "1 or 5";
    option.count = true;
    option.places = request::kState | request::kFileState | request::kColumn | request::kSettings | request::kManifest;
    option.get = [](const RunOptions& o) { return std::to_string(o.order_seed.value_or(1)); };
    option.set = [](RunOptions& o, std::string_view value) {
        if (value != "1" && value != "5") {
            return false;
        }
        o.order_seed = value == "1" ? 1 : 5;
        return true;
    };
    return option;
}

class OptionsTable : public ::testing::Test {
  protected:
    void SetUp() override {
        folder_ = std::filesystem::temp_directory_path() / ("warptree_options_" + std::to_string(getpid()));
        std::filesystem::create_directories(folder_);
        options_.strategy = "sequential";
        options_.n = options_.block.emplace(64);
        options_.order_seed = 5;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    std::filesystem::path folder_;
    RunOptions options_;
    const request::AddedOption added_{imaginary()};
};

TEST_F(OptionsTable, AStateStringTakesIt) {
    session::ExploreState state;
    state.options = options_;
    const std::string text = session::to_string(session::state_string(state));
    EXPECT_THAT(text, HasSubstr("order-seed=5"));
    EXPECT_EQ(session::explore_state(session::parse_state(text)).options.order_seed, 5U);
    EXPECT_THROW(session::explore_state(session::parse_state("explore/sequential?order-seed=2")), OptionError);
    EXPECT_EQ(session::explore_state(session::parse_state("explore?file=a.cu&order-seed=5")).options.order_seed, 5U);
}

TEST_F(OptionsTable, AColumnTakesIt) {
    EXPECT_EQ(session::column_text(options_), "sequential:block=64,order-seed=5");
    EXPECT_THAT(session::column_options(options_), Contains(Field(&session::ColumnOption::id, "order-seed")));
    EXPECT_EQ(session::apply(session::parse_column("sequential:order-seed=5"), {}).order_seed, 5U);
}

TEST_F(OptionsTable, SettingsKeepIt) {
    session::Settings settings;
    settings.options = options_;
    session::save_settings(folder_ / "state.json", settings);
    std::string note;
    EXPECT_EQ(session::load_settings(folder_ / "state.json", note).options.order_seed, 5U) << note;
}

// Found by fuzzing: a number that no size can be.
TEST_F(OptionsTable, SettingsLeaveOutWhatIsNoCount) {
    write_whole(
        folder_ / "state.json",
        R"({"strategy": "multiple-adds", "n": 64, "block": 64, "width": 1000, "height": 6e53, "parameters": {"grid": 1e40}})");
    std::string note;
    const session::Settings settings = session::load_settings(folder_ / "state.json", note);
    EXPECT_EQ(note, "");
    EXPECT_EQ(settings.width, 1000);
    EXPECT_EQ(settings.height, session::Settings().height);
    EXPECT_EQ(settings.options.strategy, "multiple-adds");
}

TEST_F(OptionsTable, ATraceKeepsIt) {
    Trace trace = runs::run_any(resolve(options_));
    trace.options.order_seed = 5;
    save(trace, folder_ / "a.wtrace");
    EXPECT_EQ(load(folder_ / "a.wtrace").options.order_seed, 5U);
}

TEST_F(OptionsTable, ThePaletteOffersIt) {
    session::Explore explore([] {});
    const auto actions = window::make_actions(explore, {});
    EXPECT_TRUE(
        std::ranges::any_of(actions, [](const window::Action& a) { return a.title == "Seed of the order: 5"; }));
}

TEST_F(OptionsTable, TheFormShowsIt) {
    if (const std::string obstacle = Rig::obstacle(); !obstacle.empty()) {
        GTEST_SKIP() << obstacle;
    }
    Rig rig;
    rig.resize(1920, 1080);
    rig.settle();
    std::string all;
    for (const FrameText& text : rig.texts().texts) {
        all += text.text + "\n";
    }
    EXPECT_THAT(all, HasSubstr("seed of the order"));
}

// All that the program itself has.
TEST(OptionsInHelp, EveryOneIsThereWithItsWords) {
    const Finished help = run_program({"report", "--help"});
    ASSERT_EQ(help.code, 0) << help.err;
    for (const request::Option& option : request::options()) {
        EXPECT_THAT(help.out, HasSubstr((option.id.size() == 1 ? "-" : "--") + option.id + " TEXT")) << option.id;
        EXPECT_THAT(help.out, HasSubstr(option.help)) << option.id;
    }
}

} // namespace
} // namespace warptree::testing
