// Tables as text, Markdown and CSV; the CSV is read back by an independent reader.
#include "app/base/table.hpp"
#include "app/run/run.hpp"
#include "app/trace/explain/report.hpp"
#include "tests/support/csv.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace warptree {
namespace {

Table example_table() {
    Table table{{{"name"}, {"share\nof it", true}, {"µ | seconds", true, 0, "seconds"}}, {}};
    table.rows.push_back({"a, \"quoted\"", TableCell("12.5 %", 0.125), TableCell("1,024", 1024U)});
    table.rows.push_back({"two\nlines", TableCell("–", ""), TableCell("µ", 1e-7)});
    return table;
}

TEST(Tables, TextIsInColumns) {
    EXPECT_EQ(table_text(Table{{{"name"}, {"µ\nlong", true}}, {{"a", "1"}, {"longer", "µµµµµ"}}}), "name        µ\n"
                                                                                                   "         long\n"
                                                                                                   "a           1\n"
                                                                                                   "longer  µµµµµ\n");
    EXPECT_EQ(table_text(Table{{{"alone"}}, {}}), "alone\n");
}

TEST(Tables, MarkdownHasACellAColumn) {
    std::istringstream lines(table_text(example_table(), TableFormat::markdown));
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
        std::size_t bars = 0;
        for (std::size_t i = 0; i < line.size(); ++i) {
            bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\') ? 1 : 0;
        }
        EXPECT_EQ(bars, 4U) << line;
    }
    EXPECT_EQ(count, 4) << "a heading, a rule and two rows, whatever the cells hold";
    EXPECT_NE(table_text(example_table(), TableFormat::markdown).find("|---|---:|---:|\n"), std::string::npos);
}

TEST(Tables, CsvComesBackExact) {
    const auto lines = parse_csv(table_text(example_table(), TableFormat::csv));
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[0], (std::vector<std::string>{"name", "share of it", "seconds"}));
    EXPECT_EQ(lines[1], (std::vector<std::string>{"a, \"quoted\"", "0.125", "1024"}));
    EXPECT_EQ(lines[2][0], "two\nlines");
    EXPECT_EQ(lines[2][1], "");
    EXPECT_EQ(std::stod(lines[2][2]), 1e-7);
}

TEST(Tables, SeveralAreApart) {
    const Table one{{{"a"}}, {{"1"}}};
    EXPECT_EQ(table_text(std::vector{one, one}, TableFormat::csv), "a\n1\n\na\n1\n");
}

TEST(Tables, StepsOfARunAreEveryCounterOfTheTrace) {
    RunOptions o;
    o.strategy = "sequential";
    o.n = 1000;
    o.block = 64;
    o.finish = Finish::relaunch;
    const Trace t = runs::run_any(o);
    ASSERT_GT(t.launches.size(), 1U);
    const auto lines = parse_csv(steps_text(t, TableFormat::csv));
    std::size_t line = 0;
    for (std::size_t l = 0; l < t.launches.size(); ++l) {
        for (const Step& s : t.launches[l].steps) {
            ASSERT_LT(++line, lines.size());
            ASSERT_EQ(lines[line].size(), lines[0].size());
            EXPECT_EQ(lines[line][0], std::to_string(l + 1));
            EXPECT_EQ(lines[line][1], s.label);
            for (const CounterField& field : counter_fields()) {
                const auto at = std::find(lines[0].begin(), lines[0].end(), field.name);
                ASSERT_NE(at, lines[0].end()) << field.name;
                EXPECT_EQ(lines[line][static_cast<std::size_t>(at - lines[0].begin())],
                          std::to_string(s.counters.*field.member));
            }
        }
    }
    EXPECT_EQ(line + 1, lines.size());
    const std::string markdown = steps_text(t, TableFormat::markdown);
    EXPECT_NE(markdown.find("launch 2: "), std::string::npos);
    EXPECT_NE(markdown.find("| total |"), std::string::npos);
}

} // namespace
} // namespace warptree
