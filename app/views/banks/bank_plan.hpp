// How one shared access goes over the banks: the words of each wavefront, and what can be said of it.
#pragma once

#include "app/trace/model/trace.hpp"

#include <array>
#include <string>
#include <vector>

namespace warptree::scene {

struct BankPlan {
    // One word asked for in one wavefront.
    struct Word {
        unsigned slot = 0, row = 0;
        std::uint32_t index = 0;
        std::uint32_t lanes = 0; // mask
        bool extra = false;      // of a wavefront that a conflict costs
    };

    std::vector<Word> words;
    unsigned rows = 0;   // wavefronts
    unsigned slots = 32; // side by side; each is banks / slots banks wide
    unsigned lanes = 32; // that go together: the warp, or a half or a quarter of it at a time
    bool pairs = false;  // twice as many as go otherwise, as each finds its partner alike (app/theory/banks/rules.hpp)
    struct Group {
        unsigned first_lane = 0, first_row = 0;
    };
    std::vector<Group> groups;             // with lanes that take part, in order
    std::array<std::uint32_t, 32> index{}; // of its element, by lane
    std::array<std::uint32_t, 32> word{};  // the same as the banks know it: the word, of elements that are less
};

BankPlan make_bank_plan(const Launch& launch, const Request& request, int banks);
// "index = 2 × lane + 64" when the active lanes' element indices lie on a line; empty otherwise.
std::string index_expression(const Request& request, const BankPlan& plan);
// One or two sentences: who asks what, and what it costs.
std::string verdict(const Request& request, const BankPlan& plan);

} // namespace warptree::scene
