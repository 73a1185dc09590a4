#include "kernels/run.hpp"

#include "app/base/build_info.hpp"
#include "app/base/error.hpp"
#include "app/base/operators.hpp"
#include "app/trace/explain/sources.hpp"
#include "kernels/cpu/interpreter.hpp"
#include "kernels/input.hpp"
#include "kernels/reference.hpp"
#include "kernels/strategy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace warptree {

namespace {
std::uint64_t apply_bits(ElementType type, Operator op, std::uint64_t a, std::uint64_t b) {
    return visit_element(type, [&](auto t) {
        using T = decltype(t);
        return Scalar::of(apply(op, Scalar{type, a}.as<T>(), Scalar{type, b}.as<T>())).bits;
    });
}

std::uint64_t identity_bits(ElementType type, Operator op) {
    return visit_element(type, [&](auto t) { return Scalar::of(identity<decltype(t)>(op)).bits; });
}

// One combine of two partials, counted in the tree.
Partial combined(const Partial& a, const Partial& b, const RunOptions& o, TreeTotals& tree) {
    const bool padding = a.meta.empty || b.meta.empty;
    ++tree.combines;
    tree.padding_combines += padding ? 1 : 0;
    tree.useful_combines += padding ? 0 : 1;
    return {apply_bits(o.type, o.op, a.bits, b.bits),
            {a.meta.leaves + b.meta.leaves, std::max(a.meta.depth, b.meta.depth) + 1, a.meta.empty && b.meta.empty}};
}

// Each atomic is one combine with the total so far, which starts as the identity.
Partial fold_atomics(const LaunchResult& result, const RunOptions& o, TreeTotals& tree) {
    Partial total{identity_bits(o.type, o.op), {0, 0, true}};
    for (const Partial& a : result.atomics) {
        total = combined(total, a, o, tree);
    }
    return total;
}

// The host combines neighbours, pair by pair: as deep as the tree of a launch, and as accurate.
Partial combine_on_host(const LaunchResult& result, const RunOptions& o, TreeTotals& tree) {
    std::vector<Partial> row;
    for (std::size_t i = 0; i < result.output.size(); ++i) {
        row.push_back({result.output.bits(i), result.metas[i]});
    }
    while (row.size() > 1) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i + 1 < row.size(); i += 2) {
            row[kept++] = combined(row[i], row[i + 1], o, tree);
        }
        if (row.size() % 2 == 1) {
            row[kept++] = row.back();
        }
        row.resize(kept);
    }
    return row.front();
}

void keep_partials(LaunchResult& result, const Partial* total, const RunOptions& o) {
    Launch& l = result.launch;
    if (total != nullptr) {
        l.outputs_total = 1;
        l.partials = {Scalar{o.type, total->bits}};
        return;
    }
    l.outputs_total = static_cast<std::uint32_t>(result.output.size());
    for (std::size_t i = 0; i < std::min(kMaxPartialsKept, result.output.size()); ++i) {
        l.partials.push_back({o.type, result.output.bits(i)});
    }
}

void check_total(Trace& trace, const Elements& input) {
    const Reference r = reference(input, trace.options.op, trace.tree.depth);
    trace.reference = r.value;
    trace.tolerance = r.tolerance;
    if (!trace.completed()) {
        trace.reference_error = std::numeric_limits<double>::infinity();
        trace.pass = false;
        return;
    }
    trace.pass = agrees(trace.result, r, trace.reference_error);
}

// Every element of the output is a result; the trace's own is the last, or the first that is wrong.
void check_each(Trace& trace, const Elements& input, const Elements& output) {
    trace.pass = true;
    references(input, trace.options, trace.tree.depth, [&](std::uint64_t i, const Reference& r) {
        const Scalar got{output.type, output.bits(i)};
        double error = 0;
        const bool good = agrees(got, r, error);
        if (trace.pass) {
            trace.result = got;
            trace.reference = r.value;
            trace.tolerance = r.tolerance;
            const bool larger = error > trace.reference_error && std::isfinite(error);
            trace.reference_error = !good || larger ? error : trace.reference_error;
        }
        if (!good && trace.pass) {
            trace.pass = false;
            trace.first_wrong = i;
        }
    });
}

// The tree of a run whose outputs stay apart.
void keep_apart(Trace& trace, const LaunchResult& last) {
    if (last.metas.empty()) { // outputs share leaves
        trace.tree.leaves = last.reached.leaves;
        trace.tree.depth = last.reached.depth;
        return;
    }
    for (const PartialMeta& m : last.metas) {
        trace.tree.leaves += m.leaves;
        trace.tree.depth = std::max<std::uint64_t>(trace.tree.depth, m.depth);
    }
}

void conclude(Trace& trace, const Partial& total) {
    trace.result = {trace.options.type, total.bits};
    trace.tree.leaves = total.meta.leaves;
    trace.tree.depth = total.meta.depth;
}
} // namespace

Trace run(const RunOptions& asked, RunControl& control) {
    Trace trace;
    trace.options = resolve(asked);
    RunOptions& o = trace.options;
    if (o.backend == Backend::cuda) {
        throw MissingDevice("what runs on a GPU is compiled from text, which this warptree was built without; take "
                            "--backend cpu");
    }
    o.backend = Backend::cpu;
    trace.device = {"CPU interpreter", 0, 0};
    trace.producer = std::string("warptree ") + std::string(build_info().version);

    const StrategyInfo& info = require_strategy(o.strategy);
    const Elements input = make_input(o);
    LaunchResult last;
    std::vector<PartialMeta> metas;
    Elements partials;
    double done = 0;
    for (bool first = true;; first = false) {
        const LaunchRequest request = make_launch(o, first ? input : partials, first ? nullptr : &metas);
        // Each launch has a fraction of the work of the one before it.
        const double share = *o.finish == Finish::relaunch ? (1 - done) * 0.9 : 1 - done;
        last = cpu::launch(request, control, done, done + share);
        done += share;
        const bool atomic = *o.finish == Finish::atomic;
        Partial total = last.total;
        if (atomic) {
            total = fold_atomics(last, o, trace.tree);
        }
        keep_partials(last, atomic ? &total : nullptr, o);
        const Counters totals = last.launch.totals();
        trace.tree.combines += totals.combines;
        trace.tree.useful_combines += totals.useful_combines;
        trace.tree.padding_combines += totals.padding_combines;
        trace.launches.push_back(std::move(last.launch));
        if (!trace.completed()) {
            trace.result = {o.type, 0};
            break;
        }
        if (atomic || *o.finish == Finish::last_block) {
            conclude(trace, total);
            break;
        }
        if (info.answer != Answer::total) {
            keep_apart(trace, last);
            break;
        }
        if (*o.finish == Finish::relaunch && last.output.size() > left_for_host(info, request.geometry, o)) {
            partials = std::move(last.output);
            metas = std::move(last.metas);
            continue;
        }
        trace.host_partials = static_cast<std::uint32_t>(last.output.size());
        conclude(trace, combine_on_host(last, o, trace.tree));
        break;
    }
    if (info.answer == Answer::total) {
        check_total(trace, input);
    } else {
        check_each(trace, input, last.output);
    }
    trace.sources = kept_sources(trace);
    if (control.progress) {
        control.progress(1);
    }
    return trace;
}

Trace run(const RunOptions& options) {
    RunControl control;
    return run(options, control);
}

} // namespace warptree
