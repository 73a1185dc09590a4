// The catalogue's kernels against traces recorded on a GPU.
#include "app/run/kernel_run.hpp"
#include "app/trace/io/file.hpp"
#include "tests/kernels/recorded_traces.hpp"
#include "tests/run/trace_differences.hpp"
#include "tests/support/paths.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace warptree {
namespace {

std::filesystem::path file_of(std::string id) {
    std::replace(id.begin(), id.end(), '-', '_');
    for (const char* folder : {"reduce", "scan", "exhibits"}) {
        const auto path = tests::source_dir() / "kernels" / folder / (id + ".cu");
        if (std::filesystem::exists(path)) {
            return path;
        }
    }
    return {};
}

std::vector<std::string> goldens() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(tests::source_dir() / "tests/golden/traces")) {
        if (entry.path().extension() == ".wtrace") {
            names.push_back(entry.path().stem().string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

class CatalogueGolden : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, CatalogueGolden, testing::ValuesIn(goldens()),
                         [](const auto& info) { return info.param; });

TEST_P(CatalogueGolden, EqualsWhatAGpuDid) {
    Trace golden = load(tests::source_dir() / "tests/golden/traces" / (GetParam() + ".wtrace"));
    const std::filesystem::path file = file_of(golden.options.strategy);
    ASSERT_FALSE(file.empty()) << "no kernel file for " << golden.options.strategy;
    RunOptions o = golden.options;
    o.backend = Backend::cpu;
    o.kernel.file = file.string();
    o.kernel.n_given = o.kernel.input_given = true;
    o.last_block =
        golden.launches.front().last_block == kNone ? std::nullopt : std::optional(golden.launches.front().last_block);
    RunControl control;
    Trace trace = runs::run_kernel_file(o, control);
    EXPECT_TRUE(trace.pass);
    if (tests::is_of_version_2(golden)) {
        tests::compare_as_version_2(golden, trace);
    }
    for (const tests::Difference& d : tests::differences(golden, trace)) {
        ADD_FAILURE() << d.what << ": " << d.text;
    }
}

} // namespace
} // namespace warptree
