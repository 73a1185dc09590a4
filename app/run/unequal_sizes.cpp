#include "app/run/unequal_sizes.hpp"

#include "app/run/block_elements.hpp"
#include "app/run/each_instruction.hpp"
#include "app/trace/explain/findings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warptree::runs {

namespace {
// Of numARows, numAColumns, numBRows, …: which side of a product of matrices each is, 0 to 2 for m, k, n in m x k times k x n is
// m x n. Empty: they are not named so.
std::vector<std::size_t> sides_of_a_product(const std::vector<std::string>& names) {
    std::vector<std::string> matrices;
    std::vector<std::size_t> sides;
    for (std::string name : names) {
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        bool row = false, named = false;
        for (const auto& [word, is_row] :
             {std::pair{"columns", false}, std::pair{"column", false}, std::pair{"cols", false},
              std::pair{"col", false}, std::pair{"width", false}, std::pair{"rows", true}, std::pair{"row", true},
              std::pair{"height", true}}) {
            if (const std::size_t at = name.find(word); at != std::string::npos && !named) {
                name.erase(at, std::string_view(word).size());
                row = is_row;
                named = true;
            }
        }
        if (name.starts_with("num")) {
            name.erase(0, 3);
        }
        std::erase(name, '_');
        if (!named || name.empty()) {
            return {};
        }
        auto matrix = std::ranges::find(matrices, name);
        if (matrix == matrices.end()) {
            matrices.push_back(name);
            matrix = matrices.end() - 1;
        }
        switch (matrix - matrices.begin()) {
        case 0: sides.push_back(row ? 0 : 1); break;
        case 1: sides.push_back(row ? 1 : 2); break;
        case 2: sides.push_back(row ? 0 : 2); break;
        default: return {};
        }
    }
    return matrices.size() < 2 ? std::vector<std::size_t>() : sides;
}

// The parameters that nobody stated and that are all n.
std::vector<std::uint32_t> sizes_of(const KernelLaunch& launch) {
    std::vector<std::uint32_t> sizes;
    for (std::uint32_t p = 0; p < launch.parameters.size(); ++p) {
        if (launch.parameters[p].kind == compile::Parameter::Kind::value && launch.arguments[p].chosen &&
            launch.arguments[p].text == "n") {
            sizes.push_back(p);
        }
    }
    return sizes;
}

// Whether an integer that the kernel is told is compared with something, as what bounds its indices is.
bool is_compared(const compile::Program& program, const compile::Kernel& kernel, const compile::Parameter& parameter) {
    HeldRows its({parameter.row});
    for (const compile::Instruction& in : program.functions[kernel.function].code) {
        const bool held = its.has(in.a);
        if (is_order(in.op) && (held || its.has(in.b))) {
            return true;
        }
        its.after(in, held && moves_a_number(in.op));
    }
    return false;
}

// The name of a result that has both rows and columns is held against a run in which each size is another. The grid is as wide
// as the largest, or as two of them. Whether it was told that the name does not hold.
bool tells_another_result(KernelAttempt& shown, Trace& trace) {
    constexpr std::array kShapes{"matri", "transpose", "each row", "each column", "two dimensions"};
    const auto has = [&](const char* word) { return trace.equals.find(word) != std::string::npos; };
    const std::vector<std::uint32_t> sizes = sizes_of(shown.first());
    std::vector<std::string> names;
    for (const std::uint32_t p : sizes) {
        names.push_back(shown.first().parameters[p].name);
    }
    const std::vector<std::size_t> sides = sides_of_a_product(names); // of which some are the same
    if (!shown.completed() || shown.options().backend != Backend::cpu || !shown.first().n_chosen || sizes.size() < 2 ||
        (sizes.size() > 3 && sides.empty()) || std::ranges::none_of(kShapes, has)) {
        return false;
    }
    const auto [x, y] = elements_of_blocks(shown.last().program(), shown.last().kernel()).strides;
    const bool flat = shown.first().block[1] == 1;
    const std::uint64_t unit =
        std::max<std::uint64_t>({x, y, flat ? 16 : shown.first().block[0], flat ? 16 : shown.first().block[1]});
    RunOptions o = shown.options();
    std::vector<std::string> with;
    std::vector<std::uint64_t> values;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        const std::uint64_t value = sides.empty() ? (sizes.size() - k) * unit : (3 - sides[k]) * unit;
        o.kernel.arguments[names[k]] = std::to_string(value);
        with.push_back(fmt::format("{} = {}", names[k], value));
        if (std::ranges::find(values, value) == values.end()) {
            values.push_back(value);
        }
    }
    std::sort(values.begin(), values.end(), std::greater<>());
    // Of one matrix all elements count.
    const bool all_count = sizes.size() == 2 && has("each") && shown.first().input != compile::kNone;
    bool told = false;
    // A grid that is too small does part of the work, and that right.
    const std::uint64_t least =
        values.back() * (has("transpose") || has("two dimensions") ? values[values.size() - 2] : 1);
    const auto keeps = [&] {
        Launch unseen;
        const auto run = shown.run_aside(o, shown.adjusted(), kFirstTries, unseen, values.front());
        told = told || run;
        return run && shown.results(*run) >= least &&
               !(all_count && run->reached(shown.first().input) != 0 &&
                 run->reached(shown.first().input) < values.front() * values.back()) &&
               Recognition(shown.seen(*run, run->output(shown.results(*run)), trace.tree.depth)).holds(trace.equals);
    };
    bool kept = keeps();
    const std::uint64_t wide = std::max<std::uint64_t>(x, shown.first().block[0]),
                        high = std::max<std::uint64_t>(y, shown.first().block[1]);
    for (std::size_t i = 0; i < values.size() && !flat; ++i) {
        for (std::size_t j = 0; j < values.size() && !kept; ++j) {
            o.kernel.grid = fmt::format("{},{}", (values[i] + wide - 1) / wide, (values[j] + high - 1) / high);
            kept = i != j && keeps();
        }
    }
    if (told && !kept) {
        trace.tried.push_back({.with = fmt::format("{}", fmt::join(with, ", ")),
                               .found = "not " + trace.equals,
                               .rest = ", which it is where all sizes are equal"});
    }
    return told && !kept;
}

// Of two sides that a kernel in two dimensions compares its indices with: where arrays of n * n elements are left if one side
// is twice the other, and they have a product of both.
void tell_mixed_sides(KernelAttempt& shown, Trace& trace) {
    const KernelLaunch& first = shown.first();
    const std::vector<std::uint32_t> sizes = sizes_of(first);
    const auto compared = [&](std::uint32_t p) {
        return is_compared(shown.last().program(), shown.last().kernel(), first.parameters[p]);
    };
    if (!shown.completed() || shown.options().backend != Backend::cpu ||
        shown.expected().kind != Expected::Kind::none || !first.n_chosen || first.block[1] == 1 || sizes.size() != 2 ||
        std::ranges::any_of(trace.launches.front().findings,
                            [](const Finding& f) { return f.severity == Severity::fault; }) ||
        !std::ranges::all_of(sizes, compared)) {
        return;
    }
    std::vector<std::uint32_t> planes;
    for (std::uint32_t p = 0; p < first.parameters.size(); ++p) {
        if (!first.arguments[p].stated && shown.last().is_array(p) && shown.last().components(p) == 1 &&
            shown.last().reached(p) == first.n * first.n) {
            planes.push_back(p);
        }
    }
    for (const bool wide : {false, true}) {
        const std::array<std::uint64_t, 2> sides{(wide ? 2 : 1) * first.n, (wide ? 1 : 2) * first.n};
        RunOptions o = shown.options();
        for (const std::size_t k : {0, 1}) {
            o.kernel.arguments[first.parameters[sizes[k]].name] = std::to_string(sides[k]);
        }
        Launch unseen;
        const auto run = shown.run_aside(o, shown.adjusted(), kFirstTries, unseen, 2 * first.n);
        if (!run) {
            return;
        }
        const std::uint64_t all = sides[0] * sides[1];
        for (const std::uint32_t p : planes) {
            const std::uint64_t reached = run->reached(p);
            if (reached <= all || reached == sides[0] * sides[0] || reached == sides[1] * sides[1]) {
                continue;
            }
            const std::string& array = first.parameters[p].name;
            o.kernel.arguments[array] = fmt::format("{}:{}", first.arguments[p].text, all);
            Launch ended;
            shown.run_aside(o, shown.adjusted(), kFirstTries, ended, 2 * first.n);
            const auto found = std::ranges::find_if(ended.findings, [&](const Finding& f) {
                return f.kind == FindingKind::out_of_bounds && f.array == array;
            });
            if (found == ended.findings.end()) {
                continue;
            }
            const std::string &x = first.parameters[sizes[0]].name, &y = first.parameters[sizes[1]].name;
            found->severity = Severity::risk;
            found->text =
                fmt::format("it may have only {} * {} elements, here {}: see whether a row's length and the guards "
                            "are those of the right side",
                            x, y, all);
            trace.tried.push_back(
                launched_with(fmt::format("{} = {}, {} = {}", x, sides[0], y, sides[1]), trace, ended, *found));
            return;
        }
    }
}
} // namespace

void try_unequal_sizes(KernelAttempt& shown, Trace& trace) {
    if (!tells_another_result(shown, trace)) {
        tell_mixed_sides(shown, trace);
    }
}

} // namespace warptree::runs
