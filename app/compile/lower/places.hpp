// Every row and tag row that an instruction or edge of a function uses: those that for_each_row() visits and those of
// its Selection. Calls visit(number, count, Use).
#pragma once

#include "app/compile/program/shape.hpp"

namespace warptree::compile::lowering {

struct RowPlaces {
    static constexpr bool is_place(std::uint32_t) { return true; }
    static std::uint32_t count(const FunctionCode& code) { return code.rows; }

    template <class P, class S, class Visit> static void of_selection(P&, S& s, Visit&& visit) {
        if (s.condition != kNone) visit(s.condition, 1U, Use::read);
        visit(s.x, compile::rows_of(s.type), Use::read);
        visit(s.y, compile::rows_of(s.type), Use::read);
    }
    // Without its selection.
    template <class P, class I, class Visit> static void of_instruction(P& program, I& in, Visit&& visit) {
        for_each_row(program, in, visit);
    }
    template <class M, class Visit> static void of_move(M& move, Visit&& visit) {
        visit(move.src, move.rows, Use::read);
        visit(move.dst, move.rows, Use::write);
    }
    template <class P, class K, class Visit> static void of_keep(P& program, K& keep, Visit&& visit) {
        const Access::Index index = program.accesses[keep.access].index;
        visit(keep.a, 2U, Use::read);
        if (index != Access::Index::none) visit(keep.b, index == Access::Index::i64 ? 2U : 1U, Use::read);
    }
    template <class V, class Visit> static void of_value(V& value, Use use, Visit&& visit) {
        visit(value.row, value.rows, use);
    }
};

struct TagPlaces {
    static constexpr bool is_place(std::uint32_t tag) { return tag != 0; } // 0: no tag
    static std::uint32_t count(const FunctionCode& code) { return code.tag_rows; }

    template <class P, class S, class Visit> static void of_selection(P&, S& s, Visit&& visit) {
        visit(s.tag_x, 1U, Use::read);
        visit(s.tag_y, 1U, Use::read);
    }
    template <class P, class I, class Visit> static void of_instruction(P& program, I& in, Visit&& visit) {
        for_each_tag(program, in, visit);
    }
    template <class M, class Visit> static void of_move(M& move, Visit&& visit) {
        visit(move.tag_src, 1U, Use::read);
        visit(move.tag_dst, 1U, Use::write);
    }
    template <class P, class K, class Visit> static void of_keep(P&, K&, Visit&&) {}
    template <class V, class Visit> static void of_value(V& value, Use use, Visit&& visit) {
        visit(value.tag, 1U, use);
    }
};

// Index of the instruction's selection; kNone: none.
inline std::uint32_t selection_of(const Program& program, const Instruction& in) {
    if (in.selection != kNone) return in.selection;
    return shape(in.op).c == Operand::access ? program.accesses[in.c].selection : kNone;
}

template <class Places, class P, class I, class Visit> void visit_instruction(P& program, I& in, Visit&& visit) {
    Places::of_instruction(program, in, visit);
    if (const std::uint32_t s = selection_of(program, in); s != kNone)
        Places::of_selection(program, program.selections[s], visit);
}

template <class Places, class P, class Visit> void visit_edge(P& program, const Edge& edge, Visit&& visit) {
    for (std::uint32_t m = 0; m < edge.move_count; ++m) {
        auto& move = program.moves[edge.first_move + m];
        Places::of_move(move, visit);
        if (move.selection != kNone) Places::of_selection(program, program.selections[move.selection], visit);
    }
    for (std::uint32_t k = edge.keep; k != kNone; k = program.keeps[k].next) {
        auto& keep = program.keeps[k];
        Places::of_keep(program, keep, visit);
        Places::of_selection(program, program.selections[program.accesses[keep.access].selection], visit);
    }
}

} // namespace warptree::compile::lowering
