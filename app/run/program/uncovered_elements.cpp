#include "app/run/program/uncovered_elements.hpp"

#include "app/run/choice/each_instruction.hpp"
#include "app/run/choice/held_flow.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace warptree::runs {

namespace {
using compile::Opcode;
using compile::Parameter;

bool is_told_number(const Parameter& p) {
    return p.kind == Parameter::Kind::value && p.row != compile::kNone && !is_floating(p.element);
}

bool limits(Opcode op) {
    constexpr std::array kLimits{Opcode::smin32, Opcode::smin64, Opcode::umin32, Opcode::umin64,
                                 Opcode::smax32, Opcode::smax64, Opcode::umax32, Opcode::umax64};
    return is_order(op) || std::ranges::find(kLimits, op) != kLimits.end();
}

// Whether a number that the kernel is told is part of an index.
bool places(const compile::Program& program, const compile::Kernel& kernel, const Parameter& parameter) {
    bool found = false;
    follow_rows<1>(program, program.functions[kernel.function], {HeldRows({parameter.row})},
                   [&](std::array<HeldRows, 1>& held, const compile::Instruction& in, bool settled) {
                       HeldRows& its = held[0];
                       const bool accesses = in.op == Opcode::address || in.op == Opcode::load ||
                                             in.op == Opcode::store || in.op == Opcode::atomic;
                       // What a call is there for is not followed.
                       found = found || (settled && ((accesses && its.has(in.b)) || in.op == Opcode::call));
                       its.after(in, !accesses && !limits(in.op) && (its.has(in.a) || its.has(in.b)));
                   });
    return found;
}
} // namespace

bool alone_bound_threads(const compile::Program& program, const compile::Kernel& kernel,
                         const std::vector<std::size_t>& sizes) {
    std::set<std::uint32_t> numbers;
    for (const Parameter& p : kernel.parameters) {
        if (is_told_number(p)) {
            numbers.insert(p.row);
        }
    }
    enum : std::uint8_t { kOwn, kTold, kFirst, kSecond };
    const auto rows_of = [&](std::size_t k) {
        return k < sizes.size() ? HeldRows({kernel.parameters[sizes[k]].row}) : HeldRows();
    };
    std::array<bool, 2> bounds{sizes.empty(), sizes.size() < 2};
    bool another = false;
    follow_rows<4>(program, program.functions[kernel.function], {HeldRows(), HeldRows(numbers), rows_of(0), rows_of(1)},
                   [&](std::array<HeldRows, 4>& held, const compile::Instruction& in, bool settled) {
                       const auto compare = [&](std::uint32_t thread, std::uint32_t number) {
                           if (!settled || !limits(in.op) || !held[kOwn].has(thread) || held[kOwn].has(number) ||
                               !held[kTold].has(number)) {
                               return;
                           }
                           bool exact = false;
                           for (std::size_t k = 0; k < bounds.size(); ++k) {
                               exact = exact || held[kFirst + k].has(number);
                               bounds[k] = bounds[k] || held[kFirst + k].has(number);
                           }
                           another = another || !exact;
                       };
                       compare(in.a, in.b);
                       compare(in.b, in.a);
                       const bool moves = moves_a_number(in.op),
                                  loads = in.op == Opcode::load || in.op == Opcode::atomic, orders = is_order(in.op);
                       const auto either = [&](const HeldRows& rows) { return rows.has(in.a) || rows.has(in.b); };
                       const bool own = in.op == Opcode::special || (!loads && !orders && either(held[kOwn]));
                       held[kFirst].after(in, moves && held[kFirst].has(in.a));
                       held[kSecond].after(in, moves && held[kSecond].has(in.a));
                       held[kTold].after(in, !loads && !orders && !own && either(held[kTold]));
                       held[kOwn].after(in, own);
                   });
    return !another && bounds[0] && bounds[1];
}

bool ignores_numbers(const compile::Program& program, const compile::Kernel& kernel) {
    const auto uses = [&](const Parameter& p) { return is_told_number(p) && is_used(program, kernel, p); };
    const auto loops = [](const compile::Block& b) { return b.loop != compile::kNone; };
    return std::ranges::none_of(kernel.parameters, uses) &&
           std::ranges::none_of(program.functions[kernel.function].blocks, loops);
}

// It takes another part of the array: it begins inside it, is told where the other ended, or is the same kernel with another
// place in the array.
bool UncoveredElements::takes_rest(const compile::Program& program, const Suspect& of, const Asked& other) {
    if (std::ranges::find(other.used, of.array) == other.used.end()) {
        return false;
    }
    const auto place_of = [&](const Asked& asked) {
        const auto p = std::ranges::find(asked.used, of.array) - asked.used.begin();
        return asked.arguments[static_cast<std::size_t>(p)];
    };
    if (place_of(other) != place_of(of.by)) {
        return true;
    }
    const compile::Kernel& kernel = program.kernels[other.kernel];
    for (std::size_t p = 0; p < other.arguments.size(); ++p) {
        if (!is_told_number(kernel.parameters[p])) {
            continue;
        }
        const std::uint64_t number = other.arguments[p];
        const bool begins_there = std::ranges::find(of.ends, number) != of.ends.end();
        if (other.kernel == of.by.kernel ? number != of.by.arguments[p] && places(program, kernel, kernel.parameters[p])
                                         : begins_there && places(program, kernel, kernel.parameters[p])) {
            return true;
        }
    }
    return false;
}

void UncoveredElements::launched(const compile::Program& program, const Asked& asked) {
    if (asked_.size() < kMost) {
        asked_.insert(asked);
    }
    std::erase_if(left_, [&](const Suspect& s) { return takes_rest(program, s, asked); });
}

void UncoveredElements::suspect(const compile::Program& program, Suspect suspect) {
    const auto takes = [&](const Asked& other) { return takes_rest(program, suspect, other); };
    if (left_.size() < kMost && std::ranges::none_of(asked_, takes)) {
        left_.push_back(std::move(suspect));
    }
}

} // namespace warptree::runs
