#include "app/simt/comparisons.hpp"

#include "app/compile/program/shape.hpp"
#include "app/simt/history.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace warptree::simt {

namespace {
using compile::Opcode;

// Reads a kernel's own code.
class ComparedLoads {
  public:
    explicit ComparedLoads(const LaunchSetup& setup)
        : program_(*setup.program), kernel_(program_.kernels[setup.kernel]),
          code_(program_.functions[kernel_.function]) {
        for (std::uint32_t at = 0; at < code_.code.size(); ++at) { // a loop's variable is no one number
            compile::for_each_edge(program_, code_.code[at], [&](const compile::Edge& edge) {
                for (std::uint32_t m = 0; code_.blocks[edge.block].first <= at && m < edge.move_count; ++m) {
                    varied_.insert(program_.moves[edge.first_move + m].dst);
                }
            });
        }
        for (const compile::Constant& c : code_.constants) {
            numbers_[c.row] = c.bits;
        }
        for (std::size_t p = 0; p < kernel_.parameters.size() && p < setup.arguments.size(); ++p) {
            const compile::Parameter& parameter = kernel_.parameters[p];
            if (parameter.kind == compile::Parameter::Kind::value && parameter.row != compile::kNone &&
                !varied_.contains(parameter.row)) {
                numbers_[parameter.row] = setup.arguments[p].bits;
            }
        }
        for (std::uint32_t b = 0; b < code_.blocks.size(); ++b) {
            read(b);
        }
    }

    // Numbers that a load is compared with, by its location; nothing: it is used otherwise.
    const std::map<std::uint32_t, std::optional<std::uint64_t>>& loads() const { return loads_; }

  private:
    void read(std::uint32_t number) {
        std::map<std::uint32_t, std::uint32_t> held; // location of the load whose value a row has
        const compile::Block& block = code_.blocks[number];
        for (std::uint32_t at = block.first; at < block.first + block.count; ++at) {
            const compile::Instruction& in = code_.code[at];
            const auto a = held.find(in.a), b = held.find(in.b);
            const bool passes = in.op == Opcode::mov32 || in.op == Opcode::keep_low;
            const bool compares = in.op == Opcode::eq32 || in.op == Opcode::ne32;
            const std::uint32_t from = passes && a != held.end() ? a->second : compile::kNone;
            if (compares && (a != held.end()) != (b != held.end())) {
                const auto with = numbers_.find(a != held.end() ? in.b : in.a);
                note(a != held.end() ? a->second : b->second,
                     with == numbers_.end() ? std::nullopt : std::optional(with->second));
            } else if (from == compile::kNone && in.op != Opcode::watch) {
                spoil_what_is_read(in, held);
            }
            const std::optional<std::uint64_t> sum = sum_of(in);
            compile::for_each_row(program_, in, [&](std::uint32_t row, unsigned rows, compile::Use use) {
                for (unsigned k = 0; use == compile::Use::write && k < rows; ++k) {
                    held.erase(row + k);
                    numbers_.erase(row + k);
                }
            });
            if (sum && !varied_.contains(in.dst)) {
                numbers_[in.dst] = *sum;
            } else if (from != compile::kNone) {
                held[in.dst] = from;
            } else if (in.op == Opcode::load && is_small(program_.accesses[in.c])) {
                held[in.dst] = in.location;
            }
            compile::for_each_edge(program_, in, [&](const compile::Edge& edge) {
                for (std::uint32_t m = edge.first_move; m < edge.first_move + edge.move_count; ++m) {
                    if (const auto moved = held.find(program_.moves[m].src); moved != held.end()) {
                        note(moved->second, std::nullopt);
                    }
                    numbers_.erase(program_.moves[m].dst);
                }
                for (const auto& [row, load] : held) {
                    if (reads_later(edge.block, row)) {
                        note(load, std::nullopt);
                    }
                }
            });
        }
    }

    static bool is_small(const compile::Access& a) { return a.bytes <= 4 && a.count == 1 && !a.atomic; }

    // x + 1 of a number that all threads have.
    std::optional<std::uint64_t> sum_of(const compile::Instruction& in) const {
        const auto a = numbers_.find(in.a), b = numbers_.find(in.b);
        if ((in.op != Opcode::add32 && in.op != Opcode::sub32) || a == numbers_.end() || b == numbers_.end()) {
            return std::nullopt;
        }
        return static_cast<std::uint32_t>(in.op == Opcode::add32 ? a->second + b->second : a->second - b->second);
    }

    void spoil_what_is_read(const compile::Instruction& in, const std::map<std::uint32_t, std::uint32_t>& held) {
        compile::for_each_row(program_, in, [&](std::uint32_t row, unsigned rows, compile::Use use) {
            for (unsigned k = 0; use == compile::Use::read && k < rows; ++k) {
                if (const auto it = held.find(row + k); it != held.end()) { // a branch tests against 0
                    note(it->second, in.op == Opcode::branch ? std::optional<std::uint64_t>(0) : std::nullopt);
                }
            }
        });
    }

    void note(std::uint32_t load, std::optional<std::uint64_t> number) {
        const auto [it, first] = loads_.try_emplace(load, number);
        if (!first && it->second != number) {
            it->second.reset();
        }
    }

    // Whether a row that has a value where a block begins is read before it gets another one.
    bool reads_later(std::uint32_t first, std::uint32_t row) const {
        std::set<std::uint32_t> seen{first};
        for (std::vector<std::uint32_t> todo{first}; !todo.empty();) {
            const compile::Block& block = code_.blocks[todo.back()];
            todo.pop_back();
            for (std::uint32_t at = block.first; at < block.first + block.count; ++at) {
                const compile::Instruction& in = code_.code[at];
                bool reads = false, writes = false;
                compile::for_each_row(program_, in, [&](std::uint32_t its, unsigned rows, compile::Use use) {
                    (use == compile::Use::read ? reads : writes) |= row >= its && row < its + rows;
                });
                if (reads && in.op != Opcode::watch) {
                    return true;
                }
                if (writes) {
                    break;
                }
                bool moves = false;
                compile::for_each_edge(program_, in, [&](const compile::Edge& edge) {
                    bool written = false;
                    for (std::uint32_t m = edge.first_move; m < edge.first_move + edge.move_count; ++m) {
                        moves |= program_.moves[m].src == row;
                        written |= program_.moves[m].dst == row;
                    }
                    if (!written && seen.insert(edge.block).second) {
                        todo.push_back(edge.block);
                    }
                });
                if (moves) {
                    return true;
                }
            }
        }
        return false;
    }

    const compile::Program& program_;
    const compile::Kernel& kernel_;
    const compile::FunctionCode& code_;
    std::set<std::uint32_t> varied_;                 // rows that get another value around a loop
    std::map<std::uint32_t, std::uint64_t> numbers_; // that all threads have, by row
    std::map<std::uint32_t, std::optional<std::uint64_t>> loads_;
};

std::uint64_t low(std::uint64_t value, unsigned bytes) {
    return bytes >= 8 ? value : value & ((1ULL << 8 * bytes) - 1);
}
} // namespace

Comparisons::Comparisons(const LaunchSetup& setup) {
    const ComparedLoads compared(setup);
    for (const auto& [location, number] : compared.loads()) {
        if (const std::uint16_t its = number ? flag(low(*number, 4)) : 0; its != 0) {
            of_load_.resize(setup.program->locations.size());
            of_load_[location] = its;
        }
    }
}

std::uint16_t Comparisons::flag(std::uint64_t number) {
    const auto end = numbers_.begin() + count_;
    const auto at = std::find(numbers_.begin(), end, number);
    if (at == end && count_ == kMost) {
        return 0;
    }
    if (at == end) {
        numbers_[count_++] = number;
    }
    return static_cast<std::uint16_t>(kFirstComparison << (at - numbers_.begin()));
}

std::uint16_t Comparisons::changed(std::uint64_t from, std::uint64_t to, unsigned bytes) const {
    unsigned flags = 0;
    for (unsigned k = 0; k < count_; ++k) {
        const std::uint64_t number = low(numbers_[k], bytes);
        flags |= (low(from, bytes) == number) != (low(to, bytes) == number) ? kFirstComparison << k : 0;
    }
    return static_cast<std::uint16_t>(flags);
}

} // namespace warptree::simt
