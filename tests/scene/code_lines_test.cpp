#include "app/views/source/code_lines.hpp"

#include "app/catalogue/catalogue.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/document/recordings.hpp"
#include "app/run/run.hpp"
#include "tests/support/paths.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace warptree::scene {
namespace {

std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::ostringstream all;
    all << in.rdbuf();
    return all.str();
}

// Otherwise lines would highlight the wrong ones; script/code-listings records the listings again.
TEST(CodeRecorded, IsOfTheTextOfEveryStrategy) {
    for (const StrategyInfo& s : strategies()) {
        const code::Recording* r = session::recorded_code(s.id);
        ASSERT_NE(r, nullptr) << s.id;
        EXPECT_EQ(r->code.source, code::source_key(text_of(catalogue::shipped_file(s.id)))) << s.id;
        for (const auto language : {code::Language::ptx, code::Language::sass}) {
            const code::Listing& l = r->code.of(language);
            EXPECT_GT(l.lines.size(), 10U) << s.id;
            ASSERT_FALSE(l.files.empty()) << s.id;
            const auto placed = std::count_if(l.lines.begin(), l.lines.end(),
                                              [](const code::Line& line) { return !line.places.empty(); });
            EXPECT_GT(placed * 2, static_cast<std::ptrdiff_t>(l.lines.size())) << s.id;
        }
    }
}

class CodeLines : public testing::Test {
  protected:
    CodeLines() {
        RunOptions o;
        o.strategy = "sequential";
        o.n = 256;
        o.backend = Backend::cpu;
        trace_ = runs::run_any(o);
        source_ = source_rows(trace_);
        code_ = session::recorded_code("sequential")->code;
    }
    std::uint32_t row_with(std::string_view text) const {
        for (std::uint32_t i = 0; i < source_.size(); ++i) {
            if (source_[i].text.find(text) != std::string::npos) {
                return i;
            }
        }
        ADD_FAILURE() << text;
        return 0;
    }
    std::vector<std::string> texts(const code::Listing& listing, const std::vector<std::uint32_t>& rows) const {
        std::vector<std::string> all;
        for (const std::uint32_t row : rows) {
            all.push_back(listing.lines[row].text);
        }
        return all;
    }
    Trace trace_;
    std::vector<SourceRow> source_;
    code::Disassembly code_;
};

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

TEST_F(CodeLines, ALineOfTheSourceHasWhatWasCompiledOfItAndInlinedIntoIt) {
    const std::uint32_t combine = row_with("op(sdata[tid]");
    const LitLines lit = lit_by(source_, code_, {CodeColumn::cuda, combine});
    EXPECT_EQ(lit.of(CodeColumn::cuda), std::vector{combine});
    const auto ptx = texts(code_.ptx, lit.of(CodeColumn::ptx));
    EXPECT_THAT(ptx, Contains(HasSubstr("ld.shared.u32")));
    EXPECT_THAT(ptx, Contains(HasSubstr("st.shared.u32")));
    EXPECT_THAT(ptx, Contains(HasSubstr("add.s32 %r15"))) << "op(), which is inlined";
    EXPECT_THAT(ptx, Not(Contains(HasSubstr("bar.sync"))));
    const auto sass = texts(code_.sass, lit.of(CodeColumn::sass));
    EXPECT_THAT(sass, Contains(HasSubstr("LDS")));
    EXPECT_THAT(sass, Contains(testing::StartsWith("@!P1 "))) << "predicated: there is no branch";
}

TEST_F(CodeLines, ALineOfAListingHasItsSourceAndWhatElseCameFromThere) {
    const std::uint32_t barrier = row_with("    __syncthreads();");
    const LitLines from_source = lit_by(source_, code_, {CodeColumn::cuda, barrier});
    ASSERT_FALSE(from_source.of(CodeColumn::sass).empty());
    const std::uint32_t row = from_source.of(CodeColumn::sass).front();
    EXPECT_THAT(code_.sass.lines[row].text, HasSubstr("BAR.SYNC"));
    EXPECT_EQ(lit_by(source_, code_, {CodeColumn::sass, row}), from_source);
}

// The compiler attributes a predicated combine to the condition above it.
TEST_F(CodeLines, ALineWithNoCodeOfItsOwnHasThatOfTheStatementAroundIt) {
    RunOptions o;
    o.strategy = "scan-lookback";
    o.n = 256;
    o.backend = Backend::cpu;
    trace_ = runs::run_any(o);
    source_ = source_rows(trace_);
    code_ = session::recorded_code("scan-lookback")->code;
    const std::uint32_t combine = row_with("row[r] = op(below, row[r]);");
    const LitLines lit = lit_by(source_, code_, {CodeColumn::cuda, combine});
    EXPECT_EQ(lit.of(CodeColumn::cuda), (std::vector{combine - 1, combine})) << "if (lane >= offset)";
    EXPECT_THAT(texts(code_.sass, lit.of(CodeColumn::sass)), Contains(HasSubstr("IADD")));
    EXPECT_FALSE(lit.of(CodeColumn::ptx).empty());
}

TEST_F(CodeLines, WhatIsOfNoLineLightsItselfAlone) {
    const LitLines label = lit_by(source_, code_, {CodeColumn::ptx, 0});
    EXPECT_EQ(label.of(CodeColumn::ptx), std::vector{0U});
    EXPECT_TRUE(label.of(CodeColumn::cuda).empty());
    EXPECT_EQ(lit_by(source_, code_, {CodeColumn::ptx, 1U << 20}), LitLines());
    EXPECT_EQ(lit_by(source_, code_, {CodeColumn::cuda, row_with("// title")}).of(CodeColumn::ptx),
              std::vector<std::uint32_t>());
}

} // namespace
} // namespace warptree::scene
