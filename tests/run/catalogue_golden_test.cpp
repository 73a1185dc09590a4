// The catalogue's kernels compared with traces recorded on a GPU.
#include "app/run/kernel_run.hpp"
#include "app/trace/io/file.hpp"
#include "tests/run/recorded_traces.hpp"
#include "tests/run/trace_differences.hpp"
#include "tests/support/paths.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>
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

// Known differences from the goldens, which were recorded by other means, with reasons. Everything else must be equal.
struct Known {
    std::string_view id;
    std::vector<std::string_view> what; // of tests::Difference
    std::string_view why;
    std::string_view type = {}; // of elements; empty: any
};
const std::vector<Known>& known() {
    static const std::vector<Known> list{
        {"block-shuffle", {"moved"}, "what is read behind a barrier to begin a step belongs to that step"},
        {"block-atomic", {"moved"}, "what is read behind a barrier to begin a step belongs to that step"},
        {"two-kernel", {"moved"}, "what is read behind a barrier to begin a step belongs to that step"},
        {"hardware-reduce", {"moved"}, "what is read behind a barrier to begin a step belongs to that step"},
        {"vectorized", {"moved"}, "what is read behind a barrier to begin a step belongs to that step"},
        {"vectorized", {"shared"}, "the next tile of the block lies in two words of static shared memory"},
        {"vectorized", {"partials", "grid"}, "partial results lie in an array of their own; the output is the total"},
        {"vectorized",
         {"tree"},
         "the partial result of the first block is no new element to it, and what is read of others is part of the "
         "step "
         "that combines it"},
        {"warp-atomic",
         {"result", "partials"},
         "atomics add the sums of warps in the order in which they come, which a float's rounding tells; every run on "
         "a "
         "GPU may have another",
         "f32"},
        {"three-to-one", {"steps"}, "each turn of the loop before the tree is a step"},
        {"divergence-thread", {"steps"}, "each side of the branch is a statement, and so a step of its own"},
        {"scan-global", {"steps"}, "what is stored to global memory behind a load is a step of its own"},
        {"scan-blelloch", {"steps"}, "what thread 0 does between two barriers, between the sweeps, is a step"},
        {"scan-warp", {"moved", "steps"}, "what is read behind a barrier to begin a step belongs to that step"},
        {"scan-coarsened",
         {"steps"},
         "a thread's own batch is combined in registers, which is no step of a tree, before and behind it"},
        {"scan-lookback", {"shared"}, "the ticket lies in a word of static shared memory"},
        {"scan-lookback",
         {"steps", "counters", "requests", "totals", "tree"},
         "tickets and the words of tiles are memory as any other; the prefix of the first tile is combined with the "
         "identity; how far a tile looks back depends on when the others are seen"},
        {"scan-pipelined", {"shared"}, "the next tile of the block lies in two words of static shared memory"},
        {"scan-pipelined",
         {"steps", "counters", "requests"},
         "tickets, the words of tiles and asynchronous copies are memory as any other; each warp's role has steps of "
         "its "
         "own"},
        {"tiled-matmul",
         {"result", "partials", "grid", "requests", "tree"},
         "the matrices are two arrays, each with random numbers and a beginning of its own"},
        {"tiled-matmul",
         {"counters"},
         "where the second matrix begins decides how many sectors a load touches; a product with a zero of the padding "
         "is "
         "one of an element"},
        {"tiled-matmul", {"totals"}, "an element that several results are made of is one leaf"},
    };
    return list;
}

class CatalogueGolden : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, CatalogueGolden, testing::ValuesIn(goldens()),
                         [](const auto& info) { return info.param; });

std::vector<tests::Difference> differences_of(const std::string& name, std::string& id) {
    Trace golden = load(tests::source_dir() / "tests/golden/traces" / (name + ".wtrace"));
    id = golden.options.strategy;
    const std::filesystem::path file = file_of(id);
    EXPECT_FALSE(file.empty()) << "no kernel file for " << id;
    RunOptions o = golden.options;
    o.backend = Backend::cpu;
    o.kernel.file = file.string();
    o.kernel.n_given = o.kernel.input_given = true;
    if (const std::uint32_t last = golden.launches.front().last_block; last != kNone) {
        o.last_block = last;
    }
    RunControl control;
    Trace trace = runs::run_kernel_file(o, control);
    EXPECT_TRUE(trace.pass) << name;
    for (const Launch& l : trace.launches) {
        EXPECT_TRUE(l.findings.empty()) << name;
    }
    if (tests::is_of_version_2(golden)) {
        tests::compare_as_version_2(golden, trace);
    }
    return tests::differences(golden, trace);
}

TEST_P(CatalogueGolden, EqualsWhatAGpuDid) {
    std::string id;
    for (const tests::Difference& d : differences_of(GetParam(), id)) {
        EXPECT_TRUE(std::any_of(known().begin(), known().end(),
                                [&](const Known& k) {
                                    return k.id == id && (k.type.empty() || GetParam().ends_with(k.type)) &&
                                           std::find(k.what.begin(), k.what.end(), d.what) != k.what.end();
                                }))
            << d.what << ": " << d.text;
    }
}

// An entry that no longer matches a difference must be removed.
TEST(CatalogueGoldens, EveryKnownDifferenceIsThere) {
    std::set<std::pair<std::string, std::string>> met;
    for (const std::string& name : goldens()) {
        std::string id = name.substr(0, name.find_last_of('_', name.find_last_of('_', name.find_last_of('_') - 1) - 1));
        std::replace(id.begin(), id.end(), '_', '-');
        if (std::any_of(known().begin(), known().end(), [&](const Known& k) { return k.id == id; })) {
            for (const tests::Difference& d : differences_of(name, id)) {
                met.emplace(id, d.what);
            }
        }
    }
    for (const Known& k : known()) {
        for (const std::string_view what : k.what) {
            EXPECT_TRUE(met.contains({std::string(k.id), std::string(what)})) << k.id << " " << what << ": " << k.why;
        }
    }
}

} // namespace
} // namespace warptree
