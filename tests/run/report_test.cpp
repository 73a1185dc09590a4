#include "app/catalogue/strategy.hpp"
#include "app/run/run.hpp"
#include "app/trace/explain/report.hpp"
#include "tests/support/kernel_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>

namespace warptree {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

RunOptions example() {
    RunOptions o;
    o.backend = Backend::cpu;
    return o;
}

std::vector<std::string> keys(const Json& j) {
    std::vector<std::string> out;
    for (const auto& [key, value] : j.items()) {
        out.push_back(key);
    }
    return out;
}

// The types and operators that CUDA's atomic functions support (Programming Guide, 10.14).
TEST(Report, SaysWhereAnAtomicIsALoop) {
    for (const ElementType type : kElementTypes) {
        for (const Operator op : kOperators) {
            RunOptions o = example();
            o.strategy = "warp-atomic";
            o.n = 100;
            o.type = type;
            o.op = op;
            if (refusal(o)) {
                continue;
            }
            const bool floating = type == ElementType::f32 || type == ElementType::f64;
            const bool loop = op == Operator::product || (floating && (op == Operator::min || op == Operator::max));
            EXPECT_EQ(report_text(runs::run_any(o)).find("compare-and-swap") != std::string::npos, loop)
                << name(type) << " " << name(op);
        }
    }
    RunOptions o = example();
    o.op = Operator::product;
    EXPECT_EQ(report_text(runs::run_any(o)).find("compare-and-swap"), std::string::npos) << "no atomics here";
}

// The report of interleaved-modulo, n = 1024, B = 256, ones.
TEST(Report, GivesTheInterfacesExample) {
    const Json r = Json::parse(report_json(runs::run_any(example())));
    EXPECT_EQ(r["format"], "warptree.report");
    EXPECT_EQ(r["version"], 1);
    EXPECT_EQ(r["variant"], "interleaved-modulo");
    EXPECT_EQ(r["n"], 1024);
    EXPECT_EQ(r["block"], 256);
    EXPECT_EQ(r["type"], "i32");
    EXPECT_EQ(r["op"], "sum");
    EXPECT_EQ(r["finish"], "host");
    EXPECT_EQ(r["backend"], "cpu");
    EXPECT_EQ(r["banks"], 32);
    EXPECT_EQ(r["result"], 1024);
    EXPECT_EQ(r["reference"], 1024);
    EXPECT_EQ(r["pass"], true);
    const Json& launch = r["launches"][0];
    EXPECT_EQ(launch["grid"], 4);
    EXPECT_EQ(launch["block"], 256);
    EXPECT_EQ(launch["elements"], 1024);
    EXPECT_EQ(launch["shared_bytes"], 1024);
    const Json expected = Json::parse(R"({"label": "load", "stride": 0, "active_threads": 1024, "active_warps": 32,
        "divergent_warps": 0, "combines": 0, "useful_combines": 0, "padding_combines": 0, "barriers": 4,
        "shared_load_requests": 0, "shared_load_wavefronts": 0, "shared_load_ideal": 0,
        "shared_store_requests": 32, "shared_store_wavefronts": 32, "shared_store_ideal": 32,
        "global_load_requests": 32, "global_load_sectors": 128,
        "global_store_requests": 0, "global_store_sectors": 0,
        "shuffles": 0, "atomics": 0, "hazards": 0})");
    EXPECT_EQ(launch["steps"][0], expected);
    EXPECT_EQ(keys(launch["steps"][0]), keys(expected));
    EXPECT_EQ(r["tree"], Json::parse(R"({"leaves": 1024, "combines": 1023, "useful_combines": 1023,
        "padding_combines": 0, "depth": 10})"));
}

TEST(Report, TotalsAreTheStepsSummed) {
    const Json r = Json::parse(report_json(runs::run_any(example())));
    for (const Json& launch : r["launches"]) {
        for (const CounterField& field : counter_fields()) {
            std::uint64_t sum = 0;
            for (const Json& step : launch["steps"]) {
                sum += step[field.name].get<std::uint64_t>();
            }
            EXPECT_EQ(launch["totals"][field.name].get<std::uint64_t>(), sum) << field.name;
        }
    }
}

TEST(Report, SixtyFourBitsAndTheUnspeakableSurvive) {
    Trace t = runs::run_any(example());
    t.result = t.reference = Scalar::of(std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(Json::parse(report_json(t))["result"].get<std::int64_t>(), std::numeric_limits<std::int64_t>::min());
    t.result = Scalar::of(std::numeric_limits<double>::infinity());
    t.reference = Scalar::of(std::numeric_limits<double>::quiet_NaN());
    EXPECT_EQ(Json::parse(report_json(t))["result"], "inf");
    EXPECT_EQ(Json::parse(report_json(t))["reference"], "nan");
}

TEST(Report, TextSaysWrongWhenItIs) {
    Trace t = runs::run_any(example());
    EXPECT_NE(report_text(t).find("correct: result 1024"), std::string::npos);
    t.pass = false;
    EXPECT_NE(report_text(t).find("WRONG"), std::string::npos);
}

TEST(Report, SaysHowOftenAndWhatIsBeforeAnArray) {
    const Trace races = tests::run_text(
        "__global__ void k(int* out) {\n    __shared__ int s[2];\n    s[threadIdx.x % 2] = threadIdx.x;\n"
        "    __syncthreads();\n    out[threadIdx.x] = s[threadIdx.x % 2];\n}\n");
    EXPECT_THAT(report_text(races), HasSubstr(" (2 times, counted by warp, element and step)"));
    const Trace one = tests::run_text("__global__ void k(int* out) {\n    out[0] = threadIdx.x;\n}\n",
                                      [](RunOptions& o) { o.block = 128; });
    ASSERT_EQ(one.launches.front().grid * one.launches.front().block, 128U);
    EXPECT_THAT(report_text(one), HasSubstr(" (4 times, counted by warp, element and step)"))
        << "four warps, one element";
    const Trace before = tests::run_text("__global__ void k(const int* in, int* out) {\n    int i = threadIdx.x;\n"
                                         "    out[i] = in[i - 1];\n}\n");
    EXPECT_THAT(report_text(before), HasSubstr("reads in[-1] in line 3, but that is before its first element."));
}

} // namespace
} // namespace warptree
