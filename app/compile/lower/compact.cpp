#include "app/compile/lower/function.hpp"

#include "app/compile/lower/allocate.hpp"
#include "app/compile/lower/places.hpp"

namespace warptree::compile::lowering {

namespace {

class Compaction {
  public:
    Compaction(Program& program, FunctionCode& code, std::uint32_t first_edge, std::uint32_t first_loop)
        : program_(program), code_(code), first_edge_(first_edge), first_loop_(first_loop), row_(code.rows, 0),
          kept_(code.code.size(), false) {}

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
    void find_live();
    void find_live_in_code();
    void find_live_on_edges();
    void drop();
    void drop_moves();
    void renumber();
    template <class Places> void renumber(const Allocation& allocation);
    template <class Places, class Visit> void renumber_selections(Visit&& visit);

    Program& program_;
    FunctionCode& code_;
    std::uint32_t first_edge_, first_loop_;
    std::vector<std::uint8_t> row_; // 1: it is read
    std::vector<bool> kept_;
    bool changed_ = false;
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
        visit_instruction<RowPlaces>(program_, in,
                                     [&](std::uint32_t row, std::uint32_t rows, Use) { live(row, rows); });
    }
}

void Compaction::find_live_on_edges() {
    const auto read = [&](std::uint32_t row, std::uint32_t rows, Use use) {
        if (use == Use::read) live(row, rows);
    };
    for (std::size_t e = first_edge_; e < program_.edges.size(); ++e) {
        Edge edge = program_.edges[e];
        for (std::uint32_t m = 0; m < edge.move_count; ++m) {
            const Move& move = program_.moves[edge.first_move + m];
            if (!is_live(move.dst, move.rows)) continue;
            RowPlaces::of_move(move, read);
            if (move.selection != kNone) RowPlaces::of_selection(program_, program_.selections[move.selection], read);
        }
        edge.move_count = 0;
        visit_edge<RowPlaces>(program_, edge, read);
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

// Each selection once, however many instructions and moves have it.
template <class Places, class Visit> void Compaction::renumber_selections(Visit&& visit) {
    std::vector<bool> done(program_.selections.size(), false);
    const auto renumber = [&](std::uint32_t index) {
        if (index == kNone || done[index]) return;
        done[index] = true;
        Places::of_selection(program_, program_.selections[index], visit);
    };
    for (const Instruction& in : code_.code) renumber(selection_of(program_, in));
    for (std::size_t e = first_edge_; e < program_.edges.size(); ++e) {
        const Edge& edge = program_.edges[e];
        for (std::uint32_t m = 0; m < edge.move_count; ++m) renumber(program_.moves[edge.first_move + m].selection);
        for (std::uint32_t k = edge.keep; k != kNone; k = program_.keeps[k].next)
            renumber(program_.accesses[program_.keeps[k].access].selection);
    }
}

template <class Places> void Compaction::renumber(const Allocation& allocation) {
    const auto visit = [&](auto& number, std::uint32_t, Use) {
        std::uint32_t to = allocation.to[number];
        // The result of a function that does not return has a tag that nothing uses.
        if (to == kNone && !Places::is_place(0)) to = 0;
        number = static_cast<std::remove_reference_t<decltype(number)>>(to);
    };
    renumber_selections<Places>(visit);
    for (Instruction& in : code_.code) Places::of_instruction(program_, in, visit);
    for (std::size_t e = first_edge_; e < program_.edges.size(); ++e) {
        const Edge& edge = program_.edges[e];
        for (std::uint32_t m = 0; m < edge.move_count; ++m) Places::of_move(program_.moves[edge.first_move + m], visit);
        for (std::uint32_t k = edge.keep; k != kNone; k = program_.keeps[k].next)
            Places::of_keep(program_, program_.keeps[k], visit);
    }
    for (Value& v : code_.parameters) Places::of_value(v, Use::write, visit);
    for (Value& v : code_.results) Places::of_value(v, Use::read, visit);
}

void Compaction::renumber() {
    const Allocation rows = allocate_rows(program_, code_, first_loop_), tags = allocate_tags(program_, code_);
    renumber<TagPlaces>(tags);
    renumber<RowPlaces>(rows);
    for (Instruction& in : code_.code)
        if (in.op == Opcode::ret && in.a != kNone) in.a = rows.to[in.a];
    for (Constant& c : code_.constants) c.row = rows.to[c.row];
    for (std::size_t l = first_loop_; l < program_.loops.size(); ++l)
        if (program_.loops[l].row != kNone) program_.loops[l].row = rows.to[program_.loops[l].row];
    code_.rows = rows.count;
    code_.tag_rows = tags.count;
}

} // namespace

void compact(Program& program, FunctionCode& code, std::uint32_t first_edge, std::uint32_t first_loop) {
    Compaction(program, code, first_edge, first_loop).run();
}

} // namespace warptree::compile::lowering
