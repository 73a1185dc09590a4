#include "app/measure/gpu/file_timing.hpp"

#include "app/base/error.hpp"
#include "app/run/judge/expectation.hpp"
#include "app/run/kernel_launch.hpp"
#include "app/run/kernel_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

namespace warptree::runs {

using timing::Configuration;

RunOptions timed_options(const Configuration& what, const std::string& path, std::uint64_t seed) {
    RunOptions o;
    o.strategy = std::filesystem::path(path).filename().string();
    o.kernel.file = path;
    o.kernel.n_given = o.kernel.input_given = true;
    o.n = what.n;
    o.type = what.type;
    o.op = what.op;
    o.finish = what.finish;
    if (what.block != 0) {
        o.block = what.block;
    }
    if (what.grid != 0) {
        o.kernel.grid = std::to_string(what.grid);
    }
    o.parameters = what.parameters;
    o.input = InputKind::random;
    o.seed = seed;
    return o;
}

namespace {
// Every combination of the values given for the file's parameters; parameters without values keep their default.
std::vector<ParameterValues> combinations(const catalogue::KernelHeader& header, const timing::Axes& axes) {
    std::vector<ParameterValues> all{{}};
    for (const catalogue::ParameterText& p : header.parameters) {
        const auto given = axes.parameters.find(p.name);
        const std::vector<std::uint32_t> values =
            given == axes.parameters.end() ? std::vector{p.fallback} : given->second;
        std::vector<ParameterValues> next;
        for (const ParameterValues& so_far : all) {
            for (const std::uint32_t value : values) {
                next.push_back(so_far);
                next.back().insert_or_assign(p.name, value);
            }
        }
        all = std::move(next);
    }
    return all;
}
} // namespace

std::vector<timing::Planned> plan_file(const std::string& variant, const std::string& path, const timing::Axes& axes) {
    std::vector<timing::Planned> all;
    RunOptions first;
    first.kernel.file = path;
    const KernelSource source(first); // throws if the file is not a usable kernel
    const auto append = [&](Configuration c) {
        timing::Planned planned{c, {}};
        try {
            if (c.quantity == timing::Quantity::launch) {
                throw OptionError("empty kernels are timed in the grids of strategies");
            }
            const RunOptions o = timed_options(c, path, 1);
            KernelSource asked(o);
            const KernelSource::Compiled compiled = asked.compile(o, true);
            const KernelLaunch launch = choose_launch(*compiled.program, compiled.kernel, asked.header(), o);
            const std::uint32_t of = launch.input != compile::kNone ? launch.input : launch.output;
            const auto type = of == compile::kNone ? std::nullopt : element_of(launch.parameters[of].element);
            if (!type) {
                throw OptionError("its arrays have an element type that is not timed");
            }
            planned.what.type = *type;
            planned.what.block = static_cast<std::uint32_t>(simt::volume(launch.block));
            planned.what.op =
                expected_from(launch.expect, asked.has_operator() ? std::optional(c.op) : std::nullopt).op;
            if (launch.n != c.n) {
                throw OptionError(fmt::format("its n is {}", launch.n));
            }
        } catch (const Error& e) {
            planned.skipped = e.what();
        }
        const auto same = [&](const timing::Planned& p) { return p.what == planned.what; };
        if (std::none_of(all.begin(), all.end(), same)) {
            all.push_back(std::move(planned));
        }
    };
    const std::vector<Finish> own{source.finish()};
    for (const ElementType type : source.has_operator() ? axes.types : std::vector{axes.types.front()}) {
        for (const std::uint64_t n : axes.sizes) {
            for (const Operator op : source.has_operator() ? axes.ops : std::vector{axes.ops.front()}) {
                for (const timing::Quantity quantity : axes.quantities) {
                    for (const timing::Mode mode : axes.modes) {
                        for (const std::uint32_t block : axes.blocks.empty() ? std::vector{0U} : axes.blocks) {
                            for (const std::uint32_t grid : axes.grids.empty() ? std::vector{0U} : axes.grids) {
                                for (const Finish finish : axes.finishes.empty() ? own : axes.finishes) {
                                    for (ParameterValues& values : combinations(source.header(), axes)) {
                                        append({variant, n, block, grid, type, op, finish, std::move(values), mode,
                                                quantity});
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    return all;
}

timing::Traffic traffic_of(const RunOptions& o, const std::map<std::string, double>& reached) {
    KernelSource source(o);
    const KernelSource::Compiled compiled = source.compile(o, true);
    const KernelLaunch launch = choose_launch(*compiled.program, compiled.kernel, source.header(), o);
    const Expected expected = expected_from(launch.expect, source.has_operator() ? std::optional(o.op) : std::nullopt);
    const bool results = expected.kind != Expected::Kind::total && expected.kind != Expected::Kind::dot;
    timing::Traffic traffic;
    for (std::uint32_t p = 0; p < launch.parameters.size(); ++p) {
        const compile::Parameter& parameter = launch.parameters[p];
        if (parameter.kind != compile::Parameter::Kind::array) {
            continue;
        }
        const ArgumentValue& value = launch.arguments[p];
        const std::uint64_t each = std::max(1U, parameter.element_bytes / std::max(1U, parameter.components));
        const bool writes = parameter.stores || parameter.updates;
        if (p == launch.input) {
            traffic.read += launch.n * std::max(1U, parameter.components) * each;
        } else if (!writes && (parameter.loads || parameter.constant)) {
            traffic.read += value.count * each;
        }
        if (results && p == launch.output) {
            const auto known = reached.find(parameter.name);
            const std::uint64_t count =
                known == reached.end()
                    ? value.count
                    : static_cast<std::uint64_t>(std::ceil(known->second * static_cast<double>(launch.n)));
            traffic.written += launch.outputs.value_or(count) * each;
        }
    }
    return traffic;
}

} // namespace warptree::runs
