// The kernel file on screen: its text, the text on disk, and what survives a restart.
#include "app/document/file_watch.hpp"
#include "app/document/kernel_file.hpp"

#include "app/base/error.hpp"
#include "app/features/explore/explore.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace warptree::session {
namespace {

class KernelFiles : public testing::Test {
  protected:
    void SetUp() override { setenv("XDG_CONFIG_HOME", (folder_.path() / "config").c_str(), 1); }
    void TearDown() override { unsetenv("XDG_CONFIG_HOME"); }
    void write(const std::string& text) const { std::ofstream(path_) << text; }
    std::string disk() const {
        std::ifstream in(path_);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    tests::TemporaryFolder folder_;
    std::filesystem::path path_ = folder_.path() / "mine.cu";
};

TEST_F(KernelFiles, WhatIsNotSavedSurvives) {
    write("one\n");
    {
        KernelFile file(path_);
        EXPECT_FALSE(file.unsaved());
        file.edit("two\n");
        EXPECT_TRUE(file.unsaved());
        file.keep_safe();
    }
    EXPECT_EQ(disk(), "one\n");
    EXPECT_EQ(KernelFile::unsaved_file(), path_);
    KernelFile again(path_);
    EXPECT_EQ(again.text(), "two\n");
    EXPECT_TRUE(again.recovered());
    again.save();
    EXPECT_EQ(disk(), "two\n");
    EXPECT_FALSE(KernelFile::unsaved_file());
    EXPECT_FALSE(KernelFile(path_).recovered());
}

TEST_F(KernelFiles, WhatWasNeverOnTheDiskSurvivesToo) {
    {
        const KernelFile file(path_, "new\n");
        EXPECT_TRUE(file.unsaved());
        file.keep_safe();
    }
    EXPECT_FALSE(std::filesystem::exists(path_));
    EXPECT_EQ(KernelFile(path_).text(), "new\n");
}

TEST_F(KernelFiles, TakesWhatAnotherProgramWrote) {
    write("one\n");
    KernelFile file(path_);
    EXPECT_EQ(file.look(), KernelFile::Seen::same);
    write("two\n");
    EXPECT_EQ(file.look(), KernelFile::Seen::taken);
    EXPECT_EQ(file.text(), "two\n");
    file.edit("mine\n");
    write("theirs\n");
    EXPECT_EQ(file.look(), KernelFile::Seen::differs);
    EXPECT_EQ(file.text(), "mine\n");
    file.take_disk();
    EXPECT_EQ(file.text(), "theirs\n");
    std::filesystem::remove(path_);
    EXPECT_EQ(file.look(), KernelFile::Seen::gone);
    EXPECT_EQ(file.text(), "theirs\n");
}

TEST_F(KernelFiles, WhatBecomesTheDisksTextIsSaved) {
    write("one\n");
    KernelFile file(path_);
    file.edit("two\n");
    write("two\n"); // saved by another editor
    EXPECT_EQ(file.look(), KernelFile::Seen::same);
    EXPECT_FALSE(file.unsaved());
}

TEST_F(KernelFiles, RefusesWhatIsNoText) {
    EXPECT_THROW(KernelFile{path_}, FileError);
    EXPECT_THROW(KernelFile{folder_.path()}, FileError);
    write(std::string("a\0b", 3));
    EXPECT_THROW(KernelFile{path_}, FileError);
}

TEST_F(KernelFiles, AFailedSaveKeepsTheText) {
    KernelFile file(folder_.path() / "no such folder" / "x.cu", "text\n");
    EXPECT_THROW(file.save(), FileError);
    EXPECT_TRUE(file.unsaved());
    file.save_as(path_);
    EXPECT_EQ(disk(), "text\n");
    EXPECT_EQ(file.path(), path_);
}

TEST_F(KernelFiles, ADamagedSafeCopyIsLeftAlone) {
    write("one\n");
    std::filesystem::create_directories(folder_.path() / "config/warptree/unsaved");
    std::ofstream(folder_.path() / "config/warptree/unsaved/0000000000000000.json") << "{\"path\": 3";
    EXPECT_FALSE(KernelFile::unsaved_file());
    EXPECT_EQ(KernelFile(path_).text(), "one\n");
}

TEST_F(KernelFiles, AWatchTellsOfWritesAndRenames) {
    write("one\n");
    std::atomic<int> told{0};
    const auto comes = [&](int least) {
        for (int i = 0; i < 2000 && told < least; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return told.load() >= least;
    };
    const FileWatch watch(path_, [&] { ++told; });
    write("two\n");
    EXPECT_TRUE(comes(1));
    const int before = told;
    std::ofstream(folder_.path() / "other.cu") << "x"; // another file
    std::ofstream(folder_.path() / "mine.cu.new") << "three\n";
    std::filesystem::rename(folder_.path() / "mine.cu.new", path_);
    EXPECT_TRUE(comes(before + 1));
}

TEST_F(KernelFiles, AFreePathSkipsFilesAndWhatIsKept) {
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(folder_.path());
    const auto here = std::filesystem::current_path();
    EXPECT_EQ(KernelFile::free_path("kernel", "new\n"), here / "kernel.cu");
    KernelFile first(here / "kernel.cu", "new\n", "sequential");
    first.keep_safe();
    EXPECT_EQ(KernelFile::free_path("kernel", "new\n"), here / "kernel.cu") << "the same text";
    first.edit("mine\n");
    first.keep_safe();
    EXPECT_EQ(KernelFile::free_path("kernel", "new\n"), here / "kernel-2.cu");
    std::ofstream(here / "kernel-2.cu") << "saved\n";
    std::filesystem::create_symlink(here / "nowhere", here / "kernel-3.cu");
    EXPECT_EQ(KernelFile::free_path("kernel", "new\n"), here / "kernel-4.cu");
    std::filesystem::current_path(before);
    EXPECT_EQ(KernelFile(here / "kernel.cu").copied_from(), "sequential");
}

TEST_F(KernelFiles, WhatAFileIsACopyOfOutlivesItsSaving) {
    KernelFile copy(path_, "one\n", "sequential");
    copy.save();
    EXPECT_FALSE(KernelFile::unsaved_file());
    KernelFile again(path_);
    EXPECT_EQ(again.copied_from(), "sequential");
    EXPECT_EQ(again.text(), "one\n");
    EXPECT_FALSE(again.recovered());
    write("two\n");
    EXPECT_EQ(KernelFile(path_).text(), "two\n");
    std::filesystem::remove(path_);
    EXPECT_THROW(KernelFile{path_}, FileError);
}

TEST_F(KernelFiles, SavingUnderANameLetsGoOfWhatWasKeptThere) {
    write("one\n");
    KernelFile earlier(path_);
    earlier.edit("two\n");
    earlier.keep_safe();
    KernelFile other(folder_.path() / "other.cu", "three\n");
    other.save_as(path_);
    const KernelFile again(path_);
    EXPECT_EQ(again.text(), "three\n");
    EXPECT_FALSE(again.recovered());
}

constexpr const char* kIncrement =
    "__global__ void k(const int* in, int* out, int n) { out[threadIdx.x] = in[threadIdx.x] + n; }\n";

TEST_F(KernelFiles, AKernelIsCalledAsItWasAfterAStrategy) {
    write(kIncrement);
    Explore explore([] {});
    explore.open_kernel(path_);
    RunOptions asked = explore.options;
    ask_for_elements(asked, 96);
    ask_for_block(asked, 32);
    ask_for_input(asked, InputKind::random);
    asked.type = ElementType::f32;
    asked.order = WarpOrder::reverse;
    asked.seed = 7;
    asked.kernel.arguments = {{"n", "5"}};
    explore.call_kernel_with(asked);
    asked = explore.options;
    const RunOptions strategy = explore.strategy_options();
    explore.select_strategy("sequential");
    EXPECT_EQ(explore.options.n, strategy.n);
    EXPECT_EQ(explore.strategy_options().strategy, "sequential");
    RunOptions other = explore.options;
    other.n = 512;
    explore.show_kernel();
    EXPECT_EQ(explore.options, asked);
    explore.run_strategy(other); // as a state or a column of Compare does
    explore.show_kernel();
    EXPECT_EQ(explore.options, asked);
    EXPECT_EQ(explore.strategy_options(), other);
}

TEST_F(KernelFiles, CopiesOfAStrategyGoBesideEachOther) {
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(folder_.path());
    const auto here = std::filesystem::current_path();
    Explore explore([] {});
    explore.select_strategy("sequential");
    ASSERT_TRUE(explore.copy_strategy());
    EXPECT_EQ(explore.kernel()->path(), here / "sequential-copy.cu");
    EXPECT_TRUE(explore.has_copy_of("sequential"));
    EXPECT_FALSE(explore.has_copy_of("block-shuffle"));
    explore.edit_kernel("// mine\n", 0);
    explore.new_kernel("new\n");
    EXPECT_FALSE(explore.has_copy_of("sequential"));
    explore.edit_kernel("// new, mine\n", 1);
    explore.new_kernel("new\n");
    EXPECT_EQ(explore.kernel()->name(), "kernel-2.cu");
    explore.select_strategy("sequential");
    ASSERT_TRUE(explore.copy_strategy());
    EXPECT_EQ(explore.kernel()->path(), here / "sequential-copy-2.cu");
    std::filesystem::current_path(before);
    EXPECT_EQ(KernelFile(here / "sequential-copy.cu").text(), "// mine\n");
    EXPECT_EQ(KernelFile(here / "kernel.cu").text(), "// new, mine\n");
    KernelFile named_so(here / "block-shuffle-copy.cu", "int x;\n"); // named like a copy, but not one
    named_so.save();
    explore.open_kernel(named_so.path());
    EXPECT_FALSE(explore.has_copy_of("block-shuffle"));
}

TEST_F(KernelFiles, ElementsOfAKernelDouble) {
    write(kIncrement);
    Explore explore([] {});
    explore.open_kernel(path_);
    for (int i = 0; i < 4000 && !explore.trace(); ++i) {
        explore.poll();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ASSERT_TRUE(explore.trace());
    const std::uint64_t n = explore.trace()->options.n;
    explore.scale_elements(true);
    EXPECT_EQ(explore.options.n, 2 * n);
    EXPECT_TRUE(explore.options.kernel.n_given);
    explore.scale_elements(false);
    EXPECT_EQ(explore.options.n, n);
}

TEST_F(KernelFiles, AnEmptyTextIsAnEmptyFile) {
    write(kIncrement);
    Explore explore([] {});
    const auto comes = [&](auto so) {
        for (int i = 0; i < 4000 && !so(); ++i) {
            explore.poll();
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return so();
    };
    explore.open_kernel(path_);
    EXPECT_TRUE(comes([&] { return explore.trace() != nullptr; }));
    explore.edit_kernel("", 10);
    EXPECT_TRUE(explore.stale());
    explore.advance(11);
    EXPECT_TRUE(comes([&] { return !explore.error.empty(); }));
    EXPECT_NE(explore.error.find("no __global__ function"), std::string::npos) << explore.error;
}

// What is half typed may run, too; told is what became of the run before typing began, until there was a pause.
TEST_F(KernelFiles, AnEditIsComparedWithTheRunBeforeItsTyping) {
    const auto adds = [](const char* what) {
        return std::string("__global__ void k(const int* in, int* out) { out[0] = in[0] - in[0] + ") + what + "; }\n";
    };
    write(adds("1"));
    Explore explore([] {});
    const auto runs = [&](const std::string& text, double now) {
        const auto before = explore.trace();
        if (before) {
            explore.edit_kernel(text, now);
            explore.advance(now + 1);
        }
        for (int i = 0; i < 4000 && explore.trace() == before; ++i) {
            explore.poll();
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return explore.told;
    };
    explore.open_kernel(path_);
    runs("", 0);
    ASSERT_TRUE(explore.trace());
    EXPECT_EQ(runs(adds("12"), 10), "By your edit: out[0]: 1, now 12");
    EXPECT_EQ(runs(adds("123"), 12), "By your edit: out[0]: 1, now 123");
    EXPECT_EQ(runs(adds("12"), 20), "By your edit: out[0]: 123, now 12");
    EXPECT_EQ(runs(adds("12345"), 21), "By your edit: out[0]: 12, now 12345"); // pasted
}

// What is said of a text is the same when it comes back, as by Ctrl+Z.
TEST_F(KernelFiles, TheSameTextHasTheSameFindings) {
    const std::string racy =
        "__global__ void total(const int* data, int* result, int n) {\n  __shared__ int buf[128];\n"
        "  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n  buf[t] = i < n ? data[i] : 0;\n"
        "  for (int h = blockDim.x / 2; h > 0; h >>= 1) {\n    if (t < h) buf[t] += buf[t + h];\n"
        "    __syncthreads();\n  }\n  if (t == 0) result[blockIdx.x] = buf[0];\n}\n";
    std::string mended = racy;
    mended.insert(mended.find("  for"), "  __syncthreads();\n");
    write(racy);
    Explore explore([] {});
    const auto shown = [&](const std::string& text, double now) {
        if (explore.trace()) {
            explore.edit_kernel(text, now);
            explore.advance(now + 1);
        }
        for (int i = 0; i < 4000 && (!explore.trace() || explore.stale() || explore.tries()); ++i) {
            explore.poll();
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return explore.trace();
    };
    explore.open_kernel(path_);
    const auto first = shown(racy, 0);
    ASSERT_TRUE(first);
    ASSERT_EQ(first->tried.size(), 1U);
    EXPECT_EQ(first->tried.front().with, "256 threads");
    const auto other = shown(mended, 10);
    EXPECT_TRUE(other->launches.front().findings.empty());
    const auto again = shown(racy, 20);
    EXPECT_EQ(again->tried, first->tried);
    EXPECT_EQ(again->launches, first->launches);
}

// Without a window: the text is compiled after a pause in typing.
TEST_F(KernelFiles, ExploreRunsWhatIsTyped) {
    const std::string good = "__global__ void k(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x] + 1; }\n";
    write(good);
    Explore explore([] {});
    const auto comes = [&](auto good_enough) {
        for (int i = 0; i < 4000 && !good_enough(); ++i) {
            explore.poll();
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return good_enough();
    };
    const RunOptions before = explore.options;
    explore.open_kernel(path_);
    EXPECT_TRUE(comes([&] { return explore.trace() != nullptr; }));
    EXPECT_EQ(explore.trace()->kernel, "k");
    EXPECT_FALSE(explore.stale());
    explore.edit_kernel("__global__ void k(int* out) { out[0] = nothing; }\n", 10);
    EXPECT_TRUE(explore.stale());
    explore.advance(10.1);
    EXPECT_TRUE(explore.due());
    explore.advance(10.2);
    EXPECT_FALSE(explore.due());
    EXPECT_TRUE(comes([&] { return !explore.diagnostics.empty(); }));
    EXPECT_NE(explore.error.find("nothing"), std::string::npos);
    EXPECT_EQ(explore.trace()->kernel, "k") << "the last good trace stays";
    explore.select_strategy("sequential");
    EXPECT_FALSE(explore.on_kernel());
    EXPECT_EQ(explore.options.n, before.n);
    EXPECT_TRUE(explore.diagnostics.empty());
    explore.show_kernel();
    EXPECT_TRUE(comes([&] { return !explore.diagnostics.empty(); })) << "the text is still the edited one";
}

} // namespace
} // namespace warptree::session
