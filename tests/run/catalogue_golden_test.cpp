// The catalogue's kernels compared with traces recorded on a GPU.
#include "app/run/kernel_run.hpp"
#include "app/trace/io/file.hpp"
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
    for (const char* folder : {"reduce", "scan", "applied", "exhibits"}) {
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

// Known differences from what the GPU did, with reasons. Everything else must be equal.
struct Known {
    std::string_view id;
    std::vector<std::string_view> what; // of tests::Difference
    std::string_view why;
    std::string_view type = {}; // of elements; empty: any
};
const std::vector<Known>& known() {
    static const std::vector<Known> list{
        {"warp-atomic",
         {"result", "partials"},
         "atomics add the sums of warps in the order in which they come, which a float's rounding tells; every run on "
         "a "
         "GPU may have another",
         "f32"},
        {"softmax-rows",
         {"partials", "arrays"},
         "the GPU's powers come from another library, whose last bits differ",
         "f64"},
        {"softmax-online", {"partials", "arrays"}, "likewise", "f64"},
        {"scan-lookback", {"counters", "totals"}, "how far a tile looks back depends on when the others are seen"},
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
    RunControl control;
    Trace trace = runs::run_kernel_file(o, control);
    EXPECT_TRUE(trace.pass) << name;
    for (const Launch& l : trace.launches) {
        EXPECT_TRUE(l.findings.empty()) << name;
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
