#include "app/run/remedy/trial.hpp"

#include "app/base/error.hpp"
#include "app/compile/client/compiler.hpp"
#include "app/run/kernel_source.hpp"
#include "app/run/program/run.hpp"
#include "app/run/run.hpp"

namespace warptree::runs {

std::uint64_t effort(const std::optional<Trace>& run) {
    std::uint64_t requests = 0;
    for (std::size_t l = 0; run && l < run->launches.size(); ++l) {
        for (const Step& step : run->launches[l].steps) {
            const Counters& c = step.counters;
            requests +=
                c.global_load_requests + c.global_store_requests + c.shared_load_requests + c.shared_store_requests;
        }
    }
    return 1 + (requests >> 18);
}

std::optional<Trace> run_with(RunOptions options, const std::string& text, bool program, RunControl& control) {
    options.kernel.text = text;
    try {
        std::optional<Guess> none;
        return program ? run_shown(without_a_call(options), true, none, control) : run_any(options, control);
    } catch (const SourceError&) {
    } catch (const OptionError&) {
    } catch (const compile::CompileError&) {
    }
    return std::nullopt;
}

SameLaunch::SameLaunch(const RunOptions& options, const Trace& trace, RunControl& control)
    : options_(options), control_(control) {
    if (!is_kernel_file(options) || !trace.program.entry.empty() || trace.sources.empty()) {
        return;
    }
    unchanged_ = trace.sources.front().text;
    options_.kernel.text = unchanged_;
    try {
        run_kernel_file(options_, guess_, control_);
        guess_->ended = true; // this very launch, however it ended
    } catch (const Error&) {  // as where the trace is another launch's
        guess_.reset();
    }
    // Several warps, where the one shown may have but one at work.
    constexpr std::uint64_t kWarps = 4;
    larger_ = trace.options.n <= kWarpSize ? kWarps * kWarpSize : 2 * trace.options.n;
}

std::optional<Trace> SameLaunch::run_larger(const std::string& text) {
    RunOptions o = options_;
    auto guess = guess_;
    (o.kernel.n_given ? o.n : guess->choices.n) = larger_;
    return with(o, guess, text);
}

const std::optional<Trace>& SameLaunch::unchanged_larger() {
    if (!unchanged_larger_) {
        unchanged_larger_ = run_larger(unchanged_);
    }
    return unchanged_larger_;
}

std::optional<Trace> SameLaunch::with(RunOptions o, std::optional<Guess> guess, const std::string& text) {
    o.kernel.text = text;
    try {
        return run_kernel_file(o, guess, control_);
    } catch (const SourceError&) {
    } catch (const OptionError&) {
    } catch (const compile::CompileError&) {
    }
    return std::nullopt;
}

} // namespace warptree::runs
