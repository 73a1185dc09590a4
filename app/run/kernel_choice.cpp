#include "app/run/kernel_choice.hpp"

#include "app/base/error.hpp"
#include "app/base/printable.hpp"
#include "app/base/type_words.hpp"
#include "app/catalogue/launch_expression.hpp"
#include "app/run/kernel_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <vector>

namespace warptree::runs {

using catalogue::add_definitions;
using catalogue::add_parameters;
using catalogue::asked_block;
using catalogue::evaluate;
using catalogue::n_of;
using catalogue::Names;

using catalogue::KernelHeader;
using compile::kNone;
using compile::Program;

namespace {
// Chooses arguments for a kernel template's parameters: `type` for types, false for bool, else the block size.
std::string default_instance(const compile::KernelTemplate& t, std::uint32_t block, std::string_view type) {
    std::vector<std::string> values;
    for (const compile::KernelTemplate::Parameter& p : t.parameters) {
        if (!p.fallback.empty()) {
            break; // default arguments fill in the rest
        }
        const bool is_type = p.type.starts_with("typename") || p.type.starts_with("class");
        values.push_back(is_type ? std::string(type) : p.type == "bool" ? "false" : std::to_string(block));
    }
    return fmt::format("{}<{}>", t.name, fmt::join(values, ", "));
}

compile::Diagnostic error_of(const compile::RefusedKernel& kernel) {
    compile::Diagnostic error = kernel.why;
    error.severity = compile::Diagnostic::Severity::error;
    error.message = fmt::format("{} cannot run: {}", kernel.name, error.message);
    return error;
}

std::string plain(std::string_view text) {
    std::string out;
    std::copy_if(text.begin(), text.end(), std::back_inserter(out), [](char c) { return c != ' '; });
    return out;
}
std::string_view base_name(std::string_view name) { return name.substr(0, name.find('<')); }

// Threads per block, as far as known before the kernel is chosen: requested, from the header, else the usual ones. Of a block in
// several dimensions, its first side.
std::uint32_t expected_block(const KernelHeader& header, const RunOptions& options, unsigned dimensions) {
    if (const auto asked = asked_block(options)) {
        return *asked;
    }
    RunOptions side;
    for (const std::string& text : {options.kernel.block, header.launch ? header.launch->block : std::string()}) {
        side.kernel.block = text.substr(0, text.find(','));
        if (const auto first = asked_block(side)) {
            return *first;
        }
    }
    return header.block.value_or(dimensions == 1 ? options.kernel.usual_block : dimensions == 2 ? 16 : 8);
}

// "scan<exclusive, batch>" with the values of those names; anything that is not an expression stays as it is.
std::string instance_of(const std::string& kernel, const Names& names, std::string_view element) {
    const std::size_t open = kernel.find('<'), close = kernel.rfind('>');
    if (open == std::string::npos || close == std::string::npos || close < open) {
        return kernel;
    }
    std::vector<std::string> values;
    for (const std::string& argument : catalogue::listed(std::string_view(kernel).substr(open + 1, close - open - 1))) {
        try {
            values.push_back(std::to_string(evaluate(argument, names, element)));
        } catch (const OptionError&) {
            values.push_back(argument); // a type
        }
    }
    return fmt::format("{}<{}>", kernel.substr(0, open), fmt::join(values, ", "));
}
} // namespace

KernelChoice choose_kernel(const Program& program, const KernelHeader& header, const RunOptions& options,
                           unsigned dimensions, std::string_view type) {
    std::string wanted = options.kernel.kernel;
    const std::uint32_t block = expected_block(header, options, dimensions);
    if (wanted.empty() && header.launch) {
        Names names{{"B", block}, {"n", static_cast<std::int64_t>(n_of(header, options, 1024))}};
        add_parameters(names, header, options.parameters, static_cast<std::uint64_t>(names["n"]));
        add_definitions(names, header, c_name(options.type));
        wanted = instance_of(header.launch->kernel, names, c_name(options.type));
    }
    std::vector<std::string> names;
    for (const compile::Kernel& k : program.kernels) {
        names.push_back(k.name);
    }
    for (const compile::KernelTemplate& t : program.templates) {
        std::vector<std::string> parameters;
        for (const auto& p : t.parameters) {
            parameters.push_back(fmt::format("{} {}", p.type, p.name));
        }
        names.push_back(fmt::format("{}<{}>", t.name, fmt::join(parameters, ", ")));
    }
    const auto refused = [&](auto&& fits) {
        for (const compile::RefusedKernel& r : program.refused) {
            if (fits(r.name)) {
                throw SourceError({error_of(r)}, fmt::format("{} cannot run: {}", r.name, why_refused(r)));
            }
        }
    };
    if (names.empty()) {
        throw OptionError(
            "the file has no __global__ function; write one, as in __global__ void reduce(const float* in, "
            "float* out, int n)");
    }
    if (wanted.empty()) {
        if (!program.kernels.empty()) {
            const auto first = std::find_if(program.kernels.begin(), program.kernels.end(),
                                            [](const compile::Kernel& k) { return !k.shared.empty(); });
            const auto at = first == program.kernels.end() ? 0 : first - program.kernels.begin();
            return {static_cast<std::uint32_t>(at), {}, names.size() > 1};
        }
        return {kNone, default_instance(program.templates.front(), block, type), true};
    }
    for (std::uint32_t k = 0; k < program.kernels.size(); ++k) {
        if (plain(program.kernels[k].name) == plain(wanted)) {
            return {k, {}, false};
        }
    }
    refused([&](const std::string& name) { return plain(name) == plain(wanted); });
    for (std::uint32_t k = 0; k < program.kernels.size(); ++k) { // an instance that the file uses
        if (base_name(program.kernels[k].name) == wanted) {
            return {k, {}, true};
        }
    }
    for (const compile::KernelTemplate& t : program.templates) {
        if (t.name == base_name(wanted)) {
            const bool complete = wanted.find('<') != std::string::npos;
            return {kNone, complete ? wanted : default_instance(t, block, type), !complete};
        }
    }
    refused([&](const std::string& name) { return base_name(name) == base_name(wanted); });
    throw OptionError(fmt::format("the file has no kernel '{}'; it has {}", printable(wanted), fmt::join(names, "; ")));
}

} // namespace warptree::runs
