// Streams and events, and what may not be touched before one of them is waited for.
#include "app/run/program/calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

namespace warptree::runs {

using compile::kNone;
using Reply = ProgramCalls::Reply;

namespace {
std::string told(const StreamOrder::Operation& by) {
    return by.line.known() ? fmt::format("{} in line {}", by.what, by.line.line()) : by.what;
}
} // namespace

Reply ProgramCalls::stream_create(ProgramSession& s, const host::Ask& ask, Bytes) {
    constexpr std::uint64_t kFirst = 16, kMost = 1 << 16; // below the first: the default streams
    if (s.streams_ == kMost) {
        return reply_of(s.fail(CudaError::out_of_memory));
    }
    const std::uint64_t number = kFirst + s.streams_++;
    s.order_.create(number, ask.words[0] == 0, s.devices_.current());
    s.priorities_.push_back(static_cast<std::int32_t>(ask.words[1]));
    return reply_of(CudaError::none, {number});
}

Reply ProgramCalls::stream_facts(ProgramSession& s, const host::Ask& ask, Bytes) {
    constexpr std::uint64_t kFirst = 16;
    const std::uint64_t number = ask.words[0];
    if (!s.order_.knows(s.stream(number))) {
        return reply_of(s.fail(CudaError::invalid_handle));
    }
    const bool made = number >= kFirst && number - kFirst < s.priorities_.size();
    return reply_of(CudaError::none,
                    {made && !s.order_.blocks(number) ? 1ULL : 0ULL,
                     made ? static_cast<std::uint64_t>(std::int64_t{s.priorities_[number - kFirst]}) : 0});
}

// Its work goes on.
Reply ProgramCalls::stream_destroy(ProgramSession& s, const host::Ask& ask, Bytes) {
    return reply_of(s.order_.knows(s.stream(ask.words[0])) ? s.sticky_ : s.fail(CudaError::invalid_handle));
}

Reply ProgramCalls::synchronise(ProgramSession& s, const host::Ask& ask, Bytes) {
    const bool device = ask.words[0] == ~0ULL;
    if (!device && !s.order_.knows(s.stream(ask.words[0]))) {
        return reply_of(s.fail(CudaError::invalid_handle));
    }
    if (device) {
        s.order_.wait_device(s.devices_.current());
    } else {
        s.order_.wait(s.stream(ask.words[0]));
    }
    const auto& events = s.trace_.program.events;
    if (events.empty() || events.back().kind != StoryKind::wait) {
        s.tell(StoryKind::wait).name = device ? "the device" : "a stream";
    }
    return reply_of(s.sticky_);
}

Reply ProgramCalls::event_create(ProgramSession& s, const host::Ask& ask, Bytes) {
    constexpr std::size_t kMost = 1U << 20;
    if (s.recorded_.size() == kMost) {
        return reply_of(s.fail(CudaError::out_of_memory));
    }
    s.recorded_.emplace_back();
    s.timeless_.push_back(ask.words[0] != 0);
    return reply_of(CudaError::none, {s.recorded_.size()});
}

bool ProgramCalls::is_event(const ProgramSession& s, std::uint64_t number) {
    return number != 0 && number <= s.recorded_.size();
}

Reply ProgramCalls::event_destroy(ProgramSession& s, const host::Ask& ask, Bytes) {
    return reply_of(is_event(s, ask.words[0]) ? s.sticky_ : s.fail(CudaError::invalid_handle));
}

Reply ProgramCalls::event_record(ProgramSession& s, const host::Ask& ask, Bytes) {
    if (!is_event(s, ask.words[0]) || !s.order_.knows(s.stream(ask.words[1]))) {
        return reply_of(s.fail(CudaError::invalid_handle));
    }
    s.recorded_[ask.words[0] - 1] = std::chrono::steady_clock::now() + s.spared_;
    s.order_.record(ask.words[0], s.stream(ask.words[1]));
    return reply_of(s.sticky_);
}

// Who only asks for it until it has come goes on only then.
Reply ProgramCalls::event_wait(ProgramSession& s, const host::Ask& ask, Bytes) {
    if (!is_event(s, ask.words[0])) {
        return reply_of(s.fail(CudaError::invalid_handle));
    }
    s.order_.wait_for(ask.words[0]);
    return reply_of(s.sticky_);
}

Reply ProgramCalls::stream_wait(ProgramSession& s, const host::Ask& ask, Bytes) {
    if (!s.order_.knows(s.stream(ask.words[0])) || !is_event(s, ask.words[1])) {
        return reply_of(s.fail(CudaError::invalid_handle));
    }
    s.order_.wait_in(s.stream(ask.words[0]), ask.words[1]);
    return reply_of(s.sticky_);
}

Reply ProgramCalls::event_time(ProgramSession& s, const host::Ask& ask, Bytes) {
    const std::chrono::steady_clock::time_point never{};
    if (!is_event(s, ask.words[0]) || !is_event(s, ask.words[1]) || s.recorded_[ask.words[0] - 1] == never ||
        s.recorded_[ask.words[1] - 1] == never || s.timeless_[ask.words[0] - 1] || s.timeless_[ask.words[1] - 1]) {
        return reply_of(s.fail(CudaError::invalid_handle));
    }
    if (!s.order_.reached(ask.words[1])) {
        const std::string event = s.argument(2);
        Finding* const found =
            s.find(FindingKind::race_global, s.here(),
                   fmt::format("the time until {} is asked for before the host has waited for it: on a GPU this gives "
                               "cudaErrorNotReady while the work goes on (cudaEventSynchronize first)",
                               event.empty() ? "an event" : event));
        if (found != nullptr) {
            found->severity = Severity::risk;
        }
    }
    s.timed_ = true;
    const std::chrono::duration<float, std::milli> took = s.recorded_[ask.words[1] - 1] - s.recorded_[ask.words[0] - 1];
    return reply_of(s.sticky_, {std::bit_cast<std::uint32_t>(took.count())});
}

Reply ProgramCalls::guards(ProgramSession& s, const host::Ask&, Bytes) {
    Reply reply;
    const auto* const at = reinterpret_cast<const std::byte*>(s.guards_.data());
    reply.bytes.assign(at, at + s.guards_.size() * sizeof(host::Guard));
    return reply;
}

// Told once for each array: then its guards are gone.
Reply ProgramCalls::early(ProgramSession& s, const host::Ask& ask, Bytes) {
    const Place place = s.find_place(ask.words[0]);
    const bool writes = ask.words[1] != 0;
    if (place.allocation == nullptr || place.allocation->freed() || place.offset < 0) {
        return {};
    }
    const auto access = s.order_.pending_at(place.index, static_cast<std::uint64_t>(place.offset), writes);
    if (!access) {
        return {};
    }
    const simt::Allocation& a = *place.allocation;
    s.find(FindingKind::race_global, s.here(),
           fmt::format("the host {} {}[{}], which {} may still be {}: nothing has waited for it ({})",
                       writes ? "writes" : "reads", a.shape().name,
                       a.element_at(static_cast<std::uint64_t>(place.offset)), told(access->by),
                       access->writes ? "writing" : "reading",
                       StreamOrder::is_default(access->by.handle) ? "cudaDeviceSynchronize" : "cudaStreamSynchronize"),
           a.shape().name);
    s.order_.forget(place.index);
    return {};
}

void ProgramSession::note_access(const StreamOrder::Operation& now, std::uint32_t array, StreamOrder::Spans spans,
                                 bool writes, bool atomic) {
    const auto before = order_.access(now, array, std::move(spans), writes, atomic);
    if (!before) {
        return;
    }
    find(FindingKind::race_global, here(),
         fmt::format("{} {} {}, which {} may still be {}: no wait and no event orders its stream before this one",
                     now.what, writes ? "writes" : "reads", named(array), told(before->by),
                     before->writes ? "writing" : "reading"),
         named(array));
}

bool ProgramSession::polls() const {
    // What looks at no old value waits for none, and of a narrower scope the host sees nothing meanwhile.
    std::set<std::uint32_t> blind;
    for (const compile::Atomic& a : program_->atomics) {
        if (!a.result_used && a.scope != compile::Scope::system) {
            blind.insert(a.access);
        }
    }
    for (std::uint32_t k = 0; k < program_->accesses.size(); ++k) {
        if (const compile::Access& a = program_->accesses[k]; a.is_volatile && a.array == kNone && !blind.contains(k)) {
            return true;
        }
    }
    return false;
}

void ProgramSession::note_accesses(const StreamOrder::Operation& now, const compile::Kernel& kernel,
                                   const std::vector<std::uint32_t>& used) {
    const bool alone = !polls();
    // Kernels that run at once may both change what they reach by atomics alone, unless those are of a block's scope.
    std::map<std::uint32_t, bool> atomic; // by array: whether every parameter that it is given to is used so
    const bool wide = std::ranges::none_of(program_->atomics,
                                           [](const compile::Atomic& a) { return a.scope == compile::Scope::block; });
    for (std::size_t p = 0; p < used.size() && p < kernel.parameters.size(); ++p) {
        const compile::Parameter& parameter = kernel.parameters[p];
        const bool only = wide && parameter.updates && !parameter.loads && !parameter.stores;
        const auto [at, first] = atomic.try_emplace(used[p], only);
        at->second = only && (first || at->second);
    }
    for (std::uint32_t i = 0; i < memory_->count(); ++i) {
        const simt::Allocation& a = (*memory_)[i];
        if (a.watched() && (alone || !compile::is_host_address(a.address))) {
            const bool only = atomic.contains(i) && atomic.at(i);
            note_access(now, i, a.seen_loads(), false, only);
            note_access(now, i, a.seen_stores(), true, only);
        }
    }
}

// Of what both see. Of many pieces the later ones are one, in which not all is pending: early() looks at what it is told.
std::uint32_t ProgramSession::guards() {
    if (guards_at_ == order_.changes()) {
        return guard_changes_;
    }
    guards_at_ = order_.changes();
    constexpr std::size_t kMostPieces = 32; // of an array
    std::vector<host::Guard> now;
    for (const StreamOrder::Pending& p : order_.pending()) {
        const simt::Allocation& a = (*memory_)[p.array];
        if (a.freed() || !compile::is_host_address(a.address)) {
            continue;
        }
        const StreamOrder::Spans& spans = p.access->spans;
        for (std::size_t k = 0; k < std::min(spans.size(), kMostPieces) && now.size() < host::kMostGuards; ++k) {
            const std::uint64_t end = k + 1 == kMostPieces ? spans.back().second : spans[k].second;
            now.push_back({a.address + spans[k].first, end - spans[k].first, p.access->writes ? 0ULL : 1ULL});
        }
    }
    const auto same = [](const host::Guard& x, const host::Guard& y) {
        return x.address == y.address && x.bytes == y.bytes && x.readable == y.readable;
    };
    if (!std::equal(now.begin(), now.end(), guards_.begin(), guards_.end(), same)) {
        guards_ = std::move(now);
        ++guard_changes_;
    }
    return guard_changes_;
}

} // namespace warptree::runs
