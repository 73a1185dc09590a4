#include "app/trace/explain/array_contents.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace warptree {

namespace {
constexpr bool stores(AccessKind kind) {
    return kind == AccessKind::shared_store || kind == AccessKind::shared_atomic || kind == AccessKind::global_store ||
           kind == AccessKind::atomic;
}
constexpr bool is_atomic(AccessKind kind) { return kind == AccessKind::shared_atomic || kind == AccessKind::atomic; }

// By allocation, and last of shared memory.
std::vector<bool> reached(const Launch& launch) {
    std::vector<bool> all(launch.allocations.size() + 1);
    for (const Request& r : launch.requests) {
        if (!is_remote(r.kind)) {
            all[std::min<std::size_t>(r.allocation, launch.allocations.size())] = true;
        }
    }
    return all;
}

class Replay {
  public:
    // in_turn: blocks ran one after the other, in the order of their numbers.
    Replay(const Launch& launch, const ArrayPlace& array, bool in_turn, std::uint64_t first, std::uint64_t count)
        : launch_(launch), array_(array), in_turn_(in_turn), first_(first), elements_(count), by_(count) {
        if (array.is_shared()) {
            return;
        }
        std::size_t at = 0;
        for (std::uint16_t a = 0; a < array.allocation; ++a) {
            at += launch.allocations[a].held;
        }
        const std::uint64_t held = launch.allocations[array.allocation].held;
        for (std::uint64_t k = first; k < std::min(held, first + count); ++k) {
            elements_[k - first] = {
                ArrayElement::Known::before, launch.held[at + k], kNone, kNone, kNone, SourceLine::none(), kNone};
        }
    }

    void block(std::uint32_t block, std::uint32_t last_step) {
        const auto of_block = [](const Request& r, std::uint32_t number) { return r.block < number; };
        const auto begin = std::lower_bound(launch_.requests.begin(), launch_.requests.end(), block, of_block);
        const auto end = std::lower_bound(begin, launch_.requests.end(), block + 1, of_block);
        auto values = std::lower_bound(
            launch_.stored.begin(), launch_.stored.end(), begin - launch_.requests.begin(),
            [](const StoredLanes& s, std::ptrdiff_t row) { return static_cast<std::ptrdiff_t>(s.request) < row; });
        for (auto r = begin; r != end && r->step <= last_step; ++r) {
            const auto row = static_cast<std::uint32_t>(r - launch_.requests.begin());
            while (values != launch_.stored.end() && values->request < row) {
                ++values;
            }
            if (!stores(r->kind) || r->allocation != array_.allocation) {
                continue;
            }
            bool any = false;
            for (; values != launch_.stored.end() && values->request == row; ++values) {
                put(*r, *values);
                any = true;
            }
            if (!any && !is_atomic(r->kind)) {
                lose(*r, 0, r->bytes, r->mask);
            }
        }
    }

    std::vector<ArrayElement> take() { return std::move(elements_); }

  private:
    // Calls f(element) for those of the array that `bytes` bytes from a lane's part on touch.
    template <class F> void each(const Request& r, unsigned lane, unsigned from, unsigned bytes, F&& f) {
        const std::uint64_t begin = std::uint64_t{launch_.index_of(r, lane)} * r.bytes + from, end = begin + bytes;
        const std::uint64_t size = array_.element_bytes, there = array_.offset + first_ * size;
        if (end <= there || begin >= there + elements_.size() * size) {
            return;
        }
        const std::uint64_t to = std::min<std::uint64_t>(elements_.size(), (end - there + size - 1) / size);
        for (std::uint64_t e = begin < there ? 0 : (begin - there) / size; e < to; ++e) {
            f(e, begin == there + e * size && bytes == size);
        }
    }

    void put(const Request& r, const StoredLanes& s) {
        const unsigned bytes = r.bytes / s.parts;
        for (std::uint32_t rest = s.mask; rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(rest));
            const std::uint32_t thread = r.warp * kWarpSize + lane;
            const std::uint64_t bits = launch_.value_of(s, lane);
            each(r, lane, s.part * bytes, bytes, [&](std::uint64_t at, bool whole) {
                ArrayElement& e = elements_[at];
                const Request* const before = std::exchange(by_[at], &r);
                // Of one warp the later request stays; of lanes of one request, or of several warps, any may.
                const bool ordered =
                    before == nullptr || (before->block != r.block ? in_turn_
                                          : before == &r           ? e.thread == thread
                                                                   : before->step != r.step || before->warp == r.warp);
                const bool differs = e.known == ArrayElement::Known::chance || e.bits != bits;
                e = {!whole                ? ArrayElement::Known::lost
                     : ordered || !differs ? ArrayElement::Known::stored
                                           : ArrayElement::Known::chance,
                     bits,
                     r.block,
                     thread,
                     r.step,
                     r.line,
                     kNone};
            });
        }
    }

    void lose(const Request& r, unsigned from, unsigned bytes, std::uint32_t mask) {
        for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(rest));
            each(r, lane, from, bytes, [&](std::uint64_t at, bool) {
                by_[at] = &r;
                elements_[at] = {
                    ArrayElement::Known::lost, 0, r.block, r.warp * kWarpSize + lane, r.step, r.line, kNone};
            });
        }
    }

    const Launch& launch_;
    const ArrayPlace& array_;
    bool in_turn_;
    std::uint64_t first_;
    std::vector<ArrayElement> elements_;
    std::vector<const Request*> by_; // by which each was stored last
};

// Marks the elements that race across the end of the step.
void mark_races(const Launch& launch, const ArrayPlace& array, std::uint32_t block, std::uint32_t step,
                std::uint64_t first, std::vector<ArrayElement>& elements) {
    for (std::uint32_t i = 0; i < launch.hazards.size(); ++i) {
        const Hazard& h = launch.hazards[i];
        const std::uint64_t end = (std::uint64_t{h.word} + 1) * array.element_bytes; // just past the element
        if (h.block != block || h.first_step > step || h.second_step <= step ||
            h.first_thread / kWarpSize == h.second_thread / kWarpSize || end <= array.offset) {
            continue;
        }
        const std::uint64_t at = (end - array.offset - 1) / array.element_bytes;
        if (at >= first && at - first < elements.size() && elements[at - first].race == kNone) {
            elements[at - first].race = i;
        }
    }
}

// Which of several values was there at the end is known of what the launch left in memory.
void decide_chance(const Trace& trace, const ArrayPlace& array, std::uint64_t first,
                   std::vector<ArrayElement>& elements) {
    const auto output = std::ranges::find(trace.outputs, array.name, &KernelOutput::name);
    if (output == trace.outputs.end() || output->type != array.type) {
        return;
    }
    for (std::uint64_t k = 0; k < elements.size() && first + k < output->values.size(); ++k) {
        if (elements[k].known == ArrayElement::Known::chance) {
            elements[k].known = ArrayElement::Known::stored;
            elements[k].bits = output->values[first + k];
        }
    }
}
} // namespace

std::vector<ArrayPlace> arrays_of(const Launch& launch) {
    std::vector<ArrayPlace> all;
    const std::vector<bool> is_reached = reached(launch);
    if (is_reached.back()) {
        for (const SharedArray& a : launch.shared_arrays) {
            if (a.element != ValueType::none && bytes(a.element) == a.element_bytes && a.bytes >= a.element_bytes) {
                all.push_back(
                    {a.name, kSharedMemory, a.element, a.element_bytes, a.bytes / a.element_bytes, a.offset, a.row});
            }
        }
    }
    for (std::size_t i = 0; i < std::min<std::size_t>(launch.allocations.size(), kSharedMemory); ++i) {
        const Allocation& a = launch.allocations[i];
        const auto row = static_cast<std::uint16_t>(i);
        if (a.element != ValueType::none && bytes(a.element) == a.element_bytes && a.elements != 0 && is_reached[i]) {
            all.push_back({a.name, row, a.element, a.element_bytes, a.reached != 0 ? a.reached : a.elements, 0, 0});
        }
    }
    return all;
}

std::vector<ArrayElement> contents(const Trace& trace, std::uint32_t launch, const ArrayPlace& array,
                                   std::uint32_t block, std::uint32_t step, std::uint64_t first, std::uint64_t count) {
    const Launch& l = trace.launches[launch];
    const bool in_turn = trace.options.backend != Backend::cuda &&
                         (trace.options.order == WarpOrder::in_order || trace.options.order == WarpOrder::lockstep);
    Replay replay(l, array, in_turn, first, count);
    if (array.is_shared()) {
        replay.block(block, step);
        std::vector<ArrayElement> elements = replay.take();
        mark_races(l, array, block, step, first, elements);
        return elements;
    }
    for (std::uint32_t k = 0; k < l.window_count; ++k) {
        replay.block(l.window_first + k, step);
    }
    std::vector<ArrayElement> elements = replay.take();
    if (launch + 1 == trace.launches.size() && step + 1 >= l.steps.size()) {
        decide_chance(trace, array, first, elements);
    }
    return elements;
}

} // namespace warptree
