#include "app/run/program/stream_order.hpp"

#include <algorithm>

namespace warptree::runs {

namespace {

void join_clock(StreamOrder::Clock& clock, const StreamOrder::Clock& other) {
    clock.resize(std::max(clock.size(), other.size()));
    for (std::size_t i = 0; i < other.size(); ++i) {
        clock[i] = std::max(clock[i], other[i]);
    }
}

std::uint64_t number_in(const StreamOrder::Clock& clock, std::size_t place) {
    return place < clock.size() ? clock[place] : 0;
}

bool clock_follows(const StreamOrder::Clock& clock, const StreamOrder::Operation& earlier) {
    return number_in(clock, earlier.stream) >= earlier.number;
}

bool spans_overlap(const StreamOrder::Spans& a, const StreamOrder::Spans& b) {
    auto i = a.begin(), j = b.begin();
    while (i != a.end() && j != b.end()) {
        if (i->first < j->second && j->first < i->second) {
            return true;
        }
        (i->second < j->second ? i : j)++;
    }
    return false;
}

bool spans_cover(const StreamOrder::Spans& outer, const StreamOrder::Spans& inner) {
    auto i = outer.begin();
    for (const auto& span : inner) {
        while (i != outer.end() && i->second < span.second) {
            ++i;
        }
        if (i == outer.end() || i->first > span.first) {
            return false;
        }
    }
    return true;
}

} // namespace

// The legacy stream has two names.
std::size_t StreamOrder::place(Stream stream) {
    const auto device = static_cast<std::uint32_t>(stream >> 32);
    const auto [found, added] = places_.try_emplace(is_default(stream) ? default_of(device) : stream, streams_.size());
    if (added) {
        streams_.emplace_back().device = device;
    }
    return found->second;
}

void StreamOrder::create(Stream stream, bool blocking, std::uint32_t device) {
    place(default_of(device));
    State& state = streams_[place(stream)];
    state.blocking = blocking;
    state.device = device;
}

std::uint32_t StreamOrder::device_of(Stream stream) const {
    const auto found = places_.find(stream);
    return found == places_.end() ? static_cast<std::uint32_t>(stream >> 32) : streams_[found->second].device;
}

bool StreamOrder::knows(Stream stream) const {
    return (stream & 0xFFFFFFFF) <= kOfAThread || places_.count(stream) != 0;
}

StreamOrder::Clock StreamOrder::before(std::size_t place) const {
    Clock clock = host_;
    join_clock(clock, floor_);
    join_clock(clock, streams_[place].clock);
    const auto legacy = places_.find(default_of(streams_[place].device));
    if (legacy == places_.end()) {
        return clock;
    }
    if (place == legacy->second) {
        for (const State& s : streams_) {
            if (s.blocking && s.device == streams_[place].device) {
                join_clock(clock, s.clock);
            }
        }
    } else if (streams_[place].blocking) {
        join_clock(clock, streams_[legacy->second].clock);
    }
    return clock;
}

StreamOrder::Clock StreamOrder::all() const {
    Clock clock;
    for (const State& s : streams_) {
        join_clock(clock, s.clock);
    }
    return clock;
}

StreamOrder::Operation StreamOrder::enqueue(Stream stream, std::string what, SourceLine line) {
    Operation now;
    now.stream = place(stream);
    now.after = before(now.stream);
    now.after.resize(std::max(now.after.size(), now.stream + 1));
    now.number = number_in(streams_[now.stream].clock, now.stream) + 1;
    now.handle = stream;
    now.what = std::move(what);
    now.line = line;
    streams_[now.stream].clock = now.after;
    streams_[now.stream].clock[now.stream] = now.number;
    return now;
}

void StreamOrder::host_follows(const Clock& clock) {
    join_clock(host_, clock);
    changes_ += accesses_.empty() ? 0 : 1;
    for (auto& [array, list] : accesses_) {
        std::erase_if(list, [&](const Access& a) { return clock_follows(host_, a.by); });
    }
    std::erase_if(accesses_, [](const auto& entry) { return entry.second.empty(); });
}

void StreamOrder::wait() { host_follows(all()); }

void StreamOrder::wait_device(std::uint32_t device) {
    Clock clock;
    for (const State& s : streams_) {
        if (s.device == device) {
            join_clock(clock, s.clock);
        }
    }
    host_follows(clock);
}

void StreamOrder::wait(Stream stream) { host_follows(before(place(stream))); }

void StreamOrder::record(std::uint64_t event, Stream stream) { events_[event] = before(place(stream)); }

void StreamOrder::wait_in(Stream stream, std::uint64_t event) {
    if (const auto found = events_.find(event); found != events_.end()) {
        join_clock(streams_[place(stream)].clock, found->second);
    }
}

void StreamOrder::wait_for(std::uint64_t event) {
    if (const auto found = events_.find(event); found != events_.end()) {
        host_follows(found->second);
    }
}

bool StreamOrder::waited_for(const Operation& operation) const { return clock_follows(host_, operation); }

bool StreamOrder::reached(std::uint64_t event) const {
    const auto found = events_.find(event);
    if (found == events_.end()) {
        return true;
    }
    for (std::size_t i = 0; i < found->second.size(); ++i) {
        if (found->second[i] > number_in(host_, i)) {
            return false;
        }
    }
    return true;
}

std::optional<StreamOrder::Access> StreamOrder::access(const Operation& now, std::uint32_t array, Spans spans,
                                                       bool writes, bool atomic) {
    if (spans.empty()) {
        return std::nullopt;
    }
    ++changes_;
    std::vector<Access>& list = accesses_[array];
    const auto conflict = std::find_if(list.begin(), list.end(), [&](const Access& a) {
        return (a.writes || writes) && !(a.atomic && atomic) && !clock_follows(now.after, a.by) &&
               !(a.by.stream == now.stream) && spans_overlap(a.spans, spans);
    });
    std::optional<Access> found;
    if (conflict != list.end()) {
        found = *conflict;
    }
    // Of one stream's, what a later one covers says nothing more.
    std::erase_if(list, [&](const Access& a) {
        return a.by.stream == now.stream && (writes || !a.writes) && (!atomic || a.atomic) &&
               spans_cover(spans, a.spans);
    });
    constexpr std::size_t kMost = 256; // of one array; the oldest are forgotten first
    if (list.size() == kMost) {
        list.erase(list.begin());
    }
    Access& added = list.emplace_back();
    added.by = now;
    added.by.after.clear();
    added.writes = writes;
    added.atomic = atomic;
    added.spans = std::move(spans);
    return found;
}

void StreamOrder::forget(std::uint32_t array) { changes_ += accesses_.erase(array); }

std::vector<StreamOrder::Pending> StreamOrder::pending() const {
    std::vector<Pending> all;
    for (const auto& [array, list] : accesses_) {
        for (const Access& a : list) {
            all.push_back({array, &a});
        }
    }
    return all;
}

std::optional<StreamOrder::Access> StreamOrder::pending_at(std::uint32_t array, std::uint64_t byte,
                                                           bool host_writes) const {
    const auto list = accesses_.find(array);
    if (list == accesses_.end()) {
        return std::nullopt;
    }
    const auto found = std::find_if(list->second.begin(), list->second.end(), [&](const Access& a) {
        return (a.writes || host_writes) && std::any_of(a.spans.begin(), a.spans.end(), [&](const auto& span) {
                   return span.first <= byte && byte < span.second;
               });
    });
    return found == list->second.end() ? std::nullopt : std::optional(*found);
}

} // namespace warptree::runs
