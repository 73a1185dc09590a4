// The bank rules against patterns measured on hardware.
#include "kernels/banks/rules.hpp"
#include "tests/kernels/recording_files.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace warptree {
namespace {

using namespace tests;
namespace fs = std::filesystem;

TEST(BanksRecorded, RulesPredictEveryPattern) {
    const auto recordings = files(tests::golden_dir() / "bank_patterns", ".csv");
    if (recordings.empty()) {
        GTEST_SKIP() << "nothing recorded in tests/golden/bank_patterns; script/bank-rules records it on a GPU";
    }
    for (const fs::path& file : recordings) {
        std::ifstream in(file);
        std::string line;
        int patterns = 0, wrong = 0;
        while (std::getline(in, line)) {
            if (line.empty() || line[0] == '#' || line[0] == 'b') {
                continue;
            }
            std::istringstream words(line);
            unsigned bytes = 0, wavefronts = 0;
            int store = 0;
            std::uint32_t mask = 0;
            char comma = 0;
            std::uint32_t index[32];
            words >> bytes >> comma >> store >> comma >> std::hex >> mask >> comma >> std::dec >> wavefronts >> comma;
            for (std::uint32_t& i : index) {
                words >> i;
            }
            ASSERT_TRUE(words) << file << ": " << line;
            ++patterns;
            const unsigned predicted = banks::wavefronts(index, mask, bytes, 32, store != 0);
            if (predicted != wavefronts && ++wrong <= 8) {
                ADD_FAILURE() << "predicted " << predicted << ": " << line;
            }
        }
        EXPECT_GT(patterns, 1000) << file;
        EXPECT_EQ(wrong, 0) << "of " << patterns;
    }
}

} // namespace
} // namespace warptree
