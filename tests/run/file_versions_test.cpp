// Versions of the trace file: files of older versions still open.
#include "app/base/whole_file.hpp"
#include "app/run/run.hpp"
#include "app/trace/explain/sources.hpp"
#include "app/trace/io/archive.hpp"
#include "app/trace/io/file.hpp"
#include "tests/support/paths.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

namespace warptree {
namespace {

class TraceVersions : public testing::Test {
  protected:
    void TearDown() override { std::filesystem::remove(path_); }
    std::filesystem::path path_ =
        std::filesystem::temp_directory_path() / ("warptree-versions-" + std::to_string(getpid()) + ".wtrace");
};

TEST_F(TraceVersions, HoldTheTextItsLinesAreOf) {
    RunOptions o;
    o.strategy = "block-shuffle";
    o.n = 64;
    o.block = 64;
    o.backend = Backend::cpu;
    o.finish = Finish::last_block;
    Trace trace = runs::run_any(o);
    std::vector<std::string> paths;
    for (const SourceFile& file : trace.sources) {
        paths.push_back(file.path);
    }
    EXPECT_EQ(paths.front(), "block_shuffle.cu");
    EXPECT_THAT(paths, testing::IsSupersetOf({"warp_reduce.cuh", "reduce/last_block.cuh", "reduction.cuh"}));
    for (const SourceView& file : sources(trace)) {
        EXPECT_EQ(file.origin, SourceOrigin::recorded) << file.path;
    }
    trace.sources.front().text = "// another\n\x01 text \"of\" old\n";
    save(trace, path_);
    const Trace opened = load(path_);
    EXPECT_EQ(opened, trace);
    const auto files = sources(opened);
    EXPECT_EQ(files[0].origin, SourceOrigin::differs);
    EXPECT_EQ(files[0].text, trace.sources[0].text);
}

} // namespace
} // namespace warptree
