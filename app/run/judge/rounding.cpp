#include "app/run/judge/rounding.hpp"

#include "app/base/error.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/run/input.hpp"
#include "app/run/run.hpp"
#include "app/run/tries/order_results.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace warptree::runs {

namespace {
RunOptions run_options(const RoundingOptions& o, std::string_view strategy) {
    RunOptions r;
    r.strategy = strategy;
    r.n = o.n;
    r.type = o.type;
    r.op = Operator::sum;
    r.input = o.input;
    r.seed = o.seed;
    r.backend = Backend::cpu;
    r.window = {0, 1};
    // The host adds partials always alike; an atomic finish as they come.
    if (const auto& finishes = require_strategy(strategy).finishes;
        o.orders != 0 && std::ranges::find(finishes, Finish::atomic) != finishes.end()) {
        r.finish = Finish::atomic;
    }
    return r;
}

// The strategies that reduce to one value.
std::vector<const StrategyInfo*> reductions(const RoundingOptions& o) {
    std::vector<const StrategyInfo*> all;
    for (const StrategyInfo& s : strategies()) {
        if (s.family != Family::exhibit && s.answer == Answer::total && !refusal(run_options(o, s.id))) {
            all.push_back(&s);
        }
    }
    return all;
}

RoundingRow row(const RoundingTable& table, std::string_view strategy, double result, std::uint64_t depth) {
    RoundingRow r{std::string(strategy), result, std::abs(result - table.reference), 0, 0, depth};
    r.relative = r.error == 0 ? 0 : r.error / std::abs(table.reference);
    r.bound = static_cast<double>(depth) * table.unit * table.sum_of_sizes;
    return r;
}
} // namespace

double exact_sum(const std::vector<double>& values) {
    std::vector<double> parts; // non-overlapping, smallest first; their sum is the sum so far
    for (double x : values) {
        std::size_t kept = 0;
        for (double y : parts) {
            if (std::abs(x) < std::abs(y)) {
                std::swap(x, y);
            }
            const double high = x + y, low = y - (high - x);
            if (low != 0) {
                parts[kept++] = low;
            }
            x = high;
        }
        parts.resize(kept);
        parts.push_back(x);
    }
    // From the largest down: the first part that cannot be added exactly decides the rounding.
    double high = 0, low = 0;
    while (!parts.empty()) {
        const double x = high, y = parts.back();
        parts.pop_back();
        high = x + y;
        low = y - (high - x);
        if (low != 0) {
            break;
        }
    }
    // A tie, half way between two doubles: the remaining parts break it.
    if (!parts.empty() && ((low < 0 && parts.back() < 0) || (low > 0 && parts.back() > 0))) {
        const double twice = low * 2, x = high + twice;
        high = twice == x - high ? x : high;
    }
    return high;
}

std::vector<std::string> summing_strategies() {
    std::vector<std::string> all;
    for (const StrategyInfo* s : reductions({})) {
        all.push_back(s->id);
    }
    return all;
}

RoundingTable rounding(const RoundingOptions& o, RunControl& control) {
    if (!is_floating(o.type)) {
        throw OptionError("integers have no rounding error; take the type f32 or f64");
    }
    RoundingTable table;
    table.options = o;
    table.unit = o.type == ElementType::f32 ? std::ldexp(1.0, -24) : std::ldexp(1.0, -53);
    const auto chosen = reductions(o);
    double one_by_one = 0;
    {
        const Elements input = make_input(run_options(o, chosen.empty() ? "sequential" : chosen.front()->id));
        std::vector<double> values(o.n);
        float narrow = 0;
        double wide = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = o.type == ElementType::f32 ? static_cast<double>(input.as<float>()[i]) : input.as<double>()[i];
            narrow += static_cast<float>(values[i]);
            wide += values[i];
            table.sum_of_sizes += std::abs(values[i]);
        }
        one_by_one = o.type == ElementType::f32 ? static_cast<double>(narrow) : wide;
        table.reference = exact_sum(values);
    }
    if (o.orders != 0) {
        table.orders = order_results(run_options(o, o.strategy), o.orders, control);
        return table;
    }
    const auto progress = std::exchange(control.progress, {});
    std::size_t done = 0;
    try {
        for (const StrategyInfo* s : chosen) {
            if (progress) {
                control.progress = [&](double part) {
                    progress((static_cast<double>(done) + part) / static_cast<double>(chosen.size()));
                };
            }
            const Trace trace = run_any(run_options(o, s->id), control);
            table.rows.push_back(row(table, s->id, trace.result.as_double(), trace.tree.depth));
            ++done;
        }
    } catch (...) {
        control.progress = progress;
        throw;
    }
    control.progress = progress;
    table.rows.push_back(row(table, "one by one", one_by_one, o.n - 1));
    return table;
}

} // namespace warptree::runs
