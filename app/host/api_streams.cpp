// Streams and events. Work is done when it is asked for, in the program's order, which is one of those that CUDA
// allows.
#include "app/host/api.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

using namespace warptree::host;

namespace {
cudaError_t create(cudaStream_t* to, unsigned flags, const void* caller, int priority = 0) {
    if (to == nullptr || flags > cudaStreamNonBlocking) return refused(cudaErrorInvalidValue, caller);
    const Reply reply = ask(Call::stream_create, {flags, static_cast<std::uint64_t>(std::int64_t{priority})}, caller);
    if (reply.error() == cudaSuccess) *to = reinterpret_cast<cudaStream_t>(reply.word(0));
    return error_of(reply);
}
// Those of streams, which change how fast something is, not what it is: they are kept and told.
struct Attributes {
    std::mutex one;
    std::map<std::pair<std::uint64_t, int>, cudaStreamAttrValue> all;
};
Attributes& attributes() {
    static Attributes them;
    return them;
}
cudaError_t create(cudaEvent_t* to, unsigned flags, const void* caller) {
    if (to == nullptr) return refused(cudaErrorInvalidValue, caller);
    const Reply reply = ask(Call::event_create, {(flags & cudaEventDisableTiming) != 0 ? 1ULL : 0ULL}, caller);
    if (reply.error() == cudaSuccess) *to = reinterpret_cast<cudaEvent_t>(reply.word(0));
    return error_of(reply);
}
} // namespace

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* to) { return create(to, cudaStreamDefault, WARPTREE_CALLER); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* to, unsigned flags) { return create(to, flags, WARPTREE_CALLER); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* to, unsigned flags, int priority) {
    return create(to, flags, WARPTREE_CALLER, std::clamp(priority, -5, 0));
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* to) {
    const Reply reply = ask(Call::stream_facts, {number(stream)}, WARPTREE_CALLER);
    *to = static_cast<unsigned>(reply.word(0));
    return error_of(reply);
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* to) {
    const Reply reply = ask(Call::stream_facts, {number(stream)}, WARPTREE_CALLER);
    *to = static_cast<int>(static_cast<std::int64_t>(reply.word(1)));
    return error_of(reply);
}
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID which, const cudaStreamAttrValue* value) {
    if (value == nullptr) return refused(cudaErrorInvalidValue, WARPTREE_CALLER);
    Attributes& known = attributes();
    const std::lock_guard<std::mutex> hold(known.one);
    known.all[{number(stream), which}] = *value;
    return cudaSuccess;
}
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID which, cudaStreamAttrValue* to) {
    if (to == nullptr) return refused(cudaErrorInvalidValue, WARPTREE_CALLER);
    Attributes& known = attributes();
    const std::lock_guard<std::mutex> hold(known.one);
    const auto at = known.all.find({number(stream), which});
    *to = at == known.all.end() ? cudaStreamAttrValue{} : at->second;
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    return error_of(ask(Call::stream_destroy, {number(stream)}, WARPTREE_CALLER));
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    if (const cudaError_t e = forbidden_wait(stream, WARPTREE_CALLER); e != cudaSuccess) return e;
    return error_of(ask(Call::synchronise, {number(stream)}, WARPTREE_CALLER));
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
    if (const cudaError_t e = forbidden_wait(stream, WARPTREE_CALLER); e != cudaSuccess) return e;
    return error_of(ask(Call::synchronise, {number(stream)}, WARPTREE_CALLER));
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    if (joins_capture(stream, event, WARPTREE_CALLER)) return cudaSuccess;
    return error_of(ask(Call::stream_wait, {stream_number(stream), number(event)}, WARPTREE_CALLER));
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void* data, unsigned) {
    const cudaError_t error = error_of(ask(Call::synchronise, {number(stream)}, WARPTREE_CALLER));
    function(stream, error, data);
    return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
    const void* const caller = WARPTREE_CALLER;
    const auto work = [=] {
        const cudaError_t error = error_of(ask(Call::synchronise, {stream_number(stream)}, caller));
        if (error == cudaSuccess) function(data);
        return error;
    };
    return in_order(stream, work, caller);
}

cudaError_t cudaEventCreate(cudaEvent_t* to) { return create(to, cudaEventDefault, WARPTREE_CALLER); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* to, unsigned flags) { return create(to, flags, WARPTREE_CALLER); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    return error_of(ask(Call::event_destroy, {number(event)}, WARPTREE_CALLER));
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    const void* const caller = WARPTREE_CALLER;
    const auto work = [=] { return error_of(ask(Call::event_record, {number(event), stream_number(stream)}, caller)); };
    note_event(stream, event);
    return in_order(stream, work, caller);
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
    return cudaEventRecord(event, stream);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return error_of(ask(Call::event_wait, {number(event)}, WARPTREE_CALLER));
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
    return error_of(ask(Call::event_wait, {number(event), 1}, WARPTREE_CALLER));
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
    const Reply reply = ask(Call::event_time, {number(from), number(to)}, WARPTREE_CALLER);
    const auto word = static_cast<std::uint32_t>(reply.word(0));
    if (reply.error() == cudaSuccess) std::memcpy(milliseconds, &word, sizeof word);
    return error_of(reply);
}
}
