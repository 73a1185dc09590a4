// Queries on a compiled program, for tests.
#pragma once

#include "app/compile/program/program.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace warptree::tests {

using Lines = std::set<unsigned>;

inline unsigned line_of(const compile::Program& p, std::uint32_t location) {
    return location < p.locations.size() ? p.locations[location].line : 0;
}

// The lines of the instructions that satisfy `wanted`, in all functions.
template <class F> Lines lines_where(const compile::Program& p, F&& wanted) {
    Lines lines;
    for (const compile::FunctionCode& f : p.functions)
        for (const compile::Instruction& in : f.code)
            if (wanted(in)) lines.insert(line_of(p, in.location));
    return lines;
}
template <class F> std::size_t count_where(const compile::Program& p, F&& wanted) {
    std::size_t count = 0;
    for (const compile::FunctionCode& f : p.functions)
        count += static_cast<std::size_t>(std::count_if(f.code.begin(), f.code.end(), wanted));
    return count;
}
inline std::size_t count_of(const compile::Program& p, compile::Opcode op) {
    return count_where(p, [&](const compile::Instruction& in) { return in.op == op; });
}

inline Lines combine_lines(const compile::Program& p) {
    return lines_where(p, [](const auto& in) { return (in.flags & compile::kCombines) != 0; });
}
inline Lines stage_lines(const compile::Program& p) {
    return lines_where(p, [](const auto& in) { return (in.flags & compile::kStage) != 0; });
}
inline Lines choice_lines(const compile::Program& p, bool stages_only = false) {
    Lines lines;
    for (const compile::Selection& s : p.selections)
        if (!stages_only || (s.flags & compile::kStage) != 0) lines.insert(line_of(p, s.location));
    return lines;
}
// Lines on which hand-unrolled steps begin, with "name=value" if the source distinguishes them.
inline std::vector<std::string> statements(const compile::Program& p) {
    std::vector<std::string> found;
    for (const compile::FunctionCode& f : p.functions)
        for (const compile::Statement& s : f.statements) {
            found.push_back(std::to_string(line_of(p, s.location)));
            if (!s.parameter.empty()) found.back() += " " + s.parameter + "=" + std::to_string(s.value);
        }
    return found;
}
// Names of the variables of loops; "-" for a loop without one. "*" marks those whose iterations are steps.
inline std::vector<std::string> loops(const compile::Program& p) {
    std::vector<std::string> found;
    for (const compile::Loop& l : p.loops)
        found.push_back((l.variable == compile::kNone ? "-" : p.variables[l.variable].name) + (l.stage ? "*" : ""));
    return found;
}
inline const compile::FunctionCode& function(const compile::Program& p, const std::string& name) {
    for (const compile::FunctionCode& f : p.functions)
        if (f.name == name) return f;
    throw std::runtime_error("no function " + name);
}
inline const compile::Parameter& parameter(const compile::Program& p, const std::string& kernel,
                                           const std::string& name) {
    for (const compile::Kernel& k : p.kernels)
        for (const compile::Parameter& parameter : k.parameters)
            if (k.name == kernel && parameter.name == name) return parameter;
    throw std::runtime_error("no parameter " + name);
}
inline std::string traps(const compile::Program& p) {
    std::string found;
    for (const std::string& text : p.texts) found += text + "\n";
    return found;
}

} // namespace warptree::tests
