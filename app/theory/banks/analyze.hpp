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
    std::uint32_t mask = 0xFFFFFFFFU;      // active lanes
    unsigned bytes = 4;                    // per element: 4, 8 or 16
    bool store = false;
    int banks = 32; // or 16
};

struct BankWord {
    std::uint32_t word = 0;      // 4-byte word of shared memory
    std::vector<unsigned> lanes; // that access it
};
struct BankReport {
    BankRequest request;
    unsigned wavefronts = 0, ideal = 0, requests = 0; // requests: 0 if no lane is active
    unsigned pass_lanes = 32;                         // consecutive lanes served together
    std::vector<std::vector<BankWord>> banks;         // by bank: distinct words, in order of their first lane
};

BankReport analyze(const BankRequest& request);
// "16 lanes go at a time", and if it is more than usual, why; empty for 4-byte elements in 32 banks.
std::string passes_text(const BankReport& report);
std::string bank_json(const BankReport& report);
std::string bank_text(const BankReport& report);
Table bank_table(const BankReport& report); // one row per bank that is accessed

} // namespace warptree::banks
