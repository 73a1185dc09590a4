#include "app/base/resources.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>

namespace warptree::session {
namespace {

// Sets WARPTREE_DATA to a separate directory for each test.
class Resources : public testing::Test {
  protected:
    void SetUp() override {
        if (const char* value = std::getenv("WARPTREE_DATA")) before_ = value;
        directory_ = std::filesystem::path(testing::TempDir()) /
                     ("resources-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
        std::filesystem::create_directories(directory_ / "shaders");
        setenv("WARPTREE_DATA", directory_.c_str(), 1);
    }
    void TearDown() override {
        std::filesystem::remove_all(directory_);
        if (before_) {
            setenv("WARPTREE_DATA", before_->c_str(), 1);
        } else {
            unsetenv("WARPTREE_DATA");
        }
    }

    std::optional<std::string> before_;
    std::filesystem::path directory_;
};

TEST_F(Resources, PrefersTheChosenDirectory) {
    const auto chosen = directory_ / "shaders/box.vert";
    std::ofstream(chosen) << "// chosen\n";
    EXPECT_EQ(resource("shaders/box.vert"), chosen);
}

TEST_F(Resources, FallsBackToTheSourceTree) { EXPECT_TRUE(std::filesystem::is_directory(resource("assets"))); }

TEST_F(Resources, SaysWhatIsMissingAndWhereItLooked) {
    try {
        resource("shaders/none.vert");
        FAIL() << "no error";
    } catch (const MissingResource& error) {
        const std::string what = error.what();
        EXPECT_NE(what.find("shaders/none.vert"), std::string::npos) << what;
        EXPECT_NE(what.find(directory_.string()), std::string::npos) << what;
        EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    }
}

} // namespace
} // namespace warptree::session
