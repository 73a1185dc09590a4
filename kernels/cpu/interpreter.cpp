#include "kernels/cpu/interpreter.hpp"

#include "app/base/error.hpp"
#include "kernels/cpu/registry.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <optional>
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
        const std::uint32_t block = request.geometry.block;
        const bool atomic = *o.finish == Finish::atomic, last = *o.finish == Finish::last_block;
        state_.input = request.input.bytes.data();
        state_.n = request.input.size();
        state_.op = o.op;
        state_.grid = request.grid;
        state_.block_threads = block;
        state_.arguments = request.geometry.arguments;
        state_.finish = *o.finish;
        state_.maps = request.maps();
        state_.shared_elements = shared_elements(table_.shared_elements(request.geometry), request);
        state_.element_bytes = bytes(o.type);
        state_.order = o.order;
        state_.seed = o.seed;
        result_.output.type = o.type;
        if (!atomic) {
            result_.output.resize(request.outputs);
            state_.output = result_.output.bytes.data();
            if (!is_scan(table_.info)) {
                result_.metas.resize(request.outputs);
                setup_.output_metas = result_.metas.data();
            }
        }
        setup_.block_threads = block;
        setup_.element_bytes = bytes(o.type);
        setup_.banks = o.banks;
        setup_.shared_elements = state_.shared_elements;
        setup_.input_metas = request.partials != nullptr ? request.partials->data() : nullptr;
        setup_.many_readers = is_scan(table_.info);
        setup_.window_first = std::min(o.window.first, request.grid);
        setup_.window_count = std::min(o.window.count, request.grid - setup_.window_first);
        if (table_.info.looks_back) {
            state_.tiles =
                &tiles_.emplace(static_cast<std::uint32_t>(tiles_for(table_.info, request.geometry)), o.look_backs);
        }
        if (last) {
            const std::uint32_t usual = table_.info.finishes_first ? 0 : request.grid - 1;
            state_.last_block = std::min(o.last_block.value_or(usual), request.grid - 1);
        }
        atomics_.resize(chunks());
    }

    LaunchResult run() {
        const RunOptions& o = request_.options;
        const unsigned wanted = o.workers != 0 ? o.workers : default_workers();
        const unsigned workers = std::clamp(wanted, 1U, table_.info.looks_back ? 1U : std::max(1U, chunks()));
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
        if (state_.last_block != kNone) {
            Worker worker(state_, table_.entry(request_.options.type, state_.block_threads), recorders[0]);
            worker.run_block(state_.last_block);
            collect(worker, recorders[0], state_.last_block / kChunk);
        }
        for (unsigned i = 1; i < workers; ++i) {
            recorders[0].append(std::move(recorders[i]));
        }
        Launch& l = result_.launch;
        l.grid = request_.grid;
        l.block = state_.block_threads;
        l.elements = state_.n;
        l.shared_bytes = state_.shared_elements * state_.element_bytes;
        l.last_block = state_.last_block;
        l.window_first = setup_.window_first;
        l.window_count = setup_.window_count;
        recorders[0].finish(l);
        result_.reached = recorders[0].reached();
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
                    if (block == state_.last_block) { // goes on when all others have arrived: run() has it last
                        continue;
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
            switch (value.to) {
            case OutputTo::atomic_total: atomics_[chunk].push_back({value.bits, meta}); break;
            case OutputTo::total: result_.total = {value.bits, meta}; break;
            case OutputTo::told:
            case OutputTo::output: break; // already there
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
    std::optional<TileBoard> tiles_;
    RecorderSetup setup_;
    LaunchResult result_;
    std::vector<std::vector<Partial>> atomics_; // by chunk
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
