#include "tests/support/evaluate_thread.hpp"

#include "app/compile/program/shape.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace warptree::tests::evaluation {

using compile::Access;
using compile::AtomicOperation;
using compile::kNone;
using compile::Opcode;
using compile::Operand;
using compile::Special;

std::uint8_t* Memory::global(std::uint64_t address, std::size_t size) {
    constexpr std::uint64_t kEach = 1ULL << compile::kAllocationBits;
    if (address < compile::kGlobalBase) return nullptr;
    const std::uint64_t number = (address - compile::kGlobalBase) / kEach;
    const std::uint64_t offset = (address - compile::kGlobalBase) % kEach - kEach / 2;
    if (number >= allocations.size() || offset + size > allocations[number].size() || offset + size < offset)
        return nullptr;
    return allocations[number].data() + offset;
}

void Thread::enter(std::uint32_t function, std::uint32_t call) {
    const compile::FunctionCode& code = launch_->program->functions[function];
    Frame frame{.function = function, .rows = std::vector<std::uint32_t>(code.rows, 0xDEADBEEF), .call = call};
    frame.local = static_cast<std::uint32_t>((local.size() + 15) / 16 * 16);
    local.resize(frame.local + code.local_bytes, 0xCD);
    frames.push_back(std::move(frame));
    for (const compile::Constant& c : code.constants) set(c.row, c.rows, c.bits);
}

const Instruction& Thread::current() const {
    const Frame& f = frames.back();
    const compile::FunctionCode& code = launch_->program->functions[f.function];
    return code.code[code.blocks[f.block].first + f.next];
}

std::uint64_t Thread::get(std::uint32_t row, unsigned rows) const {
    const std::vector<std::uint32_t>& r = frames.back().rows;
    return r[row] | (rows == 2 ? std::uint64_t{r[row + 1]} << 32 : 0);
}

void Thread::set(std::uint32_t row, unsigned rows, std::uint64_t value) {
    frames.back().rows[row] = static_cast<std::uint32_t>(value);
    if (rows == 2) frames.back().rows[row + 1] = static_cast<std::uint32_t>(value >> 32);
}

std::uint8_t* Thread::at(std::uint64_t address, std::size_t size) {
    std::uint8_t* found = nullptr;
    const std::uint64_t offset = address & 0xFFFFFFFFFFFFULL;
    if (address >> 48 == compile::kSharedBase >> 48)
        found = offset + size <= block_->shared.size() ? block_->shared.data() + offset : nullptr;
    else if (address >> 48 == compile::kLocalBase >> 48)
        found = offset + size <= local.size() ? local.data() + offset : nullptr;
    else
        found = launch_->memory->global(address, size);
    if (found == nullptr) stop("a wild address");
    return found;
}

void Thread::stop(const std::string& why) {
    if (launch_->stopped.empty()) launch_->stopped = why;
    waits = Waits::done;
}

void Thread::run() {
    while (waits == Waits::no) {
        if (launch_->budget-- == 0) return stop("the budget is spent");
        step(current());
    }
}

void Thread::step(const Instruction& in) {
    if (compute(in)) return advance();
    const compile::Shape s = compile::shape(in.op);
    if (s.ends || in.op == Opcode::call || in.op == Opcode::call_pointer) return control(in);
    switch (in.op) {
    case Opcode::barrier: waits = Waits::barrier; return;
    case Opcode::grid_barrier: waits = Waits::grid; return;
    case Opcode::shuffle:
    case Opcode::vote:
    case Opcode::match:
    case Opcode::reduce_warp:
    case Opcode::sync_warp: waits = Waits::exchange; return;
    case Opcode::active_mask: set(in.dst, 1, 1U << lane()); break; // threads run one at a time
    case Opcode::print: {
        const char* text = reinterpret_cast<const char*>(at(get(in.a, 2), 1));
        if (text != nullptr) launch_->printed += text;
        break;
    }
    case Opcode::assert_fail: return stop("assertion in line " + std::to_string(in.c));
    case Opcode::heap_allocate:
        set(in.dst, 2, compile::allocation_address(static_cast<std::uint32_t>(launch_->memory->allocations.size())));
        launch_->memory->allocations.emplace_back(get(in.a, 2));
        break;
    case Opcode::atomic: atomic(in); break;
    default: memory(in); break;
    }
    if (waits != Waits::done) advance();
}

bool Thread::compute(const Instruction& in) {
    const auto width = [&](Operand kind) { return kind == Operand::wide ? 2U : 1U; };
    const compile::Shape s = compile::shape(in.op);
    switch (in.op) {
    case Opcode::address: set(in.dst, 2, address(launch_->program->accesses[in.c], in.a, in.b)); return true;
    case Opcode::local_address: set(in.dst, 2, compile::kLocalBase + frames.back().local + in.c); return true;
    case Opcode::special: {
        const auto which = static_cast<Special>(in.c);
        set(in.dst, compile::rows_of(which), special(which));
        return true;
    }
    default: break;
    }
    if (!s.pure) return false;
    const auto operand = [&](std::uint32_t value, Operand kind) -> std::uint64_t {
        if (kind == Operand::row || kind == Operand::wide) return value == kNone ? 0 : get(value, width(kind));
        return value;
    };
    const bool integer_second = in.op == Opcode::math64 && in.c == static_cast<std::uint32_t>(compile::Function::ldexp);
    const std::uint64_t b = integer_second ? get(in.b, 1) : operand(in.b, s.b);
    set(in.dst, width(s.dst), evaluate_binary(in.op, operand(in.a, s.a), b, operand(in.c, s.c)));
    return true;
}

std::uint64_t Thread::address(const Access& access, std::uint32_t a, std::uint32_t b) const {
    std::uint64_t index = 0;
    switch (access.index) {
    case Access::Index::none: break;
    case Access::Index::i32:
        index = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(get(b, 1))});
        break;
    case Access::Index::u32: index = get(b, 1); break;
    case Access::Index::i64: index = get(b, 2); break;
    }
    return get(a, 2) + index * access.scale + static_cast<std::uint64_t>(access.offset);
}

void Thread::memory(const Instruction& in) {
    const compile::Program& p = *launch_->program;
    switch (in.op) {
    case Opcode::load:
    case Opcode::store: {
        const Access& access = p.accesses[in.c];
        const std::uint64_t where = address(access, in.a, in.b);
        const std::size_t size = std::size_t{access.bytes} * access.count;
        if (where % size != 0) return stop("a misaligned address");
        std::uint8_t* place = at(where, size);
        const unsigned rows = access.bytes == 8 ? 2 : 1;
        for (unsigned k = 0; place != nullptr && k < access.count; ++k) {
            std::uint64_t value = in.op == Opcode::store ? get(in.dst + k * rows, rows) : 0;
            if (in.op == Opcode::store) {
                std::memcpy(place + k * access.bytes, &value, access.bytes);
            } else {
                std::memcpy(&value, place + k * access.bytes, access.bytes);
                set(in.dst + k * rows, rows, value);
            }
        }
        break;
    }
    case Opcode::copy_memory:
    case Opcode::fill_memory: {
        const std::uint64_t size = get(in.c, 2);
        std::uint8_t* to = at(get(in.dst, 2), size);
        if (in.op == Opcode::fill_memory) {
            if (to != nullptr) std::fill_n(to, size, static_cast<std::uint8_t>(get(in.a, 1)));
        } else if (const std::uint8_t* from = at(get(in.a, 2), size); from != nullptr && to != nullptr) {
            std::memmove(to, from, size);
        }
        break;
    }
    case Opcode::copy_async: {
        const compile::Copy& copy = p.copies[in.c];
        std::uint8_t* to = at(get(copy.to, 2), copy.bytes);
        const std::size_t filled = copy.filled == kNone ? copy.bytes : get(copy.filled, 1);
        const std::uint8_t* from = at(get(copy.from, 2), filled);
        if (to == nullptr || from == nullptr) break;
        std::fill_n(to, copy.bytes, std::uint8_t{0});
        std::copy_n(from, filled, to);
        break;
    }
    default: break; // fences, hints, watches
    }
}

void Thread::atomic(const Instruction& in) {
    const compile::Atomic& a = launch_->program->atomics[in.c];
    const Access& access = launch_->program->accesses[a.access];
    const unsigned rows = access.bytes == 8 ? 2 : 1;
    std::uint8_t* place = at(address(access, in.a, in.b), access.bytes);
    if (place == nullptr) return;
    std::uint64_t old = 0;
    std::memcpy(&old, place, access.bytes);
    const std::uint64_t value = get(a.value, rows);
    const auto with = [&](Opcode op32) {
        return evaluate_binary(rows == 2 ? static_cast<Opcode>(static_cast<int>(op32) + 1) : op32, old, value, 0);
    };
    std::uint64_t now = value;
    switch (a.operation) {
    case AtomicOperation::add: now = with(Opcode::add32); break;
    case AtomicOperation::sub: now = with(Opcode::sub32); break;
    case AtomicOperation::min: now = with(Opcode::smin32); break;
    case AtomicOperation::max: now = with(Opcode::smax32); break;
    case AtomicOperation::umin: now = with(Opcode::umin32); break;
    case AtomicOperation::umax: now = with(Opcode::umax32); break;
    case AtomicOperation::fadd: now = with(Opcode::fadd32); break;
    case AtomicOperation::fmin: now = with(Opcode::fmin32); break;
    case AtomicOperation::fmax: now = with(Opcode::fmax32); break;
    case AtomicOperation::and_: now = old & value; break;
    case AtomicOperation::or_: now = old | value; break;
    case AtomicOperation::xor_: now = old ^ value; break;
    case AtomicOperation::exchange: break;
    case AtomicOperation::compare_exchange: now = old == get(a.expected, rows) ? value : old; break;
    case AtomicOperation::increment: now = old >= value ? 0 : old + 1; break;
    case AtomicOperation::decrement: now = old == 0 || old > value ? value : old - 1; break;
    }
    std::memcpy(place, &now, access.bytes);
    if (a.result_used) set(in.dst, rows, old);
}

void Thread::take(std::uint32_t edge) {
    const compile::Edge& e = launch_->program->edges[edge];
    std::vector<std::uint64_t> values;
    const auto* moves = launch_->program->moves.data() + e.first_move;
    for (std::uint32_t i = 0; i < e.move_count; ++i) {
        if (!e.overlapping) set(moves[i].dst, moves[i].rows, get(moves[i].src, moves[i].rows));
        values.push_back(e.overlapping ? get(moves[i].src, moves[i].rows) : 0);
    }
    for (std::uint32_t i = 0; e.overlapping && i < e.move_count; ++i) set(moves[i].dst, moves[i].rows, values[i]);
    frames.back().block = e.block;
    frames.back().next = 0;
}

void Thread::control(const Instruction& in) {
    const compile::Program& p = *launch_->program;
    switch (in.op) {
    case Opcode::jump: return take(in.c);
    case Opcode::branch: return take(get(in.a, 1) != 0 ? in.b : in.c);
    case Opcode::branch_switch: {
        const compile::Switch& table = p.switches[in.c];
        const auto found = std::find(table.values.begin(), table.values.end(), get(in.a, table.wide ? 2 : 1));
        return take(table.edges[static_cast<std::size_t>(found - table.values.begin())]);
    }
    case Opcode::call:
    case Opcode::call_pointer: {
        const compile::Call& call = p.calls[in.c];
        std::uint32_t function = call.function;
        if (in.op == Opcode::call_pointer) {
            const std::uint64_t pointer = get(in.a, 2);
            if (pointer >> 48 != compile::kFunctionBase >> 48) return stop("a call of nothing");
            function = static_cast<std::uint32_t>(pointer & 0xFFFFFFFFU);
        }
        std::vector<std::uint64_t> values;
        for (const compile::Value& v : call.arguments) values.push_back(get(v.row, v.rows));
        advance();
        enter(function, in.c);
        const auto& parameters = p.functions[function].parameters;
        for (std::size_t i = 0; i < values.size(); ++i) set(parameters[i].row, parameters[i].rows, values[i]);
        return;
    }
    case Opcode::ret: {
        const Frame done = std::move(frames.back());
        frames.pop_back();
        local.resize(done.local);
        if (frames.empty()) {
            waits = Waits::done;
            return;
        }
        const auto& results = p.functions[done.function].results;
        const auto& wanted = p.calls[done.call].results;
        std::uint32_t from = in.op == Opcode::ret ? kNone : 0;
        if (!results.empty()) from = results.front().row;
        for (std::size_t i = 0; i < results.size(); ++i)
            for (unsigned k = 0; k < results[i].rows; ++k) frames.back().rows[wanted[i].row + k] = done.rows[from++];
        return;
    }
    case Opcode::exit: waits = Waits::done; return;
    default: return stop(p.texts[in.c]);
    }
}

std::uint64_t Thread::special(Special which) const {
    switch (which) {
    case Special::thread_x: return index_;
    case Special::block_x: return block_->number;
    case Special::block_size_x: return launch_->threads;
    case Special::grid_size_x: return launch_->blocks;
    case Special::block_size_y:
    case Special::block_size_z:
    case Special::grid_size_y:
    case Special::grid_size_z: return 1;
    case Special::lane: return lane();
    case Special::warp: return index_ / 32;
    case Special::warps: return (launch_->threads + 31) / 32;
    case Special::lane_bit: return 1U << lane();
    case Special::lanes_below: return (1U << lane()) - 1;
    case Special::dynamic_shared_bytes: return launch_->dynamic_shared;
    default: return 0;
    }
}

} // namespace warptree::tests::evaluation
