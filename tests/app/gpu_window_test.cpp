// The window on a machine with an NVIDIA GPU, which draws it and records its traces. Run by script/gpu --windowed.
#include "app/gpu/driver.hpp"
#include "tests/app/process.hpp"
#include "tests/app/ui_fixture.hpp"

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

// With real keys: opens a file without a header and measures it on Timings.
class UiGpu : public Ui {};

TEST_F(UiGpu, MeasuresAStudentsFileByKey) {
    if (!gpu::usable()) {
        GTEST_SKIP() << gpu::why_not();
    }
    const std::string file = (directory_ / "mine.cu").string();
    std::ofstream(file) << "__global__ void sum(const int* in, int* out, unsigned n) {\n"
                           "    extern __shared__ int part[];\n"
                           "    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "    part[threadIdx.x] = i < n ? in[i] : 0;\n"
                           "    __syncthreads();\n"
                           "    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {\n"
                           "        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];\n"
                           "        __syncthreads();\n"
                           "    }\n"
                           "    if (threadIdx.x == 0) out[blockIdx.x] = part[0];\n"
                           "}\n";
    open({file});
    key("3", "page", "timings");
    xdotool("key m");
    until([](const Json& s) { return s["page_shown"]["measuring"] == "yes"; }, "the measurement");
    const auto measured = [](const Json& s) {
        return s["page_shown"]["series"].get<std::string>().find("(this GPU)") != std::string::npos;
    };
    for (int i = 0; i < 2400 && !measured(settled()); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    EXPECT_TRUE(measured(settled())) << settled()["page_shown"];
    xdotool("key Escape");
    until([](const Json& s) { return s["page_shown"]["measuring"] == "no"; }, "its end");
    EXPECT_EQ(close_window(), 0);
}

} // namespace
} // namespace warptree::testing
