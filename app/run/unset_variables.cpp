#include "app/run/unset_variables.hpp"
#include "app/simt/finding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace warptree::runs {

namespace {
// What clang says of one; none: it says something else.
std::optional<std::string> unset_name(const compile::Diagnostic& d) {
    constexpr std::string_view kBegin = "variable '";
    if (d.severity != compile::Diagnostic::Severity::warning || !d.message.starts_with(kBegin)) {
        return std::nullopt;
    }
    const std::string_view rest = std::string_view(d.message).substr(kBegin.size());
    const std::size_t end = rest.find('\'');
    const std::string_view what = end == std::string_view::npos ? "" : rest.substr(end + 1);
    if (!what.starts_with(" is uninitialized when used here") && !what.starts_with(" is used uninitialized whenever")) {
        return std::nullopt;
    }
    return std::string(rest.substr(0, end));
}

bool is_in_line(const compile::Program& program, std::uint32_t location, const compile::Diagnostic& d) {
    const compile::Location& l = program.locations[location];
    return l.line == d.line && l.file < program.files.size() && program.files[l.file].path == d.file;
}

// A location of the kernel's code in that line; 0: none.
std::uint32_t location_in(const compile::Program& program, const compile::Kernel& kernel,
                          const compile::Diagnostic& d) {
    for (const compile::Instruction& i : program.functions[kernel.function].code) {
        if (is_in_line(program, i.location, d)) {
            return i.location;
        }
    }
    return 0;
}
// Whether the use that the note after the warning tells of hands a value on by __shfl_sync, as after
// if (lane == 0) base = atomicAdd(...): only the values of lanes that are read from matter. That these are the ones that have set
// it is not looked for.
bool is_handed_on(const compile::Program& program, const compile::Kernel& kernel, std::size_t warning) {
    bool broadcast = false;
    for (std::size_t k = warning + 1; k < program.diagnostics.size(); ++k) {
        const compile::Diagnostic& note = program.diagnostics[k];
        if (note.severity != compile::Diagnostic::Severity::note) {
            break;
        }
        if (!note.message.starts_with("uninitialized use")) {
            continue;
        }
        for (const compile::Instruction& i : program.functions[kernel.function].code) {
            if (i.op == compile::Opcode::shuffle && is_in_line(program, i.location, note)) {
                const auto mode = static_cast<compile::ShuffleMode>(program.exchanges[i.c].mode);
                if (mode != compile::ShuffleMode::index) {
                    return false;
                }
                broadcast = true;
            }
        }
    }
    return broadcast;
}
} // namespace

void tell_unset(const compile::Program& program, const compile::Kernel& kernel, Launch& launch) {
    for (std::size_t k = 0; k < program.diagnostics.size(); ++k) {
        const compile::Diagnostic& d = program.diagnostics[k];
        const std::optional<std::string> name = unset_name(d);
        if (!name || is_handed_on(program, kernel, k)) {
            continue;
        }
        const std::uint32_t location = location_in(program, kernel, d);
        if (location == 0) {
            continue;
        }
        const bool always = d.message.find("when used here") != std::string::npos;
        Finding f;
        f.kind = FindingKind::uninitialised;
        f.severity = Severity::risk;
        f.line = simt::line_at(program, location);
        f.text = *name + (always ? " is used" : " may be used");
        launch.findings.push_back(std::move(f));
    }
}

} // namespace warptree::runs
