// Whether the desktop's settings ask for less motion.
#include "app/shell/motion.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

namespace warptree::window {
namespace {

class Motion : public ::testing::Test {
  protected:
    void SetUp() override {
        folder_ = std::filesystem::temp_directory_path() / ("warptree_motion_" + std::to_string(getpid()));
        std::filesystem::create_directories(folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    void write(const std::string& file, const std::string& text) {
        std::filesystem::create_directories((folder_ / file).parent_path());
        std::ofstream(folder_ / file) << text;
    }
    std::filesystem::path folder_;
};

TEST_F(Motion, IsAllowedWhereNothingIsSaid) {
    EXPECT_FALSE(asks_for_less_motion(folder_));
    write("gtk-3.0/settings.ini", "[Settings]\ngtk-theme-name=Adwaita\n");
    write("kdeglobals", "[KDE]\nAnimationDurationFactor=0.5\n");
    EXPECT_FALSE(asks_for_less_motion(folder_));
}

TEST_F(Motion, IsLessWhereGtkSaysSo) {
    for (const char* value : {"0", "false", " 0"}) {
        write("gtk-3.0/settings.ini", std::string("[Settings]\ngtk-enable-animations =") + value + "\n");
        EXPECT_TRUE(asks_for_less_motion(folder_)) << value;
    }
    write("gtk-4.0/settings.ini", "[Settings]\ngtk-enable-animations=1\n"); // the newer one's word counts
    EXPECT_FALSE(asks_for_less_motion(folder_));
}

TEST_F(Motion, IsLessWhereKdeSaysSo) {
    write("kdeglobals", "[KDE]\nAnimationDurationFactor=0\n");
    EXPECT_TRUE(asks_for_less_motion(folder_));
}

} // namespace
} // namespace warptree::window
