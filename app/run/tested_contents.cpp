#include "app/run/tested_contents.hpp"

#include "app/run/each_instruction.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

namespace warptree::runs {

namespace {
using compile::Opcode;

// Follows the elements of one array through a kernel's own code.
class Tests {
  public:
    Tests(const compile::Program& program, const compile::Kernel& kernel, const compile::Parameter& array)
        : program_(program), code_(program.functions[kernel.function]) {
        entered_.resize(code_.blocks.size());
        if (!entered_.empty()) {
            entered_.front().addresses.add(array.row);
        }
        constexpr int kMost = 16;
        for (int times = 0; times < kMost && only_; ++times) {
            changed_ = false;
            constants_.clear();
            of_others_.clear();
            pairs_ = flips_ = used_ = false;
            for (std::size_t b = 0; b < code_.blocks.size(); ++b) {
                follow(b);
            }
            if (!changed_) {
                settled_ = true;
                break;
            }
        }
        const auto mixed = [&](std::uint32_t s) { return of_others_.contains(s); };
        only_ = only_ && settled_ && std::none_of(shared_.begin(), shared_.end(), mixed);
    }

    // Whether elements are compared for equality alone.
    bool only() const { return only_ && (pairs_ || !constants_.empty()); }
    bool pairs() const { return pairs_; } // with each other
    const std::set<std::uint64_t>& constants() const { return constants_; }
    // Whether an element is stored again with the other sign, and is used besides.
    bool flips() const { return flips_ && used_; }

  private:
    struct Held {
        HeldRows addresses, elements, flipped;
        void add(const Held& other) {
            addresses.add(other.addresses);
            elements.add(other.elements);
            flipped.add(other.flipped);
        }
        friend bool operator==(const Held&, const Held&) = default;
    };

    std::optional<std::uint64_t> constant(std::uint32_t row) const {
        const auto found = std::ranges::find(code_.constants, row, &compile::Constant::row);
        return found == code_.constants.end() ? std::nullopt : std::optional(found->bits);
    }

    void follow(std::size_t number) {
        const compile::Block& block = code_.blocks[number];
        Held held = entered_[number];
        for (std::uint32_t at = block.first; at < block.first + block.count; ++at) {
            const compile::Instruction& in = code_.code[at];
            bool reads = false;
            compile::for_each_row(program_, in, [&](std::uint32_t row, unsigned, compile::Use use) {
                reads |= use == compile::Use::read && held.elements.has(row);
            });
            const bool a = held.elements.has(in.a), b = held.elements.has(in.b);
            const bool makes = loads(in, held) || (reads && passes(in, a, b));
            only_ = only_ && in.op != Opcode::call &&
                    (!reads || makes || in.op == Opcode::watch || tests(in, a, b) || keeps(in, held));
            const bool negates = ((in.op == Opcode::sub32 || in.op == Opcode::sub64) && b && constant(in.a) == 0U) ||
                                 ((in.op == Opcode::fneg32 || in.op == Opcode::fneg64) && a);
            used_ |= reads && !makes && !negates && in.op != Opcode::watch;
            if (in.op == Opcode::store) {
                note_store(in, held);
            }
            const bool leads = in.op == Opcode::address || in.op == Opcode::mov64;
            held.flipped.after(in, negates || (moves_a_number(in.op) && held.flipped.has(in.a)));
            held.addresses.after(in, leads && held.addresses.has(in.a));
            held.elements.after(in, makes);
            leave(in, held);
        }
    }

    bool loads(const compile::Instruction& in, const Held& held) const {
        return in.op == Opcode::load && (held.addresses.has(in.a) || shared_.contains(program_.accesses[in.c].array));
    }

    // What is an element still, or several with bits of their own.
    static bool passes(const compile::Instruction& in, bool a, bool b) {
        const bool joins = in.op == Opcode::and32 || in.op == Opcode::or32 || in.op == Opcode::xor32;
        const bool chooses = in.op == Opcode::select32 || in.op == Opcode::select64;
        return moves_a_number(in.op) || in.op == Opcode::keep_low || in.op == Opcode::trunc32 ||
               (in.op == Opcode::shuffle && a) || (joins && a && b) || (chooses && (a || b));
    }

    bool tests(const compile::Instruction& in, bool a, bool b) {
        if (in.op == Opcode::eq32 || in.op == Opcode::ne32 || in.op == Opcode::eq64 || in.op == Opcode::ne64) {
            if (a && b) {
                return pairs_ = true;
            }
            const auto with = constant(a ? in.b : in.a);
            if (with) {
                constants_.insert(*with);
            }
            return with.has_value();
        }
        if (in.op == Opcode::branch_switch) {
            const auto& values = program_.switches[in.c].values;
            constants_.insert(values.begin(), values.end());
            return true;
        }
        if (in.op == Opcode::branch || ((in.op == Opcode::select32 || in.op == Opcode::select64) && !a && !b)) {
            constants_.insert(0);
            return true;
        }
        return false;
    }

    // Whether it only puts an element into an array in shared memory.
    bool keeps(const compile::Instruction& in, const Held& held) {
        if (in.op != Opcode::store || !held.elements.has(in.dst) || held.elements.has(in.b) ||
            program_.accesses[in.c].array == compile::kNone) {
            return false;
        }
        changed_ |= shared_.insert(program_.accesses[in.c].array).second;
        return true;
    }

    void note_store(const compile::Instruction& in, const Held& held) {
        const std::uint32_t array = program_.accesses[in.c].array;
        if (array != compile::kNone && !held.elements.has(in.dst) && constant(in.dst).value_or(2) > 1) {
            of_others_.insert(array);
        }
        flips_ |= held.addresses.has(in.a) && held.flipped.has(in.dst);
    }

    void leave(const compile::Instruction& in, const Held& held) {
        const auto enter = [&](const compile::Edge& edge) {
            Held there = held;
            for (std::uint32_t m = edge.first_move; m < edge.first_move + edge.move_count; ++m) {
                there.addresses.after(program_.moves[m]);
                there.elements.after(program_.moves[m]);
                there.flipped.after(program_.moves[m]);
            }
            const Held before = entered_[edge.block];
            entered_[edge.block].add(there);
            changed_ |= !(entered_[edge.block] == before);
        };
        compile::for_each_edge(program_, in, enter);
        if (in.op == Opcode::branch_switch) {
            for (const std::uint32_t edge : program_.switches[in.c].edges) {
                enter(program_.edges[edge]);
            }
        }
    }

    const compile::Program& program_;
    const compile::FunctionCode& code_;
    std::vector<Held> entered_;                  // where a block begins
    std::set<std::uint32_t> shared_, of_others_; // arrays in shared memory: with elements; with what is none
    std::set<std::uint64_t> constants_;
    bool only_ = true, pairs_ = false, flips_ = false, used_ = false, changed_ = false, settled_ = false;
};
} // namespace

std::string_view tested_contents(const compile::Program& program, const compile::Kernel& kernel,
                                 const compile::Parameter& array) {
    const Tests its(program, kernel, array);
    if (its.flips() && is_signed(array.element)) {
        return "alternating";
    }
    if (!its.only() || is_floating(array.element) || array.updates) {
        return {};
    }
    const std::uint64_t most = its.constants().empty() ? 0 : *its.constants().rbegin();
    if (its.pairs()) {
        return its.constants().empty() && !array.stores ? "pairs" : "";
    }
    return most == 2 ? "states" : most < 2 && !array.stores ? "flags" : "";
}

} // namespace warptree::runs
