#include "kernels/cuda/replay.hpp"

#include <algorithm>
#include <utility>

namespace warptree::cuda {

namespace {
class Replay {
  public:
    Replay(const BlockEvents& events, Recorder& recorder, PublishedDepths& published)
        : events_(events), recorder_(recorder), published_(published), threads_(events.threads), next_(events.threads),
          nodes_(events.threads), forks_(events.threads) {
        for (std::uint32_t t = 0; t < events.threads; ++t) {
            threads_[t].thread = static_cast<std::uint16_t>(t);
            threads_[t].lane = static_cast<std::uint8_t>(t % kWarpSize);
            threads_[t].warp = static_cast<std::uint8_t>(t / kWarpSize);
        }
    }

    std::vector<ReplayedOutput> run(std::uint32_t block) {
        recorder_.begin_block(block);
        for (;;) {
            for (std::uint32_t w = 0; w * kWarpSize < events_.threads; ++w) {
                run_warp(w * kWarpSize, std::min((w + 1) * kWarpSize, events_.threads));
                recorder_.end_warp();
            }
            if (!pass_barrier()) {
                break;
            }
        }
        recorder_.end_block();
        return std::move(outputs_);
    }

  private:
    // The lanes up to their next block barrier or end, in turns from one warp-wide event to the next.
    void run_warp(std::uint32_t first, std::uint32_t end) {
        for (bool moved = true; moved;) {
            moved = false;
            for (std::uint32_t t = first; t < end; ++t) {
                while (next_[t] < events_.counts[t]) {
                    const Event& e = events_.at(t, next_[t]);
                    if (e.kind == EventKind::barrier) {
                        break;
                    }
                    ++next_[t];
                    moved = true;
                    feed(threads_[t], e);
                    if (e.kind == EventKind::warp_barrier || e.kind == EventKind::shuffle ||
                        e.kind == EventKind::lanes_meet) {
                        break;
                    }
                }
            }
        }
    }

    // False when no thread waits at a barrier: the block has ended.
    bool pass_barrier() {
        bool waiting = false;
        for (std::uint32_t t = 0; t < events_.threads; ++t) {
            if (next_[t] == events_.counts[t]) {
                continue;
            }
            if (!std::exchange(waiting, true)) {
                recorder_.barrier(threads_[t], events_.at(t, next_[t]).line);
            }
            ++next_[t];
        }
        if (waiting) {
            recorder_.end_interval();
            for (std::uint32_t t = 0; t < events_.threads; ++t) {
                recorder_.arrive(threads_[t]);
                threads_[t].slot = 0;
            }
        }
        return waiting;
    }

    Origin origin(std::uint32_t raw) const {
        const std::uint32_t thread = raw >> kNodeBits, number = raw & ((1U << kNodeBits) - 1);
        return thread < nodes_.size() && number < nodes_[thread].size() ? nodes_[thread][number] : Origin{};
    }

    void feed(ThreadTrace& t, const Event& e) {
        switch (e.kind) {
        case EventKind::step:
            recorder_.enter_step(t, static_cast<StepKind>(e.detail), e.a, static_cast<Phase>(e.b));
            break;
        case EventKind::branch:
            forks_[t.thread].push_back(recorder_.fork(t));
            recorder_.branch(t, e.detail != 0);
            break;
        case EventKind::loop: forks_[t.thread].push_back(recorder_.fork(t)); break;
        case EventKind::turn: recorder_.branch(t, e.detail != 0); break;
        case EventKind::join:
            recorder_.join(t, forks_[t.thread].back());
            forks_[t.thread].pop_back();
            break;
        case EventKind::shared_load: recorder_.shared_access(t, AccessKind::shared_load, e.a, e.line); break;
        case EventKind::shared_store:
            recorder_.shared_access(t, AccessKind::shared_store, e.a, e.line);
            recorder_.stored(origin(e.b), e.a);
            break;
        case EventKind::shared_vector:
            recorder_.shared_vector(t, e.detail != 0 ? AccessKind::shared_store : AccessKind::shared_load, e.a, 16,
                                    e.line);
            break;
        case EventKind::stored: recorder_.stored(origin(e.b), e.a); break;
        case EventKind::load: nodes_[t.thread].push_back(recorder_.load(t, e.a, e.value, e.line)); break;
        case EventKind::load_vector: recorder_.load_vector(t, e.a, 16, e.line); break;
        case EventKind::element: nodes_[t.thread].push_back(recorder_.element(t, e.a, e.value, e.line)); break;
        case EventKind::ticket: recorder_.ticket(t, e.line); break;
        case EventKind::partial:
            nodes_[t.thread].push_back(recorder_.partial(t, e.a, e.value, e.line, e.detail != 0));
            break;
        case EventKind::take_part: recorder_.takes_part(t); break;
        case EventKind::identity: nodes_[t.thread].push_back(recorder_.identity(t, e.value, e.line)); break;
        case EventKind::combine:
            nodes_[t.thread].push_back(recorder_.combine(t, origin(e.a), origin(e.b), e.value, e.line));
            break;
        case EventKind::product:
            nodes_[t.thread].push_back(recorder_.product(t, origin(e.a), origin(e.b), e.value, e.line));
            break;
        case EventKind::store_vector: recorder_.store_vector(t, e.a, 16, e.line); break;
        case EventKind::element_put:
            recorder_.element_put(t, e.a, origin(e.b), e.line);
            outputs_.push_back({e.a, OutputTo::output, e.value});
            break;
        case EventKind::output: {
            const auto to = static_cast<OutputTo>(e.detail);
            recorder_.output(t, to, e.a, origin(e.b), e.line);
            outputs_.push_back({e.a, to == OutputTo::told ? OutputTo::output : to, e.value});
            break;
        }
        case EventKind::warp_barrier: recorder_.warp_barrier(t); break;
        case EventKind::lanes_meet: recorder_.lanes_meet(t); break;
        case EventKind::shuffle: recorder_.shuffle(t, static_cast<ShuffleKind>(e.detail), e.a, e.b, e.line); break;
        case EventKind::barrier: break; // pass_barrier
        case EventKind::array_load: recorder_.array_access(t, AccessKind::global_load, e.value, e.a, e.line); break;
        case EventKind::array_store:
            recorder_.array_access(t, AccessKind::global_store, e.value, e.a, e.line);
            recorder_.array_stored(t, e.value, e.a, origin(e.b), e.line);
            break;
        case EventKind::publish:
            recorder_.published(t, e.a, origin(e.b), e.line);
            published_.resize(std::max<std::size_t>(published_.size(), e.a + std::size_t{1}));
            published_[e.a][e.detail] = origin(e.b).depth;
            break;
        case EventKind::look: {
            const std::uint32_t depth = e.a < published_.size() ? published_[e.a][e.detail] : 0;
            nodes_[t.thread].push_back(recorder_.seen(t, {e.a, e.b, e.detail != 0, depth, e.value}, e.line));
            break;
        }
        }
    }

    const BlockEvents& events_;
    Recorder& recorder_;
    PublishedDepths& published_;
    std::vector<ThreadTrace> threads_;
    std::vector<std::uint32_t> next_; // event of each thread
    std::vector<std::vector<Origin>> nodes_;
    std::vector<std::vector<Recorder::Fork>> forks_; // branches and loops that have not ended
    std::vector<ReplayedOutput> outputs_;
};
} // namespace

std::vector<ReplayedOutput> replay(const BlockEvents& events, std::uint32_t block, Recorder& recorder,
                                   PublishedDepths& published) {
    return Replay(events, recorder, published).run(block);
}

} // namespace warptree::cuda
