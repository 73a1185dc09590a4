#include "app/compile/lower/allocate.hpp"

#include "app/compile/lower/places.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace warptree::compile::lowering {

namespace {

// Rows that must stay adjacent: both halves of 8 bytes, the elements of a vector.
struct Group {
    std::uint32_t first = 0, size = 1;
    // Positions in the code between which it is needed; begin > end: never.
    std::uint32_t begin = std::numeric_limits<std::uint32_t>::max(), end = 0;
    std::uint32_t block = kNone;  // the last one found that uses it; kNone: none
    std::uint32_t global = kNone; // number among those live across blocks
    bool pinned = false;          // shares its row with nothing
    bool wide = false;            // values of 8 bytes: a lane's is in two rows together
};

template <class Places> class Allocator {
  public:
    Allocator(const Program& program, const FunctionCode& code) : program_(program), code_(code) {}

    void find_groups();
    void find_intervals();
    void keep_loop_variables(std::uint32_t first_loop);
    void pin_constants();
    Allocation place();

  private:
    Group& of(std::uint32_t number) { return groups_[group_[number]]; }
    std::uint32_t last_of(const Block& block) const { return block.first + block.count - 1; }
    void cover(Group& group, std::uint32_t position) {
        group.begin = std::min(group.begin, position);
        group.end = std::max(group.end, position);
    }
    template <class Visit> void in_block(const Block& block, Visit&& visit) const;
    std::vector<bool> narrow_rows() const;
    void find_globals();
    void find_live();

    const Program& program_;
    const FunctionCode& code_;
    std::vector<std::uint32_t> group_; // by row
    std::vector<Group> groups_;
    std::vector<std::vector<std::uint64_t>> live_in_; // by block, a bit for each global group
    std::uint32_t globals_ = 0;
};

// Calls visit(number, count, Use, position) for everything that the block uses; its edges have the position of its last
// instruction.
template <class Places>
template <class Visit>
void Allocator<Places>::in_block(const Block& block, Visit&& visit) const {
    const auto at = [&](std::uint32_t position) {
        return [&visit, position](std::uint32_t number, std::uint32_t count, Use use) {
            if (Places::is_place(number)) visit(number, count, use, position);
        };
    };
    for (std::uint32_t i = block.first; i <= last_of(block); ++i)
        visit_instruction<Places>(program_, code_.code[i], at(i));
    const std::uint32_t end = last_of(block);
    const Instruction& last = code_.code[end];
    visit_successors(program_, last,
                     [&](std::uint32_t edge) { visit_edge<Places>(program_, program_.edges[edge], at(end)); });
    if (last.op == Opcode::ret)
        for (const Value& v : code_.results) Places::of_value(v, Use::read, at(end));
}

// Rows that hold a value of 4 bytes a lane.
template <class Places> std::vector<bool> Allocator<Places>::narrow_rows() const {
    std::vector<bool> narrow(Places::count(code_), !std::is_same_v<Places, RowPlaces>);
    if constexpr (!std::is_same_v<Places, RowPlaces>) return narrow; // a tag is of one kind, and no row
    for (const Block& block : code_.blocks)
        in_block(block, [&](std::uint32_t number, std::uint32_t size, auto&&...) {
            if (size == 1) narrow[number] = true;
        });
    for (const Instruction& in : code_.code) {
        if ((in.op != Opcode::load && in.op != Opcode::store) || program_.accesses[in.c].bytes == 8) continue;
        if (Places::is_place(in.dst)) narrow[in.dst] = true;
    }
    return narrow;
}

template <class Places> void Allocator<Places>::find_groups() {
    const std::uint32_t count = Places::count(code_);
    std::vector<bool> used(count, false), glued(count, false); // to the one after it
    const auto use = [&](std::uint32_t first, std::uint32_t size, auto&&...) {
        if (!Places::is_place(first)) return;
        for (std::uint32_t i = 0; i < size; ++i) used[first + i] = true;
        for (std::uint32_t i = 0; i + 1 < size; ++i) glued[first + i] = true;
    };
    for (const Block& block : code_.blocks) in_block(block, use);
    for (const Value& v : code_.parameters) Places::of_value(v, Use::write, use);
    // Results are passed by the number of the first one, so they must be adjacent.
    if (!code_.results.empty()) {
        std::uint32_t first = kNone, size = 0;
        for (const Value& v : code_.results)
            Places::of_value(v, Use::read, [&](std::uint32_t number, std::uint32_t rows, Use) {
                first = first == kNone ? number : first;
                size += rows;
            });
        if constexpr (std::is_same_v<Places, RowPlaces>) use(first, size);
    }
    const std::vector<bool> narrow = narrow_rows();
    group_.assign(count, kNone);
    for (std::uint32_t i = 0; i < count; ++i) {
        if (!used[i]) continue;
        Group group{.first = i};
        while (glued[i]) ++i;
        group.size = i - group.first + 1;
        group.wide = group.size % 2 == 0 && !narrow[group.first];
        for (std::uint32_t k = group.first; k <= i; ++k) group_[k] = static_cast<std::uint32_t>(groups_.size());
        groups_.push_back(group);
    }
}

template <class Places> void Allocator<Places>::find_globals() {
    for (std::uint32_t b = 0; b < code_.blocks.size(); ++b)
        in_block(code_.blocks[b], [&](std::uint32_t number, std::uint32_t, Use use, std::uint32_t position) {
            Group& group = of(number);
            cover(group, position);
            // What an edge writes is live in its target block.
            const bool edge = use == Use::write && position == last_of(code_.blocks[b]);
            if (edge || (group.block != kNone && group.block != b)) group.global = 0;
            group.block = b;
        });
    const auto entry = [&](std::uint32_t number, std::uint32_t, Use) {
        if (!Places::is_place(number)) return;
        cover(of(number), 0);
        of(number).global = 0;
    };
    for (const Value& v : code_.parameters) Places::of_value(v, Use::write, entry);
    for (Group& group : groups_)
        if (group.global != kNone) group.global = globals_++;
}

// Liveness at the start of each block, iterated to a fixpoint. A partial write does not end a live range.
template <class Places> void Allocator<Places>::find_live() {
    const std::size_t words = (globals_ + 63) / 64, blocks = code_.blocks.size();
    using Bits = std::vector<std::uint64_t>;
    const auto global = [&](std::uint32_t number) { return Places::is_place(number) ? of(number).global : kNone; };
    const auto set = [](Bits& bits, std::uint32_t i) { bits[i / 64] |= 1ULL << (i % 64); };
    const auto clear = [](Bits& bits, std::uint32_t i) { bits[i / 64] &= ~(1ULL << (i % 64)); };
    live_in_.assign(blocks, Bits(words, 0));
    std::vector<Bits> reads(blocks, Bits(words, 0)), writes(blocks, Bits(words, 0)); // reads: before any write
    for (std::size_t b = 0; b < blocks; ++b) {
        const Block& block = code_.blocks[b];
        for (std::uint32_t i = block.first; i <= last_of(block); ++i) {
            const auto visit = [&](Use wanted) {
                visit_instruction<Places>(program_, code_.code[i],
                                          [&](std::uint32_t number, std::uint32_t count, Use use) {
                                              const std::uint32_t g = global(number);
                                              if (g == kNone || use != wanted) return;
                                              if (use == Use::write && count == of(number).size) set(writes[b], g);
                                              if (use == Use::write) return;
                                              if ((writes[b][g / 64] >> (g % 64) & 1) == 0) set(reads[b], g);
                                          });
            };
            visit(Use::read);
            visit(Use::write);
        }
        if (code_.code[last_of(block)].op == Opcode::ret)
            for (const Value& v : code_.results)
                Places::of_value(v, Use::read, [&](std::uint32_t number, std::uint32_t, Use) {
                    const std::uint32_t g = global(number);
                    if (g != kNone && (writes[b][g / 64] >> (g % 64) & 1) == 0) set(reads[b], g);
                });
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t b = blocks; b-- > 0;) {
            Bits out(words, 0);
            visit_successors(program_, code_.code[last_of(code_.blocks[b])], [&](std::uint32_t e) {
                const Edge& edge = program_.edges[e];
                Bits through = live_in_[edge.block];
                const auto visit = [&](Use wanted) {
                    visit_edge<Places>(program_, edge, [&](std::uint32_t number, std::uint32_t count, Use use) {
                        const std::uint32_t g = global(number);
                        if (g == kNone || use != wanted) return;
                        if (use == Use::read)
                            set(through, g);
                        else if (count == of(number).size)
                            clear(through, g);
                    });
                };
                visit(Use::write);
                visit(Use::read);
                for (std::size_t w = 0; w < words; ++w) out[w] |= through[w];
            });
            for (std::size_t w = 0; w < words; ++w) {
                const std::uint64_t in = reads[b][w] | (out[w] & ~writes[b][w]);
                changed |= in != live_in_[b][w];
                live_in_[b][w] = in;
            }
        }
    }
}

template <class Places> void Allocator<Places>::find_intervals() {
    find_globals();
    find_live();
    std::vector<std::uint32_t> of_global(globals_);
    for (std::uint32_t g = 0; g < groups_.size(); ++g)
        if (groups_[g].global != kNone) of_global[groups_[g].global] = g;
    const auto each = [&](const std::vector<std::uint64_t>& bits, std::uint32_t position) {
        for (std::size_t w = 0; w < bits.size(); ++w)
            for (std::uint64_t left = bits[w]; left != 0; left &= left - 1)
                cover(groups_[of_global[w * 64 + static_cast<std::size_t>(std::countr_zero(left))]], position);
    };
    for (std::size_t b = 0; b < code_.blocks.size(); ++b) {
        each(live_in_[b], code_.blocks[b].first);
        const std::uint32_t last = last_of(code_.blocks[b]);
        visit_successors(program_, code_.code[last],
                         [&](std::uint32_t edge) { each(live_in_[program_.edges[edge].block], last); });
    }
}

// A loop's variable may be read at any time during an iteration.
template <class Places> void Allocator<Places>::keep_loop_variables(std::uint32_t first_loop) {
    for (const Block& block : code_.blocks)
        for (std::uint32_t l = block.loop; l != kNone && l >= first_loop; l = program_.loops[l].parent) {
            const Loop& loop = program_.loops[l];
            if (loop.row == kNone || group_[loop.row] == kNone) continue;
            cover(of(loop.row), block.first);
            cover(of(loop.row), last_of(block));
        }
}

template <class Places> void Allocator<Places>::pin_constants() {
    for (const Constant& c : code_.constants) of(c.row).pinned = true;
}

template <class Places> Allocation Allocator<Places>::place() {
    Allocation made;
    made.to.assign(group_.size(), kNone);
    std::vector<std::uint32_t> order;
    for (std::uint32_t g = 0; g < groups_.size(); ++g) order.push_back(g);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return groups_[a].begin < groups_[b].begin; });
    // By new row: the first position at which it is free.
    std::vector<std::uint32_t> busy_until;
    // By new row: what it holds. Lanes of a warp may be at different places, so values that are not live at the same
    // position may be live at the same time, in different lanes: these are apart only in rows of one kind.
    enum class Kind : std::uint8_t { none, narrow, wide_low, wide_high };
    std::vector<Kind> kind_of;
    const auto kind = [](const Group& group, std::uint32_t i) {
        return !group.wide ? Kind::narrow : i % 2 == 0 ? Kind::wide_low : Kind::wide_high;
    };
    if (!Places::is_place(0) && !group_.empty()) {
        made.to[0] = 0;
        busy_until.push_back(std::numeric_limits<std::uint32_t>::max());
        kind_of.push_back(Kind::narrow);
    }
    for (const std::uint32_t g : order) {
        Group& group = groups_[g];
        const std::uint32_t begin = group.pinned ? 0 : group.begin;
        const std::uint32_t end = group.pinned ? std::numeric_limits<std::uint32_t>::max() : group.end + 1;
        std::uint32_t at = 0;
        for (std::uint32_t free = 0; free < group.size;) { // the first run that is wide enough
            if (at + free == busy_until.size()) {
                busy_until.push_back(0);
                kind_of.push_back(Kind::none);
            }
            const Kind has = kind_of[at + free];
            if (busy_until[at + free] <= begin && (has == Kind::none || has == kind(group, free))) {
                ++free;
            } else {
                at += free + 1;
                free = 0;
            }
        }
        std::fill_n(busy_until.begin() + at, group.size, end);
        for (std::uint32_t i = 0; i < group.size; ++i) {
            made.to[group.first + i] = at + i;
            kind_of[at + i] = kind(group, i);
        }
    }
    made.count = static_cast<std::uint32_t>(busy_until.size());
    return made;
}

} // namespace

Allocation allocate_rows(const Program& program, const FunctionCode& code, std::uint32_t first_loop) {
    Allocator<RowPlaces> allocator(program, code);
    allocator.find_groups();
    allocator.find_intervals();
    allocator.keep_loop_variables(first_loop);
    allocator.pin_constants();
    return allocator.place();
}

Allocation allocate_tags(const Program& program, const FunctionCode& code) {
    Allocator<TagPlaces> allocator(program, code);
    allocator.find_groups();
    allocator.find_intervals();
    return allocator.place();
}

} // namespace warptree::compile::lowering
