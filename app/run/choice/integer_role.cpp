#include "app/run/choice/integer_role.hpp"

#include "app/run/choice/each_instruction.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <string>

namespace warptree::runs {

namespace {
// "maskwidth" of Mask_Width.
std::string lower_letters(std::string_view parameter) {
    std::string name;
    for (const char c : parameter) {
        if (c != '_') {
            name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
    }
    return name;
}

bool is_a_window(const std::string& name) {
    for (const std::string_view window : {"mask", "filter", "kernel", "window", "k"}) {
        for (const std::string_view side : {"size", "width", "height", "length", "len", "dim"}) {
            if (name.ends_with(std::string(window) + std::string(side)) &&
                (window != "k" || name.size() == window.size() + side.size())) {
                return true;
            }
        }
    }
    return false;
}

IntegerRole role_by_name(std::string_view parameter) {
    constexpr std::array<std::string_view, 5> kDistances{"stride", "offset", "distance", "step", "shift"};
    constexpr std::array<std::string_view, 8> kTurns{"pivot", "pivotrow", "pivotcol", "phase",
                                                     "pass",  "level",    "diagonal", "turn"};
    constexpr std::array<std::string_view, 10> kTimes{"iters",  "iterations", "niter",   "niters", "sweeps",
                                                      "epochs", "timesteps",  "repeats", "reps",   "rounds"};
    const std::string name = lower_letters(parameter);
    if (name.ends_with("radius")) {
        return IntegerRole::radius;
    }
    if (is_a_window(name)) {
        return IntegerRole::window;
    }
    if (std::any_of(kDistances.begin(), kDistances.end(), [&](std::string_view d) { return name.ends_with(d); })) {
        return IntegerRole::distance;
    }
    if (std::any_of(kTimes.begin(), kTimes.end(), [&](std::string_view t) { return name.ends_with(t); }) &&
        !name.starts_with("max")) { // which is a bound
        return IntegerRole::times;
    }
    return std::find(kTurns.begin(), kTurns.end(), name) != kTurns.end() ? IntegerRole::turn : IntegerRole::elements;
}

// What is done with one number that the kernel is told, or with its sum with what all threads know.
struct Uses {
    bool bounds = false;   // an index is compared with it, as with what it must not reach
    bool guards = false;   // that index is the number of a thread
    bool edges = false;    // that is compared with one less
    bool rows = false;     // what differs between threads is multiplied by it
    bool shortens = false; // it is taken from another number that the kernel is told
    bool spaces = false;   // what differs between threads is multiplied or divided by it, or counted down from it
    bool shifts = false;   // a number is shifted by it
    bool rests = false;    // a number is shifted by what it leaves of a width
    bool places = false;   // it is part of an index
    bool wraps = false;    // of which the remainder is taken
    bool bytes = false;    // that counts bytes of larger elements
    bool windows = false;  // a loop from a thread's own element on is as long
    bool before = false;   // it is taken from a thread's own number
    bool behind = false;   // it is added to that
    bool unseen = false;   // a function that is not part of the kernel's own code uses it
};

Uses uses_of(const compile::Program& program, const compile::Kernel& kernel, const compile::Parameter& parameter) {
    using compile::Opcode;
    constexpr std::array kSums{Opcode::add32, Opcode::add64}, kProducts{Opcode::mul32, Opcode::mul64};
    constexpr std::array kDifferences{Opcode::sub32, Opcode::sub64, Opcode::xor32, Opcode::xor64};
    constexpr std::array kShifts{Opcode::shl32,  Opcode::shl64,  Opcode::lshr32,
                                 Opcode::lshr64, Opcode::ashr32, Opcode::ashr64};
    constexpr std::array kLimits{Opcode::sle32,  Opcode::sle64,  Opcode::ule32,  Opcode::ule64,
                                 Opcode::smin32, Opcode::smin64, Opcode::umin32, Opcode::umin64,
                                 Opcode::smax32, Opcode::smax64, Opcode::umax32, Opcode::umax64};
    constexpr std::array kParts{Opcode::sdiv32, Opcode::sdiv64, Opcode::udiv32, Opcode::udiv64, Opcode::srem32,
                                Opcode::srem64, Opcode::urem32, Opcode::urem64, Opcode::and32,  Opcode::and64};
    constexpr std::array kRemainders{Opcode::srem32, Opcode::srem64, Opcode::urem32, Opcode::urem64};
    constexpr std::array kAccesses{Opcode::address, Opcode::load, Opcode::store, Opcode::atomic};
    const auto is = [](const auto& these, Opcode op) { return std::ranges::find(these, op) != these.end(); };
    std::set<std::uint32_t> numbers;
    for (const compile::Parameter& p : kernel.parameters) {
        if (p.kind == compile::Parameter::Kind::value) {
            numbers.insert(p.row);
        }
    }
    const HeldRows told(numbers);
    for (const compile::Constant& c : program.functions[kernel.function].constants) {
        numbers.insert(c.row);
    }
    const auto& constants = program.functions[kernel.function].constants;
    const auto is_constant = [&](std::uint32_t row) {
        return std::ranges::find(constants, row, &compile::Constant::row) != constants.end();
    };
    const auto is_negative = [&](std::uint32_t row) {
        const auto constant = std::ranges::find(constants, row, &compile::Constant::row);
        return constant != constants.end() && (constant->bits >> (constant->rows * 32U - 1) & 1U) != 0;
    };
    Uses uses;
    HeldRows counters; // of the loops that it bounds; where a loop ends is read after what it does
    for (int time = 0; time < 2; ++time) {
        HeldRows own; // the number of a thread, of which a row's length is no factor
        HeldRows its({parameter.row}), same(numbers), sums({parameter.row}), rests; // same: in all threads
        HeldRows less;                                                              // n - 1
        for (const compile::Instruction& in : program.functions[kernel.function].code) {
            const bool a = its.has(in.a), b = its.has(in.b), all_same = same.has(in.a) && same.has(in.b);
            const bool products = is(kProducts, in.op), adds = is(kSums, in.op), differences = is(kDifferences, in.op);
            uses.shifts |= b && is(kShifts, in.op);
            uses.rests |= rests.has(in.b) && is(kShifts, in.op);
            uses.bounds |= ((b || less.has(in.b)) && is_order(in.op)) || ((a || b) && is(kLimits, in.op)) ||
                           (less.has(in.a) && is_order(in.op) && own.has(in.b));
            uses.guards |= is_order(in.op) && ((a && own.has(in.b)) || (b && own.has(in.a)));
            uses.edges |= is_order(in.op) && ((less.has(in.a) && own.has(in.b)) || (less.has(in.b) && own.has(in.a)));
            uses.rows |= products && ((a && !same.has(in.b)) || (b && !same.has(in.a)));
            uses.shortens |= (in.op == Opcode::sub32 || in.op == Opcode::sub64) && b && !a && told.has(in.a);
            uses.spaces |= (products && ((a && !same.has(in.b)) || (b && !same.has(in.a)))) ||
                           (a && differences && !same.has(in.b)) || ((a || b) && is(kParts, in.op));
            uses.places |= is(kAccesses, in.op) && sums.has(in.b);
            uses.wraps |= is(kRemainders, in.op) && sums.has(in.a);
            uses.bytes |= in.op == Opcode::address && sums.has(in.b) && program.accesses[in.c].scale == 1;
            uses.unseen |= in.op == Opcode::call;
            uses.before |= (in.op == Opcode::sub32 || in.op == Opcode::sub64) && b && own.has(in.a);
            uses.behind |= adds && ((a && own.has(in.b)) || (b && own.has(in.a)));
            if (is_order(in.op) && b && !own.has(in.a)) {
                counters.add(in.a);
            }
            uses.windows |= adds && ((counters.has(in.a) && own.has(in.b)) || (counters.has(in.b) && own.has(in.a)));
            const bool moves = moves_a_number(in.op);
            const bool sum = sums.has(in.a) || sums.has(in.b);
            const bool subtracts = in.op == Opcode::sub32 || in.op == Opcode::sub64;
            less.after(in, (moves && less.has(in.a)) || (subtracts && a && is_constant(in.b)) ||
                               (adds && ((a && is_negative(in.b)) || (b && is_negative(in.a)))));
            its.after(in, (moves && a) || ((adds || products) && (a || b) && all_same));
            rests.after(in, (moves && rests.has(in.a)) || (differences && b));
            same.after(in, (moves && same.has(in.a)) || ((products || adds || differences) && all_same));
            counters.after(in, moves && counters.has(in.a));
            own.after(in, in.op == Opcode::special || (in.op != Opcode::load && (own.has(in.a) || own.has(in.b)) &&
                                                       !(products && (same.has(in.a) || same.has(in.b)))));
            sums.after(in, (moves && sums.has(in.a)) || ((products || adds) && sum));
            for_each_move(program, in, [&](const compile::Move& move) {
                own.after(move);
                if (counters.has(move.src)) { // around the loop; its first value comes from elsewhere
                    counters.add(move.dst);
                }
            });
        }
    }
    return uses;
}
} // namespace

IntegerRole role_of(const compile::Program& program, const compile::Kernel& kernel,
                    const compile::Parameter& parameter) {
    if (parameter.row == compile::kNone || parameter.record != compile::kNone) {
        return role_by_name(parameter.name);
    }
    const Uses uses = uses_of(program, kernel, parameter);
    if ((uses.shifts || uses.rests) && !uses.bounds && !uses.unseen) {
        return uses.rests ? IntegerRole::digits : IntegerRole::shift;
    }
    const auto larger = [](const compile::Parameter& p) {
        return p.kind != compile::Parameter::Kind::array || p.element_bytes > 1;
    };
    if (uses.bytes && uses.spaces && !uses.bounds && !uses.unseen && std::ranges::all_of(kernel.parameters, larger)) {
        return IntegerRole::pitch;
    }
    const IntegerRole by_name = role_by_name(parameter.name);
    const auto counts = [&](const compile::Parameter& p) { // another number says how many elements there are
        if (p.kind != compile::Parameter::Kind::value || p.row == parameter.row || p.row == compile::kNone ||
            bytes(p.element) < 4 || is_floating(p.element)) {
            return false;
        }
        const Uses others = uses_of(program, kernel, p);
        return others.bounds || others.spaces;
    };
    constexpr std::array<std::string_view, 4> kSides{"row", "col", "width", "height"}; // of a matrix
    const std::string name = lower_letters(parameter.name);
    const bool side =
        std::ranges::any_of(kSides, [&](std::string_view s) { return name.find(s) != std::string::npos; });
    const bool window =
        !side && uses.windows && !uses.guards && !uses.spaces && !uses.shifts && !uses.places && !uses.unseen;
    if (by_name == IntegerRole::elements && window && std::ranges::any_of(kernel.parameters, counts)) {
        return IntegerRole::window;
    }
    if (by_name == IntegerRole::elements && !side && uses.shortens && !uses.guards && !uses.edges && !uses.shifts &&
        !uses.unseen && std::ranges::any_of(kernel.parameters, counts)) {
        return IntegerRole::window;
    }
    if (by_name == IntegerRole::elements && !side && uses.before && uses.behind && !uses.guards && !uses.edges &&
        !uses.rows && !uses.shifts && !uses.unseen && std::ranges::any_of(kernel.parameters, counts)) {
        return IntegerRole::radius;
    }
    if (by_name == IntegerRole::elements && uses.wraps && !uses.bounds && !uses.spaces && !uses.unseen) {
        return IntegerRole::distance;
    }
    const bool place = uses.places && !uses.bounds && !uses.spaces && !uses.shifts && !uses.unseen;
    return by_name == IntegerRole::elements && place && std::ranges::any_of(kernel.parameters, counts)
               ? IntegerRole::place
               : by_name;
}

bool guards_threads(const compile::Program& program, const compile::Kernel& kernel,
                    const compile::Parameter& parameter) {
    return parameter.row != compile::kNone && uses_of(program, kernel, parameter).guards;
}

bool says_a_row(const compile::Program& program, const compile::Kernel& kernel, const compile::Parameter& parameter) {
    using compile::Opcode;
    if (parameter.row == compile::kNone || parameter.record != compile::kNone) {
        return false;
    }
    std::set<std::uint32_t> numbers;
    for (const compile::Parameter& p : kernel.parameters) {
        if (p.kind == compile::Parameter::Kind::value && p.row != parameter.row && !is_floating(p.element)) {
            numbers.insert(p.row);
        }
    }
    HeldRows its({parameter.row}), others(numbers);
    for (const compile::Instruction& in : program.functions[kernel.function].code) {
        if ((in.op == Opcode::mul32 || in.op == Opcode::mul64) &&
            ((its.has(in.a) && others.has(in.b)) || (its.has(in.b) && others.has(in.a)))) {
            return true;
        }
        its.after(in, moves_a_number(in.op) && its.has(in.a));
        others.after(in, moves_a_number(in.op) && others.has(in.a));
    }
    return false;
}

bool spaces_rows(const compile::Program& program, const compile::Kernel& kernel, const compile::Parameter& parameter) {
    using compile::Opcode;
    if (parameter.row == compile::kNone || parameter.record != compile::kNone) {
        return false;
    }
    const compile::FunctionCode& code = program.functions[kernel.function];
    std::set<std::uint32_t> constants;
    for (const compile::Constant& c : code.constants) {
        constants.insert(c.row);
    }
    std::set<std::uint32_t> given = constants; // and other parameters
    for (const compile::Parameter& p : kernel.parameters) {
        given.insert(p.row);
    }
    HeldRows its({parameter.row}), known(given); // known: those, the numbers and sizes of blocks, and multiples
    for (const compile::Instruction& in : code.code) {
        if ((in.op == Opcode::mul32 || in.op == Opcode::mul64) &&
            ((its.has(in.a) && !known.has(in.b)) || (its.has(in.b) && !known.has(in.a)))) {
            return true;
        }
        const bool moves = moves_a_number(in.op);
        its.after(in, moves && its.has(in.a));
        const bool scales = (in.op == Opcode::mul32 || in.op == Opcode::mul64) && known.has(in.a) &&
                            (constants.contains(in.b) || constants.contains(in.a)) && known.has(in.b);
        known.after(in, in.op == Opcode::special || scales || (moves && known.has(in.a)));
    }
    return false;
}

std::uint64_t elements_each(const compile::Program& program, const compile::Kernel& kernel,
                            const compile::Parameter& parameter, unsigned dimension) {
    using compile::Opcode;
    const auto number = dimension == 0 ? compile::Special::block_x : compile::Special::block_y,
               width = dimension == 0 ? compile::Special::block_size_x : compile::Special::block_size_y;
    constexpr std::uint64_t kMost = 1024;
    const auto& constants = program.functions[kernel.function].constants;
    const auto value = [&](std::uint32_t row) {
        const auto constant = std::ranges::find(constants, row, &compile::Constant::row);
        return constant == constants.end() ? 0 : constant->bits;
    };
    if (parameter.row == compile::kNone || parameter.record != compile::kNone) {
        return 1;
    }
    HeldRows its({parameter.row}), of_grid,
        widths; // of_grid: made of the block's number; widths: what that is multiplied by
    std::map<std::uint32_t, std::uint64_t> multiples; // by row
    std::uint64_t most = 1;
    for (const compile::Instruction& in : program.functions[kernel.function].code) {
        const auto multiple = [&](std::uint32_t row) {
            const auto it = multiples.find(row);
            return it == multiples.end() ? 0 : it->second;
        };
        if (is_order(in.op)) {
            most = std::max({most, of_grid.has(in.a) ? multiple(in.b) : 0, of_grid.has(in.b) ? multiple(in.a) : 0});
        }
        const bool shifts = in.op == Opcode::shl32 || in.op == Opcode::shl64;
        const bool multiplies = in.op == Opcode::mul32 || in.op == Opcode::mul64, moves = moves_a_number(in.op);
        const bool adds =
            in.op == Opcode::add32 || in.op == Opcode::add64 || in.op == Opcode::or32 || in.op == Opcode::or64;
        constexpr std::uint64_t kMostBits = 10;
        const std::uint64_t by = shifts && its.has(in.a) && value(in.b) <= kMostBits ? std::uint64_t{1} << value(in.b)
                                 : multiplies && its.has(in.a)                       ? value(in.b)
                                 : multiplies && its.has(in.b)                       ? value(in.a)
                                 : moves                                             ? multiple(in.a)
                                                                                     : 0;
        const auto is_width = [&](std::uint32_t row) { return widths.has(row) || value(row) != 0; };
        const bool special = in.op == Opcode::special;
        const auto what = static_cast<compile::Special>(in.c);
        of_grid.after(
            in, (special && what == number) || ((moves || shifts) && of_grid.has(in.a)) ||
                    (adds && (of_grid.has(in.a) || of_grid.has(in.b))) ||
                    (multiplies && ((of_grid.has(in.a) && is_width(in.b)) || (of_grid.has(in.b) && is_width(in.a)))));
        widths.after(in, (special && what == width) || (moves && widths.has(in.a)));
        its.after(in, moves && its.has(in.a));
        if (in.op != Opcode::store) {
            multiples.erase(in.dst);
        }
        if (by > 1 && by <= kMost) {
            multiples[in.dst] = by;
        }
        for_each_move(program, in, [&](const compile::Move& move) {
            if (of_grid.has(move.src)) { // around a loop, too
                of_grid.add(move.dst);
            }
        });
    }
    return most;
}

} // namespace warptree::runs
