#if WARPTREE_HAS_CUDA

#include "kernels/cuda/backend.hpp"

#include "app/base/operators.hpp"
#include "kernels/cuda/buffer.hpp"
#include "kernels/cuda/kernel_table.hpp"
#include "kernels/cuda/output_bytes.hpp"
#include "kernels/cuda/replay.hpp"

#include <algorithm>
#include <cstring>

namespace warptree::cuda {

namespace {
// Events of the blocks recorded at once; more blocks are recorded in turns.
constexpr std::uint64_t kEventBytes = 512ULL << 20;

class Run {
  public:
    Run(const LaunchRequest& request, RunControl& control)
        : request_(request), control_(control), options_(request.options), block_(request.geometry.block),
          table_(kernel_table(options_.strategy)), info_(require_strategy(options_.strategy)),
          shared_(shared_elements(table_.shared_elements(request.geometry), request)),
          atomic_(*options_.finish == Finish::atomic), last_block_(*options_.finish == Finish::last_block),
          outputs_(atomic_ ? 1 : request.outputs), metas_(atomic_ || is_scan(info_) ? 0 : request.outputs),
          input_(request.input.bytes.size()), output_bytes_(output_bytes(request, outputs_)), output_(output_bytes_),
          arrived_(sizeof(std::uint32_t)), array_nodes_(info_.works_in_output ? outputs_ * sizeof(std::uint32_t) : 0),
          recorder_(setup()) {
        if (info_.looks_back && tiles_for(info_, request.geometry) > request.grid) { // replayed block by block
            throw DeviceError(options_.strategy + " of more tiles than blocks is not traced on a GPU; take --n " +
                              std::to_string(std::uint64_t{request.grid} * outputs_per_block(info_, request.geometry)) +
                              " or less, or --backend cpu");
        }
        input_.upload(request.input.bytes.data(), request.input.bytes.size());
        params_.input = input_.data();
        params_.output = output_.data();
        params_.n = request.input.size();
        params_.grid = request.grid;
        params_.op = static_cast<std::uint8_t>(options_.op);
        params_.maps = request.maps();
        params_.atomic = atomic_;
        params_.last_block = last_block_;
        params_.arrived = arrived_.as<std::uint32_t>();
        params_.arguments = request.geometry.arguments;
        params_.array_nodes = array_nodes_.as<std::uint32_t>();
    }

    LaunchResult run() {
        result_.output.type = options_.type;
        result_.output.resize(outputs_);
        std::uint32_t events = count_events();
        while (const std::uint32_t more = record_all(events)) {
            events = more;
            recorder_ = Recorder(setup());
            result_.atomics.clear();
            published_.clear();
            finishing_ = kNone;
        }
        output_.download(result_.output.bytes.data(), result_.output.bytes.size());
        if (last_block_) { // the total has taken the place of the first partial
            result_.output.set_bits(0, first_partial_);
        }
        result_.metas = std::move(metas_);
        Launch& l = result_.launch;
        l.grid = request_.grid;
        l.block = block_;
        l.elements = params_.n;
        l.shared_bytes = shared_ * bytes(options_.type);
        l.last_block = finishing_;
        l.window_first = window_first();
        l.window_count = window_count();
        recorder_.finish(l);
        result_.reached = recorder_.reached();
        return std::move(result_);
    }

  private:
    std::uint32_t window_first() const { return std::min(options_.window.first, request_.grid); }
    std::uint32_t window_count() const { return std::min(options_.window.count, request_.grid - window_first()); }
    RecorderSetup setup() {
        RecorderSetup s;
        s.block_threads = block_;
        s.element_bytes = bytes(options_.type);
        s.banks = options_.banks;
        s.shared_elements = shared_;
        s.input_metas = request_.partials != nullptr ? request_.partials->data() : nullptr;
        s.output_metas = metas_.empty() ? nullptr : metas_.data();
        s.many_readers = is_scan(info_);
        s.window_first = window_first();
        s.window_count = window_count();
        return s;
    }

    void start_total() {
        const std::uint32_t none = 0;
        arrived_.upload(&none, sizeof none);
        if (info_.looks_back) {
            output_.clear(output_bytes_);
        }
        if (!atomic_) {
            return;
        }
        const std::uint64_t identity_bits =
            visit_element(options_.type, [&](auto t) { return Scalar::of(identity<decltype(t)>(options_.op)).bits; });
        output_.upload(&identity_bits, bytes(options_.type));
    }

    void launch_blocks(std::uint32_t blocks) {
        if (control_.cancel) {
            throw Cancelled();
        }
        const auto type = static_cast<std::size_t>(options_.type);
        check(
            static_cast<cudaError_t>(table_.trace[type][KernelTable::column(block_)](params_, blocks, block_, shared_)),
            "launching the kernel");
        check(cudaDeviceSynchronize(), "running the kernel");
    }

    // The most events of any thread.
    std::uint32_t count_events() {
        const std::uint64_t threads = std::uint64_t{request_.grid} * block_;
        start_total();
        Buffer counts(threads * sizeof(std::uint32_t));
        params_.first_block = 0;
        params_.counts = counts.as<std::uint32_t>();
        params_.events = nullptr;
        params_.threads = threads;
        params_.capacity = 0;
        launch_blocks(request_.grid);
        std::vector<std::uint32_t> host(threads);
        counts.download(host.data(), threads * sizeof(std::uint32_t));
        return *std::max_element(host.begin(), host.end());
    }

    // Records all blocks, each thread at most `events`; returns 0, or how many of them a thread has made: one that looks
    // back makes another number each time, and so does one of the last block, which is another each time.
    std::uint32_t record_all(std::uint32_t events) {
        start_total();
        const std::uint64_t per_block = static_cast<std::uint64_t>(block_) * std::max(events, 1U) * sizeof(Event);
        const auto blocks =
            static_cast<std::uint32_t>(std::clamp<std::uint64_t>(kEventBytes / per_block, 1, request_.grid));
        Buffer device_events(per_block * blocks), device_counts(std::uint64_t{blocks} * block_ * sizeof(std::uint32_t));
        for (std::uint32_t first = 0; first < request_.grid; first += blocks) {
            if (const std::uint32_t most =
                    record(first, std::min(blocks, request_.grid - first), events, device_events, device_counts);
                most > events) {
                return 2 * most;
            }
        }
        return 0;
    }

    // The most events of any thread; with more than `capacity` nothing is taken.
    std::uint32_t record(std::uint32_t first, std::uint32_t blocks, std::uint32_t capacity, const Buffer& device_events,
                         const Buffer& device_counts) {
        const std::uint64_t threads = std::uint64_t{blocks} * block_;
        params_.first_block = first;
        params_.counts = device_counts.as<std::uint32_t>();
        params_.events = device_events.as<Event>();
        params_.threads = threads;
        params_.capacity = capacity;
        launch_blocks(blocks);
        events_.resize(threads * capacity);
        counts_.resize(threads);
        device_events.download(events_.data(), events_.size() * sizeof(Event));
        device_counts.download(counts_.data(), counts_.size() * sizeof(std::uint32_t));
        const std::uint32_t most = *std::max_element(counts_.begin(), counts_.end());
        if (most > capacity && (info_.looks_back || last_block_)) {
            return most;
        }
        if (most > capacity) {
            throw DeviceError("a thread made " + std::to_string(most) + " events where " + std::to_string(capacity) +
                              " were counted before; the kernel does not run the same way twice");
        }
        for (const auto& [block, b] : order(first, blocks)) {
            if (control_.cancel) {
                throw Cancelled();
            }
            if (last_block_ && (request_.grid == 1 || reads_partials(b, threads))) {
                finishing_ = block; // what it reads must have been replayed
            } else {
                take(block, b, threads);
            }
        }
        if (finishing_ != kNone) {
            take(finishing_, finishing_ - first, threads);
        }
        return most;
    }

    // The blocks just recorded as they are to be replayed: index in the grid, or tile where blocks look back, and which
    // of those recorded it is.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> order(std::uint32_t first, std::uint32_t blocks) const {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> list;
        for (std::uint32_t b = 0; b < blocks; ++b) {
            const std::uint64_t thread = std::uint64_t{b} * block_;
            // The ticket is the first thing that thread 0 does.
            list.emplace_back(info_.looks_back ? events_[thread].a : first + b, b);
        }
        std::sort(list.begin(), list.end());
        return list;
    }

    bool reads_partials(std::uint32_t b, std::uint64_t threads) const {
        const std::uint64_t thread = std::uint64_t{b} * block_;
        for (std::uint32_t e = 0; e < counts_[thread]; ++e) {
            if (events_[e * threads + thread].kind == EventKind::partial) {
                return true;
            }
        }
        return false;
    }

    // Replays block `block`, the b-th of those just recorded.
    void take(std::uint32_t block, std::uint32_t b, std::uint64_t threads) {
        const std::uint64_t at = std::uint64_t{b} * block_;
        const auto outputs =
            replay({block_, events_.data() + at, threads, counts_.data() + at}, block, recorder_, published_);
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const PartialMeta& meta = recorder_.emitted()[i].meta;
            switch (outputs[i].to) {
            case OutputTo::atomic_total: result_.atomics.push_back({outputs[i].bits, meta}); break;
            case OutputTo::total: result_.total = {outputs[i].bits, meta}; break;
            case OutputTo::told:
            case OutputTo::output: first_partial_ = outputs[i].index == 0 ? outputs[i].bits : first_partial_;
            }
        }
    }

    const LaunchRequest& request_;
    RunControl& control_;
    const RunOptions& options_;
    std::uint32_t block_;
    const KernelTable& table_;
    const StrategyInfo& info_;
    std::uint32_t shared_;
    bool atomic_, last_block_;
    std::uint64_t outputs_;
    std::vector<PartialMeta> metas_; // of the outputs, as they are replayed
    std::uint64_t first_partial_ = 0;
    std::uint32_t finishing_ = kNone; // the block that arrived last
    Buffer input_;
    std::uint64_t output_bytes_;
    Buffer output_, arrived_, array_nodes_;
    PublishedDepths published_;
    Recorder recorder_;
    TraceParams params_{};
    LaunchResult result_;
    std::vector<Event> events_;
    std::vector<std::uint32_t> counts_;
};
} // namespace

LaunchResult launch(const LaunchRequest& request, RunControl& control) {
    if (!usable()) {
        throw MissingDevice(why_not());
    }
    return Run(request, control).run();
}

Elements run_real(const LaunchRequest& request) {
    if (!usable()) {
        throw MissingDevice(why_not());
    }
    const RunOptions& o = request.options;
    const KernelTable& table = kernel_table(o.strategy);
    Elements output{o.type, {}};
    output.resize(*o.finish == Finish::atomic ? 1 : request.outputs);
    const std::uint64_t out_bytes = output_bytes(request, output.size());
    Buffer in(request.input.bytes.size()), out(out_bytes);
    in.upload(request.input.bytes.data(), request.input.bytes.size());
    out.clear(out_bytes); // the identity of the sum
    const Geometry& g = request.geometry;
    const auto launch_kernel = table.real[static_cast<std::size_t>(o.type)][KernelTable::column(g.block)];
    const RealParams params{in.data(),    out.data(), request.input.size(),
                            request.grid, g.block,    shared_elements(table.shared_elements(g), request),
                            g.arguments};
    check(static_cast<cudaError_t>(launch_kernel(params)), "launching the kernel");
    check(cudaDeviceSynchronize(), "running the kernel");
    out.download(output.bytes.data(), output.bytes.size());
    return output;
}

} // namespace warptree::cuda

#endif
