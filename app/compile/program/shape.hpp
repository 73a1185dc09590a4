// The kinds of the four operands of each instruction, and from these every row and tag row it uses. check(), the
// lowering's last passes and the listing read it, so that an opcode is described only once.
#pragma once

#include "app/compile/program/program.hpp"

namespace warptree::compile {

enum class Operand : std::uint8_t {
    none,
    row,        // 4 bytes per lane
    wide,       // 8 bytes
    number,     // an immediate
    index_row,  // as Access::index says
    elements,   // as many rows as Access::bytes and count need
    value,      // as Exchange::bytes, Switch::wide, Variable::type, Atomic's access or the Special say
    results,    // as many as the function returns
    result_row, // 4 bytes, or kNone: not wanted
    access,     // and from here on indices into the tables of Program
    atomic,
    copy,
    exchange,
    barrier,
    switch_table,
    call,
    edge,
    text,
    variable,
    function, // a Function
    special,  // a Special
    scope     // a Scope
};

struct Shape {
    Operand dst = Operand::none, a = Operand::none, b = Operand::none, c = Operand::none;
    bool pure = false;  // can be removed if dst is never read
    bool reads = false; // dst is read, not written
    bool ends = false;  // the block
};

Shape shape(Opcode op);

// Otherwise both arguments have the function's width.
constexpr bool second_is_integer(Function f) { return f == Function::ldexp; }

inline std::uint32_t element_rows(const Access& access) { return access.count * (access.bytes == 8 ? 2U : 1U); }
inline std::uint32_t rows_of(ValueType type) { return bytes(type) == 8 ? 2U : 1U; }

inline std::uint32_t rows_of(Special special) {
    return special == Special::clock64 || special == Special::timer ? 2U : 1U;
}

enum class Use : std::uint8_t { read, write };

// Calls visit(row, rows, Use) for every row that an instruction uses, directly or through its entry in a table of the
// program. Indices must be valid. Unless P and I are const, visit may renumber rows.
template <class P, class I, class Visit> void for_each_row(P& program, I& in, Visit&& visit) {
    const Shape s = shape(in.op);
    const auto rows = [&](auto& operand, Operand kind, Use use) {
        switch (kind) {
        case Operand::row: visit(operand, 1U, use); break;
        case Operand::wide: visit(operand, 2U, use); break;
        case Operand::result_row:
            if (operand != kNone) visit(operand, 1U, use);
            break;
        case Operand::index_row: {
            const Access& access = program.accesses[in.op == Opcode::atomic ? program.atomics[in.c].access : in.c];
            if (access.index != Access::Index::none) visit(operand, access.index == Access::Index::i64 ? 2U : 1U, use);
            break;
        }
        case Operand::elements: visit(operand, element_rows(program.accesses[in.c]), use); break;
        case Operand::value: {
            std::uint32_t width = 1;
            switch (in.op) {
            case Opcode::atomic: width = element_rows(program.accesses[program.atomics[in.c].access]); break;
            case Opcode::branch_switch: width = program.switches[in.c].wide ? 2 : 1; break;
            case Opcode::special: width = rows_of(static_cast<Special>(in.c)); break;
            case Opcode::watch: width = rows_of(program.variables[in.c].type); break;
            default: width = program.exchanges[in.c].bytes / 4U; break;
            }
            if (operand != kNone) visit(operand, width, use);
            break;
        }
        default: break;
        }
    };
    const auto optional = [&](auto& operand, std::uint32_t width, Use use) {
        if (operand != kNone) visit(operand, width, use);
    };
    rows(in.a, s.a, Use::read);
    if ((in.op == Opcode::math32 || in.op == Opcode::math64) && !takes_two(static_cast<Function>(in.c))) {
    } else if (in.op == Opcode::math64 && second_is_integer(static_cast<Function>(in.c))) {
        visit(in.b, 1U, Use::read);
    } else {
        rows(in.b, s.b, Use::read);
    }
    rows(in.c, s.c, Use::read);
    switch (in.op) {
    case Opcode::atomic: {
        auto& atomic = program.atomics[in.c];
        const std::uint32_t width = element_rows(program.accesses[atomic.access]);
        visit(atomic.value, width, Use::read);
        if (atomic.operation == AtomicOperation::compare_exchange) visit(atomic.expected, width, Use::read);
        break;
    }
    case Opcode::copy_async: {
        auto& copy = program.copies[in.c];
        visit(copy.to, 2U, Use::read);
        visit(copy.from, 2U, Use::read);
        optional(copy.filled, 1U, Use::read);
        break;
    }
    case Opcode::shuffle:
    case Opcode::vote:
    case Opcode::match:
    case Opcode::reduce_warp: {
        auto& exchange = program.exchanges[in.c];
        visit(exchange.mask, 1U, Use::read);
        if (in.op == Opcode::shuffle) {
            visit(exchange.lane, 1U, Use::read);
            optional(exchange.width, 1U, Use::read);
        }
        optional(exchange.in_range, 1U, Use::write);
        break;
    }
    case Opcode::barrier: {
        auto& barrier = program.barriers[in.c];
        optional(barrier.number, 1U, Use::read);
        optional(barrier.threads, 1U, Use::read);
        optional(barrier.predicate, 1U, Use::read);
        break;
    }
    case Opcode::call:
    case Opcode::call_pointer: {
        auto& call = program.calls[in.c];
        for (auto& argument : call.arguments) visit(argument.row, argument.rows, Use::read);
        for (auto& result : call.results)
            if (result.row != kNone) visit(result.row, result.rows, Use::write);
        break;
    }
    default: break;
    }
    rows(in.dst, s.dst, s.reads ? Use::read : Use::write);
}

// Likewise calls visit(tag, rows, Use), also for tag 0.
template <class P, class I, class Visit> void for_each_tag(P& program, I& in, Visit&& visit) {
    const Shape s = shape(in.op);
    visit(in.tag_a, 1U, Use::read);
    visit(in.tag_b, 1U, Use::read);
    visit(in.tag_c, 1U, Use::read);
    if (in.op == Opcode::atomic) {
        visit(program.atomics[in.c].tag_value, 1U, Use::read);
        visit(program.atomics[in.c].tag_expected, 1U, Use::read);
    } else if (in.op == Opcode::call || in.op == Opcode::call_pointer) {
        for (auto& argument : program.calls[in.c].arguments) visit(argument.tag, 1U, Use::read);
        for (auto& result : program.calls[in.c].results) visit(result.tag, 1U, Use::write);
    }
    const bool several = s.dst == Operand::elements;
    visit(in.tag_dst, several ? program.accesses[in.c].count : 1U, s.reads ? Use::read : Use::write);
}

// The edges that leave a block; an edge may be visited more than once. Calls visit(index in Program::edges).
template <class Visit> void visit_successors(const Program& program, const Instruction& last, Visit&& visit) {
    switch (last.op) {
    case Opcode::jump: visit(last.c); break;
    case Opcode::branch:
        visit(last.b);
        visit(last.c);
        break;
    case Opcode::branch_switch:
        for (const std::uint32_t edge : program.switches[last.c].edges) visit(edge);
        break;
    default: break;
    }
}
// Calls f(edge) for each of them.
template <class F> void for_each_edge(const Program& program, const Instruction& in, F&& f) {
    visit_successors(program, in, [&](std::uint32_t edge) { f(program.edges[edge]); });
}

} // namespace warptree::compile
