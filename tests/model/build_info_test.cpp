#include "app/base/build_info.hpp"

#include <gtest/gtest.h>

namespace warptree {
namespace {

TEST(BuildInfo, SaysWhetherTheGpuSideIsBuilt) {
    const BuildInfo& info = build_info();
    EXPECT_FALSE(info.version.empty());
    EXPECT_FALSE(info.commit.empty());
    EXPECT_EQ(info.cuda, WARPTREE_HAS_CUDA == 1);
    EXPECT_EQ(info.cuda, !info.cuda_version.empty());
    EXPECT_EQ(info.cuda, !info.cuda_architectures.empty());
}

} // namespace
} // namespace warptree
