// Every lesson is taken to its end, and every answer checked against a calculation of its own: closed forms of n and
// the block, never a fact of the trace.
#include "app/session/lesson_file.hpp"
#include "app/session/lesson_run.hpp"

#include "kernels/run.hpp"
#include "kernels/strategy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <thread>

namespace warptree::session {
namespace {

using ::testing::HasSubstr;

struct Sizes {
    std::uint64_t n;
    std::uint32_t block;
};

std::int64_t log2(std::uint64_t x) { return std::bit_width(x) - 1; } // of powers of two
std::int64_t blocks(std::uint64_t n, std::uint64_t tile) { return static_cast<std::int64_t>((n + tile - 1) / tile); }

// Of threads a, a + d, a + 2d, … below B, how many lie in a warp.
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

// Of both loads of every warp and stage of a block, what they take beyond one each.
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

// Steps of a launch are: load, the stages, store.
std::int64_t rising(std::uint32_t s) { return 1 + log2(s); }                                 // of strides 1, 2, 4 …
std::int64_t falling(std::uint32_t block, std::uint32_t s) { return log2(block) - log2(s); } // of B/2 … 1

using Expected = std::function<std::vector<std::int64_t>(const Sizes&)>;
Expected one(std::function<std::int64_t(const Sizes&)> value) {
    return [value](const Sizes& z) { return std::vector<std::int64_t>{value(z)}; };
}
Expected always(std::int64_t value) {
    return [value](const Sizes&) { return std::vector<std::int64_t>{value}; };
}

// In order of the questions.
const std::map<std::string, std::vector<Expected>>& expected() {
    static const std::map<std::string, std::vector<Expected>> all{
        {"tree",
         {one([](const Sizes& z) { return z.block - 1; }), one([](const Sizes& z) { return log2(z.block); }),
          one([](const Sizes& z) { return z.block / 2; }), one([](const Sizes& z) { return 1 + log2(z.block); }),
          always(0)}},
        {"warps",
         {one([](const Sizes& z) { return z.block / 32; }), one([](const Sizes& z) { return z.block / 32; }), always(2),
          always(rising(32)), one([](const Sizes& z) {
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
          one([](const Sizes& z) { return strided_excess(z.block); })}},
        {"sequential",
         {one([](const Sizes& z) { return z.block / 2; }), always(1), always(0),
          one([](const Sizes& z) { return falling(z.block, 16); }), always(1)}},
        {"first-add",
         {one([](const Sizes& z) { return z.block - z.block / 2; }), one([](const Sizes& z) { return z.block; }),
          one([](const Sizes& z) { return blocks(z.n, 2 * z.block); }), always(0)}},
        {"last-warp",
         {one([](const Sizes& z) { return 1 + log2(z.block); }), one([](const Sizes& z) { return log2(z.block) - 5; }),
          always(32), always(4), always(1), always(0)}},
        {"unroll", {one([](const Sizes& z) { return log2(z.block); }), always(4), always(11), always(1)}},
        {"cascading",
         {one([](const Sizes& z) { return blocks(z.n, 2 * z.block); }),
          one([](const Sizes& z) { return blocks(z.n, 64 * z.block); }), always(64), always(4)}},
        {"shuffle",
         {always(0), always(5), always(16), always(1), one([](const Sizes& z) { return 5 * (z.block / 32 + 1); })}},
        {"blocks",
         {one([](const Sizes& z) { return blocks(z.n, z.block); }), one([](const Sizes& z) {
              std::int64_t launches = 0;
              for (std::uint64_t left = z.n; left > 1 || launches == 0; ++launches) {
                  left = static_cast<std::uint64_t>(blocks(left, z.block));
              }
              return launches;
          }),
          one([](const Sizes& z) { return blocks(z.n, z.block) * (z.block / 32); }), always(1),
          one([](const Sizes& z) { return blocks(z.n, z.block); })}},
        {"scan",
         {always(6), one([](const Sizes& z) { return z.block - 4; }),
          one([](const Sizes& z) { return 1 + 2 * log2(z.block); }),
          one([](const Sizes& z) { return 1 + log2(z.block); }),
          one([](const Sizes& z) { return z.block * log2(z.block) - z.block + 1; }),
          one([](const Sizes& z) { return 2 * (z.block - 1); })}},
        {"races", {always(1), {}, always(0), {}, one([](const Sizes& z) { return z.block; })}},
    };
    return all;
}

// The lesson's own, an uneven n at another block, and a larger block.
std::vector<Sizes> sizes_of(const Lesson& lesson) {
    if (lesson.id == "cascading") {
        return {{lesson.n, lesson.block}, {20000, 128}};
    }
    if (lesson.id == "races") {
        return {{lesson.n, lesson.block}, {1000, 256}};
    }
    return {{lesson.n, lesson.block}, {1000, 64}, {777, 256}, {33, lesson.id == "tree" ? 16U : 512U}};
}

LessonTraces traces_of(const Lesson& lesson, const Sizes& z) {
    LessonTraces traces;
    for (const LessonTrace& trace : lesson.traces) {
        traces[trace.name] = std::make_shared<const Trace>(warptree::run(options_at(trace, z.n, z.block)));
    }
    return traces;
}

const std::vector<Lesson>& shipped() {
    static const std::vector<Lesson> all = load_lessons();
    return all;
}

TEST(Lessons, AreTwelveAtLeastInTheirOrder) {
    std::vector<std::string> ids;
    for (const Lesson& lesson : shipped()) {
        ids.push_back(lesson.id);
        EXPECT_GE(lesson.questions(), 3U) << lesson.id;
        EXPECT_FALSE(lesson.about.empty()) << lesson.id;
    }
    EXPECT_EQ(ids, (std::vector<std::string>{"tree", "warps", "index", "banks", "sequential", "first-add", "last-warp",
                                             "unroll", "cascading", "shuffle", "blocks", "scan", "races"}));
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
            ++taken;
            SCOPED_TRACE(lesson.id + " n=" + std::to_string(z.n) + " B=" + std::to_string(z.block));
            EXPECT_NO_THROW(check_lesson(lesson, lesson.id, z.n, z.block));
            const LessonTraces traces = traces_of(lesson, z);
            std::size_t question = 0;
            for (const LessonStage& stage : lesson.stages) {
                if (stage.kind == QuestionKind::none) {
                    continue;
                }
                ASSERT_LT(question, answers.size());
                if (const Expected& want = answers[question++]) {
                    EXPECT_EQ(LessonTeller(stage, traces).answer(), want(z)) << stage.heading;
                    ++checked;
                }
            }
            EXPECT_EQ(question, answers.size());
        }
        EXPECT_GE(taken, 2) << lesson.id << " is for several sizes";
    }
    EXPECT_GT(checked, 130);
}

// Two threads touch a word in one barrier interval and one writes, by trying every pair of accesses.
TEST(Lessons, CountRacesAsABruteForceDoes) {
    const auto lesson = std::find_if(shipped().begin(), shipped().end(), [](const auto& l) { return l.id == "races"; });
    for (const Sizes& z : sizes_of(*lesson)) {
        std::vector<std::map<std::uint32_t, bool>> words(z.block); // thread → writes, of all that follows the barrier
        for (std::uint32_t s = z.block / 2; s > 0; s /= 2) {
            for (std::uint32_t t = 0; t < s; ++t) {
                words[t][t] = true;
                words[t + s].emplace(t, false);
            }
        }
        words[0].emplace(0, false); // thread 0 reads the sum
        std::int64_t raced = 0;
        for (const auto& threads : words) {
            bool writes = false;
            for (const auto& [thread, wrote] : threads) {
                writes = writes || wrote;
            }
            raced += threads.size() > 1 && writes ? 1 : 0;
        }
        const LessonTraces traces = traces_of(*lesson, z);
        EXPECT_EQ(LessonTeller(lesson->stages[3], traces).answer().front(), raced * blocks(z.n, z.block)) << z.block;
        // Each raced word is read at the step after the one that wrote it; the first is at s = B/4 or B/2.
        EXPECT_LE(LessonTeller(lesson->stages[1], traces).answer().front(), 2);
    }
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

constexpr const char* kHead = "title: T\nn: 64\nblock: 64\ntrace a: sequential\n";

std::string why_not(const std::string& text) {
    try {
        parse_lesson(text, "t", "t.lesson");
    } catch (const LessonError& refused) {
        return refused.what();
    }
    ADD_FAILURE() << "taken: " << text;
    return {};
}

TEST(LessonFile, SaysFileLineAndReason) {
    const std::string head = kHead;
    EXPECT_THAT(why_not(""), HasSubstr("t.lesson:1: a lesson has a title"));
    EXPECT_THAT(why_not("title: T\nspeed: 3\n"), HasSubstr("t.lesson:2: 'speed' is no keyword"));
    EXPECT_THAT(why_not("title: T\nn: many\n"), HasSubstr("t.lesson:2: n 'many'"));
    EXPECT_THAT(why_not("title: T\n\n# a comment\ntrace a: sequental\n"), HasSubstr("t.lesson:4: no strategy"));
    EXPECT_THAT(why_not("title: T\ntrace a: sequential?block=48\n"), HasSubstr("t.lesson:2: "));
    EXPECT_THAT(why_not("title: T\nstage: S\n"), HasSubstr("t.lesson:2: a lesson names its traces"));
    EXPECT_THAT(why_not(head + "trace a: first-add\n"), HasSubstr("t.lesson:5: a trace has a name of its own"));
    EXPECT_THAT(why_not(head), HasSubstr("a stage at least"));
    EXPECT_THAT(why_not(head + "stage:\n"), HasSubstr("t.lesson:5: a stage has a heading"));
    EXPECT_THAT(why_not(head + "stage: S\nshow: b\n"), HasSubstr("t.lesson:6: there is no trace 'b'"));
    EXPECT_THAT(why_not(head + "stage: S\nshow: a at stag(2)\n"), HasSubstr("t.lesson:6: expected a number, a fact"));
    EXPECT_THAT(why_not(head + "stage: S\nshow: a at stage()\n"), HasSubstr("t.lesson:6: "));
    EXPECT_THAT(why_not(head + "stage: S\nview: cube\n"), HasSubstr("t.lesson:6: there is no view 'cube'"));
    EXPECT_THAT(why_not(head + "stage: S\nnumber: 3\n"), HasSubstr("t.lesson:6: 'number' belongs to a question"));
    EXPECT_THAT(why_not(head + "stage: S\nask: Q\n"), HasSubstr("t.lesson:6: the question has no answer"));
    EXPECT_THAT(why_not(head + "stage: S\nask: Q\nnumber: 3\n"),
                HasSubstr("t.lesson:6: the question does not say why"));
    EXPECT_THAT(why_not(head + "stage: S\nask: Q\noption(1): x\nwhy: w\n"), HasSubstr("two options"));
    EXPECT_THAT(why_not(head + "stage: S\nask: Q\noption: x\n"), HasSubstr("t.lesson:7: an option says when"));
    EXPECT_THAT(why_not(head + "stage: S\nask: Q\nnumber: 3\nclick warp: 1\n"),
                HasSubstr("t.lesson:8: a question has one"));
    EXPECT_THAT(why_not(head + "stage: S\nask: Q\nnumber: 3\nask: R\n"), HasSubstr("t.lesson:8: a stage has one"));
    EXPECT_THAT(why_not(head + "stage: S\n\nA {n\n"), HasSubstr("t.lesson:7: '{n' has no closing brace"));
    EXPECT_THAT(why_not(head + "stage: S\n\nA {n|b}\n"), HasSubstr("two texts"));
    EXPECT_THAT(why_not(head + "stage: S\n\nA {b.n}\n"), HasSubstr("the name of a trace"));
    EXPECT_THAT(why_not("title: T\nn: 1\nblock: 48\ntrace a: sequential\nstage: S\n"), HasSubstr("power of two"));
    EXPECT_THAT(why_not("title: T\nneeds: block > 64\n"), HasSubstr("t.lesson:2: 'needs' says"));
    EXPECT_THAT(why_not("title: T\nblock: 64\nneeds: block > 64 | more\ntrace a: sequential\nstage: S\n"),
                HasSubstr("more"));
    for (int depth : {100, 100000}) {
        EXPECT_THAT(why_not(head + "stage: S\nwhen: " + std::string(static_cast<std::size_t>(depth), '(') + "\n"),
                    HasSubstr("t.lesson:6: "));
    }
}

TEST(LessonFile, IsCheckedToItsEnd) {
    const auto why = [](const std::string& body) -> std::string {
        const Lesson lesson = parse_lesson(kHead + body, "t", "t.lesson");
        try {
            check_lesson(lesson, "t.lesson", lesson.n, lesson.block);
        } catch (const LessonError& refused) {
            return refused.what();
        }
        return {};
    };
    EXPECT_EQ(why("stage: S\nask: Q\nnumber: n / 2\nwhy: {n / 2}\n"), "");
    EXPECT_THAT(why("stage: S\nask: Q\nnumber: 1 / (n - 64)\nwhy: w\n"),
                HasSubstr("t.lesson:6: no answer: a division"));
    EXPECT_THAT(why("stage: S\nshow: a at stage(3)\n"), HasSubstr("t.lesson:6: no answer: no stage has stride 3"));
    EXPECT_THAT(why("stage: S\nshow: a at 99\n"), HasSubstr("there is no step 99"));
    EXPECT_THAT(why("stage: S\nask: Q\noption(1): x\noption(1): y\nwhy: w\n"), HasSubstr("2 of 2 options are right"));
    EXPECT_THAT(why("stage: S\nask: Q\nclick warp: warp == 9\nwhy: w\n"), HasSubstr("no warp is right"));
    EXPECT_THAT(why("stage: S\nask: Q\nnumber: 9223372036854775807 + 1\nwhy: w\n"), HasSubstr("beyond 64 bits"));
    EXPECT_THAT(why("stage: S\nask: Q\nnumber: count(i, 0, 100000000, 1)\nwhy: w\n"), HasSubstr("too many"));
    EXPECT_THAT(why("stage: S\nask: Q\nnumber: 1\nwhy(0): w\n"), HasSubstr("no 'why' holds"));
    EXPECT_EQ(why("stage: S\nwhen: 0\nask: Q\nnumber: 1 / 0\nwhy: w\n"), "") << "a stage that takes no part";
}

TEST(LessonFile, FillsTextByTheTrace) {
    const Lesson lesson =
        parse_lesson(std::string(kHead) + "stage: S\n\nA {block * 64} {warps|warp|warps} {warps - 1|warp|warps} "
                                          "{{ {if pass || 0|good|bad} {0 - 1}\n  and more\ntext(0): not "
                                          "this\ntext(warps == 2): note: that\n",
                     "t", "t.lesson");
    const LessonTraces traces = traces_of(lesson, {64, 64});
    EXPECT_EQ(LessonTeller(lesson.stages[0], traces).paragraphs(),
              (std::vector<std::string>{"A 4,096 2 warps 1 warp { good −1 and more", "note: that"}));
}

void wait_for(LessonRun& run) {
    for (int i = 0; i < 4000 && (run.busy() || !run.ready()); ++i) {
        run.poll();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ASSERT_TRUE(run.ready());
}

TEST(LessonRun, RemembersWhatBecameOfEachQuestion) {
    const Lesson& lesson = shipped().front();
    LessonRun run(lesson, lesson.n, lesson.block, [] {});
    wait_for(run);
    EXPECT_FALSE(run.asks());
    EXPECT_TRUE(run.next());
    ASSERT_TRUE(run.asks());
    EXPECT_FALSE(run.revealed());
    EXPECT_FALSE(run.answer(64));
    EXPECT_EQ(run.tries(), 1U);
    EXPECT_TRUE(run.answer(63));
    EXPECT_EQ(run.mark(), Mark::later);
    EXPECT_TRUE(run.next());
    EXPECT_TRUE(run.answer(6));
    EXPECT_EQ(run.mark(), Mark::at_once);
    EXPECT_TRUE(run.next());
    run.show();
    EXPECT_EQ(run.mark(), Mark::shown);
    EXPECT_EQ(run.marks_text(), ".lrs..");
    LessonRun again(lesson, lesson.n, lesson.block, [] {});
    again.restore_marks(run.marks_text());
    EXPECT_EQ(again.marks_text(), ".lrs..");
    again.restore_marks("rrrr");
    EXPECT_EQ(again.marks_text(), ".lrs..") << "of another version";
    EXPECT_EQ(again.answered(), 3U);
    EXPECT_FALSE(run.resize(64, 48));
    EXPECT_THAT(run.error(), HasSubstr("power of two"));
    ASSERT_TRUE(run.resize(100, 32));
    for (int i = 0; i < 4000 && run.busy(); ++i) {
        run.poll();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_TRUE(run.next());
    EXPECT_EQ(run.teller().answer(), std::vector<LessonAnswer>{6}) << "1 + log2 of 32 barriers";
    while (run.next()) {
    }
    EXPECT_TRUE(run.at_end());
}

} // namespace
} // namespace warptree::session
