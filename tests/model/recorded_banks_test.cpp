// The bank rules compared with patterns measured on hardware, and the patterns with other plausible rules.
#include "app/theory/banks/rules.hpp"
#include "bench/bank_patterns.hpp"
#include "tests/model/recording_files.hpp"

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <vector>

namespace warptree {
namespace {

using namespace tests;
namespace fs = std::filesystem;
using bench::Pattern;

struct Counted {
    Pattern pattern;
    unsigned wavefronts = 0;
};
struct BankRecording {
    int version = 0; // of bench/bank_rules.cu; 0: the header does not say
    std::vector<Counted> rows;
};

BankRecording read(const fs::path& file) {
    BankRecording recording;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        if (const auto at = line.find("bank_rules "); line.starts_with('#') && at != std::string::npos) {
            recording.version = std::stoi(line.substr(at + std::string("bank_rules ").size()));
        }
        if (line.empty() || line[0] == '#' || line[0] == 'b') {
            continue;
        }
        std::istringstream words(line);
        Counted row;
        int store = 0;
        char comma = 0;
        words >> row.pattern.bytes >> comma >> store >> comma >> std::hex >> row.pattern.mask >> comma >> std::dec >>
            row.wavefronts >> comma;
        for (std::uint32_t& i : row.pattern.index) {
            words >> i;
        }
        EXPECT_TRUE(words) << file << ": " << line;
        row.pattern.store = store != 0;
        recording.rows.push_back(row);
    }
    return recording;
}

unsigned predicted(const Pattern& p) { return banks::wavefronts(p.index.data(), p.mask, p.bytes, 32, p.store); }

TEST(BanksRecorded, RulesPredictEveryPattern) {
    const auto recordings = files(tests::golden_dir() / "bank_patterns", ".csv");
    if (recordings.empty()) {
        GTEST_SKIP() << "nothing recorded in tests/golden/bank_patterns; script/bank-rules records it on a GPU";
    }
    for (const fs::path& file : recordings) {
        const BankRecording recording = read(file);
        std::map<std::pair<unsigned, bool>, std::size_t> kinds;
        int wrong = 0;
        for (const Counted& row : recording.rows) {
            ++kinds[{row.pattern.bytes, row.pattern.store}];
            if (const unsigned expected = predicted(row.pattern); expected != row.wavefronts && ++wrong <= 8) {
                ADD_FAILURE() << "predicted " << expected << ", counted " << row.wavefronts << ": " << row.pattern.bytes
                              << " bytes, store " << row.pattern.store << ", mask " << std::hex << row.pattern.mask
                              << std::dec << ", " << testing::PrintToString(row.pattern.index);
            }
        }
        EXPECT_EQ(wrong, 0) << "of " << recording.rows.size();
        EXPECT_GT((kinds[{4, false}]), 100U) << file;
        EXPECT_GT((kinds[{8, true}]), 300U) << file;
        EXPECT_GT((kinds[{16, true}]), 300U) << file;
        // The first program's wide loads were narrowed to 4 bytes, so it has no counts of wide loads.
        const bool wide_loads = recording.version >= 2;
        EXPECT_EQ((kinds[{8, false}]) > 700, wide_loads) << file;
        EXPECT_EQ((kinds[{16, false}]) > 700, wide_loads) << file;
        EXPECT_TRUE((wide_loads || kinds[{8, false}] + kinds[{16, false}] == 0)) << file;
        if (recording.version == bench::kBankRulesVersion) {
            EXPECT_EQ(recording.rows.size(), bench::Patterns().make().size()) << file << ": patterns are missing";
        }
    }
}

// Plausible but wrong rules for wide loads.
using Rule = bool (*)(const Pattern&); // whether a pass takes twice as many lanes
bool alike(const Pattern& p, std::uint32_t lanes, unsigned apart, bool inactive_will_do = true) {
    for (unsigned lane = 0; lane < 32; ++lane) {
        const unsigned partner = lane ^ apart;
        if ((p.mask & lanes & 1U << lane) != 0 &&
            ((p.mask >> partner & 1U) != 0 ? p.index[lane] != p.index[partner] : !inactive_will_do)) {
            return false;
        }
    }
    return true;
}
unsigned by_rule(const Pattern& p, Rule together) {
    const unsigned lanes = 128 / p.bytes * (together(p) ? 2 : 1);
    unsigned sum = 0;
    for (unsigned group = 0; group * lanes < 32; ++group) {
        sum += banks::most_in_a_slot(p.index.data(), p.mask & banks::lanes_of_group(group, lanes), 128 / p.bytes);
    }
    return sum;
}

TEST(BankPatterns, TellTheRulesOfWideLoadsApart) {
    const std::pair<const char*, Rule> others[] = {
        {"never", [](const Pattern&) { return false; }},
        {"always", [](const Pattern&) { return true; }},
        {"lane ^ 1 only", [](const Pattern& p) { return alike(p, banks::kWholeWarp, 1); }},
        {"lane ^ 2 only", [](const Pattern& p) { return alike(p, banks::kWholeWarp, 2); }},
        {"lane ^ 3 as well",
         [](const Pattern& p) {
             return alike(p, banks::kWholeWarp, 1) || alike(p, banks::kWholeWarp, 2) || alike(p, banks::kWholeWarp, 3);
         }},
        {"lane ^ 4 as well",
         [](const Pattern& p) {
             return alike(p, banks::kWholeWarp, 1) || alike(p, banks::kWholeWarp, 2) || alike(p, banks::kWholeWarp, 4);
         }},
        {"lane ^ 16 as well",
         [](const Pattern& p) {
             return alike(p, banks::kWholeWarp, 1) || alike(p, banks::kWholeWarp, 2) || alike(p, banks::kWholeWarp, 16);
         }},
        {"inactive partners do not count",
         [](const Pattern& p) {
             return alike(p, banks::kWholeWarp, 1, false) || alike(p, banks::kWholeWarp, 2, false);
         }},
        {"lane by lane, by either partner",
         [](const Pattern& p) {
             bool all = true;
             for (unsigned lane = 0; lane < 32; ++lane) {
                 all = all && (alike(p, 1U << lane, 1) || alike(p, 1U << lane, 2));
             }
             return all;
         }},
        {"half-warp by half-warp, by another partner in each",
         [](const Pattern& p) {
             return (alike(p, 0x0000FFFFU, 1) || alike(p, 0x0000FFFFU, 2)) &&
                    (alike(p, 0xFFFF0000U, 1) || alike(p, 0xFFFF0000U, 2));
         }},
        {"the first half-warp decides",
         [](const Pattern& p) { return alike(p, 0x0000FFFFU, 1) || alike(p, 0x0000FFFFU, 2); }}};
    const std::vector<Pattern> patterns = bench::Patterns().make();
    EXPECT_LE(patterns.size(), 3200U) << "a launch each, and ncu has nine minutes";
    for (const unsigned bytes : {8U, 16U}) {
        for (const auto& [name, rule] : others) {
            std::size_t apart = 0;
            for (const Pattern& p : patterns) {
                apart += !p.store && p.bytes == bytes && by_rule(p, rule) != predicted(p) ? 1 : 0;
            }
            EXPECT_GE(apart, 8U) << bytes << " bytes: " << name;
        }
    }
    std::size_t stores = 0; // that would take fewer wavefronts if their lanes were paired as in loads
    for (const Pattern& p : patterns) {
        Pattern load = p;
        load.store = false;
        stores += p.store && predicted(load) != predicted(p) ? 1 : 0;
    }
    EXPECT_GE(stores, 50U);
}

} // namespace
} // namespace warptree
