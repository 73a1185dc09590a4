#include "app/base/build_info.hpp"
#include "kernels/source_text.hpp"
#include "kernels/strategy.hpp"
#include "tests/support/paths.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace warptree {
namespace {

TEST(SourceText, IsEachStrategysFileByteForByte) {
    ASSERT_FALSE(strategies().empty());
    for (const StrategyInfo& info : strategies()) {
        std::ifstream file(tests::source_dir() / "kernels" / info.source, std::ios::binary);
        std::ostringstream text;
        text << file.rdbuf();
        EXPECT_FALSE(text.str().empty()) << info.source;
        EXPECT_EQ(strategy_source(info.source), text.str()) << info.source;
    }
}

TEST(SourceText, IsEmptyForAnUnknownPath) {
    EXPECT_TRUE(strategy_source("reduce/none.hpp").empty());
    EXPECT_TRUE(strategy_source("").empty());
}

TEST(BuildInfo, SaysWhetherTheGpuSideIsBuilt) {
    const BuildInfo& info = build_info();
    EXPECT_FALSE(info.version.empty());
    EXPECT_FALSE(info.commit.empty());
    EXPECT_EQ(info.cuda, !info.cuda_version.empty());
    EXPECT_EQ(info.cuda, !info.cuda_architectures.empty());
}

} // namespace
} // namespace warptree
