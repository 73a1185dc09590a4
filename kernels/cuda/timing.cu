#include "kernels/cuda/timing.hpp"

#include "kernels/build_info.hpp"
#include "kernels/cuda/backend.hpp"
#include "kernels/cuda/buffer.cuh"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/finished.hpp"
#include "kernels/cuda/peers.hpp"
#include "kernels/cuda/tile_states.hpp"
#include "kernels/reduce/last_block_finish.hpp"
#include "kernels/simt/operators.hpp"
#include "kernels/timing/expected.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

namespace warptree::cuda {

namespace {
using timing::Configuration;
using timing::Data;
using timing::Mode;
using timing::Quantity;

constexpr unsigned kThreads = 256;

// The parts one after another; nvcc stumbles over fmt.
template <class... A> std::string text(const A&... parts) {
    std::ostringstream out;
    (out << ... << parts);
    return out.str();
}

unsigned blocks_for(std::uint64_t threads) {
    constexpr std::uint64_t kMost = 1U << 16; // grid-stride beyond
    return static_cast<unsigned>(std::clamp<std::uint64_t>((threads + kThreads - 1) / kThreads, 1, kMost));
}

#define WARPTREE_EACH(i, n)                                                                                            \
    std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x,                                            \
                  step = std::uint64_t{gridDim.x} * blockDim.x;                                                        \
    i < (n);                                                                                                           \
    i += step

template <class T> __global__ void fill(T* out, std::uint64_t n, std::uint64_t seed, Data data) {
    for (WARPTREE_EACH(i, n)) {
        out[i] = timing::element<T>(data, seed, i);
    }
}

__global__ void overwrite(uint4* out, std::uint64_t n, unsigned value) {
    for (WARPTREE_EACH(i, n)) {
        out[i] = {value, value, value, value};
    }
}

struct Wrong {
    unsigned long long count, first;
};

// Each element of a scan against the one before it: right everywhere means right as a whole, as sums are exact. `tile`
// elements are scanned together.
template <class T>
__global__ void check_scan(const T* out, std::uint64_t n, std::uint64_t tile, bool exclusive, std::uint64_t seed,
                           Data data, Wrong* wrong) {
    for (WARPTREE_EACH(i, n)) {
        const bool first = i % tile == 0;
        T want;
        if (exclusive) {
            want = first ? T(0) : Sum::apply(out[i - 1], timing::element<T>(data, seed, i - 1));
        } else {
            const T own = timing::element<T>(data, seed, i);
            want = first ? own : Sum::apply(out[i - 1], own);
        }
        if (!(out[i] == want)) {
            atomicAdd(&wrong->count, 1ULL);
            atomicMin(&wrong->first, static_cast<unsigned long long>(i));
        }
    }
}

template <class T>
__global__ void check_copy(const T* out, std::uint64_t n, std::uint64_t seed, Data data, Wrong* wrong) {
    for (WARPTREE_EACH(i, n)) {
        if (!(out[i] == timing::element<T>(data, seed, i))) {
            atomicAdd(&wrong->count, 1ULL);
            atomicMin(&wrong->first, static_cast<unsigned long long>(i));
        }
    }
}

__global__ void put_bits(void* out, std::uint64_t bits, unsigned size) {
    if (size == 8) {
        *static_cast<std::uint64_t*>(out) = bits;
    } else {
        *static_cast<std::uint32_t*>(out) = static_cast<std::uint32_t>(bits);
    }
}

__global__ void nothing() {}

__device__ std::uint64_t nanoseconds() {
    std::uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

constexpr std::uint64_t kLongestHold = 2'000'000'000; // nanoseconds: then something is wrong, and it lets go

struct Gate {
    int open, late;
};
__global__ void hold(volatile Gate* gate) {
    const std::uint64_t begin = nanoseconds();
    while (gate->open == 0) {
        if (nanoseconds() - begin > kLongestHold) {
            gate->late = 1;
            return;
        }
    }
}

class StreamEvent {
  public:
    StreamEvent() { check(cudaEventCreate(&event_), "cudaEventCreate"); }
    ~StreamEvent() { cudaEventDestroy(event_); }
    StreamEvent(const StreamEvent&) = delete;
    StreamEvent& operator=(const StreamEvent&) = delete;
    void record() { check(cudaEventRecord(event_), "cudaEventRecord"); }
    double seconds_since(const StreamEvent& begin) const {
        check(cudaEventSynchronize(event_), "running the kernel");
        float ms = 0;
        check(cudaEventElapsedTime(&ms, begin.event_, event_), "cudaEventElapsedTime");
        return std::round(1e7 * static_cast<double>(ms)) / 1e10; // finer than the events, and short as a decimal
    }

  private:
    cudaEvent_t event_ = nullptr;
};

// Page-locked host memory.
class HostBuffer {
  public:
    explicit HostBuffer(std::size_t bytes) { check(cudaMallocHost(&data_, bytes == 0 ? 1 : bytes), "cudaMallocHost"); }
    ~HostBuffer() { cudaFreeHost(data_); }
    HostBuffer(const HostBuffer&) = delete;
    HostBuffer& operator=(const HostBuffer&) = delete;
    void* data() const { return data_; }

  private:
    void* data_ = nullptr;
};

// Holds the stream while it lives.
class Hold {
  public:
    explicit Hold(Gate* gate) : gate_(gate) {
        set(0);
        hold<<<1, 1>>>(gate_);
        check(cudaGetLastError(), "holding the stream");
    }
    ~Hold() { set(1); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

  private:
    void set(int open) { std::atomic_ref<int>(gate_->open).store(open, std::memory_order_seq_cst); }
    Gate* gate_;
};

// A buffer that grows.
template <class Memory> class Room {
  public:
    void ensure(std::size_t bytes) {
        if (!memory_ || bytes > have_) {
            memory_.reset();
            memory_ = std::make_unique<Memory>(bytes);
            have_ = bytes;
        }
    }
    void release() {
        memory_.reset();
        have_ = 0;
    }
    void* data() const { return memory_ ? memory_->data() : nullptr; }
    std::size_t size() const { return have_; }

  private:
    std::unique_ptr<Memory> memory_;
    std::size_t have_ = 0;
};

std::string driver_text() {
    std::ifstream file("/proc/driver/nvidia/version");
    std::string word, found;
    while (found.empty() && file >> word) { // the first word that is a version number
        if (!word.empty() && word.find_first_not_of("0123456789.") == std::string::npos &&
            word.find('.') != std::string::npos) {
            found = word;
        }
    }
    const int api = driver_version();
    return text(found, found.empty() ? "" : ", ", "CUDA ", api / 1000, ".", api % 1000 / 10);
}

// The memory of the experiments on one input.
class Bench {
  public:
    explicit Bench(std::uint64_t seed) : gpu_(gpus().front()), seed_(seed), gate_(sizeof(Gate)), wrong_(sizeof(Wrong)) {
        // Twice the cache, so that nothing of an earlier run can be left.
        constexpr std::uint64_t kLeastFlush = 64ULL << 20;
        flush_.ensure(std::max(2 * gpu_.l2_bytes, kLeastFlush));
        *gate() = {1, 0};
        // Code is loaded when it first runs, which a held stream would wait for.
        { const Hold held(gate()); }
        overwrite_cache();
        check(cudaDeviceSynchronize(), "preparing the GPU");
    }

    const Gpu& gpu() const { return gpu_; }
    std::uint64_t seed() const { return seed_; }
    std::uint64_t flush_bytes() const { return flush_.size(); }
    void* input() const { return input_.data(); }
    Room<Buffer>& output() { return output_; }
    Room<Buffer>& second_output() { return second_output_; }
    Room<Buffer>& scratch() { return scratch_; }
    Room<HostBuffer>& host() { return host_; }

    void prepare(std::uint64_t n, ElementType type) {
        for (Room<Buffer>* room : {&input_, &output_, &second_output_, &scratch_}) {
            room->release();
        }
        n_ = n;
        type_ = type;
        data_.reset();
        expected_.clear();
        input_.ensure(n * bytes(type));
        fill_input(Data::random);
    }

    void fill_input(Data data) {
        if (!is_floating(type_)) {
            data = Data::random; // whole numbers they are
        }
        if (data_ == data) {
            return;
        }
        visit_element(type_, [&](auto t) {
            using T = decltype(t);
            fill<T><<<blocks_for(n_), kThreads>>>(static_cast<T*>(input_.data()), n_, seed_, data);
        });
        check(cudaGetLastError(), "making the input");
        check(cudaDeviceSynchronize(), "making the input");
        data_ = data;
    }

    // Tolerance for a tree of that depth.
    Reference expected(Operator op, std::uint64_t depth) {
        const auto [it, fresh] = expected_.try_emplace({*data_, op});
        if (fresh) {
            it->second = timing::expected_total(*data_, n_, type_, op, seed_, 0);
        }
        return {it->second.value, it->second.tolerance * static_cast<double>(depth + 1)};
    }
    std::uint32_t expected_words() const { return timing::expected_words(*data_, n_, type_, seed_); }

    std::string wrong_in_scan(const void* out, std::uint64_t tile, bool exclusive) {
        return count_wrong([&](auto t, Wrong* wrong) {
            using T = decltype(t);
            check_scan<T>
                <<<blocks_for(n_), kThreads>>>(static_cast<const T*>(out), n_, tile, exclusive, seed_, *data_, wrong);
        });
    }
    std::string wrong_in_copy(const void* out) {
        return count_wrong([&](auto t, Wrong* wrong) {
            using T = decltype(t);
            check_copy<T><<<blocks_for(n_), kThreads>>>(static_cast<const T*>(out), n_, seed_, *data_, wrong);
        });
    }

    void overwrite_cache() {
        const std::uint64_t quads = flush_.size() / sizeof(uint4);
        overwrite<<<blocks_for(quads), kThreads>>>(static_cast<uint4*>(flush_.data()), quads, ++flushes_);
        check(cudaGetLastError(), "overwriting the cache");
    }

    // Seconds of what `enqueue` puts into the stream.
    template <class F> double between_events(F enqueue) {
        {
            const Hold held(gate());
            begin_.record();
            enqueue();
            end_.record();
        }
        const double seconds = end_.seconds_since(begin_);
        if (std::atomic_ref<int>(gate()->late).load() != 0) {
            throw DeviceError("queueing a sample took longer than two seconds; the machine is too busy to time on");
        }
        return seconds;
    }

  private:
    Gate* gate() const { return static_cast<Gate*>(gate_.data()); }

    template <class F> std::string count_wrong(F launch) {
        Wrong host{0, ~0ULL};
        wrong_.upload(&host, sizeof host);
        visit_element(type_, [&](auto t) { launch(t, wrong_.as<Wrong>()); });
        check(cudaGetLastError(), "checking the result");
        wrong_.download(&host, sizeof host);
        return host.count == 0 ? std::string() : text(host.count, " of ", n_, " elements, the first at ", host.first);
    }

    Gpu gpu_;
    std::uint64_t seed_;
    HostBuffer gate_;
    Buffer wrong_;
    Room<Buffer> flush_, input_, output_, second_output_, scratch_;
    Room<HostBuffer> host_;
    std::uint64_t n_ = 0;
    ElementType type_ = ElementType::i32;
    std::optional<Data> data_; // what the input holds
    std::map<std::pair<Data, Operator>, Reference> expected_;
    unsigned flushes_ = 0;
    StreamEvent begin_, end_;
};

std::string difference(const Scalar& got, const Reference& want) {
    if (!is_floating(got.type)) {
        return got == want.value ? "" : text(to_string(got), " instead of ", to_string(want.value));
    }
    const double g = got.as_double(), w = want.value.as_double();
    if (g == w || std::abs(g - w) <= want.tolerance) {
        return {};
    }
    return text(to_string(got), " instead of ", to_string(want.value), ", with ", want.tolerance, " for rounding");
}

// What all experiments have in common: the order of a sample.
class OnGpu : public timing::Experiment {
  public:
    OnGpu(Bench& bench, const Configuration& what) : bench_(bench), what_(what) {}

    std::string check() override {
        std::string wrong;
        if (is_floating(what_.type)) { // exact first: every bit is told apart
            bench_.fill_input(Data::whole);
            wrong = run_and_compare(true);
            bench_.fill_input(Data::random);
        }
        return wrong.empty() ? run_and_compare(!is_floating(what_.type)) : wrong;
    }

    double sample() override {
        if (what_.mode == Mode::cold) {
            bench_.overwrite_cache();
        }
        reset();
        if (what_.quantity != Quantity::pipeline) {
            return bench_.between_events([&] { enqueue(); });
        }
        cuda::check(cudaDeviceSynchronize(), "waiting for the GPU");
        const auto begin = std::chrono::steady_clock::now();
        enqueue();
        total_ = fetch();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }

  protected:
    virtual void reset() {} // before a run, and not its work
    virtual void enqueue() = 0;
    // How far the result is from what it should be; `exact`: sums of the input are exact in any order.
    virtual std::string compare(bool exact) = 0;
    virtual std::uint64_t results() const = 0; // elements left for the host

    // What the run left, made one by the host.
    Scalar fetch() {
        const std::size_t size = results() * bytes(what_.type);
        bench_.host().ensure(size);
        cuda::check(cudaMemcpyAsync(bench_.host().data(), result(), size, cudaMemcpyDeviceToHost),
                    "copying from the GPU");
        cuda::check(cudaDeviceSynchronize(), "running the kernel");
        return timing::host_total(what_.type, what_.op, bench_.host().data(), results());
    }
    virtual void* result() { return bench_.output().data(); }

    Bench& bench_;
    Configuration what_;

  private:
    std::string run_and_compare(bool exact) {
        constexpr int kPoison = 0x5A;
        cuda::check(cudaMemset(bench_.output().data(), kPoison, bench_.output().size()), "clearing the output");
        reset();
        enqueue();
        cuda::check(cudaDeviceSynchronize(), "running the kernel");
        return compare(exact);
    }
    Scalar total_; // of the last pipeline run
};

class PeerExperiment final : public OnGpu {
  public:
    PeerExperiment(Bench& bench, const Configuration& what) : OnGpu(bench, what) {
        bench.output().ensure(std::max<std::uint64_t>(timing::traffic(what).written, 16));
        std::size_t bytes = 0;
        cuda::check(static_cast<cudaError_t>(peer_scratch(call(), bytes)), "asking what the library needs");
        bench.scratch().ensure(std::max<std::size_t>(bytes, 1));
        bytes_ = bytes;
    }

  private:
    PeerCall call() {
        const auto it = what_.parameters.find("exclusive");
        return {what_.variant,  what_.type,
                what_.op,       it != what_.parameters.end() && it->second != 0,
                bench_.input(), bench_.output().data(),
                what_.n,        static_cast<std::uint32_t>(bench_.gpu().multiprocessors)};
    }
    void reset() override { cuda::check(static_cast<cudaError_t>(reset_peer(call())), "clearing a total"); }
    void enqueue() override {
        cuda::check(static_cast<cudaError_t>(run_peer(call(), bench_.scratch().data(), bytes_)), "launching a peer");
    }
    std::uint64_t results() const override { return 1; }
    std::string compare(bool exact) override {
        if (what_.variant == timing::kCopy) {
            return bench_.wrong_in_copy(result());
        }
        if (what_.variant == timing::kVendorScan) {
            return exact ? bench_.wrong_in_scan(result(), what_.n, call().exclusive) : "";
        }
        if (what_.variant == timing::kVendorReduce) {
            return difference(fetch(), bench_.expected(what_.op, timing::depth_bound(what_)));
        }
        std::uint32_t got = 0;
        cuda::check(cudaMemcpy(&got, result(), sizeof got, cudaMemcpyDeviceToHost), "copying from the GPU");
        const std::uint32_t want = bench_.expected_words();
        return got == want ? "" : text(got, " instead of ", want);
    }

    std::size_t bytes_ = 0;
};

RealLauncher launcher_of(const Configuration& what, const timing::KernelLaunch& l) {
    return real_launcher(what.variant, what.type, what.op, what.finish, l.block);
}

class StrategyExperiment final : public OnGpu {
  public:
    StrategyExperiment(Bench& bench, const Configuration& what)
        : OnGpu(bench, what), info_(require_strategy(what.variant)),
          arguments_(arguments(info_, what.parameters, what.n)), launches_(timing::launches(what)) {
        const KernelTable& table = kernel_table(what.variant);
        for (std::size_t k = 0; k < launches_.size(); ++k) {
            const timing::KernelLaunch& l = launches_[k];
            std::uint32_t shared = table.shared_elements(geometry(l));
            if (what.finish == Finish::last_block) {
                shared = std::max(shared, last_block_words(l.block));
            }
            steps_.push_back({launcher_of(what, l), {nullptr, nullptr, l.n, l.grid, l.block, shared, arguments_}});
            // The last block's partials take the place of the output.
            const std::uint64_t elements =
                what.finish == Finish::last_block ? std::max<std::uint64_t>(l.outputs, l.grid) : l.outputs;
            std::uint64_t size = elements * bytes(what.type);
            if (info_.looks_back) {
                tiles_ = TileLayout::make(l.outputs, tiles_for(info_, geometry(l)), bytes(what.type));
                size = tiles_.end;
            }
            (k % 2 == 0 ? bench.output() : bench.second_output()).ensure(std::max<std::uint64_t>(size, 16));
        }
        identity_ = visit_element(what.type, [&](auto t) { return Scalar::of(identity<decltype(t)>(what.op)).bits; });
    }

  private:
    struct Step {
        RealLauncher launch;
        RealParams params;
    };

    Geometry geometry(const timing::KernelLaunch& l) const { return {l.n, l.block, arguments_, bytes(what_.type)}; }
    void* output_of(std::size_t k) { return (k % 2 == 0 ? bench_.output() : bench_.second_output()).data(); }
    void* result() override { return output_of(steps_.size() - 1); }

    // A launch leaves its tiles ready for the next one, but others write to this output too.
    void reset() override {
        if (info_.looks_back) {
            cuda::check(
                cudaMemsetAsync(static_cast<char*>(output_of(0)) + tiles_.counter, 0, tiles_.end - tiles_.counter),
                "clearing the tiles");
        }
    }

    void enqueue() override {
        if (what_.finish == Finish::atomic) {
            put_bits<<<1, 1>>>(output_of(0), identity_, bytes(what_.type));
            cuda::check(cudaGetLastError(), "clearing the total");
        }
        const void* in = bench_.input();
        for (std::size_t k = 0; k < steps_.size(); ++k) {
            RealParams p = steps_[k].params;
            p.in = in;
            p.out = output_of(k);
            cuda::check(static_cast<cudaError_t>(steps_[k].launch(p)), "launching the kernel");
            in = p.out;
        }
    }

    std::uint64_t results() const override {
        return what_.finish == Finish::atomic || what_.finish == Finish::last_block ? 1 : launches_.back().outputs;
    }

    std::string compare(bool exact) override {
        if (!is_scan(info_)) {
            return difference(fetch(), bench_.expected(what_.op, timing::depth_bound(what_)));
        }
        if (!exact) {
            return {};
        }
        const Geometry g{what_.n, launches_.front().block, arguments_, bytes(what_.type)};
        const std::uint64_t tile = info_.answer == Answer::scan ? what_.n : outputs_per_block(info_, g);
        return bench_.wrong_in_scan(result(), tile, arguments_[0] != 0);
    }

    const StrategyInfo& info_;
    Arguments arguments_;
    std::vector<timing::KernelLaunch> launches_;
    std::vector<Step> steps_;
    TileLayout tiles_{};
    std::uint64_t identity_ = 0;
};

// An empty kernel in the grid of the strategy's launches.
class EmptyExperiment final : public OnGpu {
  public:
    EmptyExperiment(Bench& bench, const Configuration& what) : OnGpu(bench, what), launches_(timing::launches(what)) {
        bench.output().ensure(16);
    }

  private:
    void enqueue() override {
        for (const timing::KernelLaunch& l : launches_) {
            nothing<<<l.grid, l.block>>>();
            cuda::check(cudaGetLastError(), "launching an empty kernel");
        }
    }
    std::uint64_t results() const override { return 0; }
    std::string compare(bool) override { return {}; }
    std::vector<timing::KernelLaunch> launches_;
};

class GpuDevice final : public timing::Device {
  public:
    explicit GpuDevice(std::uint64_t seed) : bench_(seed) {
        std::size_t available = 0, all = 0;
        check(cudaMemGetInfo(&available, &all), "cudaMemGetInfo");
        room_ = available;
    }

    timing::Provenance provenance() const override {
        const Gpu& g = bench_.gpu();
        const BuildInfo& b = build_info();
        timing::Provenance p;
        p.device = g.name;
        p.compute_capability = text(g.compute_major, ".", g.compute_minor);
        p.driver = driver_text();
        p.toolkit = b.cuda_version;
        p.compiler_flags = text("nvcc -O3 -lineinfo, ", b.cuda_architectures, "; ", b.compiler, " ", b.build_type);
        p.commit = b.commit;
        p.multiprocessors = g.multiprocessors;
        p.core_clock_khz = g.core_clock_khz;
        p.memory_clock_khz = g.memory_clock_khz;
        p.memory_bus_bits = g.memory_bus_bits;
        p.l2_bytes = g.l2_bytes;
        p.flush_bytes = bench_.flush_bytes();
        p.seed = bench_.seed();
        p.theoretical_bytes_per_second = g.theoretical_bytes_per_second();
        return p;
    }

    std::string refusal(const Configuration& what) const override {
        const timing::Traffic t = timing::traffic(what);
        constexpr std::uint64_t kSlack = 512ULL << 20; // partials, tiles, the library's own
        if (t.total() + kSlack > room_) {
            return text("needs ", (t.total() + kSlack) >> 20, " MB of GPU memory, and ", room_ >> 20, " MB are free");
        }
        if (timing::is_known_peer(what.variant)) {
            PeerCall call;
            call.id = what.variant;
            call.type = what.type;
            return has_peer(call) ? "" : text(what.variant, " is compiled for i32, f32 and f64");
        }
        if (what.quantity == Quantity::launch) {
            return {};
        }
        const auto all = timing::launches(what);
        const bool compiled =
            std::all_of(all.begin(), all.end(), [&](const auto& l) { return launcher_of(what, l) != nullptr; });
        return compiled ? ""
                        : text(name(what.op), " of ", name(what.type), " with --finish ", name(what.finish),
                               " and blocks of ", all.front().block,
                               " is not compiled for timing; sums of i32, f32 and f64 in blocks of 32 and more are");
    }

    void prepare(std::uint64_t n, ElementType type) override { bench_.prepare(n, type); }

    std::unique_ptr<timing::Experiment> open(const Configuration& what) override {
        if (timing::is_known_peer(what.variant)) {
            return std::make_unique<PeerExperiment>(bench_, what);
        }
        if (what.quantity == Quantity::launch) {
            return std::make_unique<EmptyExperiment>(bench_, what);
        }
        return std::make_unique<StrategyExperiment>(bench_, what);
    }

  private:
    Bench bench_;
    std::uint64_t room_ = 0;
};
} // namespace

std::unique_ptr<timing::Device> timing_device(std::uint64_t seed) {
    if (!usable()) {
        throw MissingDevice("timing kernels needs a GPU: " + why_not());
    }
    return std::make_unique<GpuDevice>(seed);
}

} // namespace warptree::cuda
