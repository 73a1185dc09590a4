#include "app/views/warps/lifeline.hpp"

#include "app/base/type_words.hpp"
#include "app/trace/explain/array_names.hpp"
#include "app/trace/explain/findings.hpp"
#include "app/trace/explain/values.hpp"
#include "app/views/banks/exchange.hpp"
#include "app/views/barriers.hpp"
#include "app/views/lane_look.hpp"
#include "app/views/parts.hpp"
#include "app/views/thread_of.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <utility>

namespace warptree::scene {

namespace {
using session::SubStep;

class Life {
  public:
    Life(const Trace& trace, const Launch& launch, std::uint32_t step, std::uint32_t block, std::uint32_t thread)
        : trace_(trace), launch_(launch), step_(step), block_(block), thread_(thread), warp_(thread / kWarpSize),
          bit_(1U << thread % kWarpSize) {}

    std::vector<LifeEvent> events() {
        requests();
        shuffles();
        nodes();
        outputs();
        for (Done& it : done_) {
            all_.push_back(std::move(it.event));
        }
        fold();
        end();
        idle();
        barriers();
        all_.insert(all_.end(), last_.begin(), last_.end());
        return std::move(all_);
    }

  private:
    template <class Row> bool of_warp(const Row& row) const {
        return row.block == block_ && row.step == step_ && row.warp == warp_;
    }
    template <class Row> bool of_thread(const Row& row) const {
        return row.block == block_ && row.step == step_ && row.thread == thread_;
    }
    void add(SubStep part, std::string text, SourceLine line, bool attention = false) {
        all_.push_back({part, std::move(text), line, attention});
    }

    // What the thread does, in the order executed. The trace has requests, shuffles, combines and outputs in a table each,
    // which are merged: what is computed comes after its operands have come, else beside what the same line does.
    struct Done {
        LifeEvent event;
        std::uint16_t allocation = 0;     // of a request
        std::uint64_t begin = 0, end = 0; // its bytes; none: no request
        std::uint32_t source = kNone;     // of a shuffle: the thread that the value comes from
        bool touches(std::uint16_t in, std::uint64_t byte) const {
            return in == allocation && byte >= begin && byte < end;
        }
    };
    // Places it after what was placed by the last call, and at `least` or behind.
    void place(LifeEvent event, std::size_t least = 0, std::uint32_t source = kNone) {
        std::size_t at = std::max(placed_, least);
        if (at > placed_ && at == least) {
            // After an operand.
        } else if (const std::size_t same = on_line(at, event.line); same < done_.size()) {
            for (at = same;
                 at < done_.size() && done_[at].event.line == event.line && done_[at].event.part <= event.part;) {
                ++at;
            }
        } else {
            while (at < done_.size() && !(event.line.line() < done_[at].event.line.line())) {
                ++at;
            }
        }
        done_.insert(done_.begin() + static_cast<std::ptrdiff_t>(at), {std::move(event), 0, 0, 0, source});
        placed_ = at + 1;
    }
    std::size_t on_line(std::size_t from, SourceLine line) const {
        while (from < done_.size() && done_[from].event.line != line) {
            ++from;
        }
        return from;
    }
    // Just behind where an operand has come; 0: that is not known.
    std::size_t after_operand(std::uint32_t node) const {
        if (node >= launch_.nodes.size()) {
            return 0;
        }
        const Node& n = launch_.nodes[node];
        const bool loaded = n.kind == NodeKind::leaf;
        const std::uint16_t in = loaded ? n.allocation : n.word_allocation;
        const std::uint32_t index = loaded ? n.element() : n.word;
        const unsigned own = bytes(n.type == ValueType::none ? value_type_of(trace_.options.type) : n.type);
        const unsigned size = in < launch_.allocations.size() ? launch_.allocations[in].element_bytes : own;
        for (std::size_t k = placed_; k < done_.size(); ++k) {
            const Done& d = done_[k];
            const bool loads = d.end != 0 && d.event.part == SubStep::load_operands;
            const bool again = loaded && n.word != kNone && // from where it was put
                               d.touches(n.word_allocation, std::uint64_t{n.word} * own);
            if ((loads && ((index != kNone && d.touches(in, std::uint64_t{index} * size)) || again)) ||
                (d.source != kNone && d.source == n.thread && n.thread != thread_)) {
                return k + 1;
            }
        }
        return 0;
    }

    // "s[5]", "in[64]", "shared word 5": arrays by name if the trace has it, and the buffer in brackets the first time.
    std::string where(const Request& r) {
        const std::uint64_t index = launch_.index_of(r, thread_ % kWarpSize);
        if (!is_shared(r.kind) && !is_remote(r.kind)) {
            const bool named = r.allocation < launch_.allocations.size();
            return named ? fmt::format("{}[{}]{}", kernel_name(launch_, r.allocation), index,
                                       noted_.insert(r.allocation).second ? buffer_note(launch_, r.allocation) : "")
                         : fmt::format("element {}", index);
        }
        const std::uint64_t byte = index * r.bytes;
        for (const SharedArray& a : launch_.shared_arrays) {
            if (byte >= a.offset && byte < std::uint64_t{a.offset} + a.bytes && a.element_bytes != 0) {
                return element_name(a, (byte - a.offset) / a.element_bytes);
            }
        }
        return fmt::format("shared word {}", index);
    }

    // "74 ", what is stored there, where the trace has it.
    std::string stored(std::uint32_t request) const {
        const Request& r = launch_.requests[request];
        auto s = std::lower_bound(launch_.stored.begin(), launch_.stored.end(), request,
                                  [](const StoredLanes& at, std::uint32_t row) { return at.request < row; });
        ValueType type =
            r.allocation < launch_.allocations.size() ? launch_.allocations[r.allocation].element : ValueType::none;
        for (const SharedArray& a : launch_.shared_arrays) {
            const std::uint64_t byte = std::uint64_t{launch_.index_of(r, thread_ % kWarpSize)} * r.bytes;
            type = r.allocation == kSharedMemory && byte >= a.offset && byte - a.offset < a.bytes ? a.element : type;
        }
        return s != launch_.stored.end() && s->request == request && s->parts == 1 && (s->mask & bit_) != 0 &&
                       type != ValueType::none && bytes(type) == r.bytes
                   ? value_text(type, launch_.value_of(*s, thread_ % kWarpSize), 7) + " "
                   : "";
    }

    void requests() {
        for (std::uint32_t i = 0; i < launch_.requests.size(); ++i) {
            const Request& r = launch_.requests[i];
            if (!of_warp(r) || (r.mask & bit_) == 0) {
                continue;
            }
            const std::uint64_t begin = std::uint64_t{launch_.index_of(r, thread_ % kWarpSize)} * r.bytes;
            const auto did = [&](SubStep part, const std::string& what) {
                done_.push_back({{part, what + where(r), r.line, false}, r.allocation, begin, begin + r.bytes, kNone});
            };
            switch (r.kind) {
            case AccessKind::shared_load:
            case AccessKind::global_load: did(SubStep::load_operands, "loads "); break;
            case AccessKind::shared_store:
            case AccessKind::global_store: did(SubStep::store, "stores " + stored(i) + "to "); break;
            case AccessKind::atomic:
            case AccessKind::shared_atomic: did(SubStep::store, "combines atomically into "); break;
            case AccessKind::remote_load: did(SubStep::load_operands, "loads another block's "); break;
            case AccessKind::remote_store: did(SubStep::store, "stores to another block's "); break;
            case AccessKind::remote_atomic: did(SubStep::store, "combines atomically into another block's "); break;
            }
        }
    }

    void shuffles() {
        const unsigned lane = thread_ % kWarpSize;
        placed_ = 0;
        for (const Shuffle& s : launch_.shuffles) {
            if (!of_warp(s) || (s.mask & bit_) == 0) {
                continue;
            }
            const LaneSource source = shuffle_sources(launch_, s)[lane];
            if (s.kind == ShuffleKind::reduce) {
                place({SubStep::combine, "combines with all lanes of the reduction", s.line, false});
                continue;
            }
            const std::string from = source.kind == LaneSource::Kind::not_there
                                         ? fmt::format("reads lane {}, which is inactive in the shuffle", source.lane)
                                     : source.lane == lane
                                         ? std::string("keeps its own value at the shuffle")
                                         : fmt::format("takes the value of lane {} by shuffle", source.lane);
            place({SubStep::load_operands, from, s.line, false}, 0, warp_ * kWarpSize + source.lane);
        }
    }

    std::string value(std::uint32_t node) const {
        return node < launch_.nodes.size() ? value_text(trace_, launch_.nodes[node], 7) : "?";
    }

    void nodes() {
        placed_ = 0;
        for (const Node& n : launch_.nodes) {
            if (!of_thread(n) || !has_operands(n.kind)) {
                continue;
            }
            const bool combines = n.kind == NodeKind::combine;
            place({SubStep::combine,
                   n.right() == kNone ? fmt::format("computes {} from {}", value_text(trace_, n, 7), value(n.left))
                                      : fmt::format("{} {} and {} to {}", combines ? "combines" : "multiplies",
                                                    value(n.left), value(n.right()), value_text(trace_, n, 7)),
                   n.line, false},
                  std::max(after_operand(n.left), after_operand(n.right())));
        }
    }

    // Those of which no request tells.
    void outputs() {
        placed_ = 0;
        for (const Output& o : launch_.outputs) {
            const bool told = std::ranges::any_of(done_, [&](const Done& d) {
                return d.end != 0 && d.event.part == SubStep::store && d.event.line == o.line;
            });
            if (of_thread(o) && !told) {
                place({SubStep::store, fmt::format("writes {} to output element {}", value(o.node), o.index), o.line,
                       false});
            }
        }
    }

    // What it does over and over, as it tries to take a lock, once, with how often: where it first does it.
    void fold() {
        std::vector<LifeEvent> folded;
        std::map<std::tuple<SubStep, std::uint32_t, std::uint32_t, std::string>, std::pair<std::size_t, std::uint64_t>>
            met; // place in `folded`, and how often
        for (LifeEvent& e : all_) {
            const auto [at, added] =
                met.try_emplace({e.part, e.line.file(), e.line.line(), e.text}, folded.size(), std::uint64_t{0});
            ++at->second.second;
            if (added) {
                folded.push_back(std::move(e));
            }
        }
        for (const auto& [_, it] : met) {
            if (it.second > 1) {
                folded[it.first].text += fmt::format(", {} times", grouped(it.second));
            }
        }
        all_ = std::move(folded);
    }

    // What ended the run: it is no access that was made.
    void end() {
        for (const Finding& f : launch_.findings) {
            if (ends_the_run(f) && of_thread(f)) {
                std::string text = what_it_does(trace_, launch_, f);
                if (text.ends_with('.')) {
                    text.pop_back();
                }
                last_.push_back(
                    {SubStep::barrier, "ends here: " + text, SourceLine::none(), true}); // it names the line
            }
        }
    }

    void idle() {
        if (!all_.empty() || !last_.empty()) {
            return;
        }
        for (const Branch& b : launch_.branches) {
            if (of_warp(b) && (b.not_taken & bit_) != 0) {
                add(SubStep::load_operands, "does not take the branch", b.line);
            }
        }
        const WarpStep it = lanes_at_work(launch_, block_, step_, warp_);
        add(SubStep::load_operands,
            (it.active & bit_) != 0 ? "is active"
            : it.active != 0        ? "is inactive while its warp runs"
                                    : "is inactive, as is its whole warp",
            SourceLine::none());
    }

    void barriers() {
        for (const BarrierLine& b : barrier_lines(launch_, block_)) {
            if (b.step != step_ || b.missing) {
                continue;
            }
            const bool arrives = warp_ < b.arrived.size() && (b.arrived[warp_] & bit_) != 0;
            const std::string count = fmt::format("{} of {}", b.threads, b.expected);
            add(SubStep::barrier,
                !arrives   ? b.passed ? "does not arrive at the barrier" : "never arrives at the barrier"
                : b.passed ? fmt::format("waits at the barrier: {} arrived", count)
                           : fmt::format("waits forever: {} arrived", count),
                b.line, !b.passed);
        }
    }

    const Trace& trace_;
    const Launch& launch_;
    std::uint32_t step_, block_, thread_, warp_, bit_;
    std::set<std::uint16_t> noted_; // allocations whose buffer has been named
    std::vector<Done> done_;
    std::size_t placed_ = 0; // behind what of a table was placed last
    std::vector<LifeEvent> all_, last_;
};
} // namespace

std::vector<LifeEvent> lifeline(const Trace& trace, const session::Moment& moment, std::uint32_t block,
                                std::uint32_t thread) {
    const Launch* launch = shown_launch(trace, moment);
    const std::uint32_t step = current_step(trace, moment);
    if (launch == nullptr || is_host(trace, moment) || step >= launch->steps.size() || !launch->in_window(block) ||
        thread >= launch->block) {
        return {};
    }
    return Life(trace, *launch, step, block, thread).events();
}

std::uint32_t thread_of(const Trace& trace, const session::Moment& moment, const Target& target) {
    std::uint32_t shown = 0;
    const Launch* launch = shown_launch(trace, moment, &shown);
    if (launch == nullptr || target.launch != shown) {
        return kNone;
    }
    return thread_of(*launch, target);
}

} // namespace warptree::scene
