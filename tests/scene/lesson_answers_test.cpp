// Every answer of every lesson, checked against an independent calculation: closed forms of n and the block, never
// facts of the trace.
#include "app/base/whole_file.hpp"
#include "app/features/lessons/lesson_check.hpp"
#include "app/features/lessons/lesson_run.hpp"
#include "app/run/kernel_run.hpp"

#include "tests/support/lesson_traces.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/sanitizer.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <map>
#include <numeric>
#include <set>

namespace warptree::session {
namespace {

struct Sizes {
    std::uint64_t n;
    std::uint32_t block;
};

std::int64_t log2(std::uint64_t x) { return std::bit_width(x) - 1; } // of powers of two
std::int64_t blocks(std::uint64_t n, std::uint64_t tile) { return static_cast<std::int64_t>((n + tile - 1) / tile); }

// How many of the threads 0, d, 2d, … below B are in `warp`.
std::int64_t in_warp(std::uint32_t block, std::uint32_t distance, std::uint32_t warp) {
    std::int64_t count = 0;
    for (std::uint32_t t = 0; t < block; t += distance) {
        count += t / 32 == warp ? 1 : 0;
    }
    return count;
}

// Wavefronts of a load of warp 0 of interleaved-strided: lanes t with 2st < B read word 2st.
std::int64_t strided_wavefronts(std::uint32_t block, std::uint32_t s) {
    std::array<int, 32> banks{};
    for (std::uint32_t t = 0; t < 32 && 2 * s * t < block; ++t) {
        ++banks[2 * s * t % 32];
    }
    return *std::max_element(banks.begin(), banks.end());
}

// Wavefronts beyond one of both loads, summed over every warp and stage of a block.
std::int64_t strided_excess(std::uint32_t block) {
    std::int64_t excess = 0;
    for (std::uint32_t s = 1; s < block; s *= 2) {
        for (std::uint32_t warp = 0; warp * 32 < block; ++warp) {
            std::array<int, 32> banks{};
            for (std::uint32_t t = warp * 32; t < warp * 32 + 32 && 2 * s * t < block; ++t) {
                ++banks[2 * s * t % 32];
            }
            const int most = *std::max_element(banks.begin(), banks.end());
            excess += most > 1 ? 2 * (most - 1) : 0;
        }
    }
    return excess;
}

// Indices of a launch's steps, which are: load, the stages, store.
std::int64_t rising(std::uint32_t s) { return 1 + log2(s); }                                 // of strides 1, 2, 4 …
std::int64_t falling(std::uint32_t block, std::uint32_t s) { return log2(block) - log2(s); } // of B/2 … 1

// Sequential addressing over 0, 1, 2 … without a barrier between its steps, one warp after another, each in lockstep:
// whether all blocks have the right sum.
bool sums_right(const Sizes& z, bool last_first) {
    for (std::uint64_t first = 0; first < z.n; first += z.block) {
        std::vector<std::uint64_t> words(z.block);
        std::uint64_t sum = 0;
        for (std::uint64_t t = 0; t < z.block && first + t < z.n; ++t) {
            words[t] = first + t;
            sum += words[t];
        }
        const std::uint32_t warps = (z.block + 31) / 32;
        for (std::uint32_t i = 0; i < warps; ++i) {
            const std::uint32_t lane_0 = 32 * (last_first ? warps - 1 - i : i);
            for (std::uint32_t s = z.block / 2; s > 0; s /= 2) {
                const std::vector<std::uint64_t> before = words;
                for (std::uint32_t t = lane_0; t < std::min(s, lane_0 + 32); ++t) {
                    words[t] = before[t] + before[t + s];
                }
            }
        }
        if (words[0] != sum) {
            return false;
        }
    }
    return true;
}

// Words, in all blocks, that two threads access after the only barrier, one of them writing; by trying every access.
std::int64_t raced_words(const Sizes& z) {
    std::vector<std::map<std::uint32_t, bool>> words(z.block); // thread → writes
    for (std::uint32_t s = z.block / 2; s > 0; s /= 2) {
        for (std::uint32_t t = 0; t < s; ++t) {
            words[t][t] = true;
            words[t + s].emplace(t, false);
        }
    }
    words[0].emplace(0, false); // thread 0 reads the sum
    return blocks(z.n, z.block) * std::count_if(words.begin(), words.end(), [](const auto& threads) {
               return threads.size() > 1 &&
                      std::any_of(threads.begin(), threads.end(), [](const auto& it) { return it.second; });
           });
}

// Sectors that a warp a row loads: of its elements, 32 side by side at a time, of where the row starts, and of where it ends, as
// often as it looks for that.
std::int64_t sectors_of_rows(const Sizes& z) {
    std::int64_t sectors = 0, first = 0;
    for (std::int64_t row = 0; row < static_cast<std::int64_t>(z.n); first += row++) {
        sectors += 2;
        for (std::int64_t part = 0; part < row; part += 32) {
            const std::int64_t last = first + std::min(part + 32, row) - 1;
            sectors += last / 8 - (first + part) / 8 + 1 + 1;
        }
    }
    return sectors;
}

using Expected = std::function<std::vector<std::int64_t>(const Sizes&)>;
Expected one(std::function<std::int64_t(const Sizes&)> value) {
    return [value](const Sizes& z) { return std::vector<std::int64_t>{value(z)}; };
}
Expected always(std::int64_t value) {
    return [value](const Sizes&) { return std::vector<std::int64_t>{value}; };
}

// In the order of the questions.
const std::map<std::string, std::vector<Expected>>& expected() {
    static const std::map<std::string, std::vector<Expected>> all{
        {"tree",
         {one([](const Sizes& z) { return z.block - 1; }), one([](const Sizes& z) { return z.block / 2; }),
          one([](const Sizes& z) { return log2(z.block); }), always(1),
          one([](const Sizes& z) { return 1 + log2(z.block); }), always(0)}},
        {"warps",
         {one([](const Sizes& z) { return z.block / 32; }), one([](const Sizes& z) { return z.block / 32; }), always(1),
          always(2), always(rising(32)), one([](const Sizes& z) {
              std::int64_t sum = 0;
              for (std::uint32_t s = 1; s < z.block; s *= 2) {
                  for (std::uint32_t w = 0; w < z.block / 32; ++w) {
                      sum += in_warp(z.block, 2 * s, w) > 0 ? 1 : 0;
                  }
              }
              return sum;
          })}},
        {"index",
         {always(1), always(0),
          [](const Sizes& z) {
              std::vector<std::int64_t> retired;
              for (std::uint32_t w = z.block / 64; w < z.block / 32; ++w) {
                  retired.push_back(w);
              }
              return retired;
          },
          one([](const Sizes& z) { return rising(z.block / 32); }), one([](const Sizes& z) {
              std::int64_t sum = 0;
              for (std::uint32_t active = z.block / 2; active >= 1; active /= 2) {
                  sum += active >= 32 ? active / 32 : 1;
              }
              return sum;
          })}},
        {"banks",
         {always(0), one([](const Sizes& z) { return strided_wavefronts(z.block, 1); }),
          one([](const Sizes& z) { return strided_wavefronts(z.block, 4); }),
          [](const Sizes& z) {
              std::int64_t most = 0;
              for (std::uint32_t s = 1; s < z.block; s *= 2) {
                  most = std::max(most, strided_wavefronts(z.block, s));
              }
              std::vector<std::int64_t> steps;
              for (std::uint32_t s = 1; s < z.block; s *= 2) {
                  if (strided_wavefronts(z.block, s) == most) {
                      steps.push_back(rising(s));
                  }
              }
              return steps;
          },
          always(1), one([](const Sizes& z) { return strided_excess(z.block); })}},
        {"sequential",
         {one([](const Sizes& z) { return z.block / 2; }), always(1), always(0),
          one([](const Sizes& z) { return falling(z.block, 16); }), always(1)}},
        {"first-add",
         {one([](const Sizes& z) { return z.block - z.block / 2; }),
          one([](const Sizes& z) { return blocks(z.n, 2 * z.block); }), one([](const Sizes& z) { return z.block; }),
          always(0), always(0)}},
        {"last-warp",
         {one([](const Sizes& z) { return 1 + log2(z.block); }),
          one([](const Sizes& z) { return falling(z.block, 32); }),
          one([](const Sizes& z) { return log2(z.block) - 5; }), always(32), always(4), always(1), always(0)}},
        {"unroll",
         {one([](const Sizes& z) { return log2(z.block); }), always(4),
          one([](const Sizes& z) { return falling(z.block, 8); }), always(11), always(1)}},
        {"cascading",
         {one([](const Sizes& z) { return blocks(z.n, 2 * z.block); }),
          one([](const Sizes& z) { return blocks(z.n, 64 * z.block); }), always(0), always(0), always(64), always(4)}},
        {"shuffle", {always(0), always(5), always(16), always(0), always(1), always(0), one([](const Sizes& z) {
                         return 5 * (z.block / 32 + 1);
                     })}},
        {"blocks",
         {one([](const Sizes& z) { return blocks(z.n, z.block); }), one([](const Sizes& z) {
              std::int64_t launches = 0;
              for (std::uint64_t left = z.n; left > 1 || launches == 0; ++launches) {
                  left = static_cast<std::uint64_t>(blocks(left, z.block));
              }
              return launches;
          }),
          [](const Sizes& z) {
              std::vector<std::int64_t> heads;
              for (std::uint32_t t = 0; t < z.block; t += 32) {
                  heads.push_back(t);
              }
              return heads;
          },
          one([](const Sizes& z) { return blocks(z.n, z.block) * (z.block / 32); }), always(1),
          one([](const Sizes& z) { return z.block > 32 ? 0 : 1; }),
          one([](const Sizes& z) { return blocks(z.n, z.block); })}},
        {"scan",
         {always(6), one([](const Sizes& z) { return z.block - 4; }), always(0),
          one([](const Sizes& z) { return 1 + 2 * log2(z.block); }),
          one([](const Sizes& z) { return 1 + log2(z.block); }),
          one([](const Sizes& z) { return z.block * log2(z.block) - z.block + 1; }), always(2),
          one([](const Sizes& z) { return 2 * (z.block - 1); })}},
        {"races",
         {one([](const Sizes& z) { return sums_right(z, false) ? 0 : 1; }),
          one([](const Sizes& z) { return falling(z.block, z.block / 4); }),
          one([](const Sizes& z) { return sums_right(z, true) ? 0 : 1; }), one(raced_words),
          one([](const Sizes& z) { return z.block; })}},
        {"records",
         {one([](const Sizes& z) { return z.n - 1; }), always(1),
          [](const Sizes& z) {
              std::vector<std::int64_t> upper(z.block / 2);
              std::iota(upper.begin(), upper.end(), z.block / 2);
              return upper;
          },
          always(0)}},
        {"bins",
         {one([](const Sizes& z) { return z.n; }), always(2), one([](const Sizes& z) { return blocks(z.n, z.block); }),
          one([](const Sizes& z) { return blocks(z.n, 32); }), always(0)}},
        {"rows",
         {always(1), one([](const Sizes& z) { return std::min<std::int64_t>(z.block, z.n) - 1; }), one(sectors_of_rows),
          always(0), always(3), always(2)}},
    };
    return all;
}

// The lesson's own sizes, uneven n with other blocks, the largest block, and fewer elements than threads.
std::vector<Sizes> sizes_of(const Lesson& lesson) {
    if (lesson.id == "cascading") {
        return {{lesson.n, lesson.block}, {20000, 128}, {33000, 256}};
    }
    if (lesson.id == "races") {
        return {{lesson.n, lesson.block}, {1000, 256}, {33, 1024}};
    }
    if (lesson.id == "rows") { // of n rows, the last has n - 1 elements
        return {{lesson.n, lesson.block}, {100, 256}, {201, 64}, {333, 128}};
    }
    return {{lesson.n, lesson.block},
            {1000, 64},
            {777, 256},
            {33, lesson.id == "tree" ? 16U : 512U},
            {33, 1024},
            {2500, 1024}};
}

LessonTraces traces_of(const Lesson& lesson, const Sizes& z) { return tests::lesson_traces(lesson, z.n, z.block); }

const std::vector<Lesson>& shipped() {
    static const std::vector<Lesson> all = load_lessons();
    return all;
}

TEST(Lessons, AreInTheirOrder) {
    std::vector<std::string> ids;
    for (const Lesson& lesson : shipped()) {
        ids.push_back(lesson.id);
        std::set<QuestionKind> kinds;
        for (const LessonStage& stage : lesson.stages) {
            kinds.insert(stage.kind >= QuestionKind::click_warp ? QuestionKind::click_warp : stage.kind);
        }
        kinds.erase(QuestionKind::none);
        EXPECT_EQ(kinds.size(), 3U) << lesson.id << ": a number, a choice and a click at least";
        EXPECT_FALSE(lesson.about.empty()) << lesson.id;
    }
    EXPECT_EQ(ids, (std::vector<std::string>{"tree", "warps", "index", "banks", "sequential", "first-add", "last-warp",
                                             "unroll", "cascading", "shuffle", "blocks", "scan", "races", "records",
                                             "bins", "rows"}));
}

TEST(Lessons, AnswerWhatACalculationOfItsOwnSays) {
    int checked = 0;
    for (const Lesson& lesson : shipped()) {
        ASSERT_TRUE(expected().contains(lesson.id)) << lesson.id;
        const auto& answers = expected().at(lesson.id);
        int taken = 0;
        for (const Sizes& z : sizes_of(lesson)) {
            if (refusal(lesson, z.n, z.block)) {
                continue;
            }
            if (tests::kFewCases && taken == 2) {
                break;
            }
            ++taken;
            SCOPED_TRACE(lesson.id + " n=" + std::to_string(z.n) + " B=" + std::to_string(z.block));
            EXPECT_NO_THROW(check_lesson(lesson, lesson.id, z.n, z.block));
            const LessonTraces traces = traces_of(lesson, z);
            std::size_t question = 0;
            for (const LessonStage& stage : lesson.stages) {
                if (stage.kind == QuestionKind::none || stage.kind == QuestionKind::write) {
                    continue; // a written kernel is judged by its run: see WrittenKernelsAreJudgedByTheirRun
                }
                ASSERT_LT(question, answers.size());
                EXPECT_EQ(LessonTeller(stage, traces).answer(), answers[question++](z)) << stage.heading;
                ++checked;
            }
            EXPECT_EQ(question, answers.size());
        }
        EXPECT_GE(taken, 2) << lesson.id << " is for several sizes";
    }
    EXPECT_GT(checked, tests::kFewCases ? 150 : 250);
}

TEST(Lessons, WrittenKernelsAreJudgedByTheirRun) {
    const auto run_of = [](const char* file, const Sizes& z, std::string_view from = {}, std::string_view to = {}) {
        RunOptions o;
        o.kernel.file = (tests::source_dir() / "kernels" / file).string();
        std::string text = read_whole(o.kernel.file);
        if (const auto at = text.find(from); !from.empty()) {
            text.replace(at, from.size(), to);
        }
        o.kernel.text = std::move(text);
        o.n = z.n;
        o.kernel.n_given = true;
        o.block = z.block;
        RunControl control;
        return runs::run_kernel_file(o, control);
    };
    int asked = 0;
    for (const Lesson& lesson : shipped()) {
        for (const LessonStage& stage : lesson.stages) {
            if (stage.kind != QuestionKind::write) {
                continue;
            }
            ++asked;
            ASSERT_EQ(lesson.id, "index");
            for (const Sizes& z : {Sizes{lesson.n, lesson.block}, Sizes{1024, 256}}) {
                const LessonTraces traces = traces_of(lesson, z);
                const LessonTeller teller(stage, traces);
                EXPECT_FALSE(teller.is_written(run_of("reduce/interleaved_modulo.cu", z))) << "what it begins with";
                EXPECT_TRUE(teller.is_written(run_of("reduce/interleaved_strided.cu", z)));
                EXPECT_TRUE(teller.is_written(run_of("reduce/sequential.cu", z))) << "another way";
                EXPECT_FALSE(teller.is_written(run_of("exhibits/missing_barrier.cu", z))) << "races";
                EXPECT_FALSE(teller.is_written(run_of("reduce/sequential.cu", z, "s > 0", "s > 1"))) << "a wrong sum";
            }
        }
    }
    EXPECT_EQ(asked, 1);
}

TEST(Lessons, SayNothingUnfilled) {
    for (const Lesson& lesson : shipped()) {
        const LessonTraces traces = traces_of(lesson, {lesson.n, lesson.block});
        for (const LessonStage& stage : lesson.stages) {
            const LessonTeller teller(stage, traces);
            std::vector<std::string> all = teller.paragraphs();
            for (const auto& part : {teller.why(), teller.options(), {teller.ask(), teller.hint()}}) {
                all.insert(all.end(), part.begin(), part.end());
            }
            for (const std::string& text : all) {
                EXPECT_EQ(text.find_first_of("{}|"), std::string::npos) << text;
            }
        }
    }
}

} // namespace
} // namespace warptree::session
