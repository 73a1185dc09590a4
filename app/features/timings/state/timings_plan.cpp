#include "app/features/timings/state/timings_plan.hpp"

#include "app/base/error.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/measure/timing/launches.hpp"
#include "app/measure/timing/presets.hpp"

#include <algorithm>
#include <iterator>
#include <map>

namespace warptree::session {

namespace {
using timing::Conditions;
using timing::Mode;
using timing::Planned;

// Of the figure against n, the sizes with at least half as many curves as the size with the most.
std::vector<std::uint64_t> curve_sizes(const Timings& shown) {
    std::map<std::uint64_t, std::size_t> count;
    Conditions any = shown.conditions();
    any.block.reset();
    std::size_t most = 0;
    for (const timing::Series& s : shown.shown_series()) {
        for (const std::string& variant : timing::variants_in({&s, 1}, any.kernels)) {
            for (const timing::Point* p : timing::along_n(s, variant, any)) {
                most = std::max(most, ++count[p->what.n]);
            }
        }
    }
    std::vector<std::uint64_t> sizes;
    for (const auto& [n, curves] : count) {
        if (2 * curves >= most && n <= kMaxElements) {
            sizes.push_back(n);
        }
    }
    return sizes;
}

class Planner {
  public:
    Planner(const Timings& shown, std::uint32_t multiprocessors) : shown_(shown), multiprocessors_(multiprocessors) {}

    // `any_block`: with the default block and timing::kComparedBlocks instead of the shown one.
    void add(std::uint64_t n, Mode mode, bool any_block = false) {
        Conditions c = shown_.conditions();
        c.block = any_block ? std::nullopt : c.block;
        c.n = n;
        c.mode = mode;
        for (const StrategyInfo& info : strategies()) {
            if (timing::can_be_timed(info) && timing::belongs(info.id, c.kernels)) {
                add_strategy(c, info);
            }
        }
        timing::Axes peers = axes(c);
        for (const std::string_view peer : timing::kPeers) {
            if (timing::belongs(peer, c.kernels) || peer == timing::ceiling_of(c.kernels)) {
                peers.variants.emplace_back(peer);
            }
        }
        append(peers);
        for (const timing::Series& s : shown_.shown_series()) {
            for (const std::string& variant : timing::variants_in({&s, 1}, c.kernels)) {
                // The same experiment, if it was measured; published points have no samples.
                const timing::Point* p = timing::best_point(s, variant, c);
                if (p != nullptr && !p->samples.empty()) {
                    append({p->what, {}});
                }
            }
        }
    }
    std::vector<Planned> take() { return std::move(all_); }

  private:
    static timing::Axes axes(const Conditions& c) {
        timing::Axes a;
        a.sizes = {c.n};
        a.types = {c.type};
        a.ops = {c.op};
        a.modes = {c.mode};
        a.quantities = {c.quantity};
        return a;
    }

    void add_strategy(const Conditions& c, const StrategyInfo& info) {
        timing::Axes a = axes(c);
        a.variants = {std::string(info.id)};
        a.whole = c.quantity == timing::Quantity::kernel;
        if (c.finish && info.answer == Answer::total) {
            a.finishes = {*c.finish};
        }
        if (c.block) {
            a.blocks = {*c.block};
        } else {
            a.blocks = {info.default_block};
            std::copy_if(timing::kComparedBlocks.begin(), timing::kComparedBlocks.end(), std::back_inserter(a.blocks),
                         [&](std::uint32_t block) { return catalogue::takes(info.blocks, block); });
        }
        append(a);
        if (info.strides) { // also with grids that fill this GPU
            a.grids_per_multiprocessor.assign(timing::kGridsPerMultiprocessor.begin(),
                                              timing::kGridsPerMultiprocessor.end());
            append(a);
        }
    }

    void append(const timing::Axes& axes) {
        for (Planned& p : timing::plan({&axes, 1}, multiprocessors_)) {
            append(std::move(p));
        }
    }
    void append(Planned planned) {
        // A peer that cannot run this is not on the screen.
        const bool odd = !planned.skipped.empty() && timing::is_known_peer(planned.what.variant);
        const auto same = [&](const Planned& p) { return p.what == planned.what; };
        if (!odd && std::none_of(all_.begin(), all_.end(), same)) {
            all_.push_back(std::move(planned));
        }
    }

    const Timings& shown_;
    std::uint32_t multiprocessors_;
    std::vector<Planned> all_;
};
} // namespace

std::vector<Planned> plan_of(const Timings& shown, std::uint32_t multiprocessors) {
    Planner planner(shown, multiprocessors);
    const Conditions& c = shown.conditions();
    const auto figure = scene::timing_figure_from(shown.value(Timings::Field::figure));
    planner.add(c.n, c.mode);
    if (figure == scene::TimingFigure::modes) {
        planner.add(c.n, c.mode == Mode::cold ? Mode::warm : Mode::cold);
    }
    if (figure == scene::TimingFigure::blocks) {
        planner.add(c.n, c.mode, true);
    }
    if (figure == scene::TimingFigure::sizes) {
        for (const std::uint64_t n : curve_sizes(shown)) {
            planner.add(n, c.mode);
        }
    }
    return planner.take();
}

void plan_files(const runs::TimedFiles& files, const Conditions& c, std::vector<Planned>& all) {
    timing::Axes axes;
    axes.types = {c.type};
    axes.ops = {c.op};
    axes.quantities = {c.quantity};
    axes.modes.clear();
    axes.sizes = {c.n};
    if (c.block) {
        axes.blocks = {*c.block};
    }
    const auto add = [](auto& list, const auto& value) {
        if (std::find(list.begin(), list.end(), value) == list.end()) {
            list.push_back(value);
        }
    };
    add(axes.modes, c.mode);
    for (const Planned& p : all) {
        add(axes.sizes, p.what.n);
        add(axes.modes, p.what.mode);
    }
    for (const auto& [name, path] : files) {
        try {
            for (Planned& p : runs::plan_file(name, path, axes)) {
                all.push_back(std::move(p));
            }
        } catch (const Error& e) {
            timing::Configuration what;
            what.variant = name;
            what.n = c.n;
            what.type = c.type;
            what.mode = c.mode;
            all.push_back({what, e.what()});
        }
    }
}

} // namespace warptree::session
