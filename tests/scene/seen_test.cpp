// What is shown of a run to be predicted does not depend on later steps.
#include "app/features/explore/seen.hpp"
#include "app/views/views.hpp"
#include "tests/support/scene_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace warptree::session {
namespace {

using tests::kMeasure;
constexpr scene::Rect kSeenArea{0, 0, 1100, 500};

std::shared_ptr<const Trace> run_of(const char* strategy, std::uint64_t n, std::uint32_t block,
                                    Finish finish = Finish::host) {
    return std::make_shared<const Trace>(tests::trace_of({strategy, n, block, finish}));
}

// Another run that is the same up to a step.
std::shared_ptr<const Trace> changed_after(const Trace& trace, std::uint32_t launch, std::uint32_t step) {
    Trace other = trace;
    other.launches.resize(launch + 1);
    other.host_partials += 7;
    other.result.bits += 1;
    other.pass = false;
    Launch& l = other.launches.back();
    l.partials.assign(3, Scalar::of(5));
    l.stalled_blocks = 2;
    for (std::size_t s = step + 1; s < l.steps.size(); ++s) {
        l.steps[s].counters.active_threads += 3;
        l.steps[s].counters.divergent_warps += 1;
        l.steps[s].counters.barriers += 1;
    }
    for (std::size_t i = 0; i < l.warp_steps.size(); ++i) {
        if (i / l.warps() % l.steps.size() > step) {
            l.warp_steps[i].active ^= l.warp_steps[i].existing;
        }
    }
    for (Node& n : l.nodes) {
        n.bits += n.step > step ? 1 : 0;
        n.thread = static_cast<std::uint16_t>(n.step > step ? n.thread ^ 1U : n.thread);
    }
    const auto later = [&](auto& all) { std::erase_if(all, [&](const auto& it) { return it.step > step; }); };
    std::vector<std::uint32_t> rows; // that requests have without the later ones
    for (std::uint32_t kept = 0; const Request& r : l.requests) {
        rows.push_back(r.step <= step ? kept++ : kNone);
    }
    for (StoredLanes& s : l.stored) {
        s.request = rows[s.request];
    }
    std::erase_if(l.stored, [](const StoredLanes& s) { return s.request == kNone; });
    l.stored_values.push_back(5);
    later(l.requests);
    later(l.shuffles);
    later(l.outputs);
    later(l.barriers);
    l.stalls.push_back(
        {l.window_first, static_cast<std::uint16_t>(step + 1), 0, StallKind::barrier, 1, 2, SourceLine::none()});
    l.hazards.push_back({l.window_first, 0, 0, 0, static_cast<std::uint16_t>(step + 1), 1, true, false,
                         SourceLine::none(), SourceLine::none()});
    return std::make_shared<const Trace>(std::move(other));
}

TEST(Seen, DoesNotDependOnWhatComesLater) {
    for (const auto& [strategy, n, block] : {std::tuple{"interleaved-modulo", 100ULL, 64U},
                                             {"sequential", 33ULL, 32U},
                                             {"unroll-last-warp", 1000ULL, 128U},
                                             {"block-shuffle", 300ULL, 64U},
                                             {"scan-shared", 64ULL, 32U},
                                             {"missing-barrier", 128ULL, 128U},
                                             {"sequential", 1ULL, 1U}}) {
        const auto trace = run_of(strategy, n, block);
        for (std::uint32_t step = 0; step + 1 < trace->launches[0].steps.size(); ++step) {
            const auto other = changed_after(*trace, 0, step);
            for (const Later later : {Later::labelled, Later::one}) {
                const Seen seen = seen_until(trace, 0, step, later);
                EXPECT_EQ(*seen.trace, *seen_until(other, 0, step, later).trace) << strategy << " " << step;
                EXPECT_EQ(seen.hidden_from, step + 1);
                const std::size_t steps = trace->launches[0].steps.size();
                EXPECT_EQ(seen.trace->launches[0].steps.size(), later == Later::one ? step + 2 : steps);
            }
        }
    }
}

// The steps that remain are as in the whole run.
TEST(Seen, KeepsWhatWasThere) {
    const auto trace = run_of("interleaved-strided", 100, 64);
    const Launch& whole = trace->launches[0];
    const Seen seen = seen_until(trace, 0, 2, Later::one);
    const Launch& l = seen.trace->launches[0];
    const auto values = [](const Launch& from, std::uint32_t last) {
        std::vector<std::tuple<int, int, std::uint64_t, std::uint64_t, std::uint64_t>> all;
        for (const Node& n : from.nodes) {
            if (n.step <= last) {
                const auto of = [&](std::uint32_t i) { return i < from.nodes.size() ? from.nodes[i].bits : ~0ULL; };
                all.emplace_back(n.step, n.thread, n.bits, of(n.left), of(n.right()));
            }
        }
        return all;
    };
    EXPECT_EQ(values(l, 99), values(whole, 2));
    EXPECT_FALSE(values(l, 99).empty());
    for (std::uint32_t block = 0; block < l.window_count; ++block) {
        for (std::uint32_t step = 0; step <= 2; ++step) {
            for (unsigned warp = 0; warp < l.warps(); ++warp) {
                EXPECT_EQ(l.warp_step(block, step, warp), whole.warp_step(block, step, warp));
            }
        }
    }
    EXPECT_TRUE(std::equal(l.steps.begin(), l.steps.end() - 1, whole.steps.begin()));
    EXPECT_EQ(l.steps.back().label, "?");
}

TEST(Seen, IsTheWholeTraceAtItsEnd) {
    const auto one = run_of("sequential", 64, 64);
    const auto last = static_cast<std::uint32_t>(one->launches[0].steps.size()) - 1;
    EXPECT_EQ(seen_until(one, 0, last, Later::one).trace, one);
    EXPECT_EQ(seen_until(one, 0, last, Later::one).hidden_from, kNone);
    const auto many = run_of("sequential", 256, 64);
    EXPECT_NE(seen_until(many, 0, last, Later::one).trace, many) << "the host is yet to combine";
    const auto relaunched = run_of("sequential", 1000, 32, Finish::relaunch);
    ASSERT_GT(relaunched->launches.size(), 1U);
    EXPECT_EQ(seen_until(relaunched, 0, 0, Later::one).trace->launches.size(), 1U);
}

std::string words(const scene::Drawing& drawing) {
    std::string all;
    for (const scene::Text& text : tests::texts(drawing)) {
        all += text.text + "\n";
    }
    return all;
}

TEST(Seen, IsDrawnAsUnknown) {
    const auto trace = run_of("interleaved-modulo", 512, 64);
    const Seen seen = seen_until(trace, 0, 1, Later::labelled);
    scene::ViewContext context = tests::context_of(*seen.trace, {0, 1, 1}, kMeasure);
    context.hidden_from = seen.hidden_from;
    const std::string tree = words(draw_tree(context, kSeenArea, {}));
    EXPECT_EQ(tree.find("8 blocks"), std::string::npos) << "how many may be the question";
    EXPECT_NE(tree.find("? blocks"), std::string::npos);
    const scene::Drawing warps = draw_warps(context, kSeenArea, 0);
    const std::string told = words(warps);
    EXPECT_EQ(std::count(told.begin(), told.end(), '?'), 6 * (1 + 2)) << "six steps: two warps, and how many act";
    // Threads and steps can be clicked while hidden.
    const auto hit = [](const scene::Drawing& drawing, scene::Target::Kind kind, std::uint32_t index,
                        std::uint32_t step) {
        return std::any_of(drawing.hits.begin(), drawing.hits.end(), [&](const scene::Hit& h) {
            return h.target.kind == kind && h.target.index == index && h.target.step == step;
        });
    };
    EXPECT_TRUE(hit(warps, scene::Target::Kind::thread, 5, 6));
    EXPECT_TRUE(hit(warps, scene::Target::Kind::step, 6, 6));
    EXPECT_TRUE(hit(draw_tree(context, kSeenArea, {}), scene::Target::Kind::step, 6, 6));
    context.moment.step = 3;
    EXPECT_NE(words(draw_banks(context, kSeenArea)).find("To predict"), std::string::npos);
    EXPECT_EQ(words(draw_banks(context, kSeenArea)).find("No access"), std::string::npos);
}

} // namespace
} // namespace warptree::session
