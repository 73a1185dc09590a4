// Counters recorded on hardware compared with predictions; and invalid files.
#include "app/catalogue/strategy.hpp"
#include "app/measure/counters/explanations.hpp"
#include "app/run/run.hpp"
#include "tests/model/recording_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace warptree {
namespace {

using namespace tests;
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json counts(std::uint64_t value) {
    Json out = Json::object();
    for (const CounterField& field : counters::compared_fields()) {
        out[field.name] = value;
    }
    return out;
}

Json sample() {
    return {{"format", "warptree.counters"},
            {"version", 1},
            {"device", "NVIDIA H200"},
            {"compute_capability", "9.0"},
            {"driver", "580.65"},
            {"toolkit", "13.0"},
            {"ncu", "2025.3"},
            {"commit", "abc"},
            {"date", "2026-01-01"},
            {"rows",
             {{{"variant", "sequential"},
               {"n", 4096},
               {"block", 256},
               {"type", "i32"},
               {"grid", 16},
               {"predicted", counts(95)},
               {"counted", counts(95)},
               {"predicted_lanes", 20.5},
               {"active_lanes", 31.5},
               {"predicated_on_lanes", 24.25},
               {"divergent_branches", 0}}}}};
}

// An explanation of shared_load_wavefronts; `counted` empty: without a formula.
counters::Explanation explained(const char* strategy, const char* counted, const char* type = "") {
    return {strategy,
            "shared_load_wavefronts",
            type,
            0,
            *counted == '\0' ? counters::Formula() : counters::Formula(counted),
            {},
            {},
            "because"};
}

TEST(Counters, ReadBackWhatWasRecorded) {
    Json json = sample();
    json["rows"][0]["counted"]["shared_load_wavefronts"] = 97;
    const RecordingFile file(json.dump());
    const counters::Recording r = counters::load_recording(file.path());
    EXPECT_EQ(r.device, "NVIDIA H200");
    ASSERT_EQ(r.rows.size(), 1U);
    const counters::Row& row = r.rows[0];
    EXPECT_EQ(row.block, 256U);
    EXPECT_EQ(counters::headline(row), "wavefronts predicted 190, counted 192");
    EXPECT_EQ(counters::how_compiled(row), "predicates: no branch diverged, 24.2 of 32 lanes on");

    const auto differences =
        counters::differences(row, {explained("sequential", "97", "f64"), explained("first-add", "97")});
    ASSERT_EQ(differences.size(), 1U);
    EXPECT_EQ(differences[0].predicted, 95U);
    EXPECT_EQ(differences[0].counted, 97U);
    EXPECT_EQ(differences[0].why, "") << "neither explanation is of this row";
    EXPECT_EQ(differences[0].denied, "");
}

// An explanation must give the exact count: its text alone explains nothing.
TEST(Counters, AnExplanationMustMakeTheVeryCount) {
    Json json = sample();
    json["rows"][0]["counted"]["shared_load_wavefronts"] = 97;
    const RecordingFile file(json.dump());
    const std::vector<counters::Row> rows = counters::load_recording(file.path()).rows;
    const auto of = [&](const counters::Explanation& e) { return counters::differences(rows[0], {e})[0]; };
    for (const char* formula : {"97", "predicted + 2", "grid * 6 + 1", "global_load_sectors + block / 128",
                                "n / block == 16 ? 97 : 0", "95 + log2_block - 6", "predicted + warps / bytes"}) {
        EXPECT_EQ(of(explained("sequential", formula)).why, "because") << formula;
        EXPECT_TRUE(counters::stale(rows, {explained("sequential", formula)}).empty()) << formula;
    }
    EXPECT_EQ(of(explained("sequential", "predicted + 3")).why, "");
    EXPECT_EQ(of(explained("sequential", "predicted + 3")).denied, "98");
    EXPECT_EQ(of(explained("sequential", "1 / (n - n)")).why, "");
    EXPECT_EQ(counters::stale(rows, {explained("sequential", "predicted + 3")}),
              (std::vector<std::string>{"shared_load_wavefronts of sequential, B = 256, i32: the explanation gives 98, "
                                        "counted 97"}));
    counters::Explanation of_other_block = explained("sequential", "97");
    of_other_block.block = 128;
    EXPECT_EQ(of(of_other_block).why, "");
    EXPECT_EQ(counters::stale(rows, {of_other_block}).size(), 1U) << "it explains nothing";
    counters::Explanation bounded = explained("sequential", "");
    bounded.counted = {};
    bounded.at_least = counters::Formula("predicted");
    bounded.at_most = counters::Formula("predicted + 2");
    EXPECT_EQ(of(bounded).why, "because");
    bounded.at_most = counters::Formula("predicted + 1");
    EXPECT_EQ(of(bounded).why, "");
    EXPECT_EQ(of(bounded).denied, "95 to 96");

    Json equal = sample();
    const RecordingFile another(equal.dump());
    EXPECT_EQ(counters::stale(counters::load_recording(another.path()).rows, {explained("sequential", "97")}).size(),
              2U)
        << "no difference is left, and the count is another";
}

TEST(Counters, TheNearestRowIsOfTheSameTypeFirst) {
    counters::Recording r;
    for (const std::uint32_t block : {128U, 256U}) {
        for (const ElementType type : {ElementType::i32, ElementType::f64}) {
            counters::Row row;
            row.strategy = "sequential";
            row.block = block;
            row.type = type;
            r.rows.push_back(row);
        }
    }
    EXPECT_EQ(counters::nearest(r, "sequential", 1024, ElementType::i64)->type, ElementType::f64);
    EXPECT_EQ(counters::nearest(r, "sequential", 1024, ElementType::i32)->block, 256U);
    EXPECT_EQ(counters::nearest(r, "sequential", 32, ElementType::f32)->block, 128U);
    EXPECT_EQ(counters::nearest(r, "first-add", 256, ElementType::i32), nullptr);
}

TEST(Counters, RefuseWhatIsNoRecording) {
    const auto refused = [](const Json& json) { return refusal_of(json.dump(), counters::load_recording); };
    using testing::HasSubstr;
    EXPECT_THAT(refusal_of("{", counters::load_recording), HasSubstr("not JSON"));
    EXPECT_THAT(refused(Json::array()), HasSubstr("not an object"));
    Json json = sample();
    json["format"] = "warptree.clocks";
    EXPECT_THAT(refused(json), HasSubstr("not a warptree.counters file"));
    json = sample();
    json["version"] = 2;
    EXPECT_THAT(refused(json), HasSubstr("newer"));
    json = sample();
    json["rows"][0].erase("counted");
    EXPECT_THAT(refused(json), HasSubstr("row 0 has no \"counted\""));
    json = sample();
    json["rows"][0]["counted"]["global_load_sectors"] = -1;
    EXPECT_THAT(refused(json), HasSubstr("\"global_load_sectors\" of \"counted\" of row 0 is not a count"));
    json = sample();
    json["rows"][0]["active_lanes"] = 33;
    EXPECT_THAT(refused(json), HasSubstr("0 to 32"));
    json = sample();
    json["rows"][0]["type"] = "i8";
    EXPECT_THAT(refused(json), HasSubstr("element type"));
    json = sample();
    json["rows"][0]["block"] = 1ULL << 40;
    EXPECT_THAT(refused(json), HasSubstr("too large"));
    EXPECT_THROW(counters::load_recording("/no/such/file.json"), FileError);
    const auto refused_row = [](const Json& row) {
        const Json file{{"format", "warptree.counters.explanations"}, {"version", 2}, {"rows", Json::array({row})}};
        return refusal_of(file.dump(), counters::load_explanations);
    };
    Json row{{"variant", "a"}, {"field", "global_load_sectors"}, {"counted", "predicted + 1"}, {"why", ""}};
    EXPECT_THAT(refused_row(row), HasSubstr("explains nothing"));
    row["why"] = "because";
    row["counted"] = "predicted +";
    EXPECT_THAT(refused_row(row), HasSubstr("\"counted\" of row 0: expected a number"));
    row["counted"] = -3;
    EXPECT_THAT(refused_row(row), HasSubstr("not a string"));
    row.erase("counted");
    EXPECT_THAT(refused_row(row), HasSubstr("states no count"));
    row["at_least"] = 3;
    EXPECT_THAT(refused_row(row), HasSubstr("states no count"));
    row["at_most"] = "predicted";
    row["field"] = "combines";
    EXPECT_THAT(refused_row(row), HasSubstr("not compared"));
    EXPECT_THAT(
        refusal_of(R"({"format":"warptree.counters.explanations","version":1,"rows":[]})", counters::load_explanations),
        HasSubstr("older"));
}

TEST(Counters, PredictWhatIsKnownOfInterleavedModulo) {
    const auto o = counters::options_of("interleaved-modulo", 4096, 256, ElementType::i32);
    const counters::Prediction p = counters::predict(runs::run_any(o));
    EXPECT_EQ(p.grid, 16U);
    EXPECT_EQ(p.counters.shared_load_wavefronts, 16 * 95U); // measured once by hand: 95 and 55 per block
    EXPECT_EQ(p.counters.shared_store_wavefronts, 16 * 55U);
    EXPECT_EQ(p.counters.combines, 0U) << "hardware counts no combines";
    // t mod 2s = 0: 16, 8, 4, 2, 1 of 32 lanes in all 8 warps, then one in 4, 2 and 1 warps
    EXPECT_DOUBLE_EQ(p.lanes, (8 * (16 + 8 + 4 + 2 + 1) + 4 + 2 + 1) / (8.0 * 5 + 7));
}

// Every shipped row: the recorded prediction equals today's, and each difference is explained.
TEST(CountersRecorded, EqualThePredictionsOrAreExplained) {
    const fs::path directory = tests::source_dir() / "assets/counters";
    const auto recordings = files(directory, ".json");
    if (recordings.empty()) {
        GTEST_SKIP() << "nothing recorded in assets/counters; script/counters records it on a GPU";
    }
    const fs::path why = directory / "explanations.json";
    const auto explanations = fs::exists(why) ? counters::load_explanations(why) : std::vector<counters::Explanation>{};
    for (const fs::path& file : recordings) {
        const counters::Recording recording = counters::load_recording(file);
        EXPECT_FALSE(recording.rows.empty());
        for (const counters::Row& row : recording.rows) {
            const std::string where = file.filename().string() + " " + row.strategy +
                                      " B=" + std::to_string(row.block) + " " + std::string(name(row.type));
            const auto o = counters::options_of(row.strategy, row.n, row.block, row.type);
            ASSERT_NE(find_strategy(row.strategy), nullptr) << where;
            const counters::Prediction p = counters::predict(runs::run_any(o));
            for (const CounterField& field : counters::compared_fields()) {
                EXPECT_EQ(p.counters.*field.member, row.predicted.*field.member)
                    << where << ": " << field.name << ": record anew with script/counters";
            }
            EXPECT_EQ(p.grid, row.grid) << where;
            for (const counters::Difference& d : counters::differences(row, explanations)) {
                EXPECT_FALSE(d.why.empty()) << where << ": " << d.field << " predicted " << d.predicted << ", counted "
                                            << d.counted << (d.denied.empty() ? "" : ", explained as " + d.denied);
            }
        }
        for (const std::string& fault : counters::stale(recording.rows, explanations)) {
            ADD_FAILURE() << file.filename().string() << ": " << fault;
        }
    }
}

} // namespace
} // namespace warptree
