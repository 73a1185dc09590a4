// The window on a machine with an NVIDIA GPU: drawn by it, and its traces recorded by it. script/gpu --windowed runs it.
#include "app/gpu/driver.hpp"
#include "tests/app/process.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

namespace warptree::testing {
namespace {

TEST(GpuWindow, IsDrawnByTheGpuAndShowsItsTrace) {
    if (!gpu::usable()) {
        GTEST_SKIP() << gpu::why_not();
    }
    if (std::getenv("DISPLAY") == nullptr) {
        GTEST_SKIP() << "no display";
    }
    const auto directory = std::filesystem::temp_directory_path() / ("warptree_gpu_" + std::to_string(getpid()));
    std::filesystem::create_directories(directory);
    const std::string file = (directory / "state.json").string();
    const pid_t child =
        spawn(Start{{}, {{"WARPTREE_STATE_FILE", file}, {"XDG_CONFIG_HOME", directory.string()}}, {}, {}},
              STDERR_FILENO, STDERR_FILENO);
    nlohmann::json state;
    for (int i = 0; i < 1200 && (!state.is_object() || state.value("shown", "").empty()); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        std::ifstream in(file);
        state = nlohmann::json::parse(in, nullptr, false);
    }
    kill(child, SIGINT);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(exit_code(status), 0);
    std::filesystem::remove_all(directory);
    ASSERT_TRUE(state.is_object());
    EXPECT_EQ(state["backend"], "cuda");
    EXPECT_NE(state["device"].get<std::string>().find("NVIDIA"), std::string::npos) << state["device"];
    EXPECT_NE(state["renderer"].get<std::string>().find("NVIDIA"), std::string::npos) << state["renderer"];
}

} // namespace
} // namespace warptree::testing
