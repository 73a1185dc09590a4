// How one shared access maps to banks: the words of each wavefront, and a description.
#pragma once

#include "app/trace/model/trace.hpp"

#include <array>
#include <string>
#include <vector>

namespace warptree::scene {

struct BankPlan {
    // One word served in one wavefront.
    struct Word {
        unsigned slot = 0, row = 0;
        std::uint32_t index = 0;
        std::uint32_t lanes = 0; // mask
        bool extra = false;      // in an extra wavefront, caused by a conflict
    };

    std::vector<Word> words;
    unsigned rows = 0;   // wavefronts
    unsigned slots = 32; // side by side; each is banks / slots banks wide
    unsigned lanes = 32; // served together: the warp, or a half or a quarter of it at a time
    bool pairs = false;  // twice as many lanes as usual, because they form pairs (app/theory/banks/rules.hpp)
    struct Group {
        unsigned first_lane = 0, first_row = 0;
    };
    std::vector<Group> groups;             // those with active lanes, in order
    std::array<std::uint32_t, 32> index{}; // of the element, by lane
    std::array<std::uint32_t, 32> word{};  // the unit that the banks serve: the element, or its word if smaller
};

BankPlan make_bank_plan(const Launch& launch, const Request& request, int banks);
// "index = 2 × lane + 64" if the active lanes' element indices are linear; else empty.
std::string index_expression(const Request& request, const BankPlan& plan);
// The most lanes that an atomic access has on one word.
unsigned most_updates(const BankPlan& plan);
// One or two sentences: what is accessed, and what it costs.
std::string verdict(const Request& request, const BankPlan& plan);

} // namespace warptree::scene
