#include "app/simt/prepared.hpp"

#include "app/simt/merging.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

namespace warptree::simt {

namespace {
compile::FunctionCode lean_code(const compile::FunctionCode& whole, bool findings_only) {
    compile::FunctionCode lean = whole;
    lean.code.clear();
    std::vector<std::uint32_t> moved_to(whole.code.size());
    for (std::size_t b = 0; b < whole.blocks.size(); ++b) {
        const compile::Block& from = whole.blocks[b];
        lean.blocks[b].first = static_cast<std::uint32_t>(lean.code.size());
        for (std::uint32_t i = from.first; i < from.first + from.count; ++i) {
            moved_to[i] = static_cast<std::uint32_t>(lean.code.size());
            if (whole.code[i].op == compile::Opcode::watch) {
                continue;
            }
            compile::Instruction& added = lean.code.emplace_back(whole.code[i]);
            if (findings_only) {
                added.tag_dst = 0;
                added.flags &= static_cast<decltype(added.flags)>(~compile::kBeginsStatement);
            }
        }
        lean.blocks[b].count = static_cast<std::uint32_t>(lean.code.size()) - lean.blocks[b].first;
    }
    for (compile::Statement& s : lean.statements) {
        s.instruction = moved_to[s.instruction];
    }
    return lean;
}
} // namespace

Prepared::Prepared(const LaunchSetup& setup)
    : program_(*setup.program), comparisons_(setup), notes_(setup.program->files) {
    const compile::Program& program = program_;
    const bool findings_only = setup.findings_only;
    tells_overflow_ = setup.tells_overflow;
    for (const compile::Loop& loop : program.loops) {
        const compile::StepNote* const it = note(loop.location);
        one_step_.push_back(it != nullptr && it->whole);
    }
    if (!notes_.empty()) {
        std::map<const compile::StepNote*, std::uint32_t> first;
        for (std::uint32_t l = 0; l < program.locations.size(); ++l) {
            const compile::StepNote* const it = note(l);
            named_.push_back(it == nullptr ? 0 : first.try_emplace(it, l).first->second);
        }
    }
    updates_.resize(program.locations.size());
    adds_.resize(program.locations.size());
    guesses_.resize(program.locations.size());
    find_barriers();
    std::uint32_t statements = 0;
    without_watches_.reserve(program.functions.size()); // bodies point into this vector
    for (const compile::FunctionCode& code : program.functions) {
        without_watches_.push_back(lean_code(code, findings_only));
        full_.push_back(body_of(code, statements));
        lean_.push_back(body_of(without_watches_.back(), statements));
        statements += static_cast<std::uint32_t>(code.statements.size());
        find_updates(code);
        find_guesses(code);
    }
    merges_records_ = may_merge_records(program);
    for (const compile::Access& a : program.accesses) {
        const bool unknown = a.space == compile::Space::unknown;
        small_shared_ |= a.bytes < 4 && (unknown || a.space == compile::Space::shared);
        small_global_ |= a.bytes < 4 && (unknown || a.space == compile::Space::global);
    }
}

void Prepared::find_updates(const compile::FunctionCode& code) {
    const auto& accesses = program_.accesses;
    std::map<std::uint32_t, const compile::Instruction*> made; // by row, what wrote it last
    // Of what a line computes twice in the same way, the first.
    std::map<const compile::Instruction*, const compile::Instruction*> same_as;
    // A value, whichever rows it is in, which others are in before and after.
    using Value = std::tuple<const compile::Instruction*, std::uint32_t, bool>;
    const auto value_in = [&](std::uint32_t row) -> Value {
        const auto from = made.find(row);
        if (from == made.end()) {
            return {nullptr, row, false};
        }
        if (from->second->op == compile::Opcode::special) {
            return {nullptr, from->second->c, true};
        }
        const auto first = same_as.find(from->second);
        return {first == same_as.end() ? from->second : first->second, 0, false};
    };
    const auto where = [&](const compile::Instruction& i) {
        const compile::Location& at = program_.locations[i.location];
        const compile::Access& a = accesses[i.c];
        return std::tuple(at.file, at.line, value_in(i.a),
                          a.index == compile::Access::Index::none ? Value{} : value_in(i.b), a.index, a.scale,
                          a.offset);
    };
    std::map<const compile::Instruction*, decltype(where(code.code.front()))> places;             // of loads and stores
    std::map<decltype(where(code.code.front())), std::vector<const compile::Instruction*>> loads; // by where
    std::map<std::tuple<compile::Opcode, decltype(where(code.code.front()))>, const compile::Instruction*> firsts;
    for (const compile::Instruction& i : code.code) {
        using compile::Opcode;
        const bool is_access = i.op == Opcode::load || i.op == Opcode::address;
        if (is_access || i.op == Opcode::sext64 || i.op == Opcode::zext64) {
            const compile::Location& at = program_.locations[i.location];
            const auto key = is_access
                                 ? where(i)
                                 : std::tuple(at.file, at.line, value_in(i.a), Value{}, compile::Access::Index::none,
                                              decltype(accesses[0].scale){}, decltype(accesses[0].offset){});
            same_as.emplace(&i, firsts.try_emplace(std::tuple(i.op, key), &i).first->second);
        }
        if (i.op == compile::Opcode::load || i.op == compile::Opcode::store) {
            places.emplace(&i, where(i));
        }
        if (i.op == compile::Opcode::load && program_.locations[i.location].line != 0) {
            loads[places.at(&i)].push_back(&i);
        }
        if (i.op != compile::Opcode::store) {
            made[i.dst] = &i;
        }
    }
    made.clear();
    // What the value in a row was made of, in a few steps.
    const auto made_of = [&](std::uint32_t row) {
        constexpr std::size_t kMost = 8;
        std::vector<const compile::Instruction*> all;
        for (std::vector<std::uint32_t> rows{row}; !rows.empty() && all.size() < kMost;) {
            const auto from = made.find(rows.back());
            rows.pop_back();
            if (from == made.end() || std::ranges::find(all, from->second) != all.end()) {
                continue;
            }
            all.push_back(from->second);
            if (from->second->op != compile::Opcode::load) {
                compile::for_each_row(program_, *from->second, [&](std::uint32_t its, unsigned, compile::Use use) {
                    if (use == compile::Use::read) {
                        rows.push_back(its);
                    }
                });
            }
        }
        return all;
    };
    for (const compile::Instruction& i : code.code) {
        if (i.op != compile::Opcode::store) {
            made[i.dst] = &i;
            continue;
        }
        // What another element of the array had is moved, not changed: two that swap need order, not atomics.
        if (const auto from = made.find(i.dst); from != made.end() && from->second->op == compile::Opcode::load &&
                                                from->second->a == i.a && places.at(from->second) != places.at(&i)) {
            continue;
        }
        if (const auto same = loads.find(places.at(&i)); same != loads.end()) {
            using compile::Opcode;
            constexpr std::array kAdd{Opcode::add32,  Opcode::add64,  Opcode::sub32,  Opcode::sub64,
                                      Opcode::fadd32, Opcode::fadd64, Opcode::fsub32, Opcode::fsub64};
            const auto from = made.find(i.dst);
            adds_[i.location] = from != made.end() && std::ranges::find(kAdd, from->second->op) != kAdd.end();
            updates_[i.location] = true;
            const std::vector<const compile::Instruction*> sources = made_of(i.dst);
            const auto is_source = [&](const compile::Instruction* load) {
                return std::ranges::find(sources, load) != sources.end();
            };
            const bool changes = std::ranges::any_of(same->second, is_source); // else it may decide whether to store
            for (const compile::Instruction* const load : same->second) {
                if (!changes || is_source(load)) {
                    updates_[load->location] = true;
                }
            }
        }
    }
}

void Prepared::find_guesses(const compile::FunctionCode& code) {
    std::multimap<std::uint32_t, std::uint32_t> copied; // row, the row that it is a copy of
    const auto take_edge = [&](const compile::Edge& edge) {
        for (std::uint32_t m = edge.first_move; m < edge.first_move + edge.move_count; ++m) {
            copied.emplace(program_.moves[m].dst, program_.moves[m].src);
        }
    };
    for (const compile::Instruction& i : code.code) {
        if (i.op == compile::Opcode::mov32 || i.op == compile::Opcode::mov64) {
            copied.emplace(i.dst, i.a);
        }
        compile::for_each_edge(program_, i, take_edge);
    }
    const auto place = [&](const compile::Instruction& i, std::uint32_t access) {
        const compile::Access& a = program_.accesses[access];
        return std::tuple(i.a, a.index == compile::Access::Index::none ? compile::kNone : i.b, a.index, a.scale,
                          a.offset);
    };
    for (const compile::Instruction& exchange : code.code) {
        if (exchange.op != compile::Opcode::atomic ||
            program_.atomics[exchange.c].operation != compile::AtomicOperation::compare_exchange) {
            continue;
        }
        std::set<std::uint32_t> rows{program_.atomics[exchange.c].expected};
        for (std::vector<std::uint32_t> next(rows.begin(), rows.end()); !next.empty();) {
            const auto [first, last] = copied.equal_range(next.back());
            next.pop_back();
            for (auto it = first; it != last; ++it) {
                if (rows.insert(it->second).second) {
                    next.push_back(it->second);
                }
            }
        }
        for (const compile::Instruction& i : code.code) {
            if (i.op == compile::Opcode::load && rows.contains(i.dst) &&
                place(i, i.c) == place(exchange, program_.atomics[exchange.c].access)) {
                // One that fails is made up for by what looks at the result; without that the change is lost.
                if (program_.atomics[exchange.c].result_used) {
                    guesses_[i.location] = true;
                } else {
                    updates_[i.location] = updates_[exchange.location] = true;
                }
            }
        }
    }
}

// A branch is in the line where its statement begins, not before it.
void Prepared::find_barriers() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> first; // column, by file and line
    for (const compile::Barrier& barrier : program_.barriers) {
        for (const std::uint32_t at : barrier.within) {
            const compile::Location& l = program_.locations[at];
            const auto [it, absent] = first.try_emplace({l.file, l.line}, l.column);
            it->second = std::min<std::uint32_t>(it->second, l.column);
        }
    }
    around_barrier_.resize(program_.locations.size());
    for (std::size_t k = 0; k < program_.locations.size() && !first.empty(); ++k) {
        const compile::Location& l = program_.locations[k];
        const auto it = first.find({l.file, l.line});
        around_barrier_[k] = it != first.end() && it->second <= l.column;
    }
}

Body Prepared::body_of(const compile::FunctionCode& code, std::uint32_t first_statement) const {
    Body body;
    body.code = &code;
    body.first_statement = first_statement;
    body.block_of.resize(code.code.size());
    for (std::uint32_t b = 0; b < code.blocks.size(); ++b) {
        const compile::Block& block = code.blocks[b];
        std::fill_n(body.block_of.begin() + block.first, block.count, b);
        std::uint32_t loop = block.loop;
        while (loop != compile::kNone && !program_.loops[loop].stage) {
            loop = program_.loops[loop].parent;
        }
        body.stage_loop.push_back(loop);
    }
    return body;
}

bool Prepared::within(std::uint32_t inner, std::uint32_t outer) const {
    while (inner != compile::kNone && inner != outer) {
        inner = program_.loops[inner].parent;
    }
    return inner == outer;
}

} // namespace warptree::simt
