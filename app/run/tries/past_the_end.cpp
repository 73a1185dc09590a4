#include "app/run/tries/past_the_end.hpp"

#include "app/run/choice/block_shape.hpp"
#include "app/run/choice/each_instruction.hpp"
#include "app/run/choice/held_flow.hpp"
#include "app/run/choice/integer_role.hpp"
#include "app/trace/explain/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string>
#include <string_view>

namespace warptree::runs {

namespace {
// Whether an integer that the kernel is told bounds or spaces its indices: it is compared with one, or multiplied by one, and not
// only with what the kernel loads, as a factor or a key is.
bool is_of_indices(const compile::Program& program, const compile::Kernel& kernel,
                   const compile::Parameter& parameter) {
    using compile::Opcode;
    bool found = false;
    follow_rows<2>(program, program.functions[kernel.function], {HeldRows({parameter.row}), HeldRows()},
                   [&](std::array<HeldRows, 2>& held, const compile::Instruction& in, bool settled) {
                       auto& [its, loaded] = held;
                       const bool a = its.has(in.a), b = its.has(in.b), of_data = loaded.has(in.a);
                       const bool combines = is_order(in.op) || in.op == Opcode::mul32 || in.op == Opcode::mul64 ||
                                             in.op == Opcode::srem32 || in.op == Opcode::urem32 ||
                                             in.op == Opcode::sdiv32 || in.op == Opcode::udiv32;
                       found = found || (settled && (in.op == Opcode::call || // what it is there for is not followed
                                                     (combines && ((a && !loaded.has(in.b)) || (b && !of_data)))));
                       const bool moves = moves_a_number(in.op);
                       its.after(in, moves && a);
                       loaded.after(in, in.op == Opcode::load || (moves && of_data));
                   });
    if (found) {
        return true;
    }
    return !is_used(program, kernel, parameter) &&
           knows_its_block(program, kernel); // it may have been meant for a guard
}

// Whether what the kernel loads from an array is only computed with, as far as its code shows: it is no index and bounds no loop.
bool is_data(const compile::Program& program, const compile::Kernel& kernel, const compile::Parameter& array) {
    using compile::Opcode;
    HeldRows pointers({array.row}), values;
    bool loaded = false;
    for (const compile::Instruction& in : program.functions[kernel.function].code) {
        const bool accesses = in.op == Opcode::load || in.op == Opcode::store, from = pointers.has(in.a);
        const bool value = values.has(in.a) || values.has(in.b);
        if ((accesses || in.op == Opcode::address) && (values.has(in.b) || values.has(in.a))) {
            return false;
        }
        if (in.op == Opcode::call || ((is_order(in.op) || in.op == Opcode::atomic) && value)) {
            return false;
        }
        const bool loads = in.op == Opcode::load && from;
        loaded |= loads;
        pointers.after(in, in.op == Opcode::address && from);
        values.after(in, loads || (!accesses && value));
    }
    return loaded;
}

// Whether two elements of an array are subtracted and an index is bounded by `size` itself, as in p[min(i + r, n)] - p[i]: sums of
// all elements before each one, which are one more than the elements.
bool is_of_sums_before(const compile::Program& program, const compile::Kernel& kernel, const compile::Parameter& array,
                       const compile::Parameter& size) {
    using compile::Opcode;
    constexpr std::array kDifferences{Opcode::sub32, Opcode::sub64, Opcode::fsub32, Opcode::fsub64};
    constexpr std::array kBounds{Opcode::smin32, Opcode::smin64, Opcode::umin32, Opcode::umin64};
    HeldRows pointers({array.row}), values, its({size.row});
    bool differs = false, bounded = false;
    for (const compile::Instruction& in : program.functions[kernel.function].code) {
        differs |= std::ranges::find(kDifferences, in.op) != kDifferences.end() && values.has(in.a) && values.has(in.b);
        bounded |= std::ranges::find(kBounds, in.op) != kBounds.end() && (its.has(in.a) || its.has(in.b));
        const bool moves = moves_a_number(in.op);
        values.after(in, (in.op == Opcode::load && pointers.has(in.a)) || (moves && values.has(in.a)));
        pointers.after(in, in.op == Opcode::address && pointers.has(in.a));
        its.after(in, moves && its.has(in.a));
    }
    return differs && bounded;
}

// By what constants the number of a thread is multiplied to be an index of that array, as in words[i * 16 + k]: so many elements
// belong to one thread.
std::set<std::uint64_t> elements_a_thread(const compile::Program& program, const compile::Kernel& kernel,
                                          const compile::Parameter& array) {
    using compile::Opcode;
    const compile::FunctionCode& code = program.functions[kernel.function];
    const auto constant = [&](std::uint32_t row) -> std::uint64_t {
        const auto found = std::ranges::find(code.constants, row, &compile::Constant::row);
        return found == code.constants.end() ? 0 : found->bits;
    };
    std::set<std::uint64_t> candidates,
        found; // by which a thread's number is multiplied anywhere; to an index of the array
    const auto factor_of = [&](const compile::Instruction& in, const HeldRows& own) -> std::uint64_t {
        constexpr std::uint64_t kMost = 1024, kMostBits = 10;
        std::uint64_t by = 0;
        if (in.op == Opcode::mul32 || in.op == Opcode::mul64) {
            by = own.has(in.a) ? constant(in.b) : own.has(in.b) ? constant(in.a) : 0;
        } else if ((in.op == Opcode::shl32 || in.op == Opcode::shl64) && own.has(in.a) && constant(in.b) <= kMostBits) {
            by = 1ULL << constant(in.b);
        }
        return by > 1 && by <= kMost ? by : 0;
    };
    const auto reads = [](Opcode op) { return op == Opcode::load || op == Opcode::store || op == Opcode::atomic; };
    const auto follow = [&](std::uint64_t wanted) {
        enum : std::uint8_t { kOwn, kScaled, kPointers, kScaledPointers };
        bool indexes = false;
        follow_rows<4>(
            program, code, {HeldRows(), HeldRows(), HeldRows({array.row}), HeldRows()},
            [&](std::array<HeldRows, 4>& held, const compile::Instruction& in, bool settled) {
                const auto either = [&](const HeldRows& rows) { return rows.has(in.a) || rows.has(in.b); };
                const std::uint64_t by = factor_of(in, held[kOwn]);
                if (settled && by != 0) {
                    candidates.insert(by);
                }
                const bool adds = in.op == Opcode::add32 || in.op == Opcode::add64 || moves_a_number(in.op);
                const bool places = in.op == Opcode::address || reads(in.op);
                const bool of_it = places && held[kPointers].has(in.a);
                indexes = indexes || (settled && reads(in.op) &&
                                      ((of_it && held[kScaled].has(in.b)) || held[kScaledPointers].has(in.a)));
                const bool scaled = wanted != 0 && by == wanted;
                const bool to_own = in.op == Opcode::special || (adds && either(held[kOwn])) ||
                                    ((in.op == Opcode::mul32 || in.op == Opcode::mul64) && by == 0 &&
                                     either(held[kOwn])); // blockIdx.x * blockDim.x
                held[kScaledPointers].after(in, in.op == Opcode::address && ((of_it && held[kScaled].has(in.b)) ||
                                                                             held[kScaledPointers].has(in.a)));
                held[kPointers].after(in, in.op == Opcode::address && of_it);
                held[kScaled].after(in, scaled || (adds && either(held[kScaled])));
                held[kOwn].after(in, to_own);
            });
        return indexes;
    };
    follow(0);
    for (const std::uint64_t by : std::set<std::uint64_t>(candidates)) {
        if (follow(by)) {
            found.insert(by);
        }
    }
    return found;
}

// Whether a thread stores to the elements of an array that its own number says, and not to those that it counts.
bool stores_own(const compile::Program& program, const compile::Kernel& kernel, const compile::Parameter& array) {
    using compile::Opcode;
    constexpr std::array kSums{Opcode::add32, Opcode::add64, Opcode::mul32,
                               Opcode::mul64, Opcode::shl32, Opcode::shl64};
    bool found = false;
    follow_rows<2>(program, program.functions[kernel.function], {HeldRows(), HeldRows({array.row})},
                   [&](std::array<HeldRows, 2>& held, const compile::Instruction& in, bool settled) {
                       auto& [own, pointers] = held;
                       const bool of_it = (in.op == Opcode::address || in.op == Opcode::store) && pointers.has(in.a);
                       const bool sums = moves_a_number(in.op) || std::ranges::find(kSums, in.op) != kSums.end();
                       found = found || in.op == Opcode::call || (settled && of_it && own.has(in.b));
                       pointers.after(in, in.op == Opcode::address && of_it);
                       own.after(in, in.op == Opcode::special || (sums && (own.has(in.a) || own.has(in.b))));
                   });
    return found;
}

std::uint64_t product(const std::vector<std::uint32_t>& sizes, std::uint64_t n) {
    return sizes.size() == 2 ? n * n : n;
}
} // namespace

bool rows_are_longer(const compile::Program& program, const compile::Kernel& kernel) {
    using compile::Opcode;
    const compile::FunctionCode& code = program.functions[kernel.function];
    std::set<std::uint32_t> numbers;
    for (const compile::Parameter& p : kernel.parameters) {
        if (p.kind == compile::Parameter::Kind::value && p.row != compile::kNone && !is_floating(p.element)) {
            numbers.insert(p.row);
        }
    }
    const auto is_a_little = [&](std::uint32_t row) {
        constexpr std::uint64_t kMost = 16;
        const auto constant = std::ranges::find(code.constants, row, &compile::Constant::row);
        return constant != code.constants.end() && constant->bits >= 1 && constant->bits <= kMost;
    };
    const auto is_constant = [&](std::uint32_t row) {
        return std::ranges::find(code.constants, row, &compile::Constant::row) != code.constants.end();
    };
    HeldRows sizes(numbers), longer;
    for (const compile::Instruction& in : code.code) {
        const bool adds = in.op == Opcode::add32 || in.op == Opcode::add64, moves = moves_a_number(in.op);
        if ((in.op == Opcode::mul32 || in.op == Opcode::mul64) &&
            ((longer.has(in.a) && !is_constant(in.b)) || (longer.has(in.b) && !is_constant(in.a)))) {
            return true;
        }
        const bool more = adds && ((sizes.has(in.a) && is_a_little(in.b)) || (sizes.has(in.b) && is_a_little(in.a)));
        longer.after(in, more || (moves && longer.has(in.a)));
        sizes.after(in, moves && sizes.has(in.a));
    }
    return false;
}

namespace {
// Whether an array is called as those that have the beginning of each row, and the end of the last.
bool begins_rows(std::string name) {
    std::erase(name, '_');
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    constexpr std::array<std::string_view, 7> kWords{"rowptr", "colptr",  "indptr", "rowstart",
                                                     "rowoff", "offsets", "xadj"};
    return name == "ptr" || name == "starts" ||
           std::ranges::any_of(kWords, [&](std::string_view word) { return name.find(word) != std::string::npos; });
}
} // namespace

std::vector<PastTheEnd> past_the_end(const LaunchRun& run) {
    std::vector<PastTheEnd> found;
    const KernelLaunch& launch = run.launch();
    if (rows_are_longer(run.program(), run.kernel())) {
        return found;
    }
    std::vector<std::uint32_t> sizes; // of several an array has the product
    for (std::uint32_t p = 0; p < launch.arguments.size(); ++p) {
        if (launch.arguments[p].text == "n" && is_of_indices(run.program(), run.kernel(), launch.parameters[p])) {
            sizes.push_back(p);
        }
    }
    if (launch.block[1] != 1 || sizes.empty() || sizes.size() > 2) {
        return found;
    }
    const std::uint64_t each =
        sizes.size() == 1 ? elements_each(run.program(), run.kernel(), launch.parameters[sizes[0]]) : 1;
    const std::string of =
        sizes.size() == 2 ? fmt::format("{} * {}", launch.parameters[sizes[0]].name, launch.parameters[sizes[1]].name)
        : each == 1       ? launch.parameters[sizes[0]].name
                          : fmt::format("{} * {}", launch.parameters[sizes[0]].name, each);
    const std::uint64_t grid = simt::volume(launch.grid), threads = grid * simt::volume(launch.block);
    for (std::uint32_t p = 0; p < launch.parameters.size(); ++p) {
        const compile::Parameter& array = launch.parameters[p];
        if (run.components(p) != 1) { // of a float4, say: n may count these or their parts
            continue;
        }
        const std::uint64_t n = product(sizes, launch.n) * each, reached = run.reached(p);
        const bool loaded = array.loads && !array.updates && (!array.stores || launch.arguments[p].guessed);
        // As many elements a block, and n ends within the last one's.
        const std::uint64_t of_a_block = grid == 1 ? threads : reached / grid;
        const bool by_all =
            sizes.size() == 1 && loaded && reached > n && reached % threads == 0 && reached - of_a_block < n;
        constexpr std::uint64_t kPairs = 2; // of few elements two a thread are one more
        const bool sums = loaded && sizes.size() == 1 &&
                          is_of_sums_before(run.program(), run.kernel(), array, launch.parameters[sizes[0]]);
        const bool by_one = reached == n + 1 && !sums && !(loaded && begins_rows(array.name)) &&
                            (array.stores || (n > kPairs && loaded && is_data(run.program(), run.kernel(), array)));
        if (by_all || by_one) {
            found.push_back({p, reached - 1, n, of});
            continue;
        }
        // One past the last of as many elements a thread as the kernel's own bound lets begin. Of few the next thread's first may be
        // meant, too, as in fine[2 * i + 2].
        constexpr std::uint64_t kFew = 8;
        if (sizes.size() == 1 && n > kPairs && reached > kFew * n && (reached - 1) % n == 0 && !array.updates &&
            (array.stores || (loaded && is_data(run.program(), run.kernel(), array))) &&
            guards_threads(run.program(), run.kernel(), launch.parameters[sizes[0]]) &&
            elements_a_thread(run.program(), run.kernel(), array).contains((reached - 1) / n)) {
            found.push_back({p, reached - 1, reached - 1, fmt::format("{} * {}", of, (reached - 1) / n)});
        }
    }
    // What is stored past n, though nothing is loaded there, and other arrays have n: rows begin so, with the end of the last.
    for (PastTheEnd& it : found) {
        const auto loads = [&](std::uint32_t p) { return run.is_array(p) && launch.parameters[p].loads; };
        bool others = false, past = false;
        for (std::uint32_t p = 0; p < launch.parameters.size(); ++p) {
            others |= loads(p) && p != it.parameter;
            past |= loads(p) && (p == it.parameter || run.reached(p) > it.elements);
        }
        it.meant = sizes.size() == 1 && it.last == it.elements && !launch.parameters[it.parameter].loads && others &&
                   !past && stores_own(run.program(), run.kernel(), launch.parameters[it.parameter]);
    }
    // What thread n stores is made of what it loads: one mistake.
    const auto stores = [&](const PastTheEnd& f) { return launch.parameters[f.parameter].stores; };
    if (std::ranges::any_of(found, stores)) {
        std::erase_if(found, [&](const PastTheEnd& f) { return f.last == f.elements && !stores(f); });
    }
    return found;
}

namespace {
constexpr std::uint64_t kMostPastAnEdge = 16; // elements past the end

// Whether a thread of the first block loads less of an array than the same one of others, which all load alike: it is kept from what
// is before the array, as where a block also loads what is beside its own elements. The blocks divide the n elements.
bool first_block_loads_less(const Launch& launch, const std::string& array, std::uint64_t n) {
    const auto last = static_cast<std::uint32_t>(n / launch.block - 1);
    if (n % launch.block != 0 || last < 2 || !launch.in_window(0) || !launch.in_window(1) || !launch.in_window(last)) {
        return false;
    }
    std::vector<std::uint32_t> first(launch.block), second(launch.block), end(launch.block); // loads by thread
    for (const Request& r : launch.requests) {
        if (r.kind != AccessKind::global_load || r.allocation >= launch.allocations.size() ||
            launch.allocations[r.allocation].name != array || (r.block > 1 && r.block != last)) {
            continue;
        }
        std::vector<std::uint32_t>& loads = r.block == 0 ? first : r.block == 1 ? second : end;
        for (std::uint32_t lane = 0; lane < kWarpSize && r.warp * kWarpSize + lane < loads.size(); ++lane) {
            loads[r.warp * kWarpSize + lane] += r.mask >> lane & 1U;
        }
    }
    bool less = false;
    for (std::size_t t = 0; t < first.size(); ++t) {
        if (first[t] > second[t]) {
            return false;
        }
        less = less || first[t] < second[t];
    }
    return less && second == end;
}
} // namespace

bool passes_an_edge(const LaunchRun& run) {
    const KernelLaunch& called = run.launch();
    for (std::uint32_t p = 0; p < called.parameters.size(); ++p) {
        const compile::Parameter& array = called.parameters[p];
        if (array.loads && !array.stores && !array.updates && run.components(p) == 1 && run.reached(p) > called.n &&
            run.reached(p) <= called.n + kMostPastAnEdge && is_data(run.program(), run.kernel(), array)) {
            return true;
        }
    }
    return false;
}

std::vector<PastTheEnd> past_one_edge(const LaunchRun& run, const Launch& launch) {
    const KernelLaunch& called = run.launch();
    const std::uint64_t n = called.n, block = launch.block;
    std::vector<PastTheEnd> found;
    const std::uint32_t last_block = n == 0 ? 0 : static_cast<std::uint32_t>((n - 1) / block);
    const auto is_n = [](const ArgumentValue& a) { return a.text == "n"; };
    if (called.block[1] != 1 || !launch.in_window(0) || !launch.in_window(last_block) ||
        std::count_if(called.arguments.begin(), called.arguments.end(), is_n) != 1) {
        return found;
    }
    for (std::uint32_t p = 0; p < called.parameters.size(); ++p) {
        const compile::Parameter& array = called.parameters[p];
        const std::uint64_t reached = run.reached(p);
        if (!array.loads || array.stores || array.updates || run.components(p) != 1 || reached <= n ||
            reached > n + kMostPastAnEdge || !is_data(run.program(), run.kernel(), array)) {
            continue;
        }
        const auto loads_of = [&](std::uint64_t thread) {
            return std::count_if(launch.requests.begin(), launch.requests.end(), [&](const Request& r) {
                return r.kind == AccessKind::global_load && r.allocation < launch.allocations.size() &&
                       launch.allocations[r.allocation].name == array.name && r.block == thread / block &&
                       r.warp == thread % block / kWarpSize && (r.mask >> thread % block % kWarpSize & 1U) != 0;
            });
        };
        const bool by_thread = loads_of(0) < loads_of(n - 1);
        if (by_thread || first_block_loads_less(launch, array.name, n)) {
            found.push_back({p, reached - 1, n, "n", true, !by_thread});
        }
    }
    return found;
}

OtherLaunch past_the_end_of(const LaunchRun& run, const PastTheEnd& found) {
    const std::uint64_t n = run.launch().n;
    const compile::Parameter& array = run.launch().parameters[found.parameter];
    const std::string so =
        found.one_edge ? fmt::format("{} load {}[{}] to {}[{}]; the first ones are kept from what is before {}[0]",
                                     found.by_block ? "threads of the last block" : "the last threads", array.name, n,
                                     array.name, found.last, array.name)
        : found.last == found.elements
            ? fmt::format("the kernel {} {}[{}], one past the last", array.stores ? "stores to" : "loads", array.name,
                          found.last)
            : fmt::format("threads beyond {} load {}[{}] to {}[{}]; a guard as if (i < {}) keeps them out",
                          found.elements == n ? "n" : found.of, array.name, found.elements, array.name, found.last,
                          found.of);
    if (found.one_edge) { // of the launch that is shown
        return {.with = fmt::format("{} elements in {}", n, array.name),
                .found = "out of bounds (risk)",
                .rest = ": " + so};
    }
    if (found.meant) {
        return {.with = with_elements(n),
                .found = fmt::format("{} has to have {} + 1 elements", array.name, found.of),
                .rest = ", as " + so,
                .wrong = false,
                .n = n};
    }
    return {.with = with_elements(n),
            .found = "out of bounds (risk)",
            .rest = fmt::format(" if {} has {} elements: {}", array.name, found.of, so),
            .n = n};
}

} // namespace warptree::runs
