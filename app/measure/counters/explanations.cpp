#include "app/measure/counters/explanations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>

namespace warptree::counters {

namespace {
constexpr std::array<std::string_view, 7> kNames{"n", "grid", "block", "warps", "log2_block", "bytes", "predicted"};

std::int64_t name_value(std::uint32_t id, const Row& row, std::uint64_t predicted) {
    switch (id) {
    case 0: return static_cast<std::int64_t>(row.n);
    case 1: return row.grid;
    case 2: return row.block;
    case 3: return (row.block + kWarpSize - 1) / kWarpSize;
    case 4: return static_cast<std::int64_t>(std::bit_width(row.block)) - 1;
    case 5: return bytes(row.type);
    case 6: return static_cast<std::int64_t>(predicted);
    default: return static_cast<std::int64_t>(row.predicted.*compared_fields()[id - kNames.size()].member);
    }
}

IntegerExpression parsed(std::string_view text) {
    ExpressionGrammar grammar;
    grammar.operand = "a number, n, grid, block, warps, log2_block, bytes, predicted, a counter or '('";
    grammar.find = [](std::string_view, std::string_view name) -> std::optional<ExpressionName> {
        const auto known = std::find(kNames.begin(), kNames.end(), name);
        const auto fields = compared_fields();
        const auto field =
            std::find_if(fields.begin(), fields.end(), [&](const CounterField& f) { return f.name == name; });
        if (known == kNames.end() && field == fields.end()) {
            return std::nullopt;
        }
        const auto id = known != kNames.end() ? known - kNames.begin()
                                              : static_cast<std::ptrdiff_t>(kNames.size()) + (field - fields.begin());
        return ExpressionName{static_cast<std::uint32_t>(id), 0, 0};
    };
    return {text, grammar};
}

bool is_of(const Explanation& e, const Row& row, std::string_view field) {
    return e.strategy == row.strategy && e.field == field && (e.type.empty() || e.type == name(row.type)) &&
           (e.block == 0 || e.block == row.block);
}

// The explanation's value or bounds if they contradict the row's count; else empty.
std::string denial(const Explanation& e, const Row& row, const CounterField& field) {
    const std::uint64_t predicted = row.predicted.*field.member;
    const auto counted = static_cast<std::int64_t>(
        std::min<std::uint64_t>(row.counted.*field.member, std::numeric_limits<std::int64_t>::max()));
    try {
        if (!e.counted.empty()) {
            const std::int64_t made = e.counted.value(row, predicted);
            return made == counted ? "" : std::to_string(made);
        }
        const std::int64_t least = e.at_least.value(row, predicted), most = e.at_most.value(row, predicted);
        return counted >= least && counted <= most ? "" : fmt::format("{} to {}", least, most);
    } catch (const NoValue& fault) {
        return fault.what();
    }
}
} // namespace

Formula::Formula(std::string_view text) : expression_(parsed(text)) {}

std::int64_t Formula::value(const Row& row, std::uint64_t predicted) const {
    return expression_.value(Overflow::refused, [&](std::uint32_t id, std::span<const std::int64_t>) {
        return name_value(id, row, predicted);
    });
}

std::vector<Difference> differences(const Row& row, const std::vector<Explanation>& explanations) {
    std::vector<Difference> all;
    for (const CounterField& field : compared_fields()) {
        Difference d{field.name, row.predicted.*field.member, row.counted.*field.member, {}, {}};
        if (d.predicted == d.counted) {
            continue;
        }
        for (const Explanation& e : explanations) {
            if (!is_of(e, row, field.name)) {
                continue;
            }
            if (const std::string made = denial(e, row, field); !made.empty()) {
                d.denied = made;
            } else {
                d.why = e.why;
                d.denied.clear();
                break;
            }
        }
        all.push_back(std::move(d));
    }
    return all;
}

std::vector<std::string> stale(std::span<const Row> rows, const std::vector<Explanation>& explanations) {
    std::vector<std::string> faults;
    for (const Explanation& e : explanations) {
        bool explains = false;
        for (const CounterField& field : compared_fields()) {
            for (const Row& row : rows) {
                if (!is_of(e, row, field.name)) {
                    continue;
                }
                const std::string made = denial(e, row, field);
                if (!made.empty()) {
                    faults.push_back(fmt::format("{} of {}, B = {}, {}: the explanation gives {}, counted {}",
                                                 field.name, row.strategy, row.block, name(row.type), made,
                                                 row.counted.*field.member));
                }
                explains = explains || row.predicted.*field.member != row.counted.*field.member;
            }
        }
        if (!explains) {
            faults.push_back(fmt::format("{} of {}: no count that this explains differs", e.field, e.strategy));
        }
    }
    return faults;
}

} // namespace warptree::counters
