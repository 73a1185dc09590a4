// What one kernel stores in many orders of its blocks and warps: floating-point addition is not associative, so a sum by
// atomics depends on who comes first.
#pragma once

#include "app/trace/model/trace.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace warptree {

struct OrderResult {
    double value = 0;         // the first element of the output
    std::uint32_t orders = 0; // that gave all of this output
};

struct OrderResults {
    std::uint32_t orders = 0;         // that were run
    std::string type;                 // of the output: "float"
    bool one = true;                  // the output is one value
    std::vector<OrderResult> results; // different ones, ascending by value
};

// Whether other orders may give something else, so that trying them is worth it: a floating-point result into which threads
// combined atomically, of a run that ended and in which nothing else makes it differ.
bool may_depend_on_order(const Trace& trace);

// "5 different results in 100 orders of blocks and warps, from 0.49999 to 0.50002: …\n"; empty: fewer than two.
std::string order_text(const OrderResults& found);
nlohmann::ordered_json order_json(const OrderResults& found);

} // namespace warptree
