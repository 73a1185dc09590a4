// Views of kernels unlike any strategy: byte elements, a different source lane for each lane, values of several types,
// steps without combines.
#include "app/features/compare/alignment.hpp"
#include "app/run/kernel_run.hpp"
#include "app/trace/explain/global_races.hpp"
#include "app/views/banks/bank_plan.hpp"
#include "app/views/banks/exchange.hpp"
#include "app/views/lane_look.hpp"
#include "app/views/parts.hpp"
#include "app/views/thread_of.hpp"
#include "app/views/totals.hpp"
#include "app/views/tree/tree_index.hpp"
#include "app/views/tree/tree_layout.hpp"
#include "app/views/warps/lifeline.hpp"
#include "tests/support/scene_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace warptree::scene {
namespace {

Trace traced(const std::string& text, std::uint64_t n, std::uint32_t block, const char* grid = "1") {
    RunOptions o;
    o.kernel.text = text;
    o.kernel.grid = grid;
    o.kernel.arguments["in"] = "iota";
    o.n = n;
    o.kernel.n_given = true;
    o.block = block;
    RunControl control;
    return runs::run_kernel_file(o, control);
}

// A value that a thread made and another one stores.
TEST(KernelViews, AStoredValueIsThatOfWhoStoresIt) {
    const Trace trace = traced("__global__ void k(const int* in, int* out) {\n  __shared__ int s[32];\n"
                               "  int t = threadIdx.x; s[t] = in[t]; __syncthreads(); out[t] = s[31 - t];\n}",
                               32, 32);
    const Launch& l = trace.launches.front();
    const Output& o = l.outputs[5];
    const Node& made = l.nodes[o.node];
    ASSERT_EQ(o.thread, 5);
    ASSERT_EQ(made.thread, 26);
    EXPECT_EQ(thread_of(l, {Target::Kind::node, 0, 0, o.node, o.step}), 5U);
    EXPECT_EQ(thread_of(l, {Target::Kind::node, 0, 0, o.node, made.step}), 26U);
    EXPECT_EQ(thread_of(l, {Target::Kind::node, 0, 0, o.node}), 26U);
}

// A transpose combines nothing: its cost is in the words that its store reads.
TEST(KernelViews, ATransposeIsToldItsBankConflicts) {
    const auto of = [](const char* columns) {
        return traced("__global__ void k(const int* in, int* out) {\n    __shared__ int s[32][" + std::string(columns) +
                          "];\n    int x = threadIdx.x % 32, y = threadIdx.x / 32;\n    s[y][x] = in[threadIdx.x];\n"
                          "    __syncthreads();\n    out[threadIdx.x] = s[x][y];\n}\n",
                      1024, 1024);
    };
    const Trace plain = of("32"), padded = of("33");
    const auto last = static_cast<std::uint32_t>(plain.launches[0].steps.size() - 1);
    EXPECT_THAT(summarize(plain, {0, last, 1}).sentence, testing::HasSubstr("1,024 wavefronts where 32 would do"));
    EXPECT_THAT(totals(plain).limit, testing::HasSubstr("bank conflicts: 1,056 wavefronts where 64 would do"));
    EXPECT_EQ(totals(padded).limit, "");
    EXPECT_EQ(summarize(padded, {0, last, 1}).sentence.find("conflict"), std::string::npos);
}

// A column store touches a sector of 32 bytes for each int of 4: 32 for a warp where 4 would hold them.
TEST(KernelViews, AColumnStoreIsToldItsIdeal) {
    const Trace trace =
        traced("__global__ void k(const int* in, int* out) {\n"
               "    int i = blockIdx.x * 32 + threadIdx.x;\n    out[threadIdx.x * 32 + blockIdx.x] = in[i];\n"
               "    __syncthreads();\n}\n",
               64, 32, "2");
    const std::vector<Fact> facts = totals(trace).facts;
    const auto fact = [](const std::vector<Fact>& all, const char* label) {
        const auto found = std::ranges::find(all, label, &Fact::label);
        return found == all.end() ? Fact{} : *found;
    };
    EXPECT_EQ(fact(facts, "sectors loaded").note, "2 requests");
    EXPECT_EQ(fact(facts, "sectors stored").value, "64");
    EXPECT_EQ(fact(facts, "sectors stored").note, "ideal 8");
    EXPECT_TRUE(fact(facts, "sectors stored").attention);
    std::string barriers;
    for (std::uint32_t step = 0; step < trace.launches.front().steps.size(); ++step) {
        const Fact of_step = fact(summarize(trace, {0, step, 1}).facts, "barriers");
        barriers = of_step.value == "2" ? of_step.note : barriers;
    }
    EXPECT_EQ(barriers, "1 in each block");
}

// A first step that clears an array loads nothing.
TEST(KernelViews, AStepThatOnlyStoresSaysSo) {
    const Trace trace = traced("__global__ void k(const int* in, int* out) {\n    __shared__ int s[64];\n"
                               "    s[threadIdx.x] = 0;\n    __syncthreads();\n    s[threadIdx.x] += in[threadIdx.x];\n"
                               "    __syncthreads();\n    out[threadIdx.x] = s[threadIdx.x];\n}\n",
                               64, 64);
    const std::string said = summarize(trace, {0, 0, 1}).sentence;
    EXPECT_THAT(said, testing::HasSubstr("2 store requests to shared memory"));
    EXPECT_EQ(said.find("None of"), std::string::npos) << said;
}

// Where three digits are too wide for the row's size, all values of the row are smaller, and none is left out.
TEST(KernelViews, ARowOfOutputsHasAllItsValues) {
    const Trace trace =
        traced("__global__ void k(int* in) {\n    in[threadIdx.x] = in[threadIdx.x] + 96;\n}\n", 32, 32);
    const auto last = static_cast<std::uint32_t>(trace.launches[0].steps.size() - 1);
    const auto context = tests::context_of(trace, {0, last, 1}, tests::kMeasure);
    std::map<std::string, int> written;
    for (const Text& text : tests::texts(draw_tree(context, {0, 0, 900, 400}, {}))) {
        ++written[text.text];
    }
    ASSERT_EQ(trace.launches[0].outputs.size(), 32U);
    for (const Output& output : trace.launches[0].outputs) {
        const std::uint64_t value = trace.launches[0].nodes[output.node].bits;
        EXPECT_GE(written[std::to_string(value)], 1) << value << ", where it is stored";
        EXPECT_GE(written[std::to_string(value - 96)], 1) << value - 96 << ", where it is loaded";
    }
}

// What is made of no element has a cell all the same, with the element that it is stored to; each iteration of a loop over the
// data, as a search's over the neighbours of a vertex, loads and stores in steps of its own.
TEST(KernelViews, StoresOfNoElementSayWhatTheySet) {
    RunOptions o;
    o.kernel.arguments = {{"in", "iota"}, {"dist", "unseen"}, {"level", "0"}};
    o.kernel.grid = "1";
    o.n = 8;
    o.kernel.n_given = true;
    o.block = 8;
    o.kernel.text = ("__global__ void k(const int* in, int* dist, int level) {\n"
                     "    int u = threadIdx.x;\n"
                     "    for (int e = in[u]; e < in[u + 1]; ++e)\n"
                     "        if (dist[2 * e + 1] < 0) dist[2 * e + 1] = level + 2;\n"
                     "}\n");
    RunControl control;
    const Trace trace = runs::run_kernel_file(o, control);
    const Launch& l = trace.launches.front();
    std::vector<std::string> labels;
    for (const Step& s : l.steps) {
        labels.push_back(s.label);
    }
    ASSERT_THAT(labels, testing::IsSupersetOf({"load", "store"}));
    const auto store = static_cast<std::uint32_t>(std::ranges::find(labels, "store") - labels.begin());
    const TreeIndex index = make_tree_index(l);
    ASSERT_FALSE(index.plain.empty());
    const PlainStore& first = index.plain.front();
    EXPECT_EQ(first.step, store);
    EXPECT_EQ(first.bits, 2U);
    EXPECT_EQ(first.element % 2, 1U);
    const auto context = tests::context_of(trace, {0, store, 1}, tests::kMeasure);
    std::vector<std::string> written;
    for (const Text& text : tests::texts(draw_tree(context, {0, 0, 900, 400}, {}))) {
        written.push_back(text.text);
    }
    EXPECT_THAT(written, testing::Contains("dist[" + std::to_string(first.element) + "] = 2"));
}

// A race on global memory is marked at the threads that take part, in the tree and in the warps.
TEST(KernelViews, RacesOnGlobalMemoryAreMarked) {
    const Trace trace = traced("__global__ void k(const int* in, int* out) {\n"
                               "    out[threadIdx.x / 2] += in[threadIdx.x];\n}\n",
                               8, 8);
    const Launch& l = trace.launches.front();
    ASSERT_TRUE(std::ranges::any_of(l.findings, [](const Finding& f) { return f.kind == FindingKind::race_global; }));
    std::set<std::uint16_t> threads;
    for (const RacingAccess& r : global_races(l)) {
        threads.insert(r.thread);
        EXPECT_EQ(r.index, r.thread / 2U);
    }
    EXPECT_EQ(threads.size(), 8U);
    const TreeIndex index = make_tree_index(l);
    EXPECT_TRUE(std::ranges::any_of(index.hazardous, [](std::uint8_t h) { return h != 0; }));
    const Trace fine =
        traced("__global__ void k(const int* in, int* out) {\n    out[threadIdx.x] += in[threadIdx.x];\n}\n", 8, 8);
    EXPECT_THAT(global_races(fine.launches.front()), testing::IsEmpty());
}

// All operands are the constant 0, and yet lanes load and store.
TEST(KernelViews, LanesThatCombineNothingAreActive) {
    const Trace trace = traced("__global__ void most(const int* in, int* out) {\n  __shared__ int s[64];\n"
                               "  int t = threadIdx.x;\n  s[t] = 0;\n  for (int i = t; i < 64; i += 64)\n"
                               "    if (in[i] > 100) s[t] = in[i];\n"
                               "  for (int d = 32; d > 0; d /= 2) {\n    __syncthreads();\n"
                               "    if (t < d) s[t] = max(s[t], s[t + d]);\n  }\n  if (t == 0) out[0] = s[0];\n}\n",
                               64, 64);
    const Launch& l = trace.launches.front();
    const auto at = static_cast<std::uint32_t>(
        std::find_if(l.steps.begin(), l.steps.end(), [](const Step& s) { return s.label == "d = 16"; }) -
        l.steps.begin());
    ASSERT_LT(at, l.steps.size());
    ASSERT_EQ(l.steps[at].counters.combines, 0U);
    EXPECT_EQ(lanes_at_work(l, 0, at, 0).active, 0xFFFFU);
    EXPECT_EQ(lanes_at_work(l, 0, at, 1).active, 0U);
    const StepSummary summary = summarize(trace, {0, at, 1});
    EXPECT_THAT(summary.facts, testing::Contains(testing::AllOf(testing::Field(&Fact::label, "lanes active"),
                                                                testing::Field(&Fact::note, "16 of 32 issued"))));
}

// Two threads that add to one element: its cell shows what the selected one made of it.
TEST(KernelViews, ACellShowsTheSelectedThreadsValue) {
    const Trace trace = traced("__global__ void k(const int* in, int* out) {\n  __shared__ int s[4];\n"
                               "  int t = threadIdx.x;\n  if (t < 4) s[t] = in[t];\n  __syncthreads();\n"
                               "  s[t / 2] += in[t];\n  __syncthreads();\n  if (t < 4) out[t] = s[t];\n}\n",
                               8, 8);
    const auto index = tree_index(trace, 0);
    const Launch& l = trace.launches.front();
    std::size_t several = 0;
    for (const TreeCell& cell : index->cells) {
        std::set<std::uint16_t> threads;
        for (const std::uint32_t node : index->nodes_of(cell)) {
            EXPECT_EQ(index->cell_of[node], static_cast<std::uint32_t>(&cell - index->cells.data()));
            threads.insert(l.nodes[node].thread);
        }
        several += threads.size() > 1 ? 1 : 0;
        ViewContext context = tests::context_of(trace, {0, 0, 1}, tests::kMeasure);
        TreeView view;
        view.context = &context;
        view.launch = &l;
        view.index = index.get();
        for (const std::uint16_t thread : threads) {
            context.selected = {Target::Kind::thread, 0, 0, thread};
            EXPECT_EQ(l.nodes[view.shown(cell)].thread, thread);
        }
        context.selected = {Target::Kind::thread, 0, 0, 1000};
        EXPECT_EQ(view.shown(cell), cell.node);
    }
    EXPECT_GT(several, 0U);
}

// What a thread computes on the way stands where the value that it stores does.
TEST(KernelViews, AValueOnTheWayStandsWhereTheStoredOneDoes) {
    const Trace trace = traced("__global__ void k(const float* in, float* out) {\n  float sum = 0;\n"
                               "  for (int i = threadIdx.x; i < 16; i += 4) sum += in[i];\n"
                               "  for (int i = threadIdx.x; i < 16; i += 4) out[i] = expf(in[i]) / sum;\n}\n",
                               16, 4);
    const auto index = tree_index(trace, 0);
    const Launch& l = trace.launches.front();
    for (const Node& n : l.nodes) {
        for (const std::uint32_t operand : {n.left, n.right()}) {
            if (n.word != kNone && has_operands(n.kind) && operand < l.nodes.size() &&
                l.nodes[operand].step == n.step && l.nodes[operand].thread == n.thread &&
                has_operands(l.nodes[operand].kind)) {
                EXPECT_EQ(index->cell_of[operand], index->cell_of[static_cast<std::size_t>(&n - l.nodes.data())]);
            }
        }
    }
}

// A lane that waits for a lock asks for it thousands of times; how it ended comes after all that it did.
TEST(KernelViews, AThreadsLifeIsFoldedAndEndsLast) {
    const Trace trace = traced("__global__ void k(const int* in, int* lock) {\n"
                               "    for (int i = 0; i < 100; ++i) atomicAdd(&lock[0], 1);\n"
                               "    lock[1] = in[threadIdx.x];\n"
                               "    lock[-1] = 1;\n}\n",
                               1, 1);
    ASSERT_FALSE(trace.completed());
    const auto last = static_cast<std::uint32_t>(trace.launches[0].steps.size() - 1);
    std::vector<std::string> said;
    for (std::uint32_t step = 0; step <= last; ++step) {
        for (const LifeEvent& e : lifeline(trace, {0, step, 1}, 0, 0)) {
            said.push_back(e.text);
        }
    }
    EXPECT_EQ(std::ranges::count(said, "combines atomically into lock[0], 100 times"), 1);
    ASSERT_FALSE(said.empty());
    EXPECT_THAT(said.back(), testing::StartsWith("ends here: "));
}

// Where values go to other places than one thread after the other, the cells name the places.
TEST(KernelViews, OutputsElsewhereNameTheirElements) {
    const auto names = [](const std::string& place) {
        const Trace trace = traced(
            "__global__ void k(const int* in, int* out) {\n    out[" + place + "] = in[threadIdx.x] + 1;\n}\n", 64, 64);
        const auto last = static_cast<std::uint32_t>(trace.launches[0].steps.size() - 1);
        const auto context = tests::context_of(trace, {0, last, 1}, tests::kMeasure);
        const auto all = tests::texts(draw_tree(context, {0, 0, 4800, 400}, {}));
        return std::ranges::count_if(all, [](const Text& t) { return t.text.ends_with("]"); });
    };
    EXPECT_EQ(names("2 * threadIdx.x"), 64);
    EXPECT_EQ(names("threadIdx.x"), 0);
}

TEST(KernelViews, AStepThatOnlyStoresIsCalledSo) {
    const Trace trace =
        traced("__global__ void k(const int* in, int* out) {\n    out[threadIdx.x] = threadIdx.x;\n}\n", 32, 32);
    EXPECT_EQ(trace.launches[0].steps.front().label, "store");
}

// Not only the first array that a kernel stores to.
TEST(KernelViews, TheEndHasWhatEachArrayBeginsWith) {
    const Trace trace = traced("__global__ void k(const int* in, int* one, int* other) {\n    int t = threadIdx.x;\n"
                               "    one[t] = in[t] + 1;\n    other[t] = in[t] + 2;\n}\n",
                               32, 32);
    const auto last = static_cast<std::uint32_t>(trace.launches[0].steps.size() - 1);
    std::map<std::string, std::string> facts;
    for (const Fact& f : summarize(trace, {0, last, 1}).facts) {
        facts[f.label] = f.value;
    }
    EXPECT_EQ(facts["one"], "1 2 3 …");
    EXPECT_EQ(facts["other"], "2 3 4 …");
}

// What a thread loads another one stores: it stands below the one that does.
TEST(KernelViews, AMovedValueStandsBelowTheThreadThatStoresIt) {
    const Trace trace = traced("__global__ void k(const int* in, int* out) {\n    __shared__ int s[8][9];\n"
                               "    int r = threadIdx.x / 8, c = threadIdx.x % 8;\n"
                               "    s[r][c] = in[blockIdx.x * 64 + threadIdx.x];\n    __syncthreads();\n"
                               "    out[(1 - blockIdx.x) * 64 + threadIdx.x] = s[c][r];\n}\n",
                               128, 64, "2");
    const Launch& launch = trace.launches[0];
    EXPECT_TRUE(make_tree_index(launch).by_storer);
    const auto last = static_cast<std::uint32_t>(launch.steps.size() - 1);
    const Drawing tree = draw_tree(tests::context_of(trace, {0, last, 1}, tests::kMeasure), {0, 0, 6000, 400}, {});
    std::map<std::uint32_t, float> loads,
        stores; // of block 0: by thread where its element stands; by node where it is stored
    for (const Hit& hit : tree.hits) {
        if (hit.target.kind == Target::Kind::node && launch.nodes[hit.target.index].block == 0) {
            const Node& node = launch.nodes[hit.target.index];
            (hit.target.step == last ? stores[hit.target.index] : loads[node.thread]) = hit.rect.x + hit.rect.w / 2;
        }
    }
    ASSERT_EQ(loads.size(), 64U);
    ASSERT_EQ(stores.size(), 64U);
    for (const Output& output : launch.outputs) {
        if (output.block == 0) {
            EXPECT_NEAR(stores.at(output.node), loads.at(output.thread), 1) << output.thread;
        }
    }
}

// A tree that ends a step too early leaves every other element out.
TEST(KernelViews, TheEndSaysWhichElementsReachNoResult) {
    const auto said = [](const char* until) {
        const Trace trace = traced("__global__ void k(const int* in, int* out) {\n    int v = in[threadIdx.x];\n"
                                   "    for (int d = 16; d > " +
                                       std::string(until) +
                                       "; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);\n"
                                       "    if (threadIdx.x == 0) out[0] = v;\n}\n",
                                   32, 32);
        return summarize(trace, {0, static_cast<std::uint32_t>(trace.launches[0].steps.size() - 1), 1}).sentence;
    };
    EXPECT_THAT(said("1"), testing::HasSubstr("Of 32 elements that are loaded 16 are in nothing that is stored: "
                                              "in[1], in[3], in[5] and others."));
    EXPECT_THAT(said("0"), testing::Not(testing::HasSubstr("nothing that is stored")));
}

// As many outputs as elements, but not where the block loads: no scan, and every output has its cell in the row.
TEST(KernelViews, AReversalIsNoScan) {
    const Trace trace = traced("__global__ void k(int* in, int n) {\n    int other = in[n - 1 - threadIdx.x];\n"
                               "    in[threadIdx.x] = other;\n}\n",
                               1024, 32);
    const auto last = static_cast<std::uint32_t>(trace.launches[0].steps.size() - 1);
    EXPECT_FALSE(make_tree_index(trace.launches[0]).scan);
    const Drawing tree = draw_tree(tests::context_of(trace, {0, last, 1}, tests::kMeasure), {0, 0, 900, 400}, {});
    std::set<std::uint32_t> stored;
    for (const Hit& hit : tree.hits) {
        if (hit.target.kind == Target::Kind::node && hit.target.step == last) {
            stored.insert(hit.target.index);
        }
    }
    EXPECT_EQ(stored.size(), 32U);
}

TEST(KernelViews, BytesAndHalfWordsShareTheWordsOfBanks) {
    for (const auto& [type, bytes] : {std::pair{"char", 1U}, std::pair{"short", 2U}}) {
        for (const unsigned stride : {1U, 3U, 4U, 7U, 32U}) {
            const Trace trace = traced(
                "__global__ void k(const " + std::string(type) + "* in, " + type + "* out) {\n    __shared__ " + type +
                    " s[1024];\n    int t = threadIdx.x;\n    for (int i = t; i < 1024; i += 32) s[i] = in[i];\n" +
                    "    __syncthreads();\n    out[t] = s[t * " + std::to_string(stride) + "];\n}\n",
                1024, 32);
            const Launch& l = trace.launches[0];
            const auto load = std::find_if(l.requests.begin(), l.requests.end(),
                                           [](const Request& r) { return r.kind == AccessKind::shared_load; });
            ASSERT_NE(load, l.requests.end());
            ASSERT_EQ(load->bytes, bytes);
            std::vector<std::set<std::uint32_t>> words(32); // of 4 bytes, by bank
            for (unsigned lane = 0; lane < 32; ++lane) {
                const std::uint32_t word = lane * stride * bytes / 4;
                words[word % 32].insert(word);
            }
            std::size_t most = 0;
            for (const auto& bank : words) {
                most = std::max(most, bank.size());
            }
            EXPECT_EQ(load->wavefronts, most) << type << " stride " << stride;
            const BankPlan plan = make_bank_plan(l, *load, 32);
            EXPECT_EQ(plan.rows, most) << type << " stride " << stride;
            for (unsigned lane = 0; lane < 32; ++lane) {
                EXPECT_EQ(plan.index[lane], lane * stride);
            }
            const auto number = static_cast<std::uint32_t>(load - l.requests.begin());
            const Drawing d = draw_banks(tests::context_of(trace, {0, load->step, 1}, tests::EvenMeasure{}),
                                         {0, 0, 900, 300}, number);
            EXPECT_FALSE(d.layers.empty());
        }
    }
}

// The tree of an argmax follows the largest value; what is stored is where it is.
TEST(KernelViews, ShowOfARecordTheScalarThatIsStored) {
    const Trace trace =
        traced("struct Best { float value; int where; };\n"
               "__device__ Best pick(Best a, Best b) { return b.value > a.value ? b : a; }\n"
               "__global__ void k(const float* in, int* out) {\n    __shared__ Best s[32];\n"
               "    int t = threadIdx.x;\n    s[t] = Best{in[t], t + 500};\n    __syncthreads();\n"
               "    for (int d = 16; d > 0; d /= 2) {\n        if (t < d) s[t] = pick(s[t], s[t + d]);\n"
               "        __syncthreads();\n    }\n    if (t == 0) *out = s[0].where;\n}\n",
               32, 32);
    ASSERT_FALSE(trace.outputs.empty());
    const std::string where = std::to_string(trace.outputs[0].values.at(0));
    const auto last = static_cast<std::uint32_t>(trace.launches[0].steps.size() - 1);
    const Drawing tree = draw_tree(tests::context_of(trace, {0, last, 1}, tests::kMeasure), {0, 0, 900, 500}, {});
    const auto texts = tests::texts(tree);
    EXPECT_EQ(std::count_if(texts.begin(), texts.end(), [&](const Text& t) { return t.text == where; }), 1) << where;
}

// Lanes with one word do not share it, as they would in a load: each of their updates stands below the one before.
TEST(KernelViews, ShowUpdatesOfOneWordOneAfterAnother) {
    for (const unsigned bins : {1U, 3U, 32U}) {
        const Trace trace =
            traced("__global__ void k(const int* in, int* out) {\n    __shared__ int s[32];\n"
                   "    int t = threadIdx.x;\n    s[t] = 0;\n    __syncthreads();\n    atomicAdd(&s[t % " +
                       std::to_string(bins) + "], in[t]);\n    __syncthreads();\n    out[t] = s[t];\n}\n",
                   32, 32);
        const Launch& l = trace.launches[0];
        const auto atomic = std::find_if(l.requests.begin(), l.requests.end(),
                                         [](const Request& r) { return r.kind == AccessKind::shared_atomic; });
        ASSERT_NE(atomic, l.requests.end());
        const BankPlan plan = make_bank_plan(l, *atomic, 32);
        EXPECT_EQ(plan.words.size(), 32U);
        EXPECT_EQ(plan.rows, (32 + bins - 1) / bins);
        EXPECT_EQ(most_updates(plan), (32 + bins - 1) / bins);
        std::string all;
        for (const Text& text :
             tests::texts(draw_banks(tests::context_of(trace, {0, atomic->step, 1}, tests::EvenMeasure{}),
                                     {0, 0, 900, 300}, static_cast<std::uint32_t>(atomic - l.requests.begin())))) {
            all += text.text + '|';
        }
        EXPECT_NE(all.find("|" + plural(plan.rows, "update") + "|of the word with the most|"), std::string::npos)
            << all;
        EXPECT_NE(all.find("Atomic of warp 0"), std::string::npos) << all;
        EXPECT_EQ(all.find("wavefront"), std::string::npos) << all;
    }
}

TEST(KernelViews, EachLaneMayNameASourceOfItsOwn) {
    const Trace trace = traced("__global__ void k(const int* in, int* out) {\n"
                               "    int lane = threadIdx.x;\n"
                               "    out[lane] = __shfl_sync(0xffffffff, in[lane], (lane * 5) % 32);\n"
                               "}\n",
                               32, 32);
    const Launch& l = trace.launches[0];
    ASSERT_EQ(l.shuffles.size(), 1U);
    const auto sources = shuffle_sources(l, l.shuffles[0]);
    for (unsigned lane = 0; lane < 32; ++lane) {
        EXPECT_EQ(sources[lane].lane, lane * 5 % 32) << lane;
    }
    const Drawing d = draw_banks(tests::context_of(trace, {0, l.shuffles[0].step, 1}, tests::EvenMeasure{}),
                                 {0, 0, 1200, 300}, static_cast<std::uint32_t>(l.requests.size()));
    std::string all;
    for (const Text& t : tests::texts(d)) {
        all += t.text + "\n";
    }
    EXPECT_THAT(all, testing::HasSubstr("each its own lane"));
    EXPECT_THAT(all, testing::Not(testing::HasSubstr("all from lane")));
}

TEST(KernelViews, ValuesAreOfTheirOwnType) {
    const Trace trace = traced("__global__ void mean(const float* in, double* out) {\n"
                               "    __shared__ double s[4];\n"
                               "    int t = threadIdx.x;\n"
                               "    s[t] = in[t] * 0.5f;\n"
                               "    __syncthreads();\n"
                               "    for (int d = 2; d > 0; d /= 2) {\n"
                               "        if (t < d) s[t] += s[t + d];\n"
                               "        __syncthreads();\n"
                               "    }\n"
                               "    if (t == 0) out[0] = s[0];\n"
                               "}\n",
                               4, 4);
    const auto words =
        tests::texts(draw_tree(tests::context_of(trace, {0, 0, 1}, tests::EvenMeasure{}), {0, 0, 1200, 600}, Camera{}));
    for (const char* product : {"0.5", "1.5"}) { // doubles computed from floats; read as floats they would differ
        EXPECT_TRUE(std::any_of(words.begin(), words.end(), [&](const Text& t) { return t.text == product; }))
            << product;
    }
}

TEST(KernelViews, StepsWithoutACombineHaveTheirPlaceInAComparison) {
    const std::string text = "__global__ void k(const int* in, int* out) {\n"
                             "    __shared__ int a[64], b[64];\n"
                             "    int t = threadIdx.x;\n"
                             "    a[t] = in[t];\n"
                             "    __syncthreads();\n"
                             "    b[t] = a[63 - t];\n"
                             "    __syncthreads();\n"
                             "    a[t] = b[63 - t];\n"
                             "    __syncthreads();\n"
                             "    out[t] = a[t];\n"
                             "}\n";
    const Trace trace = traced(text, 64, 64);
    const auto& steps = trace.launches[0].steps;
    ASSERT_TRUE(std::any_of(steps.begin(), steps.end(), [](const Step& s) { return s.kind == StepKind::other; }));
    const Trace& beside = tests::trace_of({"sequential", 64, 64});
    const std::vector<const Trace*> both{&trace, &beside};
    for (const session::Alignment alignment : session::kAlignments) {
        std::uint32_t next = 0;
        for (const session::AlignedStep& aligned_step : session::align(both, alignment)) {
            if (aligned_step.places[0]) {
                EXPECT_EQ(*aligned_step.places[0], next++);
            }
        }
        EXPECT_EQ(next, steps.size());
    }
}

} // namespace
} // namespace warptree::scene
