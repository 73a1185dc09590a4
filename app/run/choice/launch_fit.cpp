#include "app/run/choice/launch_fit.hpp"

#include "app/run/choice/block_shape.hpp"
#include "app/trace/explain/findings.hpp"
#include "app/trace/explain/report_kernel.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptree::runs {

namespace {
// Whether a thread goes past an array by its own element, or its own few, or the array has room for a halo beside so many threads.
bool is_own(const Finding& f, std::uint64_t threads) {
    const std::uint64_t each = f.elements / threads;
    return each > 1 ? static_cast<std::uint64_t>(f.index) / each == f.thread
                    : f.index == static_cast<std::int64_t>(f.thread) || f.elements > threads;
}

// Whether the first block that is recorded stores to all elements of a shared array.
bool sets_all(const Launch& launch, const std::string& name) {
    const auto array = std::ranges::find(launch.shared_arrays, name, &SharedArray::name);
    if (array == launch.shared_arrays.end()) {
        return false;
    }
    std::set<std::uint64_t> set; // bytes
    for (const Request& r : launch.requests) {
        for (std::uint32_t rest = r.kind == AccessKind::shared_store && r.block == launch.window_first ? r.mask : 0;
             rest != 0; rest &= rest - 1) {
            const std::uint64_t at =
                std::uint64_t{launch.index_of(r, static_cast<unsigned>(std::countr_zero(rest)))} * r.bytes;
            if (launch.shared_array_at(at) == &*array) {
                set.insert(at);
            }
        }
    }
    return set.size() * array->element_bytes == array->bytes;
}

// Each thread accesses its own elements of a shared array, which has one for each thread of the block that is shown, or a few: that
// is the size the kernel is written for, and more threads were a wrong guess; of one block, more elements than threads, too.
bool of_smaller_array(const KernelAttempt& shown, const Launch& now, const Finding& f, const KernelLaunch& before) {
    const std::vector<std::uint32_t>& shared = shown.last().kernel().shared;
    const auto is = [&](std::uint32_t s) { return shown.last().program().shared[s].name == f.array; };
    const std::uint64_t threads = simt::volume(shown.first().block);
    constexpr std::uint64_t kMostEach = 4;
    const auto array = std::find_if(shared.begin(), shared.end(), is);
    const auto of_row = [&](const std::vector<std::uint32_t>& extents) {
        return extents.size() == 2 && extents[1] == threads;
    };
    const bool row = array != shared.end() && of_row(shown.last().program().shared[*array].extents); // as of buf[2][64]
    const bool own = (row || is_own(f, threads)) && threads < simt::volume(before.block);
    const bool written_for_one = !knows_its_block(shown.last().program(), shown.last().kernel());
    const bool one_block =
        written_for_one && shown.first().n == threads && before.n > threads && before.block == shown.first().block;
    return f.kind == FindingKind::out_of_bounds && array != shared.end() &&
           (row || (f.elements >= threads && f.elements < 2 * threads) ||
            (written_for_one && f.elements % threads == 0 && f.elements <= kMostEach * threads &&
             sets_all(now, f.array))) &&
           (own || one_block);
}

// Calls the kernel in other ways until one is better; nullopt: none is, and the way before is that of `shown` again.
template <class Better>
std::optional<Trace> first_better(KernelAttempt& shown, const std::vector<Adjusted>& others, Better&& better) {
    const Adjusted before = shown.adjusted();
    const std::uint64_t instructions = shown.instructions();
    for (const Adjusted& other : others) {
        Trace again = shown.attempt(other, instructions);
        if (shown.completed() && better(again)) {
            return again;
        }
    }
    if (!others.empty()) {
        shown.attempt(before, instructions);
    }
    return std::nullopt;
}

bool finds_nothing(const Trace& trace) { return trace.launches.front().findings.empty(); }

// How many elements of an array the blocks that are recorded load, or store to.
std::uint64_t reached_by(const Launch& launch, const std::string& array, AccessKind kind = AccessKind::global_load) {
    std::uint64_t reached = 0;
    for (const Request& r : launch.requests) {
        if (r.kind != kind || r.allocation >= launch.allocations.size() ||
            launch.allocations[r.allocation].name != array) {
            continue;
        }
        const std::uint64_t size = std::max(1U, launch.allocations[r.allocation].element_bytes);
        for (std::uint32_t rest = r.mask; rest != 0; rest &= rest - 1) {
            const std::uint64_t index = launch.index_of(r, static_cast<unsigned>(std::countr_zero(rest)));
            reached = std::max(reached, (index + 1) * r.bytes / size);
        }
    }
    return reached;
}

// A launch that stores nothing shows nothing: where several numbers are n, one of them may be a few, as a pattern's length is.
Trace with_stores(KernelAttempt& shown, Trace trace) {
    const auto stores = [](const Trace& t) {
        const Counters all = t.launches.front().totals();
        return all.global_store_requests + all.atomics != 0;
    };
    std::vector<Adjusted> others;
    for (std::size_t p = shown.first().arguments.size(); p-- > 0;) {
        if (const ArgumentValue& argument = shown.first().arguments[p]; argument.chosen && argument.text == "n") {
            others.push_back(shown.adjusted());
            others.back().few = static_cast<std::uint32_t>(p);
        }
    }
    if (!shown.completed() || stores(trace) || shown.expected().kind != Expected::Kind::none ||
        !shown.first().n_chosen || shown.first().output == compile::kNone || others.size() < 2) {
        return trace;
    }
    const KernelLaunch launched = shown.first();
    auto again = first_better(shown, others, stores);
    return again ? instead(shown, trace, launched, std::move(*again)) : std::move(trace);
}

// A kernel for one block works on as many elements as it has threads, or on twice as many: on more it reads shared
// memory that none of them wrote.
Trace fit_one_block(KernelAttempt& shown, Trace trace) {
    const compile::Program& program = shown.last().program();
    const auto of_shared = [&](std::uint32_t s) { return shown.uninitialised().contains(program.shared[s].name); };
    const std::vector<std::uint32_t>& shared = shown.last().kernel().shared;
    if (!shown.completed() || shown.expected().kind != Expected::Kind::none || !shown.first().n_chosen ||
        !shown.first().block_chosen || knows_its_block(program, shown.last().kernel()) ||
        std::none_of(shared.begin(), shared.end(), of_shared)) {
        return trace;
    }
    const KernelLaunch launched = shown.first();
    const std::uint64_t threads = simt::volume(launched.block);
    std::vector<Adjusted> others;
    for (const std::uint64_t n : {2 * threads, threads}) {
        if (n < launched.n) {
            others.push_back(shown.adjusted());
            others.back().n = n;
        }
    }
    auto again = first_better(shown, others, finds_nothing);
    if (!again) {
        return trace;
    }
    again->tried = trace.tried;
    return instead(shown, trace, launched, std::move(*again));
}

// A block that sets all of its shared arrays, where the chosen one reads elements that none of its threads sets.
Trace fit_block(KernelAttempt& shown, Trace trace) {
    const compile::Program& program = shown.last().program();
    const compile::Kernel& kernel = shown.last().kernel();
    const std::uint32_t threads = shown.first().block[0];
    const auto larger = std::find_if(kernel.shared.begin(), kernel.shared.end(), [&](std::uint32_t s) {
        const compile::SharedArray& array = program.shared[s];
        return shown.uninitialised().contains(array.name) && array.extents.size() < 2 &&
               array.bytes / std::max(1U, array.element_bytes) > threads;
    });
    if (!shown.completed() || shown.expected().kind != Expected::Kind::none || !shown.first().block_chosen ||
        simt::volume(shown.first().block) != threads || larger == kernel.shared.end()) {
        return trace;
    }
    const compile::SharedArray& array = program.shared[*larger];
    const std::uint32_t elements = array.bytes / std::max(1U, array.element_bytes);
    const std::uint32_t most = kernel.most_threads != 0 ? kernel.most_threads : simt::kMostThreads;
    std::vector<Adjusted> others;
    for (std::uint32_t wider = 2 * threads; wider <= std::min(elements, most); wider *= 2) {
        others.push_back(shown.adjusted());
        others.back().block = simt::Extent{wider, 1, 1};
    }
    auto again = first_better(shown, others, finds_nothing);
    if (!again) {
        return trace;
    }
    again->tried = std::move(trace.tried);
    const auto choice =
        std::ranges::find_if(again->chosen, [](const std::string& c) { return c.starts_with("block "); });
    if (choice != again->chosen.end()) {
        *choice += fmt::format(", which set all of {}", array.name);
    }
    return std::move(*again);
}

// As many elements as a kernel for one block reaches, where its threads have one or two each: the rest is nobody's. What was
// found stays.
Trace fit_n(KernelAttempt& shown, Trace trace) {
    const compile::Program& program = shown.last().program();
    const std::uint32_t in = shown.first().input;
    const std::uint64_t threads = simt::volume(shown.first().block), n = shown.first().n;
    const bool expects = shown.expected().kind != Expected::Kind::none; // of n elements
    if (!shown.completed() || !shown.first().n_chosen || in == compile::kNone ||
        (shown.first().arguments[in].stated && !expects) || knows_its_block(program, shown.last().kernel())) {
        return trace;
    }
    const std::uint32_t out = shown.first().output;
    const auto one_each = [&] { // of its threads, of which none has more than one element, stores its own
        return out != compile::kNone && reached_by(trace.launches.front(), shown.first().parameters[out].name,
                                                   AccessKind::global_store) == threads;
    };
    if (expects && shown.uses_n() && !one_each()) {
        return trace; // what it leaves out of n elements is wrong
    }
    std::string array = shown.first().parameters[in].name; // whose elements the threads share out
    std::uint64_t reached = reached_by(trace.launches.front(), array);
    for (std::uint32_t p = 0; reached > n && p < shown.first().parameters.size(); ++p) {
        const std::string& other = shown.first().parameters[p].name; // as of a vector beside a matrix
        if (const std::uint64_t its = reached_by(trace.launches.front(), other); its == threads || its == 2 * threads) {
            reached = its;
            array = other;
        }
    }
    AccessKind kind = AccessKind::global_load;
    if (reached < threads && one_each()) { // a neighbour's, as of an exclusive scan
        reached = threads;
        array = shown.first().parameters[out].name;
        kind = AccessKind::global_store;
    }
    const std::uint64_t fewer = std::min(2 * threads, reached / threads * threads);
    if (reached >= n || fewer == 0 || fewer >= n) {
        return trace;
    }
    Adjusted other = shown.adjusted();
    other.n = fewer;
    if (shown.first().block_chosen) {
        other.block = shown.first().block;
    }
    const auto& found = trace.launches.front().findings;
    auto again = first_better(shown, {other}, [&](const Trace& t) {
        const auto& now = t.launches.front().findings;
        const auto stays = [&](const Finding& f) {
            return std::ranges::any_of(now, [&](const Finding& g) { return g.kind == f.kind && g.line == f.line; });
        };
        return reached_by(t.launches.front(), array, kind) >= fewer && std::ranges::all_of(found, stays) &&
               found.size() == now.size() && (!t.equals.empty() || trace.equals.empty());
    });
    if (!again) {
        return trace;
    }
    again->tried = std::move(trace.tried);
    return std::move(*again);
}

} // namespace

Trace instead(const KernelAttempt& shown, const Trace& first, const KernelLaunch& launched, Trace trace) {
    std::vector<std::string> with;
    const auto unless_same = [&](bool same, std::string what) {
        if (!same) {
            with.push_back(std::move(what));
        }
    };
    unless_same(launched.block == shown.first().block,
                fmt::format("{} threads", shape_text({launched.block[0], launched.block[1], launched.block[2]})));
    unless_same(launched.shared == shown.first().shared, fmt::format("{} bytes of shared memory", launched.shared));
    unless_same(launched.n == shown.first().n, with_elements(launched.n));
    const std::vector<std::string> arguments = shown.other_arguments(launched);
    with.insert(with.end(), arguments.begin(), arguments.end());
    // What is found where the program took for an output what is data is no finding.
    const auto& now = shown.adjusted();
    const auto is_dynamic = [&](std::uint32_t s) {
        const compile::SharedArray& array = shown.last().program().shared[s];
        return array.bytes == 0;
    };
    for (const Finding& f : first.launches.front().findings) {
        const auto is_named = [&](std::uint32_t s) { return shown.last().program().shared[s].name == f.array; };
        const auto has_name = [&](std::uint32_t s) { return is_dynamic(s) && is_named(s); };
        if (f.kind == FindingKind::out_of_bounds && launched.shared_chosen &&
            std::ranges::any_of(shown.last().kernel().shared, has_name)) {
            continue; // how much shared memory there is, is said by nobody
        }
        if (is_race(f.kind) && f.severity == Severity::risk && !first.completed()) {
            continue; // of threads that there are not
        }
        if (f.kind == FindingKind::uninitialised && launched.n_chosen && launched.n != shown.first().n &&
            launched.block == shown.first().block && std::ranges::any_of(shown.last().kernel().shared, is_named) &&
            !knows_its_block(shown.last().program(), shown.last().kernel())) {
            continue; // of more elements than the threads of a kernel for one block, which nobody says, bring
        }
        const auto& still = trace.launches.front().findings;
        const auto same = [&](const Finding& g) { return g.kind == f.kind && g.line == f.line; };
        const auto counts = [&](std::uint32_t p) { return shown.last().launch().parameters[p].name == f.array; };
        const bool our_guess = f.kind == FindingKind::uninitialised &&
                               (std::ranges::any_of(now.counters, counts) || std::ranges::any_of(now.inputs, counts));
        if (of_smaller_array(shown, trace.launches.front(), f, launched)) {
            const std::string_view what = launched.block != shown.first().block ? "block " : "n = ";
            const auto choice =
                std::ranges::find_if(trace.chosen, [&](const std::string& c) { return c.starts_with(what); });
            if (choice != trace.chosen.end() && choice->find(" as ") == std::string::npos) {
                *choice += f.elements % simt::volume(shown.first().block) == 0
                               ? fmt::format(" as {} has an element a thread", f.array)
                               : fmt::format(" as {} has {} elements", f.array, f.elements);
            }
        } else if (f.kind == FindingKind::endless) { // perhaps it only takes long
            trace.tried.push_back({.with = fmt::format("{}", fmt::join(with, ", ")),
                                   .found = "cut short",
                                   .rest = fmt::format(" after {} instructions of a block; it may have more where the "
                                                       "number of elements is given",
                                                       f.index),
                                   .wrong = false});
        } else if (!our_guess && std::none_of(still.begin(), still.end(), same)) {
            const Launch& launch = first.launches.front();
            trace.tried.push_back(with.size() == 1 && launched.n != shown.first().n
                                      ? with_n(launched.n, first, launch, f)
                                      : launched_with(fmt::format("{}", fmt::join(with, ", ")), first, launch, f));
        }
    }
    return trace;
}

bool fits_its_arrays(const KernelAttempt& shown) {
    const std::vector<std::uint32_t>& shared = shown.last().kernel().shared;
    const std::uint64_t threads = simt::volume(shown.first().block);
    const auto array = [&](std::uint32_t s) -> const compile::SharedArray& { return shown.last().program().shared[s]; };
    const auto fits = [&](std::uint32_t s) {
        const std::uint64_t elements = array(s).bytes / std::max(1U, array(s).element_bytes);
        return elements >= threads && elements < 2 * threads;
    };
    return threads >= kWarpSize && std::ranges::any_of(shared, fits);
}

Trace fitted(KernelAttempt& shown, Trace trace) {
    trace = fit_one_block(shown, with_stores(shown, std::move(trace)));
    return fit_n(shown, fit_block(shown, std::move(trace)));
}

} // namespace warptree::runs
