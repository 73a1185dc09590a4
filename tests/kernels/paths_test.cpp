// How the lanes of a warp part at a branch and go on together behind it, and in which order their requests are listed.
#include "kernels/run.hpp"
#include "kernels/strategy.hpp"
#include "kernels/trace/recorder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <vector>

namespace warptree {
namespace {

// A warp of `lanes` threads fed to a recorder by a program for one lane.
class Warp {
  public:
    static constexpr std::uint32_t kWords = 4096;
    explicit Warp(unsigned lanes) : lanes_(lanes), recorder_(setup(lanes)) { recorder_.begin_block(0); }

    // A lane of the program. An access goes to the word that is the lane's number.
    struct Lane {
        Recorder& r;
        ThreadTrace t;
        void load() { r.shared_access(t, AccessKind::shared_load, t.lane, SourceLine::none()); }
        void store() { r.shared_access(t, AccessKind::shared_store, t.lane, SourceLine::none()); }
        void global() { r.load(t, t.lane, 0, SourceLine::none()); }
        void stage(std::uint32_t stride) { r.enter_step(t, StepKind::stage, stride); }
        template <class Then, class Else> void branch(bool taken, Then then, Else otherwise) {
            const Recorder::Fork fork = r.fork(t);
            r.branch(t, taken);
            taken ? then() : otherwise();
            r.join(t, fork);
        }
        template <class Then> void branch(bool taken, Then then) {
            branch(taken, then, [] {});
        }
        template <class Body> void loop(unsigned turns, Body body) {
            const Recorder::Fork fork = r.fork(t);
            for (unsigned k = 0; k < turns; ++k) {
                r.branch(t, true);
                body(k);
            }
            r.branch(t, false);
            r.join(t, fork);
        }
    };
    template <class Program> Launch run(Program program, bool backwards = false) {
        for (unsigned i = 0; i < lanes_; ++i) {
            Lane lane{recorder_, {}};
            lane.t.lane = static_cast<std::uint8_t>(backwards ? lanes_ - 1 - i : i);
            lane.t.thread = lane.t.lane;
            program(lane);
        }
        recorder_.end_warp();
        recorder_.end_block();
        Launch launch;
        launch.block = lanes_;
        recorder_.finish(launch);
        return launch;
    }

  private:
    static RecorderSetup setup(unsigned lanes) {
        RecorderSetup s;
        s.block_threads = lanes;
        s.shared_elements = kWords;
        s.window_count = 1;
        return s;
    }
    unsigned lanes_;
    Recorder recorder_;
};

struct Seen {
    AccessKind kind;
    std::uint32_t mask;
    unsigned path;
    friend bool operator==(const Seen&, const Seen&) = default;
};
std::ostream& operator<<(std::ostream& out, const Seen& s) {
    return out << "kind " << static_cast<int>(s.kind) << ", lanes " << std::hex << s.mask << std::dec << ", path "
               << s.path;
}
std::vector<Seen> seen(const Launch& l) {
    std::vector<Seen> all;
    std::transform(l.requests.begin(), l.requests.end(), std::back_inserter(all), [](const Request& r) {
        return Seen{r.kind, r.mask, r.path};
    });
    return all;
}
constexpr auto kLoad = AccessKind::shared_load, kStore = AccessKind::shared_store, kGlobal = AccessKind::global_load;
constexpr std::uint32_t kAll = 0xFFFFFFFFU;

TEST(Paths, JoinBehindAnIf) {
    for (const bool backwards : {false, true}) {
        const Launch l = Warp(32).run(
            [](Warp::Lane& lane) {
                lane.branch(lane.t.lane >= 4, [&] { lane.load(); });
                lane.store();
            },
            backwards);
        EXPECT_EQ(seen(l), (std::vector<Seen>{{kLoad, 0xFFFFFFF0U, 0}, {kStore, kAll, 1}}));
        EXPECT_EQ(l.totals().shared_store_requests, 1U);
    }
}

TEST(Paths, RunBothSidesAndThenGoOnTogether) {
    const Launch l = Warp(32).run([](Warp::Lane& lane) {
        lane.load();
        lane.branch(
            lane.t.lane % 2 == 1,
            [&] {
                lane.store();
                lane.load();
            },
            [&] { lane.store(); });
        lane.store();
        lane.global();
    });
    EXPECT_EQ(seen(l), (std::vector<Seen>{{kLoad, kAll, 0},
                                          {kStore, 0x55555555U, 1},
                                          {kStore, 0xAAAAAAAAU, 2},
                                          {kLoad, 0xAAAAAAAAU, 2},
                                          {kStore, kAll, 3},
                                          {kGlobal, kAll, 3}}));
}

TEST(Paths, JoinLevelByLevel) {
    const Launch l = Warp(32).run([](Warp::Lane& lane) {
        const unsigned i = lane.t.lane;
        lane.branch(i < 16, [&] {
            lane.branch(i < 8, [&] { lane.load(); });
            lane.store(); // lanes 0 to 15
            lane.branch(i % 2 == 0, [&] { lane.load(); });
            lane.store();
        });
        lane.store(); // all
    });
    EXPECT_EQ(
        seen(l),
        (std::vector<Seen>{
            {kLoad, 0xFFU, 0}, {kStore, 0xFFFFU, 1}, {kLoad, 0x5555U, 2}, {kStore, 0xFFFFU, 3}, {kStore, kAll, 4}}));
}

// The second if statement is another one, though lanes come to it in the same state.
TEST(Paths, OneBranchAfterAnotherIsNotOne) {
    const Launch l = Warp(2).run([](Warp::Lane& lane) {
        lane.branch(lane.t.lane == 0, [&] { lane.load(); });
        lane.branch(lane.t.lane == 1, [&] { lane.load(); });
    });
    EXPECT_EQ(seen(l), (std::vector<Seen>{{kLoad, 1, 0}, {kLoad, 2, 1}}));
}

// Lanes that leave a loop early wait at its end: turn k is made by the lanes that still run, and then all store.
TEST(Paths, LanesWaitAtTheEndOfALoop) {
    for (const unsigned lanes : {1U, 2U, 31U, 32U}) {
        const Launch l = Warp(lanes).run([](Warp::Lane& lane) {
            lane.loop(lane.t.lane, [&](unsigned) { lane.load(); });
            lane.store();
        });
        const std::uint32_t all = lanes == 32 ? kAll : (1U << lanes) - 1;
        std::vector<Seen> expected;
        for (unsigned k = 0; k + 1 < lanes; ++k) {
            expected.push_back({kLoad, all & ~((2U << k) - 1), k});
        }
        expected.push_back({kStore, all, lanes - 1});
        EXPECT_EQ(seen(l), expected) << lanes;
    }
}

// A lane that ran long before comes no later in what follows.
TEST(Paths, OrderDoesNotDependOnWhatALaneDidInOtherSteps) {
    const Launch l = Warp(32).run([](Warp::Lane& lane) {
        if (lane.t.lane == 0) {
            for (unsigned k = 0; k < 100; ++k) {
                lane.load();
            }
        }
        lane.stage(1);
        lane.load();
        lane.branch(lane.t.lane != 0, [&] { lane.store(); });
        lane.load();
    });
    std::vector<Seen> stage;
    for (const Request& r : l.requests) {
        if (r.step == 1) {
            stage.push_back({r.kind, r.mask, r.path});
        }
    }
    EXPECT_EQ(stage, (std::vector<Seen>{{kLoad, kAll, 0}, {kStore, kAll & ~1U, 1}, {kLoad, kAll, 2}}));
}

// Lanes that go on in a further step stay apart from those that skipped it; and what they did in it stays apart from
// what they do behind the branch.
TEST(Paths, AStepInsideABranchKeepsItsLanesApart) {
    const Launch l = Warp(32).run([](Warp::Lane& lane) {
        lane.branch(lane.t.lane < 4, [&] {
            lane.stage(1);
            lane.branch(lane.t.lane == 0, [&] { lane.load(); });
            lane.store();
        });
        lane.store();
    });
    std::vector<Seen> load, stage;
    for (const Request& r : l.requests) {
        (r.step == 0 ? load : stage).push_back({r.kind, r.mask, r.path});
    }
    EXPECT_EQ(load, (std::vector<Seen>{{kStore, 0xFFFFFFF0U, 0}}));
    EXPECT_EQ(stage, (std::vector<Seen>{{kLoad, 1, 0}, {kStore, 0xFU, 1}, {kStore, 0xFU, 2}}));
}

// In every strategy the requests of a warp come in an order that each of its lanes keeps: a lane's accesses are of one
// source line after another, as the same lane alone makes them.
TEST(Paths, NoStrategyListsAStoreBeforeTheLoadThatItWaitsFor) {
    for (const char* id : {"scan-double-buffer", "scan-warp", "scan-coarsened", "four-way", "divergence-thread"}) {
        RunOptions o;
        o.strategy = id;
        o.n = 1000;
        o.block = 128;
        o.backend = Backend::cpu;
        o.window = {0, 16};
        const Trace t = run(o);
        for (const Launch& l : t.launches) {
            std::map<std::pair<std::uint32_t, std::uint16_t>, const Request*> last; // by block and warp
            for (const Request& r : l.requests) {
                const Request*& before = last[{r.block, r.warp}];
                if (before != nullptr && before->step == r.step && (before->mask & r.mask) != 0) {
                    EXPECT_LE(before->path, r.path) << id;
                    EXPECT_LT(std::pair(before->path, before->ordinal), std::pair(r.path, r.ordinal)) << id;
                }
                before = &r;
            }
        }
    }
}

Counters of_stages(const Trace& t) {
    Counters sum;
    for (const Step& s : t.launches.front().steps) {
        if (s.kind == StepKind::stage) {
            sum += s.counters;
        }
    }
    return sum;
}

Trace whole(const char* id, std::uint32_t block, std::uint64_t tiles, std::uint64_t tile) {
    RunOptions o;
    o.strategy = id;
    o.n = tiles * tile;
    o.block = block;
    o.backend = Backend::cpu;
    o.window = {0, 64};
    return run(o);
}

// Every thread copies or stores its word in each stage: one request a warp, whether its lanes have added or not.
TEST(Paths, TheDoubleBufferStoresOnceAWarpAndStage) {
    for (const std::uint32_t block : {32U, 64U, 256U, 1024U}) {
        const std::uint64_t stages = std::bit_width(block) - 1U, warps = block / 32;
        const Counters c = of_stages(whole("scan-double-buffer", block, 3, block));
        EXPECT_EQ(c.shared_store_requests, 3 * stages * warps) << block;
        EXPECT_EQ(c.shared_store_wavefronts, 3 * stages * warps) << block;
        // A stage at offset d < 32 is left out by d lanes of warp 0; one at d >= 32 by d / 32 warps.
        std::uint64_t loads = 0;
        for (std::uint32_t d = 1; d < block; d *= 2) {
            loads += warps - d / 32;
        }
        EXPECT_EQ(c.shared_load_requests, 3 * loads) << block;
    }
}

// Each warp leaves its total with one store, and the first leaves the totals' scan with another.
TEST(Paths, TheWarpScanStoresOncePerWarpAndOnceForTheTotals) {
    for (const std::uint32_t block : {32U, 96U, 256U, 1024U}) {
        const Trace t = whole("scan-warp", block, 5, block);
        const Counters c = t.launches.front().totals();
        const std::uint64_t warps = block / 32;
        EXPECT_EQ(c.shared_store_requests, 5 * (warps + 1)) << block;
        EXPECT_EQ(c.shared_store_wavefronts, 5 * (warps + 1)) << block;
        EXPECT_EQ(c.divergent_warps > 0, true);
    }
}

} // namespace
} // namespace warptree
