#include "app/measure/timing/plan.hpp"

#include "app/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warptree::timing {

namespace {
constexpr std::string_view kMultiprocessors = "sms";

// Every combination of the values given for the strategy's parameters; parameters without values keep their default.
std::vector<ParameterValues> combinations(const StrategyInfo& info, const Axes& axes, std::uint32_t multiprocessors) {
    std::vector<ParameterValues> all{{}};
    for (const Parameter& p : info.parameters) {
        const auto it = axes.parameters.find(std::string(p.name));
        const std::uint32_t fallback =
            p.name == kMultiprocessors && multiprocessors != 0 ? std::min(multiprocessors, p.most) : p.fallback;
        const std::vector<std::uint32_t> values = it == axes.parameters.end() ? std::vector{fallback} : it->second;
        std::vector<ParameterValues> next;
        for (const ParameterValues& so_far : all) {
            for (const std::uint32_t value : values) {
                next.push_back(so_far);
                next.back().insert_or_assign(std::string(p.name), value);
            }
        }
        all = std::move(next);
    }
    return all;
}

// Why the strategy cannot be measured this way; empty: it can.
std::string refusal_of(const Configuration& c, const StrategyInfo& info) {
    if (!can_be_timed(info)) {
        return fmt::format("{} {}", info.id,
                           info.answer == Answer::matrix    ? "is neither a reduction nor a scan"
                           : info.family == Family::applied ? "has no ladder to be timed on; name its file instead"
                                                            : "goes wrong on purpose, and wrong results are not timed");
    }
    if (c.grid != 0 && !info.strides) {
        return fmt::format("{} always uses the grid that covers the input", info.id);
    }
    if (c.quantity == Quantity::pipeline && is_scan(info)) {
        return fmt::format("{} leaves nothing for the host to combine", info.id);
    }
    RunOptions o;
    o.strategy = c.variant;
    o.n = c.n;
    o.block = c.block;
    o.type = c.type;
    o.op = c.op;
    o.finish = c.finish;
    o.parameters = c.parameters;
    return refusal(o).value_or("");
}

std::string peer_refusal(const Configuration& c) {
    if (c.n == 0 || c.n > kMaxElements) {
        return fmt::format("{} elements cannot be timed; take 1 to 2^31", c.n);
    }
    if (!supports(c.type, c.op)) {
        return fmt::format("{} is not defined on {}", name(c.op), name(c.type));
    }
    if (c.quantity == Quantity::launch || (c.quantity == Quantity::pipeline && c.variant != kVendorReduce)) {
        return fmt::format("{} has no {} figure", c.variant, name(c.quantity));
    }
    if (c.variant == kVendorReduce && c.op != Operator::sum && c.op != Operator::min && c.op != Operator::max) {
        return fmt::format("{} is measured with sum, min and max", c.variant);
    }
    return {};
}

class Planner {
  public:
    explicit Planner(std::uint32_t multiprocessors) : multiprocessors_(multiprocessors) {}

    void add(const Axes& axes) {
        for (const ElementType type : axes.types) {
            for (const std::uint64_t n : axes.sizes) {
                for (const Operator op : axes.ops) {
                    for (const Quantity quantity : axes.quantities) {
                        // An empty kernel touches no memory.
                        const std::vector<Mode> modes =
                            quantity == Quantity::launch ? std::vector{Mode::warm} : axes.modes;
                        for (const Mode mode : modes) {
                            Configuration c;
                            c.n = n;
                            c.type = type;
                            c.op = op;
                            c.mode = mode;
                            c.quantity = quantity;
                            add_variants(axes, c);
                        }
                    }
                }
            }
        }
    }
    std::vector<Planned> take() { return std::move(all_); }

  private:
    void add_variants(const Axes& axes, Configuration& c) {
        for (const std::string& variant : axes.variants) {
            c.variant = variant;
            if (is_known_peer(variant)) {
                add_peer(axes, c);
            } else {
                add_strategy(axes, c, require_strategy(variant));
            }
        }
    }

    void add_peer(const Axes& axes, Configuration c) {
        c.block = c.grid = 0;
        c.finish = Finish::host;
        c.parameters.clear();
        c.op = c.variant == kVendorReduce ? c.op : Operator::sum; // the others have no operator, or only sum
        const auto it = axes.parameters.find("exclusive");
        if (c.variant != kVendorScan) {
            append({c, peer_refusal(c)});
            return;
        }
        for (const std::uint32_t exclusive : it == axes.parameters.end() ? std::vector{0U} : it->second) {
            c.parameters = {{"exclusive", exclusive}};
            append({c, peer_refusal(c)});
        }
    }

    void add_strategy(const Axes& axes, Configuration c, const StrategyInfo& info) {
        const std::vector<std::uint32_t> blocks = axes.blocks.empty() ? std::vector{info.default_block} : axes.blocks;
        const std::vector<std::uint32_t> grids = grids_of(axes, info);
        const Finish own = axes.whole ? whole_finish(info) : info.finishes.front();
        const std::vector<Finish> ends = axes.finishes.empty() ? std::vector{own} : axes.finishes;
        for (const std::uint32_t block : blocks) {
            for (const std::uint32_t grid : grids) {
                for (const Finish finish : ends) {
                    for (const ParameterValues& values : combinations(info, axes, multiprocessors_)) {
                        c.block = block;
                        c.grid = grid;
                        c.finish = finish;
                        c.parameters = values;
                        append({c, refusal_of(c, info)});
                    }
                }
            }
        }
    }

    std::vector<std::uint32_t> grids_of(const Axes& axes, const StrategyInfo& info) const {
        std::vector<std::uint32_t> grids = axes.grids;
        for (const std::uint32_t each : info.strides ? axes.grids_per_multiprocessor : std::vector<std::uint32_t>{}) {
            if (multiprocessors_ != 0) {
                grids.push_back(each * multiprocessors_);
            }
        }
        return grids.empty() ? std::vector{0U} : grids;
    }

    void append(Planned planned) {
        const auto same = [&](const Planned& p) { return p.what == planned.what; };
        if (std::none_of(all_.begin(), all_.end(), same)) {
            all_.push_back(std::move(planned));
        }
    }

    std::uint32_t multiprocessors_;
    std::vector<Planned> all_;
};
} // namespace

Finish whole_finish(const StrategyInfo& info) {
    const std::vector<Finish> all = info.finishes;
    return std::find(all.begin(), all.end(), Finish::relaunch) != all.end() ? Finish::relaunch : all.front();
}

bool can_be_timed(const StrategyInfo& info) {
    return !info.racy && !info.deadlocks && info.answer != Answer::matrix && info.family != Family::applied;
}

std::vector<Planned> plan(std::span<const Axes> axes, std::uint32_t multiprocessors) {
    Planner planner(multiprocessors);
    for (const Axes& a : axes) {
        planner.add(a);
    }
    return planner.take();
}

} // namespace warptree::timing
