#include "kernels/run.hpp"

#include "kernels/build_info.hpp"
#include "kernels/cpu/interpreter.hpp"
#include "kernels/cuda/backend.hpp"
#include "kernels/input.hpp"
#include "kernels/reference.hpp"
#include "kernels/simt/operators.hpp"
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

// The value and tree of what is left after the launches.
struct Total {
    std::uint64_t bits;
    PartialMeta meta;
};

// Each atomic is one combine with the total so far, which starts as the identity.
Total fold_atomics(const LaunchResult& result, const RunOptions& o) {
    Total total{identity_bits(o.type, o.op), {0, 0}};
    for (const AtomicValue& a : result.atomics) {
        total.bits = apply_bits(o.type, o.op, total.bits, a.bits);
        total.meta = {total.meta.leaves + a.meta.leaves, std::max(total.meta.depth, a.meta.depth) + 1};
    }
    return total;
}

// The host combines neighbours, pair by pair: as deep as the tree of a launch, and as accurate.
Total combine_on_host(const LaunchResult& result, const RunOptions& o) {
    std::vector<Total> row;
    for (std::size_t i = 0; i < result.output.size(); ++i) {
        row.push_back({result.output.bits(i), result.metas[i]});
    }
    while (row.size() > 1) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i + 1 < row.size(); i += 2) {
            const Total &a = row[i], &b = row[i + 1];
            row[kept++] = {apply_bits(o.type, o.op, a.bits, b.bits),
                           {a.meta.leaves + b.meta.leaves, std::max(a.meta.depth, b.meta.depth) + 1}};
        }
        if (row.size() % 2 == 1) {
            row[kept++] = row.back();
        }
        row.resize(kept);
    }
    return row.front();
}

void keep_partials(LaunchResult& result, const Total* total, const RunOptions& o) {
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

void check(Trace& trace, const Elements& input) {
    const RunOptions& o = trace.options;
    const Reference r = reference(input, o.op, trace.tree.depth);
    trace.reference = r.value;
    trace.tolerance = r.tolerance;
    if (!trace.completed()) {
        trace.reference_error = std::numeric_limits<double>::infinity();
        trace.pass = false;
    } else if (is_floating(o.type)) {
        const double got = trace.result.as_double(), want = r.value.as_double();
        const bool same = got == want || (std::isnan(got) && std::isnan(want));
        trace.reference_error = same ? 0 : std::abs(got - want);
        trace.pass = same || trace.reference_error <= trace.tolerance;
    } else {
        trace.pass = trace.result == trace.reference;
        trace.reference_error = trace.pass ? 0 : 1;
    }
}
} // namespace

Trace run(const RunOptions& asked, RunControl& control) {
    Trace trace;
    trace.options = resolve(asked);
    RunOptions& o = trace.options;
    if (o.backend == Backend::automatic) {
        // What goes wrong on purpose goes wrong in an order that can be chosen, and repeated.
        const bool chosen = require_strategy(o.strategy).racy || require_strategy(o.strategy).deadlocks;
        o.backend = cuda::usable() && !chosen ? Backend::cuda : Backend::cpu;
    }
    const bool on_gpu = o.backend == Backend::cuda;
    trace.device = on_gpu ? cuda::device() : Device{"CPU interpreter", 0, 0};
    trace.producer = std::string("warptree ") + std::string(build_info().version);

    const StrategyInfo& info = require_strategy(o.strategy);
    const Elements input = make_input(o);
    LaunchResult last;
    std::vector<PartialMeta> metas;
    Elements partials;
    double done = 0;
    for (bool first = true;; first = false) {
        const Elements& in = first ? input : partials;
        const LaunchRequest request{o, in, first ? nullptr : &metas, grid_for(info, *o.block, in.size())};
        // Each launch has a fraction of the work of the one before it.
        const double share = *o.finish == Finish::relaunch ? (1 - done) * 0.9 : 1 - done;
        last = on_gpu ? cuda::launch(request, control) : cpu::launch(request, control, done, done + share);
        done += share;
        Total total{};
        const bool atomic = *o.finish == Finish::atomic;
        if (atomic) {
            total = fold_atomics(last, o);
            if (on_gpu && !last.output.bytes.empty()) {
                total.bits = last.output.bits(0); // in the order the hardware chose
            }
        }
        keep_partials(last, atomic ? &total : nullptr, o);
        const Counters totals = last.launch.totals();
        trace.tree.combines += totals.combines + totals.atomics;
        trace.tree.useful_combines += totals.useful_combines + totals.atomics;
        trace.launches.push_back(std::move(last.launch));
        if (!trace.completed()) {
            trace.result = {o.type, 0};
            break;
        }
        if (atomic) {
            trace.result = {o.type, total.bits};
            trace.tree.leaves = total.meta.leaves;
            trace.tree.depth = total.meta.depth;
            break;
        }
        if (*o.finish == Finish::relaunch && last.output.size() > o.host_below) {
            partials = std::move(last.output);
            metas = std::move(last.metas);
            continue;
        }
        const Total result = combine_on_host(last, o);
        trace.host_partials = static_cast<std::uint32_t>(last.output.size());
        trace.tree.combines += trace.host_partials - 1;
        trace.tree.useful_combines += trace.host_partials - 1;
        trace.result = {o.type, result.bits};
        trace.tree.leaves = result.meta.leaves;
        trace.tree.depth = result.meta.depth;
        break;
    }
    check(trace, input);
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
