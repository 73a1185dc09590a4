#include "app/compile/client/kept.hpp"

#include <gtest/gtest.h>

#include <random>

namespace warptree::compile {
namespace {

std::vector<std::uint8_t> noise(std::size_t bytes, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::uint8_t> made(bytes);
    for (std::uint8_t& byte : made) {
        byte = static_cast<std::uint8_t>(random());
    }
    return made;
}

// Alike but for a byte in a hundred, as the programs of one kernel file are.
KeptPrograms alike(std::size_t count, std::size_t bytes) {
    KeptPrograms programs;
    const auto first = noise(bytes, 1);
    std::mt19937 random(2);
    for (std::size_t i = 0; i < count; ++i) {
        auto& program = programs["key " + std::to_string(i)] = first;
        for (std::size_t at = 0; at < bytes; at += 100) {
            program[at] = static_cast<std::uint8_t>(random());
        }
    }
    return programs;
}

TEST(KeptPrograms, ComeBackAsTheyWere) {
    for (const KeptPrograms& programs :
         {KeptPrograms{}, KeptPrograms{{"a", {}}}, KeptPrograms{{"a", noise(1, 1)}, {"", noise(1000, 2)}},
          KeptPrograms{{"a", std::vector<std::uint8_t>(100000, 7)}}, alike(20, 40000)}) {
        EXPECT_EQ(kept_from(kept_bytes(programs)), programs);
    }
}

TEST(KeptPrograms, AreKeptOnceWhereTheyAreAlikeHoweverFarApart) {
    EXPECT_LT(kept_bytes(alike(20, 40000)).size(), std::size_t{40000} * 20 / 8);
}

TEST(KeptPrograms, OfADamagedFileAreRefused) {
    const std::string whole = kept_bytes(alike(3, 500));
    for (std::size_t length = 0; length < whole.size(); ++length) {
        EXPECT_THROW(kept_from(whole.substr(0, length)), CompileError) << length;
    }
    std::mt19937 random(3);
    for (int i = 0; i < 2000; ++i) { // another program or a refusal, but nothing else
        std::string changed = whole;
        changed[random() % changed.size()] = static_cast<char>(random());
        try {
            kept_from(changed);
        } catch (const CompileError&) {
        }
    }
}

} // namespace
} // namespace warptree::compile
