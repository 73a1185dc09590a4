// Wavefronts compared with a brute-force version of the measured rule and with closed forms; the expression language.
#include "app/base/error.hpp"
#include "app/theory/banks/analyze.hpp"
#include "app/theory/banks/expression.hpp"
#include "app/theory/banks/rules.hpp"
#include "tests/support/sanitizer.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <numeric>
#include <random>
#include <set>

namespace warptree::banks {
namespace {

using Indices = std::array<std::uint32_t, 32>;

// Whether the partner of each active lane (by partner_of) is inactive or accesses the same element.
template <class F> bool all_alike(const Indices& index, std::uint32_t mask, F partner_of) {
    bool alike = true;
    for (unsigned lane = 0; lane < 32; ++lane) {
        const unsigned partner = partner_of(lane);
        const bool both = (mask >> lane & 1U) != 0 && (mask >> partner & 1U) != 0;
        alike = alike && (!both || index[lane] == index[partner]);
    }
    return alike;
}

unsigned lanes_of_a_pass(const Indices& index, std::uint32_t mask, unsigned bytes, bool store) {
    const unsigned lanes = 128 / bytes;
    const bool pairs = all_alike(index, mask, [](unsigned lane) { return lane ^ 1U; }) ||
                       all_alike(index, mask, [](unsigned lane) { return lane ^ 2U; });
    return bytes > 4 && !store && pairs ? 2 * lanes : lanes;
}

// The distinct words of each bank, for each group of lanes.
unsigned brute_force(const Indices& index, std::uint32_t mask, unsigned bytes, bool store) {
    const unsigned group = lanes_of_a_pass(index, mask, bytes, store);
    unsigned total = 0;
    for (unsigned first = 0; first < 32; first += group) {
        std::map<unsigned, std::set<std::uint32_t>> banks;
        for (unsigned lane = first; lane < first + group; ++lane) {
            if ((mask >> lane & 1U) != 0) {
                for (unsigned part = 0; part < bytes / 4; ++part) {
                    const std::uint32_t word = index[lane] * (bytes / 4) + part;
                    banks[word % 32].insert(word);
                }
            }
        }
        std::size_t most = 0;
        for (const auto& [bank, words] : banks) {
            most = std::max(most, words.size());
        }
        total += static_cast<unsigned>(most);
    }
    return total;
}

TEST(Banks, AgreeWithBruteForceOnRandomPatterns) {
    std::mt19937 random(1);
    const int patterns = tests::kFewCases ? 4000 : 20000;
    for (int i = 0; i < patterns; ++i) {
        Indices index{};
        const unsigned range = 1U << (random() % 12);
        for (auto& x : index) {
            x = random() % range;
        }
        if (i % 3 == 0) { // evenly spaced: the case of the closed form
            const std::uint32_t first = random() % 64, step = random() % 70;
            for (unsigned lane = 0; lane < 32; ++lane) {
                index[lane] = first + step * lane;
            }
        }
        std::uint32_t mask = i % 4 == 0 ? 0xFFFFFFFFU : random() & random();
        if (i % 5 == 0) { // pairs with equal elements, or with one lane inactive
            const unsigned apart = 1U << (random() % 3);
            for (unsigned lane = 0; lane < 32; ++lane) {
                index[lane] = index[lane & ~apart];
                mask &= (lane & apart) != 0 && random() % 4 == 0 ? ~(1U << (lane ^ (random() & apart))) : ~0U;
            }
            index[random() % 32] += random() % 2;
        }
        for (const unsigned bytes : {4U, 8U, 16U}) {
            for (const bool store : {false, true}) {
                ASSERT_EQ(wavefronts(index.data(), mask, bytes, 32, store), brute_force(index, mask, bytes, store))
                    << "pattern " << i << " bytes " << bytes << " mask " << mask;
                EXPECT_LE(ideal_wavefronts(index.data(), mask, bytes, 32, store),
                          wavefronts(index.data(), mask, bytes, 32, store));
            }
        }
    }
}

std::uint32_t wide_load(unsigned bytes, std::uint32_t mask, unsigned (*index_of)(unsigned)) {
    Indices index{};
    for (unsigned lane = 0; lane < 32; ++lane) {
        index[lane] = index_of(lane);
    }
    EXPECT_LE(ideal_wavefronts(index.data(), mask, bytes, 32, false), wavefronts(index.data(), mask, bytes, 32, false));
    return wavefronts(index.data(), mask, bytes, 32, false);
}

TEST(Banks, WideLoadsGoByHalvesAndQuartersOfTheWarp) {
    const auto in_one_bank_a_half = [](unsigned lane) { return 16 * lane + lane / 16; };
    EXPECT_EQ(wide_load(8, kWholeWarp, in_one_bank_a_half), 16U + 16U);
    EXPECT_EQ(wide_load(8, kWholeWarp, [](unsigned lane) { return lane; }), 2U);
    EXPECT_EQ(wide_load(16, kWholeWarp, [](unsigned lane) { return lane; }), 4U);
    // Eight elements in one half-warp, eight others in the other, all in different slots: still two passes.
    EXPECT_EQ(wide_load(8, kWholeWarp, [](unsigned lane) { return lane % 8 + lane / 16 * 8; }), 2U);
    EXPECT_EQ(wide_load(8, 0x000000FFU, [](unsigned lane) { return lane; }), 1U);
    EXPECT_EQ(wide_load(8, 0x00FFFF00U, [](unsigned lane) { return lane; }), 2U) << "of both halves";
}

TEST(Banks, WideLoadsOfPairsGoTogether) {
    EXPECT_EQ(wide_load(8, kWholeWarp, [](unsigned) { return 7U; }), 1U);
    EXPECT_EQ(wide_load(16, kWholeWarp, [](unsigned) { return 7U; }), 2U);
    EXPECT_EQ(wide_load(8, kWholeWarp, [](unsigned lane) { return lane / 2; }), 1U);          // lane ^ 1 pairs
    EXPECT_EQ(wide_load(8, kWholeWarp, [](unsigned lane) { return lane & ~2U; }), 2U);        // lane ^ 2 pairs, two-way
    EXPECT_EQ(wide_load(8, kWholeWarp, [](unsigned lane) { return (lane & ~2U) % 16; }), 1U); // the same elements twice
    EXPECT_EQ(wide_load(8, kWholeWarp, [](unsigned lane) { return (lane & ~4U) % 16; }), 2U)
        << "lane ^ 4 is no partner";
    EXPECT_EQ(wide_load(8, 0x55555555U, [](unsigned lane) { return lane / 2; }), 1U) << "partners are inactive";
    EXPECT_EQ(wide_load(8, 0x33333333U, [](unsigned lane) { return lane % 4 + lane / 4 * 2; }), 1U);
    EXPECT_EQ(wide_load(8, kWholeWarp, [](unsigned lane) { return lane == 31 ? 14U : lane / 2; }), 2U)
        << "one pair of the warp is of two elements";
    const auto by_halves = [](unsigned lane) { return lane < 16 ? lane / 2 : (lane & ~2U) % 16; };
    EXPECT_EQ(wide_load(8, kWholeWarp, by_halves), 2U) << "not all by the same partner";
    EXPECT_EQ(wide_load(16, kWholeWarp, [](unsigned lane) { return lane / 2; }), 2U);
    EXPECT_EQ(wide_load(16, kWholeWarp, [](unsigned lane) { return lane == 0 ? 1U : lane / 2; }), 4U)
        << "the pair in one quarter decides for the whole warp";
    Indices same{};
    EXPECT_EQ(wavefronts(same.data(), kWholeWarp, 8, 32, true), 2U) << "stores never go together";
    EXPECT_EQ(wavefronts(same.data(), kWholeWarp, 16, 32, true), 4U);
}

TEST(Banks, StridesFollowTheGreatestCommonDivisor) {
    for (std::uint32_t stride = 1; stride <= 128; ++stride) {
        Indices index{};
        for (unsigned lane = 0; lane < 32; ++lane) {
            index[lane] = stride * lane;
        }
        EXPECT_EQ(wavefronts(index.data(), 0xFFFFFFFFU, 4, 32, false), std::gcd(stride, 32U)) << stride;
    }
}

TEST(Banks, SixteenBanksWorkHalfAWarpAtATime) {
    Indices index{};
    std::iota(index.begin(), index.end(), 0U);
    EXPECT_EQ(wavefronts(index.data(), 0xFFFFFFFFU, 4, 16, false), 2U);
    for (unsigned lane = 0; lane < 32; ++lane) {
        index[lane] = 2 * lane;
    }
    EXPECT_EQ(wavefronts(index.data(), 0xFFFFFFFFU, 4, 16, false), 4U); // two-way conflict in each half-warp
    EXPECT_EQ(wavefronts(index.data(), 0x0000FFFFU, 4, 16, false), 2U);
}

TEST(Banks, SectorsAreDistinctStretchesOf32Bytes) {
    std::mt19937 random(3);
    for (int i = 0; i < 2000; ++i) {
        Indices index{};
        std::set<std::uint32_t> sectors_4, sectors_8;
        const std::uint32_t mask = random();
        for (unsigned lane = 0; lane < 32; ++lane) {
            index[lane] = random() % 500;
            if ((mask >> lane & 1U) != 0) {
                sectors_4.insert(index[lane] * 4 / 32);
                sectors_8.insert(index[lane] * 8 / 32);
            }
        }
        EXPECT_EQ(sectors(index.data(), mask, 4), sectors_4.size());
        EXPECT_EQ(sectors(index.data(), mask, 8), sectors_8.size());
    }
}

TEST(Banks, JsonNamesWordsAndLanes) {
    BankRequest r;
    for (unsigned lane = 0; lane < 32; ++lane) {
        r.index[lane] = lane * 16; // banks 0 and 16, sixteen words each
    }
    const auto j = nlohmann::json::parse(bank_json(analyze(r)));
    EXPECT_EQ(j["wavefronts"], 16);
    EXPECT_EQ(j["ideal"], 1);
    EXPECT_EQ(j["requests"], 1);
    ASSERT_EQ(j["banks"].size(), 32U);
    EXPECT_EQ(j["banks"][16]["words"].size(), 16U);
    EXPECT_EQ(j["banks"][16]["words"][0]["word"], 16);
    EXPECT_EQ(j["banks"][16]["words"][0]["lanes"], nlohmann::json::array({1}));
    EXPECT_TRUE(j["banks"][1]["words"].empty());
}

TEST(Banks, ReportsSayHowManyLanesGoAtATime) {
    BankRequest r;
    std::iota(r.index.begin(), r.index.end(), 0U);
    EXPECT_EQ(passes_text(analyze(r)), "");
    r.bytes = 8;
    EXPECT_EQ(passes_text(analyze(r)), "16 lanes are served at a time");
    EXPECT_EQ(nlohmann::json::parse(bank_json(analyze(r)))["pass_lanes"], 16);
    r.index = {};
    EXPECT_EQ(passes_text(analyze(r)).substr(0, 47), "32 lanes are served at a time, twice as many as");
    EXPECT_NE(bank_text(analyze(r)).find("\n32 lanes are served at a time, twice"), std::string::npos);
    r.banks = 16;
    EXPECT_EQ(passes_text(analyze(r)), "16 lanes are served at a time");
}

struct Case {
    const char* text;
    std::int64_t value;
};
class Values : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Expression, Values,
                         testing::Values(Case{"2*s*t", 2 * 4 * 37}, Case{"t*33", 37 * 33}, Case{"t^s", 37 ^ 4},
                                         Case{"1+2*3", 7}, Case{"(1+2)*3", 9}, Case{"10-4-3", 3}, Case{"7/2%2", 1},
                                         Case{"1<<4|1", 17}, Case{"0x1F & t", 37 & 31}, Case{"t%32==lane", 1},
                                         Case{"t>=32 && lane<8 ? warp : 99", 1}, Case{"-3 + +5", 2}, Case{"~0 & 7", 7},
                                         Case{"!t", 0}, Case{"1 ? 2 : 3 ? 4 : 5", 2},
                                         Case{"1|2^3&4", 1 | (2 ^ (3 & 4))}, Case{"5 != 4", 1}, Case{"8 >> 1 > 3", 1},
                                         Case{"0 && 1/0", 0}),
                         [](const auto& info) { return "case_" + std::to_string(info.index); });
TEST_P(Values, AreThoseOfC) {
    EXPECT_EQ(Expression(GetParam().text).value({37, 5, 1, 4}), GetParam().value) << GetParam().text;
}

class Refused : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Expression, Refused,
                         testing::Values("", " ", "2*", "(t", "t)", "x", "tt", "1 2", "t?1",
                                         "t?1:", "99999999999999999999", "0x", "2**t", "t&&&t", "#", "t;", "1.5"),
                         [](const auto& info) { return "case_" + std::to_string(info.index); });
TEST_P(Refused, NamesThePlace) {
    try {
        const Expression e(GetParam());
        FAIL() << GetParam();
    } catch (const OptionError& e) {
        EXPECT_NE(std::string(e.what()).find("at character"), std::string::npos) << e.what();
    }
}

TEST(Expression, DeepNestingAndArithmeticFaultsAreRefused) {
    EXPECT_THROW(Expression(std::string(3000, '(') + "t" + std::string(900, ')')), OptionError);
    EXPECT_THROW(Expression(std::string(3000, '-') + "t"), OptionError);
    EXPECT_THROW(Expression("1/(t-t)").value({}), OptionError);
    EXPECT_THROW(Expression("1<<64").value({}), OptionError);
    EXPECT_EQ(Expression("(0-9223372036854775807-1)/(0-1)").value({}), std::numeric_limits<std::int64_t>::min());
}

} // namespace
} // namespace warptree::banks
