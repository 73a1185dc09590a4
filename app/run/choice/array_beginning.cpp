#include "app/run/choice/array_beginning.hpp"

#include "app/run/choice/each_instruction.hpp"

#include <algorithm>
#include <initializer_list>
#include <set>

namespace warptree::runs {

namespace {
using compile::AtomicOperation;
using compile::Opcode;

class Beginning {
  public:
    Beginning(const compile::Program& program, const compile::Kernel& kernel, const compile::Parameter& array)
        : program_(program), kernel_(kernel), array_(array), code_(program.functions[kernel.function]) {}

    // Whether there are atomic operations on the array, and all are among these. Those of which it is not seen what they are on
    // count as well.
    bool has_only(std::initializer_list<AtomicOperation> these) const {
        std::set<std::uint32_t> of_others;
        for (const compile::Parameter& other : kernel_.parameters) {
            if (other.row != array_.row && other.kind == compile::Parameter::Kind::array) {
                of_others.insert(other.row);
            }
        }
        HeldRows its({array_.row}), others(of_others); // addresses in it, and in another parameter
        bool any = false, other = false, calls = false;
        const auto note = [&](const compile::Instruction& in) {
            if (in.op == Opcode::atomic) {
                const bool one = std::ranges::find(these, program_.atomics[in.c].operation) != these.end();
                (one ? any : other) = true;
            }
        };
        for (const compile::Instruction& in : code_.code) {
            calls = calls || in.op == Opcode::call;
            if (its.has(in.a) || !others.has(in.a)) {
                note(in);
            }
            const bool moves = leads_on(in), own = moves && its.has(in.a), theirs = moves && others.has(in.a);
            its.after(in, own);
            others.after(in, theirs);
        }
        if (calls) {
            each_instruction(program_, kernel_, note);
        }
        return any && !other;
    }

    // Whether -1 stands for an element that nobody has taken yet, as in a hash table: what atomicCAS expects.
    bool expects_empty() const {
        HeldRows its({array_.row});
        bool any = false, other = false;
        for (const compile::Instruction& in : code_.code) {
            if (in.op == Opcode::atomic && its.has(in.a) &&
                program_.atomics[in.c].operation == AtomicOperation::compare_exchange) {
                const auto expected =
                    std::ranges::find(code_.constants, program_.atomics[in.c].expected, &compile::Constant::row);
                const bool empty = expected != code_.constants.end() &&
                                   expected->bits == (expected->rows == 2 ? ~std::uint64_t{0} : 0xFFFFFFFFU);
                (empty ? any : other) = true;
            }
            its.after(in, leads_on(in) && its.has(in.a));
        }
        return any && !other;
    }

    // The same of a table of unsigned numbers without atomic operations: what a loaded element is compared with.
    bool tests_empty() const {
        const auto is_empty = [&](std::uint32_t row) {
            const auto constant = std::ranges::find(code_.constants, row, &compile::Constant::row);
            return constant != code_.constants.end() &&
                   constant->bits == (constant->rows == 2 ? ~std::uint64_t{0} : 0xFFFFFFFFU);
        };
        HeldRows its({array_.row}), loaded;
        for (const compile::Instruction& in : code_.code) {
            const bool tests =
                in.op == Opcode::eq32 || in.op == Opcode::ne32 || in.op == Opcode::eq64 || in.op == Opcode::ne64;
            if (tests && ((loaded.has(in.a) && is_empty(in.b)) || (loaded.has(in.b) && is_empty(in.a)))) {
                return true;
            }
            loaded.after(in, (in.op == Opcode::load && its.has(in.a)) || (moves_a_number(in.op) && loaded.has(in.a)));
            its.after(in, leads_on(in) && its.has(in.a));
        }
        return false;
    }

    // Whether what is counted up in one of its elements tells where something else is put: the element is where a part of that
    // begins.
    bool gives_places() const {
        HeldRows its({array_.row}), one, places; // one: an element that is computed
        const auto is_computed = [&](std::uint32_t access) {
            return program_.accesses[access].index != compile::Access::Index::none;
        };
        for (const compile::Instruction& in : code_.code) {
            const bool takes = in.op == Opcode::atomic && program_.atomics[in.c].operation == AtomicOperation::add &&
                               (one.has(in.a) || (its.has(in.a) && is_computed(program_.atomics[in.c].access)));
            if ((in.op == Opcode::address || in.op == Opcode::store) && places.has(in.b)) {
                return true;
            }
            const bool computed = in.op == Opcode::address && its.has(in.a) && is_computed(in.c);
            one.after(in, computed || (leads_on(in) && one.has(in.a)));
            its.after(in, leads_on(in) && its.has(in.a));
            places.after(in, takes || (moves_a_number(in.op) && places.has(in.a)));
        }
        return false;
    }

  private:
    static bool leads_on(const compile::Instruction& in) { return in.op == Opcode::address || in.op == Opcode::mov64; }

    const compile::Program& program_;
    const compile::Kernel& kernel_;
    const compile::Parameter& array_;
    const compile::FunctionCode& code_;
};
} // namespace

std::string_view beginning_of(const compile::Program& program, const compile::Kernel& kernel,
                              const compile::Parameter& array, bool negative) {
    const Beginning its(program, kernel, array);
    if (array.loads && array.stores && !array.updates &&
        (array.element == ValueType::u32 || array.element == ValueType::u64)) {
        return its.tests_empty() ? "empty" : "";
    }
    if (!array.updates || array.stores) {
        return {};
    }
    return its.has_only({AtomicOperation::min, AtomicOperation::umin, AtomicOperation::fmin})               ? "largest"
           : negative && its.has_only({AtomicOperation::max, AtomicOperation::umax, AtomicOperation::fmax}) ? "smallest"
           : its.expects_empty()                                                                            ? "empty"
           : its.gives_places()                                                                             ? "spaced"
                                                                                                            : "";
}

bool counts_by_data(const compile::Program& program, const compile::Kernel& kernel, const compile::Parameter& array) {
    HeldRows its({array.row}), one, loaded; // one: an element whose number is made of loaded values
    bool any = false, other = false;
    for (const compile::Instruction& in : program.functions[kernel.function].code) {
        const bool accesses = in.op == Opcode::load || in.op == Opcode::store || in.op == Opcode::atomic;
        if (accesses && (its.has(in.a) || one.has(in.a))) {
            (one.has(in.a) || loaded.has(in.b) ? any : other) = true;
        }
        const bool of_data = in.op == Opcode::load || (!accesses && (loaded.has(in.a) || loaded.has(in.b)));
        const bool picked = in.op == Opcode::address && its.has(in.a) && loaded.has(in.b);
        one.after(in, picked || ((in.op == Opcode::address || in.op == Opcode::mov64) && one.has(in.a)));
        its.after(in, !picked && (in.op == Opcode::address || in.op == Opcode::mov64) && its.has(in.a));
        loaded.after(in, of_data);
    }
    return any && !other;
}

bool uses_what_was_there(const compile::Program& program, const compile::Kernel& kernel,
                         const compile::Parameter& array) {
    std::set<std::uint32_t> of_others;
    for (const compile::Parameter& other : kernel.parameters) {
        if (other.row != array.row && other.kind == compile::Parameter::Kind::array) {
            of_others.insert(other.row);
        }
    }
    HeldRows others(of_others); // addresses in another parameter
    bool calls = false;
    for (const compile::Instruction& in : program.functions[kernel.function].code) {
        calls = calls || in.op == Opcode::call;
        if (in.op == Opcode::atomic && program.atomics[in.c].result_used && !others.has(in.a)) {
            return true;
        }
        others.after(in, (in.op == Opcode::address || in.op == Opcode::mov64) && others.has(in.a));
    }
    bool any = false;
    if (calls) {
        each_instruction(program, kernel, [&](const compile::Instruction& in) {
            any = any || (in.op == Opcode::atomic && program.atomics[in.c].result_used);
        });
    }
    return any;
}

} // namespace warptree::runs
