#include "app/views/warps/lifeline.hpp"

#include "app/trace/explain/findings.hpp"
#include "app/trace/explain/values.hpp"
#include "app/views/banks/exchange.hpp"
#include "app/views/barriers.hpp"
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
        end();
        idle();
        barriers();
        std::stable_sort(all_.begin(), all_.end(),
                         [](const LifeEvent& a, const LifeEvent& b) { return a.part < b.part; });
        fold();
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

    // "s[5]", "in[64]", "shared word 5": arrays by name if the trace has it.
    std::string place(const Request& r) const {
        const std::uint64_t index = launch_.index_of(r, thread_ % kWarpSize);
        if (!is_shared(r.kind) && !is_remote(r.kind)) {
            const bool named = r.allocation < launch_.allocations.size();
            return named ? fmt::format("{}[{}]", launch_.allocations[r.allocation].name, index)
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

    void requests() {
        for (const Request& r : launch_.requests) {
            if (!of_warp(r) || (r.mask & bit_) == 0) {
                continue;
            }
            switch (r.kind) {
            case AccessKind::shared_load:
            case AccessKind::global_load: add(SubStep::load_operands, "loads " + place(r), r.line); break;
            case AccessKind::shared_store:
            case AccessKind::global_store: add(SubStep::store, "stores to " + place(r), r.line); break;
            case AccessKind::atomic:
            case AccessKind::shared_atomic: add(SubStep::store, "combines atomically into " + place(r), r.line); break;
            case AccessKind::remote_load:
                add(SubStep::load_operands, "loads another block's " + place(r), r.line);
                break;
            case AccessKind::remote_store: add(SubStep::store, "stores to another block's " + place(r), r.line); break;
            case AccessKind::remote_atomic:
                add(SubStep::store, "combines atomically into another block's " + place(r), r.line);
                break;
            }
        }
    }

    void shuffles() {
        const unsigned lane = thread_ % kWarpSize;
        for (const Shuffle& s : launch_.shuffles) {
            if (!of_warp(s) || (s.mask & bit_) == 0) {
                continue;
            }
            const LaneSource source = shuffle_sources(launch_, s)[lane];
            if (s.kind == ShuffleKind::reduce) {
                add(SubStep::combine, "combines with all lanes of the reduction", s.line);
                continue;
            }
            const std::string from = source.kind == LaneSource::Kind::not_there
                                         ? fmt::format("reads lane {}, which is inactive in the shuffle", source.lane)
                                     : source.lane == lane
                                         ? std::string("keeps its own value at the shuffle")
                                         : fmt::format("takes the value of lane {} by shuffle", source.lane);
            add(SubStep::load_operands, from, s.line);
        }
    }

    std::string value(std::uint32_t node) const {
        return node < launch_.nodes.size() ? value_text(trace_, launch_.nodes[node], 7) : "?";
    }

    void nodes() {
        for (const Node& n : launch_.nodes) {
            if (!of_thread(n) || !has_operands(n.kind)) {
                continue;
            }
            const bool combines = n.kind == NodeKind::combine;
            add(SubStep::combine,
                n.right() == kNone ? fmt::format("computes {} from {}", value_text(trace_, n, 7), value(n.left))
                                   : fmt::format("{} {} and {} to {}", combines ? "combines" : "multiplies",
                                                 value(n.left), value(n.right()), value_text(trace_, n, 7)),
                n.line);
        }
    }

    void outputs() {
        for (const Output& o : launch_.outputs) {
            if (of_thread(o)) {
                add(SubStep::store, fmt::format("writes {} to output element {}", value(o.node), o.index), o.line);
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
        const WarpStep& it = launch_.warp_step(block_, step_, warp_);
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
