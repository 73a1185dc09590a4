// Traces of strategies on the local GPU. WARPTREE_RECORD_GOLDENS=DIR writes them there, as in tests/golden/traces.
#include "app/base/error.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/gpu/driver.hpp"
#include "app/run/run.hpp"
#include "app/trace/io/file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace warptree {
namespace {

struct Case {
    std::uint64_t n;
    std::uint32_t block;
    ElementType type;
};

TEST(RecordedGpu, TracesEveryStrategyInEveryType) {
    if (!gpu::usable()) {
        GTEST_SKIP() << gpu::why_not();
    }
    const char* const directory = std::getenv("WARPTREE_RECORD_GOLDENS");
    unsigned traced = 0;
    for (const StrategyInfo& s : strategies()) {
        if (s.racy || s.deadlocks) { // never launched on a GPU
            continue;
        }
        for (const Case& c :
             {Case{200, 64, ElementType::i32}, Case{257, 128, ElementType::f64}, Case{100, 32, ElementType::u32},
              Case{513, 256, ElementType::f32}, Case{65, 64, ElementType::i64}}) {
            RunOptions o;
            o.strategy = s.id;
            o.n = c.n;
            o.block = c.block;
            o.type = c.type;
            if (s.answer == Answer::matrix) { // partial tiles at the edges; blocks of a whole tile
                o.n = c.n % 40 + 1;
                o.block = c.block < 256 ? 1024 : 256;
            }
            if (s.answer == Answer::listed && // rows: their elements grow with the square of n
                std::ranges::any_of(s.parameters, &catalogue::ParameterText::as_n)) {
                o.n = c.n % 40 + 1;
            }
            o.input = InputKind::random;
            o.window = {0, 2};
            o.backend = Backend::cuda;
            if (refusal(o)) {
                continue;
            }
            std::string name = o.strategy + "-" + std::to_string(o.n) + "-" + std::to_string(*o.block) + "-" +
                               std::string(warptree::name(o.type));
            std::replace(name.begin(), name.end(), '-', '_');
            try {
                const Trace trace = runs::run_any(o);
                EXPECT_EQ(trace.options.backend, Backend::cuda) << name;
                EXPECT_TRUE(trace.pass) << name;
                ++traced;
                if (directory != nullptr) {
                    std::filesystem::create_directories(directory);
                    save(trace, std::filesystem::path(directory) / (name + ".wtrace"));
                }
            } catch (const gpu::OutOfResources&) {
                EXPECT_EQ(*o.block, 1024U) << name; // with all accesses logged, too many registers for 1024 threads
            } catch (const Error& e) {
                ADD_FAILURE() << name << ": " << e.what();
            }
        }
    }
    EXPECT_GE(traced, 100U);
}

} // namespace
} // namespace warptree
