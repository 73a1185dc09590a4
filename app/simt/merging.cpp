#include "app/simt/merging.hpp"

#include "app/compile/program/shape.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace warptree::simt {

using compile::Instruction;
using compile::Opcode;

namespace {
constexpr std::size_t kMostSources = 64;        // of one value; a longer row of terms repeats none
constexpr std::uint32_t kPerhaps = 0x80000000U; // marks a source that a value may be made of

// The values that a function's tag rows are made of, instruction by instruction in the order of the code.
class Sources {
  public:
    explicit Sources(const compile::Program& program) : program_(program) {}

    bool merges(const compile::FunctionCode& code) {
        for (const compile::Block& block : code.blocks) {
            combines_.clear();
            for (std::uint32_t at = block.first; at < block.first + block.count; ++at) {
                const Instruction& i = code.code[at];
                if (follow(i, at)) {
                    return true;
                }
                compile::for_each_row(program_, i, [&](std::uint32_t row, unsigned count, compile::Use use) {
                    for (unsigned k = 0; k < count && row != compile::kNone && use == compile::Use::write; ++k) {
                        ++writes_[row + k];
                    }
                });
            }
            if (std::count_if(combines_.begin(), combines_.end(), [](const Combine& c) { return !c.used; }) > 1) {
                return true;
            }
        }
        return false;
    }

  private:
    using Set = std::vector<std::uint32_t>; // ascending
    struct Combine {
        std::uint32_t made = 0; // the source that stands for its result
        bool used = false;      // by another one in this block
    };

    Set& of(std::uint32_t tag) {
        const auto [at, added] = rows_.try_emplace(tag);
        if (added) {
            at->second.push_back(next_++);
        }
        return at->second;
    }
    static void add(Set& to, const Set& from) {
        Set both;
        std::set_union(to.begin(), to.end(), from.begin(), from.end(), std::back_inserter(both));
        both.resize(std::min(both.size(), kMostSources));
        to = std::move(both);
    }
    static bool meet(const Set& a, const Set& b) {
        Set both;
        std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
        return !both.empty() && both.front() < kPerhaps;
    }

    // Whether the instruction uses a value on both of its sides.
    bool follow(const Instruction& i, std::uint32_t at) {
        Set all;
        compile::for_each_tag(program_, i, [&](std::uint32_t tag, unsigned count, compile::Use use) {
            for (unsigned k = 0; k < count && tag != 0 && use == compile::Use::read; ++k) {
                add(all, of(tag + k));
            }
        });
        if (i.op == Opcode::jump || i.op == Opcode::branch) {
            move(i.c, at);
            if (i.op == Opcode::branch) {
                move(i.b, at);
            }
            return false;
        }
        if ((i.flags & compile::kCombines) != 0 && combine(i, all)) {
            return true;
        }
        if (i.op == Opcode::store) {
            const compile::Access& a = program_.accesses[i.c];
            for (unsigned k = 0; k < a.count && i.tag_dst != 0; ++k) {
                memory_[place(i, k)] = of(i.tag_dst + k);
                add(fields_[field(i, k)], of(i.tag_dst + k));
            }
            return false;
        }
        compile::for_each_tag(program_, i, [&](std::uint32_t tag, unsigned count, compile::Use use) {
            for (unsigned k = 0; k < count && tag != 0 && use == compile::Use::write; ++k) {
                rows_[tag + k] = made_by(i, k, all);
            }
        });
        return false;
    }

    // A value from memory or from another lane is a source of its own.
    Set made_by(const Instruction& i, unsigned k, const Set& operands) {
        if (i.op == Opcode::load) {
            const auto [at, added] = memory_.try_emplace(place(i, k));
            if (added) {
                at->second.push_back(next_++);
            }
            Set loaded = at->second;
            if (const auto stored = fields_.find(field(i, k)); stored != fields_.end()) {
                for (const Combine& before : combines_) { // it may be what was stored before
                    if (std::binary_search(stored->second.begin(), stored->second.end(), before.made)) {
                        add(loaded, {before.made | kPerhaps});
                    }
                }
            }
            return loaded;
        }
        if (i.op == Opcode::shuffle || i.op == Opcode::reduce_warp || i.op == Opcode::atomic || i.op == Opcode::call ||
            i.op == Opcode::call_pointer || operands.empty()) {
            return {next_++};
        }
        return operands;
    }

    bool combine(const Instruction& i, Set& all) {
        if (i.tag_a != 0 && i.tag_b != 0 && i.tag_c == 0 && meet(of(i.tag_a), of(i.tag_b))) {
            return true;
        }
        if (i.tag_c != 0 &&
            ((i.tag_a != 0 && meet(of(i.tag_a), of(i.tag_c))) || (i.tag_b != 0 && meet(of(i.tag_b), of(i.tag_c))))) {
            return true;
        }
        for (Combine& before : combines_) {
            before.used |= std::binary_search(all.begin(), all.end(), before.made) ||
                           std::binary_search(all.begin(), all.end(), before.made | kPerhaps);
        }
        combines_.push_back({next_, false});
        add(all, {next_++});
        return false;
    }

    // What an edge moves back is another value than before; what it moves on is one of several.
    void move(std::uint32_t number, std::uint32_t at) {
        const compile::Edge& edge = program_.edges[number];
        std::vector<std::pair<std::uint32_t, Set>> moved;
        for (std::uint32_t m = edge.first_move; m < edge.first_move + edge.move_count; ++m) {
            const compile::Move& it = program_.moves[m];
            ++writes_[it.dst];
            if (it.tag_dst != 0) {
                moved.emplace_back(it.tag_dst,
                                   it.tag_src == 0 || edge.begins != compile::kNone ? Set{next_++} : of(it.tag_src));
            }
        }
        for (auto& [row, set] : moved) {
            Set& to = rows_[row];
            if (moved_at_[row] == at + 1) {
                add(to, set);
            } else {
                to = std::move(set);
            }
            moved_at_[row] = at + 1;
        }
    }

    // Where an access goes: rows with base and index and how often they were written so far, distance.
    using Place = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, compile::Access::Index,
                             std::uint32_t, std::int64_t>;
    Place place(const Instruction& i, unsigned element) {
        const compile::Access& a = program_.accesses[i.c];
        const std::uint32_t index = a.index == compile::Access::Index::none ? compile::kNone : i.b;
        return {i.a,
                writes_[i.a],
                index,
                index == compile::kNone ? 0 : writes_[index],
                a.index,
                a.scale,
                a.offset + std::int64_t{element} * a.bytes};
    }

    // An array, or a member of a structure in one: elements of it are not told apart.
    using Field = std::tuple<std::uint32_t, std::uint32_t, std::int64_t>;
    Field field(const Instruction& i, unsigned element) const {
        const compile::Access& a = program_.accesses[i.c];
        const auto step = static_cast<std::int64_t>(std::max<std::uint32_t>(a.scale, 1));
        const std::int64_t offset = a.offset + std::int64_t{element} * a.bytes;
        return {a.array, a.array == compile::kNone ? i.a : compile::kNone, (offset % step + step) % step};
    }

    const compile::Program& program_;
    std::map<std::uint32_t, Set> rows_;
    std::map<Place, Set> memory_;
    std::map<Field, Set> fields_; // what was stored there
    std::map<std::uint32_t, std::uint32_t> moved_at_, writes_;
    std::vector<Combine> combines_; // of the block of the code
    std::uint32_t next_ = 0;
};

// Whether several values are chosen.
bool chooses_several(const compile::Program& program) {
    std::set<std::uint32_t> conditions;
    for (const compile::Selection& s : program.selections) {
        conditions.insert(s.condition);
    }
    const bool followed = std::any_of(program.selections.begin(), program.selections.end(),
                                      [](const auto& s) { return s.follows != ValueType::none; });
    if (followed || conditions.size() > 1) {
        return true;
    }
    std::size_t selects = 0, accesses = 0;
    for (const compile::FunctionCode& code : program.functions) {
        selects += static_cast<std::size_t>(std::count_if(
            code.code.begin(), code.code.end(), [](const Instruction& i) { return i.selection != compile::kNone; }));
        for (const Instruction& i : code.code) {
            accesses +=
                (i.op == Opcode::load || i.op == Opcode::store) && program.accesses[i.c].selection != compile::kNone
                    ? 1
                    : 0;
        }
    }
    const auto several = [&](const compile::Edge& e) {
        const auto first = program.moves.begin() + e.first_move;
        return std::count_if(first, first + e.move_count,
                             [](const compile::Move& m) { return m.selection != compile::kNone; }) > 1;
    };
    return selects > 1 || accesses > 1 || std::any_of(program.edges.begin(), program.edges.end(), several);
}
} // namespace

bool may_merge_records(const compile::Program& program) {
    return chooses_several(program) ||
           std::any_of(program.functions.begin(), program.functions.end(),
                       [&](const compile::FunctionCode& code) { return Sources(program).merges(code); });
}

} // namespace warptree::simt
