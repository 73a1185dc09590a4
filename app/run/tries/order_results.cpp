#include "app/run/tries/order_results.hpp"

#include "app/run/kernel_run.hpp"
#include "app/run/kernel_source.hpp"
#include "app/run/run.hpp"
#include "app/simt/machine.hpp"
#include "app/trace/explain/values.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace warptree::runs {

namespace {
// What one order gave: bits of the first output's first elements, and the first of them as a number.
struct Given {
    std::vector<std::uint64_t> bits;
    double value = 0;
    std::string type;
    bool one = true;
};

Given run_in_order(const RunOptions& asked, std::uint32_t seed, std::optional<Guess>& guess, RunControl& control) {
    RunOptions o = asked;
    o.order = WarpOrder::random;
    o.order_seed = seed;
    o.backend = Backend::cpu;
    o.window = {0, 0};
    o.workers = 1;
    o.kernel.name_result = false;
    const Trace t = is_kernel_file(o) ? run_kernel_file(o, guess, control) : run_any(o, control);
    if (!t.completed() || t.outputs.empty()) {
        throw OptionError("it does not complete in every order");
    }
    const KernelOutput& output = t.outputs.front();
    Given given{output.values, 0, std::string(name(output.type)), output.count == 1};
    given.value = output.values.empty()
                      ? 0
                      : visit_value(output.type, output.values.front(), [](auto v) { return static_cast<double>(v); });
    if (given.one && !is_kernel_file(o)) {
        given.bits = {t.result.bits};
        given.value = t.result.as_double();
    }
    return given;
}
} // namespace

OrderResults order_results(const RunOptions& options, std::uint32_t orders, RunControl& control) {
    const CompileOnce once;
    std::vector<Given> all(orders);
    std::atomic<std::uint32_t> next{0}, done{0};
    std::exception_ptr failure;
    std::mutex mutex;
    const auto work = [&] {
        RunControl own; // its progress is not that of all
        std::optional<Guess> guess;
        for (std::uint32_t k = next++; k < orders; k = next++) {
            try {
                if (control.cancel) {
                    throw Cancelled();
                }
                all[k] = run_in_order(options, k + 1, guess, own);
            } catch (...) {
                const std::lock_guard lock(mutex);
                failure = failure ? failure : std::current_exception();
                next = orders;
                return;
            }
            const std::lock_guard lock(mutex);
            if (control.progress) {
                control.progress(static_cast<double>(++done) / orders);
            }
        }
    };
    std::vector<std::thread> threads;
    for (unsigned k = 1; k < std::min<unsigned>(simt::default_workers(), orders); ++k) {
        threads.emplace_back(work);
    }
    work();
    for (std::thread& t : threads) {
        t.join();
    }
    if (failure) {
        std::rethrow_exception(failure);
    }
    OrderResults found;
    found.orders = orders;
    std::map<std::vector<std::uint64_t>, OrderResult> counted;
    for (const Given& given : all) {
        OrderResult& result = counted[given.bits];
        result.value = given.value;
        ++result.orders;
        found.one = given.one;
        found.type = given.type;
    }
    for (const auto& [bits, result] : counted) {
        found.results.push_back(result);
    }
    std::ranges::stable_sort(found.results, {}, &OrderResult::value);
    return found;
}

std::uint32_t affordable_orders(const Trace& trace) {
    constexpr std::uint64_t kThreads = 100 * 4096;
    std::uint64_t threads = 0;
    for (const Launch& l : trace.launches) {
        threads += std::max(std::uint64_t{l.grid} * l.block, l.elements);
    }
    const std::uint64_t orders = kThreads / std::max<std::uint64_t>(threads, 1);
    return orders < 8 ? 0 : static_cast<std::uint32_t>(std::min<std::uint64_t>(orders, 100));
}

} // namespace warptree::runs
