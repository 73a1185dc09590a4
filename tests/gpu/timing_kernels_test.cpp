// The timing harness's own kernels: compiling them with both compilers needs no GPU; running them does.
#include "app/gpu/nvrtc.hpp"
#include "app/measure/gpu/timing_bench.hpp"
#include "app/measure/timing/scan_check.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <numeric>

namespace warptree::runs {
namespace {

constexpr ElementType kTypes[] = {ElementType::i32, ElementType::u32, ElementType::i64, ElementType::f32,
                                  ElementType::f64};

TEST(TimingKernels, AreCodeByEitherCompiler) {
    const tests::TemporaryFolder cache;
    setenv("XDG_CACHE_HOME", cache.path().c_str(), 1);
    for (const ElementType type : kTypes) {
        const std::string llvm = timing_kernels_code(type, "sm_90", false);
        for (const char* name : {"fill", "compare_copy", "compare_scan", "compare_rounded", "read_all", "nothing"}) {
            EXPECT_NE(llvm.find(std::string(".entry ") + name), std::string::npos) << warptree::name(type) << name;
        }
        if (gpu::has_nvrtc()) {
            EXPECT_EQ(timing_kernels_code(type, "sm_90", true).substr(1, 3), "ELF") << warptree::name(type);
        }
    }
}

class TimingKernelsGpu : public testing::Test {
  protected:
    void SetUp() override {
        if (!gpu::usable()) {
            GTEST_SKIP() << gpu::why_not();
        }
    }
};

template <class T> std::vector<T> made(const Contents& what) {
    std::vector<T> all(what.n);
    for (std::uint64_t i = 0; i < what.n; ++i) {
        all[i] = timing::element<T>(what.data, what.seed, i);
    }
    return all;
}

TEST_F(TimingKernelsGpu, MakeTheInputsOfTheHost) {
    TimingBench bench(std::chrono::seconds(10));
    for (const timing::Data data : {timing::Data::random, timing::Data::whole}) {
        const Contents what{ElementType::f32, 100'003, 7, data};
        bench.arrays.hold_whole(data == timing::Data::whole);
        const auto on_gpu = bench.arrays.random(what.type, what.n, what.seed);
        std::vector<float> got(what.n);
        on_gpu->download(got.data(), got.size() * sizeof got[0]);
        EXPECT_EQ(got, made<float>(what));
        EXPECT_EQ(bench.wrong_in_copy(on_gpu->address(), what), "");
        got[99] += 1;
        on_gpu->upload(got.data(), got.size() * sizeof got[0]);
        EXPECT_EQ(bench.wrong_in_copy(on_gpu->address(), what), "1 of 100003 elements, the first at 99");
    }
}

TEST_F(TimingKernelsGpu, TellAScanThatIsWrong) {
    TimingBench bench(std::chrono::seconds(10));
    const Contents what{ElementType::f32, 50'001, 3, timing::Data::random};
    std::vector<float> scan = made<float>(what);
    std::inclusive_scan(scan.begin(), scan.end(), scan.begin());
    gpu::Buffer out(scan.size() * sizeof scan[0]);
    out.upload(scan.data(), out.size());
    const timing::ScanDepth depth{64, what.n};
    EXPECT_EQ(bench.wrong_in_scan(out.address(), what, what.n, false, depth), "");
    EXPECT_NE(bench.wrong_in_scan(out.address(), what, what.n, true, depth), "");
    scan[40'000] += 100;
    out.upload(scan.data(), out.size());
    EXPECT_NE(bench.wrong_in_scan(out.address(), what, what.n, false, depth).find("the first at 40000"),
              std::string::npos);

    const Contents whole{ElementType::i64, 1000, 3, timing::Data::random};
    std::vector<std::int64_t> tiles = made<std::int64_t>(whole);
    for (std::size_t i = 0; i < tiles.size(); i += 100) {
        std::exclusive_scan(tiles.begin() + static_cast<long>(i), tiles.begin() + static_cast<long>(i + 100),
                            tiles.begin() + static_cast<long>(i), std::int64_t{0});
    }
    out.upload(tiles.data(), tiles.size() * sizeof tiles[0]);
    EXPECT_EQ(bench.wrong_in_scan(out.address(), whole, 100, true, {}), "");
    EXPECT_NE(bench.wrong_in_scan(out.address(), whole, 200, true, {}), "");
}

} // namespace
} // namespace warptree::runs
