#include "tests/support/evaluate.hpp"

#include "app/base/error.hpp"
#include "app/compile/program/shape.hpp"
#include "tests/support/evaluate_thread.hpp"

#include <algorithm>
#include <bit>

namespace warptree::tests {

using compile::Barrier;
using compile::kNone;
using compile::Opcode;
using evaluation::BlockState;
using evaluation::Thread;
using evaluation::Waits;

struct Evaluator::State {
    const compile::Program& program;
    evaluation::Memory memory;
    std::string printed;

    bool meet_in_warps(std::vector<Thread*>& block);
    void exchange(std::vector<Thread*>& lanes);
    bool meet_in_block(std::vector<Thread*>& block);
};

Evaluator::Evaluator(const compile::Program& program) : state_(new State{program, {}, {}}) {
    for (const compile::Global& global : program.globals) {
        std::vector<std::uint8_t>& bytes = state_->memory.allocations.emplace_back(global.bytes);
        std::copy(global.initial.begin(), global.initial.end(), bytes.begin());
        for (const compile::Global::Address& a : global.addresses) {
            const std::uint64_t base =
                a.global != kNone ? compile::allocation_address(a.global) : compile::kFunctionBase + a.function;
            const std::uint64_t address = base + static_cast<std::uint64_t>(a.addend);
            std::memcpy(bytes.data() + a.offset, &address, sizeof address);
        }
    }
}
Evaluator::~Evaluator() = default;

std::uint64_t Evaluator::allocate(std::size_t size) {
    state_->memory.allocations.emplace_back(size);
    return compile::allocation_address(static_cast<std::uint32_t>(state_->memory.allocations.size() - 1));
}

std::uint8_t* Evaluator::bytes(std::uint64_t address) {
    std::uint8_t* found = state_->memory.global(address, 0);
    if (found == nullptr) throw Error("no such array");
    return found;
}

const std::string& Evaluator::printed() const { return state_->printed; }

// Advances lanes waiting at one instruction once all lanes of its mask have arrived. Masks are assumed to be valid.
bool Evaluator::State::meet_in_warps(std::vector<Thread*>& block) {
    bool moved = false;
    for (std::size_t first = 0; first < block.size(); first += 32) {
        const std::size_t end = std::min(first + 32, block.size());
        for (std::size_t i = first; i < end; ++i) {
            if (block[i]->waits != Waits::exchange) continue;
            const compile::Instruction& in = block[i]->current();
            const std::uint32_t row = in.op == Opcode::sync_warp ? in.a : program.exchanges[in.c].mask;
            const auto mask = static_cast<std::uint32_t>(block[i]->get(row, 1));
            std::vector<Thread*> lanes;
            bool all = true;
            for (std::size_t k = first; k < end; ++k) {
                if ((mask >> (k - first) & 1) == 0) continue;
                if (block[k]->waits == Waits::done) continue;
                all &= block[k]->waits == Waits::exchange && &block[k]->current() == &in;
                lanes.push_back(block[k]);
            }
            if (!all) continue;
            if (in.op != Opcode::sync_warp) exchange(lanes);
            for (Thread* lane : lanes) lane->advance();
            moved = true;
        }
    }
    return moved;
}

void Evaluator::State::exchange(std::vector<Thread*>& lanes) {
    const compile::Instruction& in = lanes.front()->current();
    const compile::Exchange& e = program.exchanges[in.c];
    const unsigned rows = e.bytes / 4U;
    std::vector<std::uint64_t> values, answers;
    std::uint32_t ballot = 0;
    for (Thread* lane : lanes) {
        values.push_back(lane->get(in.a, in.op == Opcode::vote ? 1 : rows));
        if (values.back() != 0) ballot |= 1U << lane->lane();
    }
    const auto of_lane = [&](unsigned wanted, std::uint64_t otherwise) {
        for (std::size_t i = 0; i < lanes.size(); ++i)
            if (lanes[i]->lane() == wanted) return values[i];
        return otherwise;
    };
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        std::uint64_t answer = 0;
        if (in.op == Opcode::shuffle) {
            const auto by = static_cast<std::uint32_t>(lanes[i]->get(e.lane, 1));
            const auto width = e.width == kNone ? 32U : static_cast<std::uint32_t>(lanes[i]->get(e.width, 1));
            const unsigned lane = lanes[i]->lane(), segment = lane / width * width;
            std::int64_t from = lane;
            switch (static_cast<compile::ShuffleMode>(e.mode)) {
            case compile::ShuffleMode::down: from = std::int64_t{lane} + by; break;
            case compile::ShuffleMode::up: from = std::int64_t{lane} - by; break;
            case compile::ShuffleMode::exchange_xor: from = lane ^ by; break;
            case compile::ShuffleMode::index: from = segment + by % width; break;
            }
            const bool inside = from >= segment && from < segment + width;
            answer = inside ? of_lane(static_cast<unsigned>(from), values[i]) : values[i];
            if (e.in_range != kNone) lanes[i]->set(e.in_range, 1, inside ? 1 : 0);
        } else if (in.op == Opcode::vote) {
            switch (static_cast<compile::VoteMode>(e.mode)) {
            case compile::VoteMode::any: answer = ballot != 0 ? 1 : 0; break;
            case compile::VoteMode::all:
                answer = std::popcount(ballot) == static_cast<int>(lanes.size()) ? 1 : 0;
                break;
            case compile::VoteMode::ballot: answer = ballot; break;
            default: answer = ballot == 0 || std::popcount(ballot) == static_cast<int>(lanes.size()) ? 1 : 0; break;
            }
        } else if (in.op == Opcode::match) {
            for (std::size_t k = 0; k < lanes.size(); ++k)
                if (values[k] == values[i]) answer |= 1ULL << lanes[k]->lane();
        } else {
            static constexpr Opcode kOps[] = {Opcode::add32,  Opcode::smin32, Opcode::smax32, Opcode::umin32,
                                              Opcode::umax32, Opcode::and32,  Opcode::or32,   Opcode::xor32};
            answer = values.front();
            for (std::size_t k = 1; k < values.size(); ++k)
                answer = evaluation::evaluate_binary(kOps[e.mode], answer, values[k], 0);
        }
        answers.push_back(answer);
    }
    for (std::size_t i = 0; i < lanes.size(); ++i)
        lanes[i]->set(in.dst, in.op == Opcode::shuffle ? rows : 1, answers[i]);
}

bool Evaluator::State::meet_in_block(std::vector<Thread*>& block) {
    std::vector<Thread*> waiting;
    for (Thread* thread : block) {
        if (thread->waits == Waits::done) continue;
        if (thread->waits != Waits::barrier) return false;
        waiting.push_back(thread);
    }
    if (waiting.empty()) return false;
    std::uint64_t count = 0;
    for (Thread* thread : waiting) {
        const Barrier& barrier = program.barriers[thread->current().c];
        if (barrier.predicate != kNone && thread->get(barrier.predicate, 1) != 0) ++count;
    }
    for (Thread* thread : waiting) {
        const compile::Instruction& in = thread->current();
        switch (program.barriers[in.c].reduce) {
        case Barrier::Reduce::none: break;
        case Barrier::Reduce::count: thread->set(in.dst, 1, count); break;
        case Barrier::Reduce::all: thread->set(in.dst, 1, count == waiting.size() ? 1 : 0); break;
        case Barrier::Reduce::any: thread->set(in.dst, 1, count != 0 ? 1 : 0); break;
        }
        thread->advance();
    }
    return true;
}

std::string Evaluator::run(const std::string& kernel, const std::vector<std::uint64_t>& arguments, unsigned blocks,
                           unsigned threads, unsigned dynamic_shared,
                           const std::vector<std::vector<std::uint8_t>>& records) {
    const compile::Program& p = state_->program;
    const auto found =
        std::find_if(p.kernels.begin(), p.kernels.end(), [&](const compile::Kernel& k) { return k.name == kernel; });
    if (found == p.kernels.end()) throw Error("no kernel " + kernel);
    evaluation::Launch launch{&p, &state_->memory, blocks, threads, dynamic_shared, {}, {}};
    std::vector<std::unique_ptr<BlockState>> states;
    std::vector<std::unique_ptr<Thread>> all;
    std::vector<std::vector<Thread*>> grid(blocks);
    const std::size_t shared = (p.static_shared_bytes + 15) / 16 * 16 + dynamic_shared;
    for (unsigned b = 0; b < blocks; ++b) {
        states.push_back(std::make_unique<BlockState>(BlockState{std::vector<std::uint8_t>(shared), b}));
        for (unsigned t = 0; t < threads; ++t) {
            all.push_back(std::make_unique<Thread>(launch, *states.back(), t));
            Thread& thread = *all.back();
            grid[b].push_back(&thread);
            thread.enter(found->function, kNone);
            std::size_t record = 0;
            for (std::size_t i = 0; i < found->parameters.size(); ++i) {
                const compile::Parameter& parameter = found->parameters[i];
                std::uint64_t value = arguments.at(i);
                if (parameter.kind == compile::Parameter::Kind::record) {
                    std::copy(records.at(record).begin(), records.at(record).end(),
                              thread.local.begin() + parameter.local_offset);
                    ++record;
                    value = compile::kLocalBase + parameter.local_offset;
                }
                thread.set(parameter.row, p.functions[found->function].parameters[i].rows, value);
            }
        }
    }
    for (bool moved = true; moved;) {
        moved = false;
        for (std::vector<Thread*>& block : grid) {
            for (Thread* thread : block) {
                if (thread->waits != Waits::no) continue;
                thread->run();
                moved = true;
            }
            moved |= state_->meet_in_warps(block) || state_->meet_in_block(block);
        }
        const auto at_grid = [](const auto& thread) { return thread->waits == Waits::grid; };
        if (!moved && std::all_of(all.begin(), all.end(), at_grid)) {
            for (const auto& thread : all) thread->advance();
            moved = true;
        }
    }
    for (const auto& thread : all)
        if (thread->waits != Waits::done && launch.stopped.empty()) launch.stopped = "threads wait forever";
    state_->printed += launch.printed;
    return launch.stopped;
}

} // namespace warptree::tests
