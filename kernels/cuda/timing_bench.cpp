#if WARPTREE_HAS_CUDA

#include "kernels/cuda/timing_bench.hpp"

#include "app/measure/timing/expected.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

namespace warptree::cuda {

namespace {
// Holds the stream while it lives.
class Hold {
  public:
    explicit Hold(Gate* gate) : gate_(gate) {
        set(0);
        check(static_cast<cudaError_t>(hold(gate_)), "holding the stream");
    }
    ~Hold() { set(1); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

  private:
    void set(int open) { std::atomic_ref<int>(gate_->open).store(open, std::memory_order_seq_cst); }
    Gate* gate_;
};
} // namespace

Bench::Bench(std::uint64_t seed) : gpu_(gpus().front()), seed_(seed), gate_(sizeof(Gate)), wrong_(sizeof(Wrong)) {
    // Twice the cache, so that nothing of an earlier run can be left.
    constexpr std::uint64_t kLeastFlush = 64ULL << 20;
    flush_.ensure(std::max(2 * gpu_.l2_bytes, kLeastFlush));
    *gate() = {1, 0};
    // Code is loaded when it first runs, which a held stream would wait for.
    { const Hold held(gate()); }
    overwrite_cache();
    check(cudaDeviceSynchronize(), "preparing the GPU");
}

void Bench::prepare(std::uint64_t n, ElementType type) {
    for (Room<Buffer>* room : {&input_, &output_, &second_output_, &scratch_, &sums_}) {
        room->release();
    }
    contents_ = {type, n, seed_, timing::Data::random};
    filled_ = false;
    expected_.clear();
    input_.ensure(n * bytes(type));
    fill_input(timing::Data::random);
}

void Bench::fill_input(timing::Data data) {
    if (!is_floating(contents_.type)) {
        data = timing::Data::random; // whole numbers they are
    }
    if (filled_ && contents_.data == data) {
        return;
    }
    contents_.data = data;
    check(static_cast<cudaError_t>(fill(input_.data(), contents_)), "making the input");
    check(cudaDeviceSynchronize(), "making the input");
    filled_ = true;
}

Reference Bench::expected(Operator op, std::uint64_t depth) {
    const Contents& c = contents_;
    const auto [it, fresh] = expected_.try_emplace({c.data, op});
    if (fresh) {
        it->second = timing::expected_total(c.data, c.n, c.type, op, seed_, 0);
    }
    return {it->second.value, it->second.tolerance * static_cast<double>(depth + 1)};
}

std::uint32_t Bench::expected_words() const {
    return timing::expected_words(contents_.data, contents_.n, contents_.type, seed_);
}

std::string Bench::wrong_in_scan(const void* out, std::uint64_t tile, bool exclusive) {
    return count_wrong([&](Wrong* wrong) { return check_scan(out, contents_, tile, exclusive, wrong); });
}

std::string Bench::wrong_in_rounded_scan(const void* out, std::uint64_t tile, bool exclusive,
                                         const timing::ScanDepth& depth) {
    constexpr std::uint64_t kScanPart = 4096; // elements a thread walks, where a tile does not end before
    const Contents& c = contents_;
    const bool whole = tile >= c.n;
    const std::uint64_t part = whole ? kScanPart : tile;
    if (whole && sums_.size() == 0) {
        const auto before = timing::sums_before(c.data, c.n, c.type, seed_, part);
        sums_.ensure(before.size() * sizeof before[0]);
        check(cudaMemcpy(sums_.data(), before.data(), before.size() * sizeof before[0], cudaMemcpyHostToDevice),
              "copying to the GPU");
    }
    const auto* before = whole ? static_cast<const timing::RunningSum*>(sums_.data()) : nullptr;
    return count_wrong([&](Wrong* wrong) {
        return check_rounded_scan(out, c, part, before, exclusive, timing::scan_tolerance(depth, c.type), wrong);
    });
}

std::string Bench::wrong_in_copy(const void* out) {
    return count_wrong([&](Wrong* wrong) { return check_copy(out, contents_, wrong); });
}

std::string Bench::count_wrong(const std::function<int(Wrong*)>& check_on_gpu) {
    Wrong host{0, ~0ULL};
    wrong_.upload(&host, sizeof host);
    check(static_cast<cudaError_t>(check_on_gpu(wrong_.as<Wrong>())), "checking the result");
    wrong_.download(&host, sizeof host);
    return host.count == 0 ? std::string()
                           : fmt::format("{} of {} elements, the first at {}", host.count, contents_.n, host.first);
}

void Bench::overwrite_cache() {
    check(static_cast<cudaError_t>(overwrite(flush_.data(), flush_.size(), ++flushes_)), "overwriting the cache");
}

double Bench::between_events(const std::function<void()>& enqueue) {
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

} // namespace warptree::cuda

#endif
