// One shared-memory request, bank by bank.
#pragma once

#include "app/base/table.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace warptree::banks {

struct BankRequest {
    std::array<std::uint32_t, 32> index{}; // element of each lane
    std::uint32_t mask = 0xFFFFFFFFU;      // participating lanes
    unsigned bytes = 4;                    // an element: 4, 8 or 16
    bool store = false;
    int banks = 32; // or 16
};

struct BankWord {
    std::uint32_t word = 0;      // 4-byte word of shared memory
    std::vector<unsigned> lanes; // that request it
};
struct BankReport {
    BankRequest request;
    unsigned wavefronts = 0, ideal = 0, requests = 0; // requests: 0 when no lane takes part
    unsigned pass_lanes = 32;                         // neighbouring lanes served together
    std::vector<std::vector<BankWord>> banks;         // by bank: distinct words, by first lane
};

BankReport analyze(const BankRequest& request);
// "16 lanes go at a time", and why it is more than usual, if so; empty if the whole warp goes at once.
std::string passes_text(const BankReport& report);
std::string bank_json(const BankReport& report);
std::string bank_text(const BankReport& report);
Table bank_table(const BankReport& report); // one row per bank that is accessed

} // namespace warptree::banks
