#include "app/run/choice/begun_maximum.hpp"

#include "app/run/choice/each_instruction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace warptree::runs {

namespace {
// The line of the first maximum of floating-point numbers that goes on, around a loop, from a constant that is not negative; 0: none.
std::uint32_t line_of_begun_maximum(const compile::Program& program, const compile::Kernel& kernel) {
    using compile::Opcode;
    const compile::FunctionCode& code = program.functions[kernel.function];
    HeldRows begun;
    for (const compile::Instruction& in : code.code) {
        for_each_move(program, in, [&](const compile::Move& move) {
            const auto constant = std::ranges::find(code.constants, move.src, &compile::Constant::row);
            if (constant != code.constants.end() && (constant->bits >> (constant->rows * 32U - 1) & 1U) == 0) {
                begun.add(move.dst);
            }
        });
    }
    for (const compile::Instruction& in : code.code) {
        const bool maximum =
            in.op == Opcode::fmax32 || in.op == Opcode::fmax64 || in.op == Opcode::fcmp32 || in.op == Opcode::fcmp64;
        if (maximum && (begun.has(in.a) || begun.has(in.b))) {
            return program.locations[in.location].line;
        }
    }
    return 0;
}

// The first result that is no finite number; nullopt: none, or they are integers.
std::optional<std::size_t> first_infinite(const Numbers& numbers) {
    const auto type = element_of(numbers.type);
    if (!type || !is_floating(*type)) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (!std::isfinite(Scalar{*type, numbers.bits[i]}.as_double())) {
            return i;
        }
    }
    return std::nullopt;
}
} // namespace

void try_begun_maximum(KernelAttempt& shown, Trace& trace) {
    const std::uint32_t in = shown.first().input, out = shown.first().output;
    if (!shown.completed() || shown.options().backend != Backend::cpu || trace.launches.size() != 1 ||
        shown.expected().kind != Expected::Kind::none || shown.adjusted().contents != Adjusted::Contents::usual ||
        in == compile::kNone || out == compile::kNone || !shown.first().arguments[in].guessed ||
        !is_floating(shown.first().parameters[in].element) || first_infinite(shown.output())) {
        return;
    }
    const std::uint32_t line = line_of_begun_maximum(shown.last().program(), shown.last().kernel());
    if (line == 0) {
        return;
    }
    // Small ones tell it from a root or logarithm of what is negative.
    const auto output = [&](Adjusted::Contents contents) -> std::optional<Numbers> {
        Adjusted other = shown.adjusted();
        other.contents = contents;
        Launch unseen;
        const auto run = shown.run_aside(other, kFirstTries, unseen);
        return run ? std::optional(run->output(shown.results(*run))) : std::nullopt;
    };
    const auto small = output(Adjusted::Contents::minus_one);
    const auto large = small && !first_infinite(*small) ? output(Adjusted::Contents::negative) : std::nullopt;
    if (const auto at = large ? first_infinite(*large) : std::nullopt) {
        const ElementType type = *element_of(large->type);
        trace.tried.push_back(
            {.with = shown.first().parameters[in].name + " = negative",
             .found = "not finite",
             .rest = fmt::format(": {}[{}] is {}, as what the maximum in line {} begins with is above all elements",
                                 shown.first().parameters[out].name, *at, to_string({type, large->bits[*at]}), line)});
    }
}

} // namespace warptree::runs
