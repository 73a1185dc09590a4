// Every built-in comparison, with real keys: it opens, fills its table, plays, and says what changed. Three and four
// columns, each alignment, the counterpart of the hovered cell, and a saved trace beside live ones.
#include "app/features/compare/comparison.hpp"
#include "tests/app/ui_fixture.hpp"
#include "tests/support/csv.hpp"

#include <algorithm>

#include <map>
#include <set>

namespace warptree::testing {
namespace {

class UiComparePresets : public Ui {
  protected:
    Json shown(const char* name, const std::string& wanted) const {
        return until([&](const Json& s) { return s["page_shown"].value(name, "") == wanted; },
                     std::string(name) + " is " + wanted);
    }
    // The settled state with `count` columns.
    Json columns(std::size_t count) const {
        until(
            [&](const Json& s) {
                return column_count(s) == count && s["page_shown"].value("ready", "") == "yes" &&
                       heading(s).size() == count;
            },
            std::to_string(count) + " columns");
        return settled();
    }
    static std::size_t column_count(const Json& s) {
        std::size_t count = 0;
        while (count < 4 && s["page_values"].value("column-" + std::to_string(count + 1), "") != "") {
            ++count;
        }
        return count;
    }
    // The cells of the table's rows, by id; "" is the heading.
    static std::map<std::string, std::vector<std::string>> table(const Json& s) {
        std::map<std::string, std::vector<std::string>> rows;
        for (std::vector<std::string>& cells : parse_csv(s["page_shown"].value("table", ""))) {
            const std::string id = rows.empty() ? "" : cells.front();
            cells.erase(cells.begin());
            rows[id] = std::move(cells);
        }
        return rows;
    }
    static std::vector<std::string> heading(const Json& s) { return table(s)[""]; }
    static int aligned_step(const Json& s) { return std::stoi(s["page_shown"].value("aligned_step", "-1")); }

    void expect_whole(const Json& s, std::size_t count, const std::string& where) const {
        EXPECT_EQ(s["page_shown"]["error"], "") << where;
        const auto rows = table(s);
        EXPECT_GE(rows.size(), 12U) << where;
        for (const auto& [id, cells] : rows) {
            ASSERT_EQ(cells.size(), count) << where << ": " << id;
            for (const std::string& cell : cells) {
                // Times and registers are known for some kernels only, a waiting column has no step, and where nothing
                // combines in a stage no lanes are idle in one.
                const bool bins_or_rows = where == "three-histograms" || where == "ragged-rows";
                if (id != "measured_seconds" && id != "registers" && !(bins_or_rows && id == "lane_efficiency") &&
                    id != "result" && !id.starts_with("step")) {
                    EXPECT_NE(cell, "") << where << ": " << id;
                }
            }
        }
        for (std::size_t c = 1; c < count; ++c) {
            EXPECT_GT(s["page_shown"].value("change-" + std::to_string(c), "").size(), 15U) << where;
        }
    }
    void play(const std::string& where) const {
        xdotool("key Home");
        shown("aligned_step", "0");
        xdotool("key space");
        const int begun = aligned_step(settled());
        advance_until([&](const Json& s) { return aligned_step(s) > begun; }, where + " plays");
        if (state()["page_shown"]["playing"] == "yes") {
            xdotool("key space");
            shown("playing", "no");
        }
        xdotool("key End");
        until(
            [](const Json& s) { return aligned_step(s) + 1 == std::stoi(s["page_shown"].value("aligned_steps", "0")); },
            "the end");
    }
};

TEST_F(UiComparePresets, OpenPlayAndSayWhatChanged) {
    open();
    key("2", "page", "compare");
    shown("ready", "yes");
    xdotool("key bracketleft"); // to the first one, just before the initial one
    for (int i = 0; i < 5; ++i) {
        xdotool("key Up"); // faster, so that a step does not take long
    }
    const auto& presets = session::presets();
    ASSERT_GE(presets.size(), 13U);
    const std::size_t tried = tests::kFewCases ? 4 : presets.size();
    for (std::size_t i = 0; i < tried; ++i) {
        const session::Preset& preset = presets[i];
        if (i > 0) {
            xdotool("key bracketright");
        }
        until(
            [&](const Json& s) {
                for (std::size_t c = 0; c < preset.columns.size(); ++c) {
                    if (s["page_values"].value("column-" + std::to_string(c + 1), "") != preset.columns[c]) {
                        return false;
                    }
                }
                return s["page_values"].value("n", "") == std::to_string(preset.n) &&
                       s["page_values"].value("align", "") == name(preset.alignment);
            },
            preset.id);
        const Json s = columns(preset.columns.size());
        expect_whole(s, preset.columns.size(), preset.id);
        // In shared memory n − 1 combines reduce n values; shuffles and atomics also combine with existing values.
        // Scans, integers of an exact sum, rows and bins have counts of their own.
        const std::set<std::string> others{"single-double-buffer", "shared-shuffle", "warp-block-atomic",
                                           "blelloch-padding",     "sum-records",    "softmax-passes",
                                           "three-histograms",     "ragged-rows"};
        if (!others.contains(preset.id)) {
            const auto combines = table(s)["useful_combines"];
            EXPECT_EQ(combines.size(), preset.columns.size()) << preset.id;
            for (const std::string& cell : combines) {
                EXPECT_EQ(cell, std::to_string(preset.n - 1)) << preset.id;
            }
        }
        play(preset.id);
    }
    EXPECT_EQ(close_window(), 0);
}

TEST_F(UiComparePresets, HaveTwoToFourColumns) {
    open();
    key("2", "page", "compare");
    shown("ready", "yes");
    xdotool("key bracketleft");
    expect_whole(columns(3), 3, "three columns");
    xdotool("key Insert");
    expect_whole(columns(4), 4, "four columns");
    xdotool("key Insert"); // no room for a fifth
    xdotool("key a");
    until([](const Json& s) { return s["page_values"]["align"] == "stride"; }, "by stride");
    expect_whole(columns(4), 4, "by stride");
    play("by stride");
    const Json by_stride = settled();
    xdotool("key a");
    until([](const Json& s) { return s["page_values"]["align"] == "combines"; }, "by combines");
    columns(4);
    play("by combines");
    // Moving down one column highlights something in all four at the same time.
    xdotool("key Home key Right");
    shown("aligned_step", "1");
    const Json first = place("compare-column-1");
    bool found = false;
    for (int y = 60; y < 260 && !found; y += 4) {
        move(static_cast<int>(first[0].get<double>() + first[2].get<double>() / 4),
             static_cast<int>(first[1].get<double>()) + y);
        const Json s = state();
        found = s.is_object();
        for (int c = 1; c <= 4; ++c) {
            found = found && s["page_shown"].value("lit-" + std::to_string(c), "") != "";
        }
    }
    EXPECT_TRUE(found) << "nothing has a counterpart in all four columns";
    xdotool("key Delete");
    columns(3);
    xdotool("key Delete");
    columns(2);
    xdotool("key Delete"); // two is the minimum
    expect_whole(columns(2), 2, "two columns");
}

TEST_F(UiComparePresets, TakeASavedTraceAsAColumn) {
    const std::string file = (directory_ / "saved.wtrace").string();
    open();
    into_dialog("ctrl+s", "save", file);
    written(file);
    key("2", "page", "compare");
    shown("ready", "yes");
    const Json live = settled();
    key("1", "page", "explore");
    into_dialog("ctrl+o", "open", file);
    until([&](const Json& s) { return s["file"] == file; }, "the trace is open");
    key("2", "page", "compare");
    xdotool("key x");
    until(
        [&](const Json& s) {
            return s["page_values"].value("column-1", "") == file || s["page_values"].value("column-2", "") == file;
        },
        "the trace is a column");
    const Json s = columns(column_count(live));
    expect_whole(s, column_count(live), "a saved trace");
    const auto names = heading(s);
    EXPECT_TRUE(std::any_of(names.begin(), names.end(), [](const std::string& n) {
        return n.starts_with("saved.wtrace");
    })) << s["page_shown"]["table"];
    play("a saved trace");
}

} // namespace
} // namespace warptree::testing
