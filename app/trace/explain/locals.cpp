#include "app/trace/explain/locals.hpp"

#include "app/trace/explain/values.hpp"

#include <bit>

namespace warptree {

std::optional<LocalValue> local_value(const Launch& launch, std::string_view name, std::uint32_t line,
                                      std::uint32_t block, std::uint32_t thread, std::uint32_t step) {
    std::uint32_t variable = kNone;
    for (std::uint32_t v = 0; v < launch.variables.size(); ++v) {
        const Variable& it = launch.variables[v];
        const auto declared = [&](std::uint32_t of) { return launch.variables[of].line.line(); };
        const bool above = line == 0 || it.line.line() <= line;
        if (it.name == name && above && (variable == kNone || declared(v) >= declared(variable))) {
            variable = v;
        }
    }
    if (variable == kNone || step >= launch.steps.size() || !launch.in_window(block)) {
        return std::nullopt;
    }
    // The loop variable that labels the step advances at the step's end; its value during the step is used instead.
    const std::string label = ", " + launch.steps[step].label, sign = ", " + std::string(name) + " = ";
    if (const std::size_t at = label.find(sign); at != std::string::npos) { // "k = 4, j = 1 (2)"
        const std::size_t begin = at + sign.size();
        return LocalValue{label.substr(begin, label.find_first_of(" ,", begin) - begin), step, false};
    }
    const std::uint32_t lane = 1U << thread % kWarpSize;
    std::optional<LocalValue> found;
    for (const Watch& w : launch.watches) {
        if (w.variable != variable || w.block != block || w.warp != thread / kWarpSize || w.step > step ||
            (w.mask & lane) == 0 || (found && w.step < found->step)) {
            continue;
        }
        found = LocalValue{value_text(launch.variables[variable].type, launch.value_of(w, thread % kWarpSize)), w.step,
                           w.step < step};
    }
    return found;
}

} // namespace warptree
