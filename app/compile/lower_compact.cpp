#include "app/compile/lower_function.hpp"

#include "app/compile/program_shape.hpp"

namespace warptree::compile::lowering {

namespace {

class Compaction {
  public:
    Compaction(Program& program, FunctionCode& code, std::uint32_t first_edge, std::uint32_t first_loop)
        : program_(program), code_(code), first_edge_(first_edge), first_loop_(first_loop), row_(code.rows, 0),
          tag_(code.tag_rows, 0), kept_(code.code.size(), false) {}

    void run() {
        find_live();
        drop();
        renumber();
    }

  private:
    void live(std::uint32_t row, std::uint32_t rows) {
        for (std::uint32_t i = 0; i < rows; ++i) {
            changed_ |= row_[row + i] == 0;
            row_[row + i] = 1;
        }
    }
    bool is_live(std::uint32_t row, std::uint32_t rows) const {
        for (std::uint32_t i = 0; i < rows; ++i)
            if (row_[row + i] != 0) return true;
        return false;
    }
    void live(const Selection& s) {
        live(s.condition, 1);
        live(s.x, compile::rows_of(s.type));
        live(s.y, compile::rows_of(s.type));
    }
    std::uint32_t selection_of(const Instruction& in) const {
        if (in.selection != kNone) return in.selection;
        const Operand kind = shape(in.op).c;
        return kind == Operand::access ? program_.accesses[in.c].selection : kNone;
    }

    void find_live();
    void find_live_in_code();
    void find_live_on_edges();
    void drop();
    void drop_moves();
    void renumber();
    void renumber_selections();

    Program& program_;
    FunctionCode& code_;
    std::uint32_t first_edge_, first_loop_;
    std::vector<std::uint32_t> row_, tag_; // 1: somebody reads it; later: its new number
    std::vector<bool> kept_;
    bool changed_ = false;
    std::vector<bool> selection_done_;
};

void Compaction::find_live_in_code() {
    for (std::size_t i = code_.code.size(); i-- > 0;) {
        Instruction& in = code_.code[i];
        if (!kept_[i]) {
            bool wanted = !shape(in.op).pure;
            for_each_row(program_, in, [&](std::uint32_t row, std::uint32_t rows, Use use) {
                wanted |= use == Use::write && is_live(row, rows);
            });
            if (!wanted) continue;
            kept_[i] = changed_ = true;
        }
        for_each_row(program_, in, [&](std::uint32_t row, std::uint32_t rows, Use) { live(row, rows); });
        if (const std::uint32_t s = selection_of(in); s != kNone) live(program_.selections[s]);
    }
}

void Compaction::find_live_on_edges() {
    for (std::size_t e = first_edge_; e < program_.edges.size(); ++e) {
        const Edge& edge = program_.edges[e];
        for (std::uint32_t m = 0; m < edge.move_count; ++m) {
            const Move& move = program_.moves[edge.first_move + m];
            if (!is_live(move.dst, move.rows)) continue;
            live(move.src, move.rows);
            if (move.selection != kNone) live(program_.selections[move.selection]);
        }
        if (edge.keep == kNone) continue;
        const Keep& keep = program_.keeps[edge.keep];
        const Access& access = program_.accesses[keep.access];
        live(keep.a, 2);
        if (access.index != Access::Index::none) live(keep.b, access.index == Access::Index::i64 ? 2 : 1);
        live(program_.selections[access.selection]);
    }
}

void Compaction::find_live() {
    for (const Value& v : code_.parameters) live(v.row, v.rows);
    for (const Value& v : code_.results) live(v.row, v.rows);
    for (std::size_t l = first_loop_; l < program_.loops.size(); ++l) {
        const Loop& loop = program_.loops[l];
        if (loop.row != kNone) live(loop.row, compile::rows_of(program_.variables[loop.variable].type));
    }
    do {
        changed_ = false;
        find_live_in_code();
        find_live_on_edges();
    } while (changed_);
}

void Compaction::drop_moves() {
    std::vector<Move> moves;
    const std::uint32_t first = first_edge_ < program_.edges.size() ? program_.edges[first_edge_].first_move
                                                                    : static_cast<std::uint32_t>(program_.moves.size());
    for (std::size_t e = first_edge_; e < program_.edges.size(); ++e) {
        Edge& edge = program_.edges[e];
        const std::uint32_t old = edge.first_move, count = edge.move_count;
        edge.first_move = first + static_cast<std::uint32_t>(moves.size());
        edge.move_count = 0;
        for (std::uint32_t m = 0; m < count; ++m) {
            const Move& move = program_.moves[old + m];
            if (!is_live(move.dst, move.rows)) continue;
            moves.push_back(move);
            ++edge.move_count;
        }
    }
    program_.moves.resize(first);
    program_.moves.insert(program_.moves.end(), moves.begin(), moves.end());
}

void Compaction::drop() {
    drop_moves();
    std::erase_if(code_.constants, [&](const Constant& c) { return !is_live(c.row, c.rows); });
    std::vector<std::uint32_t> place(code_.code.size() + 1);
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < code_.code.size(); ++i) {
        place[i] = next;
        if (kept_[i]) code_.code[next++] = code_.code[i];
    }
    place.back() = next;
    code_.code.resize(next);
    for (Block& block : code_.blocks) {
        const std::uint32_t end = place[block.first + block.count];
        block.first = place[block.first];
        block.count = end - block.first;
    }
    for (Statement& s : code_.statements) {
        s.instruction = place[s.instruction];
        code_.code[s.instruction].flags |= kBeginsStatement;
    }
}

void Compaction::renumber_selections() {
    const auto renumber = [&](std::uint32_t index) {
        if (index == kNone || selection_done_[index]) return;
        selection_done_[index] = true;
        Selection& s = program_.selections[index];
        s.condition = row_[s.condition];
        s.x = row_[s.x];
        s.y = row_[s.y];
        s.tag_x = static_cast<std::uint16_t>(tag_[s.tag_x]);
        s.tag_y = static_cast<std::uint16_t>(tag_[s.tag_y]);
    };
    selection_done_.assign(program_.selections.size(), false);
    for (const Instruction& in : code_.code) renumber(selection_of(in));
    for (std::size_t e = first_edge_; e < program_.edges.size(); ++e) {
        const Edge& edge = program_.edges[e];
        for (std::uint32_t m = 0; m < edge.move_count; ++m) renumber(program_.moves[edge.first_move + m].selection);
        if (edge.keep != kNone) renumber(program_.accesses[program_.keeps[edge.keep].access].selection);
    }
}

void Compaction::renumber() {
    // Tag rows that still have a writer; row 0 stays empty.
    const auto use_tag = [&](std::uint16_t tag, std::uint32_t count) {
        for (std::uint32_t i = 0; tag != 0 && i < count; ++i) tag_[tag + i] = 1;
    };
    for (const Instruction& in : code_.code)
        for_each_tag(program_, in, [&](std::uint16_t tag, std::uint32_t count, Use) { use_tag(tag, count); });
    for (const Value& v : code_.parameters) use_tag(v.tag, 1);
    for (const Value& v : code_.results) use_tag(v.tag, 1);
    const auto each_move = [&](auto&& visit) {
        for (std::size_t e = first_edge_; e < program_.edges.size(); ++e)
            for (std::uint32_t m = 0; m < program_.edges[e].move_count; ++m)
                visit(program_.moves[program_.edges[e].first_move + m]);
    };
    each_move([&](const Move& move) {
        use_tag(move.tag_dst, 1);
        use_tag(move.tag_src, 1);
    });

    std::uint32_t next = 0;
    for (std::uint32_t& row : row_) row = row == 0 ? kNone : next++;
    code_.rows = next;
    next = 0;
    for (std::size_t i = 0; i < tag_.size(); ++i) tag_[i] = i == 0 || tag_[i] != 0 ? next++ : 0;
    code_.tag_rows = next;

    const auto new_row = [&](std::uint32_t& row, std::uint32_t, Use) { row = row_[row]; };
    const auto new_tag = [&](std::uint16_t& tag, std::uint32_t, Use) { tag = static_cast<std::uint16_t>(tag_[tag]); };
    renumber_selections();
    for (Instruction& in : code_.code) {
        for_each_row(program_, in, new_row);
        for_each_tag(program_, in, new_tag);
        if (in.op == Opcode::ret && in.a != kNone) in.a = row_[in.a];
    }
    const auto value = [&](Value& v) {
        v.row = row_[v.row];
        v.tag = static_cast<std::uint16_t>(tag_[v.tag]);
    };
    for (Value& v : code_.parameters) value(v);
    for (Value& v : code_.results) value(v);
    for (Constant& c : code_.constants) c.row = row_[c.row];
    each_move([&](Move& move) {
        move.dst = row_[move.dst];
        move.src = row_[move.src];
        move.tag_dst = static_cast<std::uint16_t>(tag_[move.tag_dst]);
        move.tag_src = static_cast<std::uint16_t>(tag_[move.tag_src]);
    });
    for (std::size_t e = first_edge_; e < program_.edges.size(); ++e) {
        if (program_.edges[e].keep == kNone) continue;
        Keep& keep = program_.keeps[program_.edges[e].keep];
        keep.a = row_[keep.a];
        if (keep.b != kNone) keep.b = row_[keep.b];
    }
    for (std::size_t l = first_loop_; l < program_.loops.size(); ++l)
        if (program_.loops[l].row != kNone) program_.loops[l].row = row_[program_.loops[l].row];
}

} // namespace

void compact(Program& program, FunctionCode& code, std::uint32_t first_edge, std::uint32_t first_loop) {
    Compaction(program, code, first_edge, first_loop).run();
}

} // namespace warptree::compile::lowering
