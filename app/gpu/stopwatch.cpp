#include "app/gpu/stopwatch.hpp"

#include <algorithm>
#include <atomic>

namespace warptree::gpu {

namespace {
// Waits until the first word of the gate is set; after two seconds sets the second word and gives up.
constexpr const char* kWaitAt = R"(.version 6.3
.target sm_70
.address_size 64
.visible .entry wait_at(.param .u64 gate) {
    .reg .pred %p<3>;
    .reg .b32 %r<3>;
    .reg .b64 %t<6>;
    ld.param.u64 %t1, [gate];
    mov.u64 %t2, %globaltimer;
again:
    ld.volatile.global.u32 %r1, [%t1];
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra done;
    mov.u64 %t3, %globaltimer;
    sub.u64 %t4, %t3, %t2;
    setp.gt.u64 %p2, %t4, 2000000000;
    @!%p2 bra again;
    mov.u32 %r2, 1;
    st.volatile.global.u32 [%t1+4], %r2;
done:
    ret;
}
)";
constexpr std::uint64_t kLeastFlush = 64ULL << 20;
} // namespace

Stopwatch::Stopwatch(std::chrono::milliseconds limit)
    : limit_(limit), code_(kWaitAt), wait_at_(code_.function("wait_at")), memory_(sizeof(Gate)),
      flush_(std::max(2 * facts().l2_bytes, kLeastFlush)) {
    gate() = {1, 0};
    overwrite_cache();
    time([] {}); // code is loaded on its first launch
}

void Stopwatch::set(int open) const { std::atomic_ref<int>(gate().open).store(open, std::memory_order_seq_cst); }

void Stopwatch::overwrite_cache() { set_words(flush_.address(), ++flushes_, flush_.size() / 4); }

double Stopwatch::time(const std::function<void()>& enqueue) {
    set(0);
    try {
        api::Address at = memory_.address();
        launch({wait_at_, {1, 1, 1}, {1, 1, 1}, 0, {&at}});
        begin_.record();
        enqueue();
        end_.record();
    } catch (...) {
        set(1);
        throw;
    }
    set(1);
    wait(limit_);
    if (std::atomic_ref<int>(gate().late).load() != 0) {
        throw DeviceError("queueing a sample took longer than two seconds; the machine is too busy to time on");
    }
    return end_.seconds_since(begin_);
}

} // namespace warptree::gpu
