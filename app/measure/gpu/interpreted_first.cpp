#include "app/measure/gpu/interpreted_first.hpp"

#include "app/base/error.hpp"
#include "app/run/kernel_run.hpp"
#include "app/trace/explain/findings.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warptree::runs {

namespace {
constexpr std::uint64_t kFirstElements = 4096;
}

std::map<std::string, double> reached_in(const Trace& trace) {
    std::map<std::string, double> reached;
    for (const Allocation& a : trace.launches.front().allocations) {
        if (a.reached != 0) {
            reached[a.name] =
                static_cast<double>(a.reached) / static_cast<double>(std::max<std::uint64_t>(trace.options.n, 1));
        }
    }
    return reached;
}

Interpreted interpreted_first(const RunOptions& asked, bool insist) {
    Interpreted found;
    found.options = asked;
    found.options.n = std::min(asked.n, kFirstElements);
    found.options.backend = Backend::cpu;
    found.options.kernel.grid.clear();
    try {
        RunControl control;
        const Trace trace = run_kernel_file(found.options, control);
        for (const Launch& launch : trace.launches) {
            for (const Finding& f : launch.findings) {
                if (ends_the_run(f) && !insist) {
                    std::string what = sentence(trace, launch, f);
                    if (what.ends_with('.')) {
                        what.pop_back();
                    }
                    found.refusal =
                        fmt::format("it goes wrong in the interpreter: {}; --insist runs it all the same", what);
                    return found;
                }
            }
        }
        if (!trace.pass && !insist) {
            found.refusal = "its result is wrong in the interpreter";
        }
        found.outputs = trace.outputs;
        found.reached = reached_in(trace);
        found.depth = (trace.tree.depth + 1) * std::max<std::uint64_t>(1, asked.n / found.options.n) + 64;
    } catch (const Error& e) {
        found.refusal = e.what();
    }
    return found;
}

} // namespace warptree::runs
