#include "app/run/past_the_end.hpp"

#include "app/run/each_instruction.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warptree::runs {

namespace {
// Whether an integer that the kernel is told bounds or spaces its indices: it is compared with one, or multiplied by one, and not
// only with what the kernel loads, as a factor or a key is.
bool is_of_indices(const compile::Program& program, const compile::Kernel& kernel,
                   const compile::Parameter& parameter) {
    using compile::Opcode;
    HeldRows its({parameter.row}), loaded;
    bool used = false; // what is not may have been meant for a guard
    for (const compile::Instruction& in : program.functions[kernel.function].code) {
        const bool a = its.has(in.a), b = its.has(in.b), of_data = loaded.has(in.a);
        const bool combines = is_order(in.op) || in.op == Opcode::mul32 || in.op == Opcode::mul64 ||
                              in.op == Opcode::srem32 || in.op == Opcode::urem32 || in.op == Opcode::sdiv32 ||
                              in.op == Opcode::udiv32;
        used = used || ((a || b) && in.op != Opcode::ret && in.op != Opcode::watch);
        if (in.op == Opcode::call || // what it is there for is not followed
            (combines && ((a && !loaded.has(in.b)) || (b && !of_data)))) {
            return true;
        }
        const bool moves = moves_a_number(in.op);
        its.after(in, moves && a);
        loaded.after(in, in.op == Opcode::load || (moves && of_data));
    }
    return parameter.row == compile::kNone || !used;
}
} // namespace

std::vector<PastTheEnd> past_the_end(const LaunchRun& run) {
    std::vector<PastTheEnd> found;
    const KernelLaunch& launch = run.launch();
    std::vector<std::uint32_t> counts; // of several an array has the product
    for (std::uint32_t p = 0; p < launch.arguments.size(); ++p) {
        if (launch.arguments[p].text == "n") {
            counts.push_back(p);
        }
    }
    if (launch.block[1] != 1 || counts.size() != 1 ||
        !is_of_indices(run.program(), run.kernel(), launch.parameters[counts.front()])) {
        return found;
    }
    const std::uint64_t grid = simt::volume(launch.grid), threads = grid * simt::volume(launch.block);
    for (std::uint32_t p = 0; p < launch.parameters.size(); ++p) {
        const compile::Parameter& array = launch.parameters[p];
        if (run.components(p) != 1) { // of a float4, say: n may count these or their parts
            continue;
        }
        const std::uint64_t n = launch.n, reached = run.reached(p);
        const bool loaded = array.loads && !array.updates && (!array.stores || launch.arguments[p].guessed);
        // As many elements a block, and n ends within the last one's.
        const bool by_all = loaded && reached > n && reached % threads == 0 && reached - reached / grid < n;
        if (by_all || (array.stores && reached == n + 1)) {
            found.push_back({p, reached - 1});
        }
    }
    return found;
}

OtherLaunch past_the_end_of(const LaunchRun& run, const PastTheEnd& found) {
    const std::uint64_t n = run.launch().n;
    const compile::Parameter& array = run.launch().parameters[found.parameter];
    const std::string so =
        array.stores && found.last == n
            ? fmt::format("the kernel stores to {}[{}], one past the last", array.name, n)
            : fmt::format("threads beyond n load {}[{}] to {}[{}]; a guard as if (i < n) keeps them out", array.name, n,
                          array.name, found.last);
    return {.with = fmt::format("n = {}", n),
            .found = "out of bounds (risk)",
            .rest = fmt::format(" if {} has n elements: {}", array.name, so),
            .n = n};
}

} // namespace warptree::runs
