#include "app/run/tries/unequal_sizes.hpp"

#include "app/run/choice/block_elements.hpp"
#include "app/run/choice/each_instruction.hpp"
#include "app/run/choice/integer_role.hpp"
#include "app/run/tries/past_the_end.hpp"
#include "app/trace/explain/findings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
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

// Whether it is how far apart rows lie, which is no less than what is in one.
bool is_a_pitch(std::string_view name) {
    constexpr std::array<std::string_view, 6> kWords{"pitch", "Pitch", "lda", "ldb", "ldc", "ld"};
    return std::ranges::any_of(kWords, [&](std::string_view w) { return name.ends_with(w); });
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

// Whether an integer that the kernel is told, or that one and a constant, is compared with something, as what bounds its indices is.
bool is_compared(const compile::Program& program, const compile::Kernel& kernel, const compile::Parameter& parameter) {
    const auto& constants = program.functions[kernel.function].constants;
    const auto with_a_constant = [&](const compile::Instruction& in) {
        const auto constant = [&](std::uint32_t row) {
            return std::ranges::find(constants, row, &compile::Constant::row) != constants.end();
        };
        return (in.op == compile::Opcode::add32 || in.op == compile::Opcode::sub32) && constant(in.b);
    };
    HeldRows its({parameter.row});
    for (const compile::Instruction& in : program.functions[kernel.function].code) {
        const bool held = its.has(in.a);
        if (is_order(in.op) && (held || its.has(in.b))) {
            return true;
        }
        its.after(in, held && (moves_a_number(in.op) || with_a_constant(in)));
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
        (sizes.size() > 3 && sides.empty()) || std::ranges::none_of(kShapes, has) ||
        std::ranges::any_of(names, is_a_pitch)) { // what lies between rows is no part of a result
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

// Sizes that are one: "in.w" and "out.w" of two structures.
struct Side {
    std::string name;
    std::vector<std::uint32_t> parameters;
};
std::vector<Side> sides_of(const KernelLaunch& launch) {
    std::vector<Side> sides;
    for (const std::uint32_t p : sizes_of(launch)) {
        const compile::Parameter& parameter = launch.parameters[p];
        const std::string name =
            parameter.record == compile::kNone ? parameter.name : parameter.name.substr(parameter.name.rfind('.') + 1);
        const auto same = std::ranges::find(sides, name, &Side::name);
        if (same == sides.end() || parameter.record == compile::kNone) {
            sides.push_back({name, {p}});
        } else {
            same->parameters.push_back(p);
        }
    }
    return sides;
}

bool has_fault(const Trace& trace) {
    const auto& found = trace.launches.front().findings;
    return std::ranges::any_of(found, [](const Finding& f) { return f.severity == Severity::fault; });
}

// Of two or three sides that a kernel in two dimensions compares its indices with: where arrays that have an element for each of
// their product are left if one side is twice the others, or threads then meet that did not.
void tell_mixed_sides(KernelAttempt& shown, Trace& trace) {
    const KernelLaunch& first = shown.first();
    std::vector<Side> sides = sides_of(first);
    const auto compared = [&](const Side& side) {
        const compile::Parameter& parameter = first.parameters[side.parameters.front()];
        return parameter.record != compile::kNone ||
               is_compared(shown.last().program(), shown.last().kernel(), parameter);
    };
    if (!shown.completed() || shown.options().backend != Backend::cpu ||
        shown.expected().kind != Expected::Kind::none || !first.n_chosen || first.block[1] == 1 || sides.size() < 2 ||
        sides.size() > 3 || has_fault(trace) || !std::ranges::all_of(sides, compared)) {
        return;
    }
    const auto reaching = [&](std::uint64_t elements) {
        std::vector<std::uint32_t> arrays;
        for (std::uint32_t p = 0; p < first.parameters.size(); ++p) {
            if (!first.arguments[p].stated && shown.last().is_array(p) && shown.last().components(p) == 1 &&
                shown.last().reached(p) == elements) {
                arrays.push_back(p);
            }
        }
        return arrays;
    };
    const std::uint64_t n = first.n;
    if (sides.size() == 3 && reaching(n * n * n).empty()) { // one of them counts something else
        std::erase_if(sides, [&](const Side& side) {
            return !guards_threads(shown.last().program(), shown.last().kernel(),
                                   first.parameters[side.parameters.front()]);
        });
        if (sides.size() != 2) {
            return;
        }
    }
    const std::uint64_t whole = sides.size() == 2 ? n * n : n * n * n, all = 2 * whole;
    const std::vector<std::uint32_t> planes = reaching(whole);
    std::vector<std::string> names;
    for (const Side& side : sides) {
        names.push_back(side.name);
    }
    for (std::size_t longer = sides.size(); longer-- > 0;) {
        RunOptions o = shown.options();
        std::vector<std::string> with;
        for (std::size_t k = 0; k < sides.size(); ++k) {
            const std::uint64_t size = k == longer ? 2 * n : n;
            with.push_back(fmt::format("{} = {}", names[k], size));
            for (const std::uint32_t p : sides[k].parameters) {
                o.kernel.arguments[first.parameters[p].name] = std::to_string(size);
            }
        }
        for (std::uint32_t p = 0; p < first.parameters.size(); ++p) { // what follows from n, as a pitch, stays
            const ArgumentValue& argument = first.arguments[p];
            if (first.parameters[p].kind == compile::Parameter::Kind::value && argument.chosen &&
                argument.text != "n" && first.parameters[p].element != ValueType::none) {
                o.kernel.arguments[first.parameters[p].name] = argument.text;
            }
        }
        Launch unseen;
        const auto run = shown.run_aside(o, shown.adjusted(), kFirstTries, unseen, 2 * n);
        if (!run) {
            return;
        }
        for (const std::uint32_t p : planes) {
            const std::uint64_t reached = run->reached(p);
            if (reached <= all || (sides.size() == 2 && reached == 4 * whole)) { // a square of the longer side
                continue;
            }
            const std::string& array = first.parameters[p].name;
            o.kernel.arguments[array] = fmt::format("{}:{}", first.arguments[p].text, all);
            Launch ended;
            shown.run_aside(o, shown.adjusted(), kFirstTries, ended, 2 * n);
            const auto found = std::ranges::find_if(ended.findings, [&](const Finding& f) {
                return f.kind == FindingKind::out_of_bounds && f.array == array;
            });
            if (found == ended.findings.end()) {
                continue;
            }
            found->severity = Severity::risk;
            found->text =
                fmt::format("it may have only {} elements, here {}: see whether a row's length and the guards "
                            "are those of the right side",
                            fmt::join(names, " * "), all);
            trace.tried.push_back(launched_with(fmt::format("{}", fmt::join(with, ", ")), trace, ended, *found));
            return;
        }
    }
}

// A size that the kernel takes and does not use keeps no thread within it, where fewer sizes do than there are dimensions.
void tell_unused_sizes(const KernelAttempt& shown, Trace& trace) {
    const KernelLaunch& first = shown.first();
    const std::vector<std::uint32_t> sizes = sizes_of(first);
    const auto guards = [&](std::uint32_t p) {
        return guards_threads(shown.last().program(), shown.last().kernel(), first.parameters[p]);
    };
    const auto guarded = std::count_if(sizes.begin(), sizes.end(), guards);
    if (!shown.completed() || shown.expected().kind != Expected::Kind::none || guarded == 0 ||
        guarded >= std::count_if(first.block.begin(), first.block.end(), [](std::uint32_t side) { return side > 1; })) {
        return;
    }
    for (const std::uint32_t p : sizes) {
        const compile::Parameter& size = first.parameters[p];
        if (size.record == compile::kNone && !is_used(shown.last().program(), shown.last().kernel(), size)) {
            trace.tried.push_back({.with = fmt::format("{} = {}", size.name, first.n / 2),
                                   .found = "the same",
                                   .rest = fmt::format(", as the kernel does not use {}: nothing keeps its threads "
                                                       "within it",
                                                       size.name),
                                   .wrong = false});
        }
    }
}
} // namespace

void try_unequal_sizes(KernelAttempt& shown, Trace& trace) {
    if (!tells_another_result(shown, trace) && !rows_are_longer(shown.last().program(), shown.last().kernel())) {
        tell_mixed_sides(shown, trace);
    }
    tell_unused_sizes(shown, trace);
}

} // namespace warptree::runs
