#include "app/run/check/check.hpp"

#include "app/base/error.hpp"
#include "app/run/kernel_run.hpp"
#include "app/simt/machine.hpp"
#include "app/trace/explain/explain.hpp"
#include "app/trace/explain/findings.hpp"
#include "app/trace/explain/report.hpp"
#include "app/trace/explain/report_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <new>
#include <thread>

namespace warptree::runs {

namespace {
// Of all threads of this process.
std::chrono::nanoseconds processor_time() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

// Cancels a run that does not end itself at its limit: when this process has used that much more processor time, or, should
// it wait for something, after `most` on the clock, which on a busy machine is far longer.
class Watch {
  public:
    Watch(RunControl& run, const RunControl& outer, std::chrono::milliseconds processor, std::chrono::milliseconds most)
        : thread_([this, &run, &outer, processor, most] {
              std::unique_lock lock(mutex_);
              const auto end = std::chrono::steady_clock::now() + most;
              const auto used_up = processor_time() + processor;
              while (!done_) {
                  if (std::chrono::steady_clock::now() >= end || processor_time() >= used_up || outer.cancel) {
                      late_ = !outer.cancel;
                      run.cancel = true;
                      return;
                  }
                  wake_.wait_for(lock, std::chrono::milliseconds(20));
              }
          }) {}
    ~Watch() {
        {
            const std::lock_guard lock(mutex_);
            done_ = true;
        }
        wake_.notify_all();
        thread_.join();
    }
    bool late() const { return late_; }

  private:
    std::mutex mutex_;
    std::condition_variable wake_;
    bool done_ = false;
    std::atomic<bool> late_{false};
    std::thread thread_;
};

// Why a trace fails the check; empty: it passes.
std::string failure(const Trace& trace, const CheckRequest& request) {
    const Launch& l = trace.launches.front();
    for (const Finding& f : l.findings) {
        if (ends_the_run(f)) {
            return fmt::format("{}: {}", title(f), sentence(trace, l, f));
        }
    }
    if (!expects_nothing(trace) && !trace.pass) {
        if (std::string missing = missing_result(trace); !missing.empty()) {
            return missing;
        }
        return trace.first_wrong ? fmt::format("element {} of the output is {} and should be {}", *trace.first_wrong,
                                               to_string(trace.result), to_string(trace.reference))
                                 : fmt::format("the result is {} and should be {}", to_string(trace.result),
                                               to_string(trace.reference));
    }
    const auto fails = [&request](const Finding& f) {
        return !(request.allow_races && is_race(f.kind)) &&
               (f.severity == Severity::fault || (request.no_findings && f.severity == Severity::risk));
    };
    if (const auto f = std::find_if(l.findings.begin(), l.findings.end(), fails); f != l.findings.end()) {
        return fmt::format("{}: {}", title(*f), sentence(trace, l, *f));
    }
    const Counters totals = l.totals();
    const std::uint64_t excess = totals.shared_load_wavefronts - totals.shared_load_ideal +
                                 totals.shared_store_wavefronts - totals.shared_store_ideal;
    if (request.most_excess_wavefronts && excess > *request.most_excess_wavefronts) {
        return fmt::format("bank conflicts cost {} extra wavefronts; {} are allowed", excess,
                           *request.most_excess_wavefronts);
    }
    const std::uint64_t barriers = totals.barriers / std::max<std::uint64_t>(l.grid, 1);
    if (request.most_barriers && barriers > *request.most_barriers) {
        return fmt::format("a block passes {} barriers; {} are allowed", barriers, *request.most_barriers);
    }
    return "";
}

std::uint64_t threads_of(const std::string& block) {
    std::uint64_t product = 1, value = 0;
    for (const char c : block + ",") {
        if (c >= '0' && c <= '9') {
            value = value * 10 + static_cast<std::uint64_t>(c - '0');
        } else {
            product *= std::max<std::uint64_t>(value, 1);
            value = 0;
        }
    }
    return product;
}
} // namespace

std::string name_of(const CheckRun& run) {
    return !run.name.empty()
               ? run.name
               : fmt::format("n {}, {}{}", run.n, run.block.empty() ? "" : fmt::format("block {}, ", run.block),
                             name(run.order));
}

CheckFinding told(const Trace& trace, const Launch* launch, const Finding& f) {
    CheckFinding finding;
    finding.kind = name(f.kind);
    finding.title = title(f);
    finding.severity = name(f.severity);
    if (f.line.known() && f.line.file() < trace.sources.size()) {
        finding.file = trace.sources[f.line.file()].path;
    }
    finding.line = f.line.line();
    finding.block = f.block;
    finding.thread = f.thread;
    if (f.other_thread != kNobody) {
        finding.other = {f.other_line.line(), f.other_thread, f.other_block};
    }
    finding.array = f.array;
    finding.index = f.index;
    finding.text = launch == nullptr ? sentence(trace, f) : sentence(trace, *launch, f);
    return finding;
}

std::size_t runs_of(const CheckRequest& request) {
    if (request.program) {
        return request.program->cases.size();
    }
    const auto count = [](const auto& list) { return std::max<std::size_t>(list.size(), 1); };
    return (request.n.empty() ? kCheckSizes.size() : request.n.size()) * count(request.blocks) * count(request.orders);
}

CheckResult check(const CheckRequest& request, RunControl& control, const std::function<void(const CheckRun&)>& tell) {
    const std::vector<std::uint64_t> sizes =
        request.n.empty() ? std::vector<std::uint64_t>(kCheckSizes.begin(), kCheckSizes.end()) : request.n;
    const std::vector<std::string> blocks = request.blocks.empty() ? std::vector<std::string>{""} : request.blocks;
    const std::vector<std::string> types = request.types.empty() ? std::vector<std::string>{""} : request.types;
    const std::vector<WarpOrder> orders =
        request.orders.empty() ? std::vector<WarpOrder>{WarpOrder::in_order} : request.orders;
    // The limit is of processor time; waiting for a busy machine or a disk ends a run only much later.
    constexpr int kDistant = 4, kOnTheClock = 30;
    const unsigned threads = request.options.workers == 0 ? simt::default_workers() : request.options.workers;
    const std::chrono::milliseconds enough = kDistant * threads * request.limit;
    CheckResult result;
    result.file = request.options.kernel.file;
    const CompileOnce once;
    std::optional<std::pair<std::uint64_t, std::uint64_t>> worst; // n and threads of the counter-example
    for (const std::uint64_t n : sizes) {
        for (const std::string& block : blocks) {
            for (const WarpOrder order : orders) {
                RunOptions o = request.options;
                o.n = n;
                o.kernel.n_given = n != 0;
                o.kernel.block = block;
                o.order = order;
                o.window = {0, 1};
                o.kernel.most_instructions = 1ULL << 24;
                o.limits.time = request.limit;
                CheckRun run;
                run.n = n;
                run.block = block;
                run.order = order;
                const auto begin = std::chrono::steady_clock::now();
                std::optional<Trace> trace;
                RunControl inner;
                bool late = false;
                if (control.cancel) { // a short run may end before the watchdog checks
                    throw Cancelled();
                }
                try {
                    const Watch watch(inner, control, enough, kOnTheClock * request.limit);
                    try {
                        trace = run_kernel_file(o, inner);
                    } catch (const Cancelled&) {
                        if (control.cancel) {
                            throw;
                        }
                    }
                    late = watch.late();
                } catch (const Cancelled&) {
                    throw;
                } catch (const SourceError& e) {
                    result.pass = false;
                    result.reason = e.what();
                    result.diagnostics = e.diagnostics;
                    return result;
                } catch (const compile::CompileError& e) {
                    result.pass = false;
                    result.reason = e.what();
                    return result;
                } catch (const std::bad_alloc&) {
                    run.reason = "it needs more memory than a submission may take";
                } catch (const std::exception& e) {
                    run.reason = e.what();
                }
                run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
                if (trace) {
                    const Launch& l = trace->launches.front();
                    run.n = trace->options.n;
                    result.kernel = trace->kernel;
                    result.expect = trace->expected;
                    run.expected = !expects_nothing(*trace);
                    run.block = fmt::format(
                        "{}{}{}", l.block_shape[0],
                        l.block_shape[1] != 1 || l.block_shape[2] != 1 ? fmt::format(",{}", l.block_shape[1])
                                                                       : std::string(),
                        l.block_shape[2] != 1 ? fmt::format(",{}", l.block_shape[2]) : std::string());
                    run.type = trace->outputs.empty() ? std::string(name(trace->options.type))
                                                      : std::string(short_name(trace->outputs.front().type));
                    if (!types.front().empty() && std::find(types.begin(), types.end(), run.type) == types.end()) {
                        run.reason =
                            fmt::format("its elements are {}, which is not among the requested types", run.type);
                    } else {
                        run.reason = failure(*trace, request);
                    }
                    for (const Finding& f : l.findings) {
                        run.findings.push_back(told(*trace, &l, f));
                    }
                } else if (late) {
                    run.reason = fmt::format("it was still running after {} s of processor time, or as long as {} s",
                                             enough.count() / 1000, kOnTheClock * request.limit.count() / 1000);
                }
                run.pass = run.reason.empty();
                const std::pair<std::uint64_t, std::uint64_t> size{n, threads_of(run.block)};
                if (!run.pass && (!worst || size < *worst)) {
                    worst = size;
                    result.counter_example = result.runs.size();
                    result.counter_example_report = trace ? report_text(*trace) : run.reason + "\n";
                }
                result.pass &= run.pass;
                result.runs.push_back(std::move(run));
                if (tell) {
                    tell(result.runs.back());
                }
            }
        }
    }
    return result;
}

} // namespace warptree::runs
