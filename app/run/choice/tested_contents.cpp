#include "app/run/choice/tested_contents.hpp"

#include "app/run/choice/held_flow.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

namespace warptree::runs {

namespace {
using compile::Opcode;

// Follows the elements of one array through a kernel's own code.
class Tests {
  public:
    Tests(const compile::Program& program, const compile::Kernel& kernel, const compile::Parameter& array)
        : program_(program), code_(program.functions[kernel.function]) {
        for (std::size_t known = shared_.size() + 1; known != shared_.size() && only_;) { // what is put there is loaded
            known = shared_.size();
            constants_.clear();
            of_others_.clear();
            pairs_ = flips_ = used_ = false;
            follow_rows<3>(
                program_, code_, {HeldRows({array.row}), HeldRows(), HeldRows()},
                [&](Held& held, const compile::Instruction& in, bool settled) { follow(held, in, settled); });
        }
        const auto mixed = [&](std::uint32_t s) { return of_others_.contains(s); };
        only_ = only_ && std::none_of(shared_.begin(), shared_.end(), mixed);
    }

    // Whether elements are compared for equality alone.
    bool only() const { return only_ && (pairs_ || !constants_.empty()); }
    bool pairs() const { return pairs_; } // with each other
    const std::set<std::uint64_t>& constants() const { return constants_; }
    // Whether an element is stored again with the other sign, and is used besides.
    bool flips() const { return flips_ && used_; }

  private:
    enum : std::uint8_t { kAddresses, kElements, kFlipped };
    using Held = std::array<HeldRows, 3>;

    std::optional<std::uint64_t> constant(std::uint32_t row) const {
        const auto found = std::ranges::find(code_.constants, row, &compile::Constant::row);
        return found == code_.constants.end() ? std::nullopt : std::optional(found->bits);
    }

    void follow(Held& held, const compile::Instruction& in, bool settled) {
        HeldRows &addresses = held[kAddresses], &elements = held[kElements], &flipped = held[kFlipped];
        bool reads = false;
        compile::for_each_row(program_, in, [&](std::uint32_t row, unsigned, compile::Use use) {
            reads |= use == compile::Use::read && elements.has(row);
        });
        const bool a = elements.has(in.a), b = elements.has(in.b);
        const bool makes = loads(in, held) || (reads && passes(in, a, b));
        if (settled) {
            judge(in, held, reads, makes);
        }
        const bool leads = in.op == Opcode::address || in.op == Opcode::mov64;
        flipped.after(in, negates(in, held) || (moves_a_number(in.op) && flipped.has(in.a)));
        addresses.after(in, leads && addresses.has(in.a));
        elements.after(in, makes);
    }

    bool negates(const compile::Instruction& in, const Held& held) const {
        return ((in.op == Opcode::sub32 || in.op == Opcode::sub64) && held[kElements].has(in.b) &&
                constant(in.a) == 0U) ||
               ((in.op == Opcode::fneg32 || in.op == Opcode::fneg64) && held[kElements].has(in.a));
    }

    // reads: an element; makes: its result is one still.
    void judge(const compile::Instruction& in, const Held& held, bool reads, bool makes) {
        const bool a = held[kElements].has(in.a), b = held[kElements].has(in.b);
        only_ = only_ && in.op != Opcode::call &&
                (!reads || makes || in.op == Opcode::watch || tests(in, a, b) || keeps(in, held));
        used_ |= reads && !makes && !negates(in, held) && in.op != Opcode::watch;
        if (in.op == Opcode::store) {
            note_store(in, held);
        }
    }

    bool loads(const compile::Instruction& in, const Held& held) const {
        return in.op == Opcode::load && (held[kAddresses].has(in.a) || shared_.contains(program_.accesses[in.c].array));
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
        if (in.op != Opcode::store || !held[kElements].has(in.dst) || held[kElements].has(in.b) ||
            program_.accesses[in.c].array == compile::kNone) {
            return false;
        }
        shared_.insert(program_.accesses[in.c].array);
        return true;
    }

    void note_store(const compile::Instruction& in, const Held& held) {
        const std::uint32_t array = program_.accesses[in.c].array;
        if (array != compile::kNone && !held[kElements].has(in.dst) && constant(in.dst).value_or(2) > 1) {
            of_others_.insert(array);
        }
        flips_ |= held[kAddresses].has(in.a) && held[kFlipped].has(in.dst);
    }

    const compile::Program& program_;
    const compile::FunctionCode& code_;
    std::set<std::uint32_t> shared_, of_others_; // arrays in shared memory: with elements; with what is none
    std::set<std::uint64_t> constants_;
    bool only_ = true, pairs_ = false, flips_ = false, used_ = false;
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
