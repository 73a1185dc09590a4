// The figures of the theory with the fonts that pictures use: clean at every size and scale, correct in what they say,
// and two of them as recorded. WARPTREE_UPDATE_GOLDENS=1 records them again.
#include "app/base/error.hpp"
#include "app/features/theory/topic.hpp"
#include "app/render/cairo/cairo_picture.hpp"
#include "app/render/cairo/cairo_text.hpp"
#include "app/run/judge/rounding.hpp"
#include "tests/support/cairo_measure.hpp"
#include "tests/support/csv.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/picture_compare.hpp"
#include "tests/support/text_layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <cstdlib>
#include <filesystem>

namespace warptree::topics {
namespace {

using tests::measure;

// Rows as a run of every strategy would give them, without running.
std::shared_ptr<const runs::RoundingTable> table() {
    auto t = std::make_shared<runs::RoundingTable>();
    t->options = {1 << 20, ElementType::f32, InputKind::random, 1};
    t->reference = -123.456789;
    t->sum_of_sizes = 5e5;
    t->unit = 6e-8;
    double error = 3e-7;
    for (const StrategyInfo& s : strategies()) {
        t->rows.push_back({std::string(s.id), -123.4567, error, error / 123, 0.6, 20});
        error *= 1.9;
    }
    t->rows.push_back({"exact", -123.456789, 0, 0, 0.1, 3});
    t->rows.push_back({"one by one", -123.1, 0.3, 2e-3, 3e4, (1 << 20) - 1});
    t->options.strategy = "block-atomic";
    t->orders = {1000, "float", true, {{-123.2, 300}, {-123.1, 699}, {-123, 1}}};
    return t;
}

std::vector<Subject> subjects() {
    Subject usual, small, large, none;
    usual.rounding = small.rounding = large.rounding = table();
    small.n = 2;
    small.block = {1, 1, 1};
    small.processors = 1;
    small.device = "fermi";
    large.n = 1ULL << 31;
    large.block = {16, 64, 1};
    large.processors = 1U << 20;
    large.device = "ampere-86";
    large.registers = 255;
    large.shared = 232448;
    large.type = ElementType::f64;
    none.device = "g80"; // 1000 threads exceed its block limit
    none.block = {1000, 1, 1};
    none.type = ElementType::f64;
    return {usual, small, large, none};
}

class Topics : public testing::TestWithParam<std::size_t> {
  protected:
    const Topic& topic() const { return *topics()[GetParam()]; }
};
INSTANTIATE_TEST_SUITE_P(All, Topics, testing::Range(std::size_t{0}, topics().size()),
                         [](const auto& info) { return std::string(topics()[info.param]->id()); });

TEST_P(Topics, KeepTextsApartAndInside) {
    int which = 0;
    for (const Subject& subject : subjects()) {
        ++which;
        for (const auto& [w, h] :
             {std::pair{1280.0F, 720.0F}, {980.0F, 640.0F}, {1920.0F, 1080.0F}, {3840.0F, 2160.0F}, {420.0F, 300.0F}}) {
            for (const float scale : {0.75F, 1.0F, 2.0F, 3.0F}) {
                const FigureContext context{&scene::theme(scene::ThemeName::dark), &measure(), scale};
                tests::expect_clean(compose(topic(), context, w, h, subject), measure(),
                                    std::string(topic().id()) + " " + std::to_string(which) + " " +
                                        std::to_string(static_cast<int>(w)) + " at " + std::to_string(scale));
                if (HasFailure()) {
                    return;
                }
            }
        }
    }
}

TEST_P(Topics, SayTheSameInWordsAndNumbers) {
    for (const Subject& subject : subjects()) {
        EXPECT_FALSE(topic().sentence(subject).empty());
        EXPECT_TRUE(written(topic(), subject).ends_with("\n"));
        EXPECT_TRUE(topic().json(subject).is_object());
    }
}

TEST_P(Topics, AreTakenAwayAsTables) {
    for (const Subject& subject : subjects()) {
        const std::vector<Table> tables = topic().tables(subject);
        ASSERT_FALSE(tables.empty() && !topic().runs(subject));
        const auto lines = parse_csv(written(topic(), subject, TableFormat::csv));
        std::size_t line = 0;
        for (const Table& table : tables) {
            line += line == 0 ? 0 : 1; // the empty line between tables
            ASSERT_EQ(lines[line].size(), table.columns.size());
            for (const auto& row : table.rows) {
                ASSERT_EQ(row.size(), table.columns.size());
                ASSERT_LT(++line, lines.size());
                ASSERT_EQ(lines[line].size(), row.size());
                for (std::size_t c = 0; c < row.size(); ++c) {
                    const std::string& field = lines[line][c];
                    double value = 0;
                    const auto end = std::from_chars(field.data(), field.data() + field.size(), value);
                    EXPECT_TRUE(!table.columns[c].number || field.empty() || end.ptr == field.data() + field.size())
                        << table.columns[c].title << " is no number for a program: " << field;
                }
            }
            ++line;
        }
        EXPECT_EQ(line, lines.size());
        const std::string markdown = written(topic(), subject, TableFormat::markdown);
        EXPECT_EQ(markdown.find(topic().sentence(subject)), 0U);
        EXPECT_TRUE(tables.empty() || markdown.find("---|\n") != std::string::npos ||
                    markdown.find("---:|\n") != std::string::npos);
    }
}

// Every field of a topic changes its text or figure.
TEST_P(Topics, FollowTheirFields) {
    for (const Field field : topic().fields()) {
        if (topic().runs({})) {
            continue; // used by the run
        }
        Subject subject;
        subject.registers = 64;
        subject.shared = 16384;
        const std::string before = topic().json(subject).dump();
        ASSERT_TRUE(turn(subject, field, 1)) << id(field);
        if (topic().id() == std::string("resources") && field == Field::block_x) {
            continue; // few kernels are compiled for a single block size
        }
        EXPECT_NE(topic().json(subject).dump(), before) << id(field);
    }
}

TEST(Choices, AreRefusedWithWhatWorks) {
    Choices c;
    for (const auto& [field, text] : {std::pair{Field::elements, "1"},
                                      {Field::elements, "x"},
                                      {Field::elements, "-5"},
                                      {Field::block_x, "0"},
                                      {Field::block_x, "1025"},
                                      {Field::block_y, "5"},
                                      {Field::device, "voodoo"},
                                      {Field::registers, "256"},
                                      {Field::shared, "1M"},
                                      {Field::float_type, "i32"},
                                      {Field::input, "file"},
                                      {Field::processors, "0"}}) {
        const auto taken = [&c, f = field, t = std::string(text)] { set(c, f, t); };
        EXPECT_THAT(taken, testing::ThrowsMessage<OptionError>(testing::HasSubstr("take "))) << text;
    }
    EXPECT_EQ(c, Choices());
}

TEST(Choices, ComeBackAsRemembered) {
    Choices c;
    set(c, Field::elements, "2^13");
    set(c, Field::block_x, "16");
    set(c, Field::block_y, "64");
    set(c, Field::device, "fermi");
    set(c, Field::registers, "40");
    set(c, Field::shared, "6000");
    set(c, Field::any_type, "i64");
    set(c, Field::input, "ones");
    set(c, Field::seed, "9");
    set(c, Field::processors, "77");
    Choices back;
    from_values(back, to_values(c));
    EXPECT_EQ(back, c);
    auto damaged = to_values(c);
    damaged["n"] = "many";
    damaged["device"] = "of another version";
    Choices rest;
    from_values(rest, damaged);
    EXPECT_EQ(rest.n, Choices().n);
    EXPECT_EQ(rest.device, Choices().device);
    EXPECT_EQ(rest.registers, 40U);
}

TEST(Choices, TurnAndStopAtTheEnds) {
    Choices c;
    EXPECT_TRUE(turn(c, Field::elements, 1));
    EXPECT_EQ(c.n, 1U << 21);
    c.n = 2;
    EXPECT_FALSE(turn(c, Field::elements, -1));
    EXPECT_EQ(c.n, 2U);
    c.block = {1024, 1, 1};
    EXPECT_FALSE(turn(c, Field::block_x, 1));
    c.device = "g80";
    EXPECT_TRUE(turn(c, Field::device, -1)) << "goes round";
    EXPECT_EQ(c.device, "hopper");
}

TEST(Topic, OccupancyHasTheLecturesNumbers) {
    Subject c;
    c.device = "fermi";
    for (const auto& [side, threads] : {std::pair{8U, 512}, {16U, 1536}, {32U, 1024}}) {
        c.block = {side, side, 1};
        EXPECT_EQ(require_topic("occupancy").json(c)["threads"], threads) << side;
    }
    EXPECT_THROW(require_topic("astrology"), OptionError);
}

// Since compute capability 6.0 what is loaded from global memory is kept in L1, too, as what is local.
TEST(Topic, MemoryNamesTheCachesOfLocalAndGlobalAlike) {
    const auto rows = require_topic("memory").tables({}).front().rows;
    const auto place = [&](const std::string& space) {
        for (const auto& row : rows) {
            if (row.front().text == space) {
                return row[4].text;
            }
        }
        return std::string();
    };
    EXPECT_EQ(place("global"), "device memory, cached in L1 and L2");
    EXPECT_EQ(place("local"), place("global"));
}

// The recorded exact-sum of floats has 63 registers, a stack of 128 bytes and nothing that spills.
TEST(Topic, ResourcesCallAStackAStack) {
    Subject c;
    c.type = ElementType::f32;
    const Topic& resources = require_topic("resources");
    EXPECT_THAT(resources.sentence(c), testing::HasSubstr("use local memory, for what spills or as a stack"));
    const FigureContext context{&scene::theme(scene::ThemeName::dark), &measure(), 1};
    std::vector<std::string> said;
    for (const scene::Text& text : tests::texts(compose(resources, context, 1920, 1080, c))) {
        said.push_back(text.text);
    }
    EXPECT_THAT(said, testing::Contains("63, 128 B stack"));
    EXPECT_THAT(said, testing::Not(testing::Contains(testing::HasSubstr("B local"))));
}

// An H100 has another bandwidth than an H200, a K20 than a K40, of the same generation.
TEST(Topic, DevicesNameTheProductWhoseBandwidthTheyTell) {
    std::vector<std::string> told;
    const Table table = require_topic("device").tables({}).back();
    for (const auto& row : table.rows) {
        told.push_back(row.back().text);
    }
    EXPECT_THAT(told, testing::IsSupersetOf({"H200 SXM: 4800", "Tesla K40: 288", "8800 GTX: 86.4"}));
}

TEST(Topic, OrdersSayThatTheyAreOfFewerThanAskedFor) {
    for (const auto& [asked, cut] : {std::pair{1ULL << 20, true}, {1ULL << 14, false}}) {
        Subject c;
        c.n = asked;
        auto made = std::make_shared<runs::RoundingTable>(*table());
        made->options = require_topic("orders").runs(c).value();
        EXPECT_EQ(made->options.n, 16384U);
        c.rounding = made;
        EXPECT_THAT(require_topic("orders").sentence(c), testing::HasSubstr(" sums 16,384 (float, "));
        EXPECT_EQ(require_topic("orders").sentence(c).find("; no more are summed here) in") != std::string::npos, cut);
    }
}

// Of 2^20 numbers 16,896 processors add 62.06 each, ceil(62.06) - 1 = 62 times, and then a tree of 15 steps their sums.
TEST(Topic, WorkTellsStepsAndTheirBoundApart) {
    Subject c;
    c.processors = 16896;
    EXPECT_THAT(require_topic("work").sentence(c),
                testing::HasSubstr("16,896 processors take 77 steps, within n/P + log n, which is 82;"));
    c.processors = 1;
    EXPECT_THAT(require_topic("work").sentence(c),
                testing::HasSubstr("1 processor takes 1,048,575 steps, within n/P + log n, which is 1,048,596;"));
}

class TopicGolden : public testing::TestWithParam<std::tuple<const char*, scene::ThemeName>> {};
INSTANTIATE_TEST_SUITE_P(Figures, TopicGolden,
                         testing::Values(std::tuple{"occupancy", scene::ThemeName::light},
                                         std::tuple{"work", scene::ThemeName::dark},
                                         std::tuple{"warps", scene::ThemeName::contrast}),
                         [](const auto& info) { return std::string(std::get<0>(info.param)); });

TEST_P(TopicGolden, LooksAsRecorded) {
    const auto& [id, theme] = GetParam();
    const std::string file = std::string("theory-") + id + ".png";
    const auto golden = tests::golden_dir() / "pictures" / file;
    const char* update = std::getenv("WARPTREE_UPDATE_GOLDENS");
    const bool record = update != nullptr && *update == '1';
    const auto path = record ? golden : std::filesystem::path(testing::TempDir()) / file;
    render::write_drawing(
        [&, id = id, theme = theme](const scene::TextMeasure& m) {
            return compose(require_topic(id), {&scene::theme(theme), &m, 0.75F}, 640, 360, Subject{});
        },
        {640, 360, path, "title"});
    if (!record) {
        EXPECT_LT(tests::difference(path, golden), 24) << "compare " << path << " with " << golden;
    }
}

} // namespace
} // namespace warptree::topics
