#include "app/simt/memory_budget.hpp"

#include "app/base/error.hpp"

#include <fmt/format.h>

namespace warptree::simt {

std::string in_bytes(std::uint64_t bytes) {
    for (const auto& [shift, unit] : {std::pair{30, "GB"}, {20, "MB"}, {10, "KB"}}) {
        if (bytes >> shift != 0) {
            return fmt::format("{:.4g} {}", static_cast<double>(bytes) / static_cast<double>(1ULL << shift), unit);
        }
    }
    return fmt::format("{} bytes", bytes);
}

void MemoryBudget::take(std::uint64_t bytes, std::string_view what) {
    std::uint64_t taken = taken_.load(std::memory_order_relaxed);
    do {
        if (bytes > most_ - taken) {
            throw OptionError(fmt::format("{} does not fit into the {} of memory that a run may take; take a smaller n "
                                          "or --window, or allow more by --memory",
                                          what, in_bytes(most_)));
        }
    } while (!taken_.compare_exchange_weak(taken, taken + bytes, std::memory_order_relaxed));
}

} // namespace warptree::simt
