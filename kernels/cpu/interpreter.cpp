#include "kernels/cpu/interpreter.hpp"

#include "kernels/cpu/registry.hpp"
#include "kernels/error.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace warptree::cpu {

namespace {
// Blocks are handed out in chunks, so that workers neither meet often nor wait long for the last one.
constexpr std::uint32_t kChunk = 32;

class Run {
  public:
    Run(const LaunchRequest& request, RunControl& control, double from, double to)
        : request_(request), control_(control), from_(from), to_(to), table_(kernel_table(request.options.strategy)) {
        const RunOptions& o = request.options;
        state_.input = request.input.bytes.data();
        state_.n = request.input.size();
        state_.op = o.op;
        state_.grid = request.grid;
        state_.block_threads = *o.block;
        state_.atomic = *o.finish == Finish::atomic;
        state_.shared_elements = table_.shared_elements(*o.block);
        state_.element_bytes = bytes(o.type);
        state_.order = o.order;
        state_.seed = o.seed;
        setup_ = {*o.block,
                  bytes(o.type),
                  o.banks,
                  state_.shared_elements,
                  request.partials != nullptr ? request.partials->data() : nullptr,
                  std::min(o.window.first, request.grid),
                  0};
        setup_.window_count = std::min(o.window.count, request.grid - setup_.window_first);
        result_.output.type = o.type;
        if (!state_.atomic) {
            result_.output.resize(request.grid);
            result_.metas.resize(request.grid);
        }
        atomics_.resize(chunks());
    }

    LaunchResult run() {
        const RunOptions& o = request_.options;
        const unsigned wanted = o.workers != 0 ? o.workers : default_workers();
        const unsigned workers = std::clamp(wanted, 1U, std::max(1U, chunks()));
        std::vector<Recorder> recorders;
        recorders.reserve(workers);
        for (unsigned i = 0; i < workers; ++i) {
            recorders.emplace_back(setup_);
        }
        std::vector<std::thread> threads;
        for (unsigned i = 1; i < workers; ++i) {
            threads.emplace_back([this, &recorders, i] { work(recorders[i]); });
        }
        work(recorders[0]);
        for (std::thread& t : threads) {
            t.join();
        }
        if (failure_) {
            std::rethrow_exception(failure_);
        }
        for (unsigned i = 1; i < workers; ++i) {
            recorders[0].append(std::move(recorders[i]));
        }
        Launch& l = result_.launch;
        l.grid = request_.grid;
        l.block = state_.block_threads;
        l.elements = state_.n;
        l.shared_bytes = state_.shared_elements * state_.element_bytes;
        l.window_first = setup_.window_first;
        l.window_count = setup_.window_count;
        recorders[0].finish(l);
        for (auto& chunk : atomics_) {
            result_.atomics.insert(result_.atomics.end(), chunk.begin(), chunk.end());
        }
        return std::move(result_);
    }

  private:
    std::uint32_t chunks() const { return (request_.grid + kChunk - 1) / kChunk; }

    void work(Recorder& recorder) {
        try {
            Worker worker(state_, table_.entry(request_.options.type, state_.block_threads), recorder);
            for (std::uint32_t chunk = next_++; chunk < chunks(); chunk = next_++) {
                const std::uint32_t end = std::min(request_.grid, (chunk + 1) * kChunk);
                for (std::uint32_t block = chunk * kChunk; block < end; ++block) {
                    if (control_.cancel || failed_) {
                        throw Cancelled();
                    }
                    worker.run_block(block);
                    collect(worker, recorder, chunk);
                }
                report(end - chunk * kChunk);
            }
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!failed_.exchange(true)) {
                failure_ = std::current_exception();
            }
        }
    }

    void collect(const Worker& worker, const Recorder& recorder, std::uint32_t chunk) {
        for (std::size_t i = 0; i < worker.emitted().size(); ++i) {
            const EmittedValue& value = worker.emitted()[i];
            const PartialMeta& meta = recorder.emitted()[i].meta;
            if (value.atomic) {
                atomics_[chunk].push_back({value.bits, meta});
            } else {
                result_.output.set_bits(value.index, value.bits);
                result_.metas[value.index] = meta;
            }
        }
    }

    void report(std::uint32_t blocks) {
        if (!control_.progress) {
            return;
        }
        const std::lock_guard lock(mutex_);
        done_ += blocks;
        control_.progress(from_ + (to_ - from_) * static_cast<double>(done_) / request_.grid);
    }

    const LaunchRequest& request_;
    RunControl& control_;
    double from_, to_;
    const KernelTable& table_;
    LaunchState state_;
    RecorderSetup setup_;
    LaunchResult result_;
    std::vector<std::vector<AtomicValue>> atomics_; // by chunk
    std::atomic<std::uint32_t> next_{0};
    std::atomic<bool> failed_{false};
    std::mutex mutex_;
    std::exception_ptr failure_;
    std::uint64_t done_ = 0;
};
} // namespace

unsigned default_workers() { return std::max(1U, std::thread::hardware_concurrency()); }

LaunchResult launch(const LaunchRequest& request, RunControl& control, double from, double to) {
    return Run(request, control, from, to).run();
}

} // namespace warptree::cpu
