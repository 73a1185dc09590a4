#include "app/run/choice/block_elements.hpp"

#include "app/run/choice/each_instruction.hpp"
#include "app/simt/machine.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace warptree::runs {

using compile::Program;

namespace {

// What blockIdx.x and blockIdx.y are multiplied by before threadIdx.x and threadIdx.y are added: that is the block's size in a
// kernel that does not ask for it. 0: none, several, or it asks.
class BlockStrides {
  public:
    BlockStrides(const Program& program, const compile::Kernel& kernel) {
        each_instruction(program, kernel, [&](const compile::Instruction& in) {
            for (unsigned d = 0; d < kDimensions && in.op == compile::Opcode::special; ++d) {
                asks_[d] = asks_[d] || in.c == static_cast<std::uint32_t>(compile::Special::block_size_x) + d;
            }
        });
        for (const compile::Parameter& p : kernel.parameters) {
            if (p.kind == compile::Parameter::Kind::value) {
                told_.add(p.row);
            }
        }
        follow(program, program.functions[kernel.function]);
        for (unsigned d = 0; d < kDimensions; ++d) {
            if (asks_[d] || several_[d]) {
                strides_[d] = 0;
            }
        }
    }
    BlockElements elements() const {
        BlockElements its;
        its.strides = strides_;
        its.rows = counts_rows_ || (bounds_rows_ && widths_ == 0 && strides_[0] == 0);
        const std::uint32_t shared = divisor_ != 0 ? divisor_ : strides_[0] == 0 ? part_ : 0;
        its.threads_each = number_is_used_ || shared == 0 ? 1 : shared;
        its.elements_each = widths_ == 0 ? 1 : widths_;
        its.x_counts_y = by_y_;
        its.asks_size = asks_;
        for (unsigned d = 0; d < kDimensions; ++d) {
            const bool of_parts = d == 0 && part_ > 1 && its.threads_each == part_ && parts_ != 0;
            its.threads[d] = asks_[d] ? 0 : of_parts ? parts_ * part_ : turns_[d];
        }
        its.apart = apart();
        its.rows_apart = rows_apart();
        return its;
    }

  private:
    std::uint32_t apart() const {
        for (const auto& [of, offset] : offsets_) {
            if (of == 0 && offset >= kWarpSize && offset < strides_[0] && strides_[0] % offset == 0) {
                return static_cast<std::uint32_t>(offset);
            }
        }
        return 0;
    }
    std::uint32_t rows_apart() const {
        constexpr std::uint64_t kFewest = 4;
        std::uint64_t least = 0;
        for (const auto& [of, offset] : offsets_) {
            if (of == 1 && offset != 0) {
                least = least == 0 ? offset : least;
                if (offset % least != 0) {
                    return 0;
                }
            }
        }
        const bool part = least >= kFewest && least < strides_[1] && strides_[1] % least == 0;
        return part ? static_cast<std::uint32_t>(least) : 0;
    }

    static constexpr unsigned kDimensions = 2;
    static constexpr std::uint64_t kFewestOfATurn = 4; // fewer is a thread's own stride
    enum class Kind : std::uint8_t {
        thread,
        block,
        constant,
        product,
        index,
        width,   // made of blockDim or gridDim; value: times blockDim.x, 0: something else
        blocks,  // the block's number times a width, and its value
        number,  // the thread's, in the grid
        part,    // the thread's number in x, divided by value
        loop,    // what edges set in row `dimension`
        advanced // that and a constant
    };
    struct Row {
        Kind kind = Kind::thread;
        unsigned dimension = 0;
        std::uint64_t value = 0; // of a constant, the factor of a product, or what is added to a thread's number
    };

    void follow(const Program& program, const compile::FunctionCode& function) {
        using compile::Opcode;
        for (const compile::Constant& c : function.constants) {
            rows_[c.row] = {Kind::constant, 0, c.bits};
        }
        std::multimap<std::uint32_t, const compile::Move*> into; // a block
        std::size_t block = 0, at = 0;
        for (const compile::Instruction& in : function.code) {
            for (; block < function.blocks.size() && function.blocks[block].first <= at; ++block) {
                const auto [first, last] = into.equal_range(static_cast<std::uint32_t>(block));
                std::for_each(first, last, [&](const auto& move) { enter(*move.second); });
            }
            ++at;
            for (const auto& [number, bound] : {std::pair(in.a, in.b), std::pair(in.b, in.a)}) {
                const auto its = is_order(in.op) ? row(number) : std::nullopt;
                bounds_rows_ =
                    bounds_rows_ || (its && its->kind == Kind::block && its->dimension == 0 && told_.has(bound));
            }
            told_.after(in, moves_a_number(in.op) && told_.has(in.a));
            const auto leave = [&](std::uint32_t number) {
                const compile::Edge& edge = program.edges[number];
                for (std::uint32_t m = edge.first_move; m < edge.first_move + edge.move_count; ++m) {
                    uses(row(program.moves[m].src), std::nullopt); // as where a loop begins
                    if (edge.block >= block) {
                        begins_[program.moves[m].dst] = row(program.moves[m].src);
                        into.emplace(edge.block, &program.moves[m]);
                    } else {
                        repeat(program.moves[m]);
                    }
                }
            };
            std::optional<Row> made;
            switch (in.op) {
            case Opcode::branch: leave(in.b); [[fallthrough]];
            case Opcode::jump: leave(in.c); continue;
            case Opcode::special: made = special(static_cast<compile::Special>(in.c)); break;
            case Opcode::mov32:
            case Opcode::mov64:
            case Opcode::zext64:
            case Opcode::sext64: made = row(in.a); break;
            case Opcode::mul32:
            case Opcode::mul64: made = product(row(in.a), row(in.b), false); break;
            case Opcode::lshr32:
            case Opcode::lshr64:
            case Opcode::udiv32:
            case Opcode::udiv64:
                made = quotient(row(in.a), row(in.b), in.op == Opcode::lshr32 || in.op == Opcode::lshr64);
                break;
            case Opcode::ashr32:
            case Opcode::ashr64:
            case Opcode::sdiv32:
            case Opcode::sdiv64:
                made = quotient(row(in.a), row(in.b), in.op == Opcode::ashr32 || in.op == Opcode::ashr64);
                break;
            case Opcode::and32:
            case Opcode::and64:
            case Opcode::urem32:
            case Opcode::urem64:
            case Opcode::srem32:
            case Opcode::srem64: break; // which of those that share it
            case Opcode::shl32:
            case Opcode::shl64: made = product(row(in.a), row(in.b), true); break;
            case Opcode::add32:
            case Opcode::add64:
            case Opcode::or32:
            case Opcode::or64: made = sum(row(in.a), row(in.b)); break;
            case Opcode::address:
                uses(row(in.a), row(in.b));
                made = element_at(program.accesses[in.c], row(in.a), row(in.b));
                break;
            case Opcode::load:
            case Opcode::store:
                uses(row(in.a), row(in.b));
                element_at(program.accesses[in.c], row(in.a), row(in.b));
                break;
            default: uses(row(in.a), row(in.b)); break;
            }
            if (made) {
                rows_[in.dst] = *made;
            } else {
                rows_.erase(in.dst);
            }
        }
    }
    // The address of an element, or of one that is a number of elements behind it, which is in no sum then.
    std::optional<Row> element_at(const compile::Access& access, const std::optional<Row>& base,
                                  const std::optional<Row>& index) {
        const std::optional<Row>& element = access.index == compile::Access::Index::none ? base : index;
        if (!element || element->kind != Kind::index) {
            return std::nullopt;
        }
        if (access.offset > 0 && access.offset % access.bytes == 0) {
            offsets_.insert({element->dimension, static_cast<std::uint64_t>(access.offset) / access.bytes});
        }
        return element;
    }
    void enter(const compile::Move& move) {
        rows_[move.dst] = {Kind::loop, move.dst, 0};
        steps_[move.dst].clear();
        beside_[move.dst].clear();
    }
    // A loop goes on: what it adds to an element's number, or to what is added to that.
    void repeat(const compile::Move& move) {
        const auto next = row(move.src);
        if (!next || next->kind != Kind::advanced || next->dimension != move.dst || next->value > simt::kMostThreads) {
            return;
        }
        const auto begin = begins_[move.dst];
        const auto turns = [&](unsigned dimension, std::uint64_t fewest) {
            if (std::has_single_bit(next->value) && next->value >= fewest) {
                turns_[dimension] = std::max(turns_[dimension], static_cast<std::uint32_t>(next->value));
            }
        };
        if (begin && begin->kind == Kind::thread && begin->value == 0) {
            turns(begin->dimension, kFewestOfATurn);
        } else if (begin && begin->kind == Kind::constant && begin->value == 0) {
            for (const unsigned dimension : beside_[move.dst]) { // as in (b = 0; b < n; b += 32) … x[b + threadIdx.x]
                turns(dimension, kWarpSize);
            }
        }
        for (const unsigned dimension : steps_[move.dst]) {
            offsets_.insert({dimension, next->value});
        }
        if (begin && begin->kind == Kind::index) {
            offsets_.insert({begin->dimension, next->value});
        }
    }
    std::optional<Row> row(std::uint32_t number) const {
        const auto it = rows_.find(number);
        return it == rows_.end() ? std::nullopt : std::optional(it->second);
    }
    static std::optional<Row> special(compile::Special what) {
        switch (what) {
        case compile::Special::thread_x: return Row{Kind::thread, 0, 0};
        case compile::Special::thread_y: return Row{Kind::thread, 1, 0};
        case compile::Special::block_x: return Row{Kind::block, 0, 0};
        case compile::Special::block_y: return Row{Kind::block, 1, 0};
        case compile::Special::block_size_x: return Row{Kind::width, 0, 1};
        case compile::Special::block_size_y:
        case compile::Special::block_size_z:
        case compile::Special::grid_size_x:
        case compile::Special::grid_size_y:
        case compile::Special::grid_size_z: return Row{Kind::width, 0, 0};
        default: return std::nullopt;
        }
    }
    static std::optional<Row> of_width(const std::optional<Row>& a, const std::optional<Row>& b) {
        const auto is = [](const std::optional<Row>& r) {
            return r && (r->kind == Kind::width || r->kind == Kind::blocks);
        };
        return is(a) || is(b) ? std::optional(Row{Kind::width, 0, 0}) : std::nullopt;
    }
    void uses(const std::optional<Row>& a, const std::optional<Row>& b) {
        for (const std::optional<Row>* r : {&a, &b}) {
            number_is_used_ = number_is_used_ || (*r && (*r)->kind == Kind::number);
        }
    }
    std::optional<Row> quotient(const std::optional<Row>& a, const std::optional<Row>& b, bool shifts) {
        const std::uint64_t by = !b || b->kind != Kind::constant ? 0
                                 : !shifts                       ? b->value
                                 : b->value <= 10                ? std::uint64_t{1} << b->value
                                                                 : 0;
        if (a && a->kind == Kind::thread && a->dimension == 0 && a->value == 0 && by > 1 && by <= simt::kMostThreads) {
            return Row{Kind::part, 0, by};
        }
        if (!a || a->kind != Kind::number) {
            return of_width(a, b);
        }
        number_is_used_ = number_is_used_ || by < 2 || by > simt::kMostThreads || (divisor_ != 0 && divisor_ != by);
        divisor_ = static_cast<std::uint32_t>(by);
        return of_width(a, b);
    }
    std::optional<Row> product(std::optional<Row> a, std::optional<Row> b, bool shifts) {
        if (const auto width = of_width(a, b)) {
            const auto is = [&](const std::optional<Row>& r, Kind kind) { return r && r->kind == kind; };
            const auto of_block = [&](const std::optional<Row>& r) {
                return is(r, Kind::block) || is(r, Kind::product);
            };
            if (!shifts && ((of_block(a) && is(b, Kind::width)) || (of_block(b) && is(a, Kind::width)))) {
                const auto& [number, of] = of_block(a) ? std::pair(*a, *b) : std::pair(*b, *a);
                return Row{Kind::blocks, number.dimension, (number.kind == Kind::block ? 1 : number.value) * of.value};
            }
            if (!shifts && is(a, Kind::constant)) {
                std::swap(a, b);
            }
            constexpr std::uint64_t kMost = 64;
            if (!is(b, Kind::constant) || b->value > (shifts ? 6 : kMost) || a->value > kMost) {
                return *width;
            }
            return Row{a->kind, a->dimension, a->value * (shifts ? std::uint64_t{1} << b->value : b->value)};
        }
        uses(a, b);
        const auto is_block = [](const std::optional<Row>& r) { return r && r->kind == Kind::block; };
        counts_rows_ = counts_rows_ || (!shifts && ((is_block(a) && !b) || (is_block(b) && !a)));
        if (a && b && a->kind == Kind::constant && !shifts) {
            std::swap(a, b);
        }
        if (!a || !b || (a->kind != Kind::block && a->kind != Kind::product) || b->kind != Kind::constant ||
            b->value > (shifts ? 10 : simt::kMostThreads)) {
            return std::nullopt;
        }
        const std::uint64_t before = a->kind == Kind::block ? 1 : a->value;
        return Row{Kind::product, a->dimension, before * (shifts ? std::uint64_t{1} << b->value : b->value)};
    }
    // Notes the stride of an element's number, block * stride + thread, and what is added to it.
    std::optional<Row> sum(std::optional<Row> a, std::optional<Row> b) {
        uses(a, b);
        if (a && b && (a->kind == Kind::thread || a->kind == Kind::constant)) {
            std::swap(a, b);
        }
        if (a && b && a->kind != b->kind && (a->kind == Kind::constant || a->kind == Kind::thread) &&
            a->value + b->value <= simt::kMostThreads) {
            return Row{Kind::thread, (a->kind == Kind::thread ? a : b)->dimension, a->value + b->value};
        }
        if (a && b && a->kind == Kind::blocks && b->kind == Kind::thread && a->dimension == 0 && b->dimension == 1 &&
            a->value == 0 && b->value == 0) {
            by_y_ = true;
        }
        if (a && b && a->kind == Kind::blocks && b->kind == Kind::thread && a->dimension == 0 && b->dimension == 0 &&
            b->value == 0) {
            const auto widths = static_cast<std::uint32_t>(a->value);
            widths_ = widths_ == 0 || widths_ == widths ? widths : 1; // of several, the kernel does not say
            return widths > 1 ? std::nullopt : std::optional(Row{Kind::number, 0, 0});
        }
        if (!a || !b) {
            return std::nullopt;
        }
        for (const auto& [number, part] : {std::pair(*a, *b), std::pair(*b, *a)}) {
            const bool of_width = number.kind == Kind::blocks && number.dimension == 0 && number.value == 0;
            const bool of_number = number.kind == Kind::product && number.dimension == 0 && number.value != 0;
            if (part.kind == Kind::part && (of_width || of_number)) {
                const bool same = part_ == 0 || (part_ == part.value && parts_ == number.value);
                part_ = same ? static_cast<std::uint32_t>(part.value) : 1;
                parts_ = static_cast<std::uint32_t>(number.value);
            }
        }
        for (const auto& [variable, other] : {std::pair(*a, *b), std::pair(*b, *a)}) {
            if (variable.kind == Kind::loop && other.kind == Kind::constant) {
                return Row{Kind::advanced, variable.dimension, other.value};
            }
            if (variable.kind == Kind::loop && other.kind == Kind::index) {
                steps_[variable.dimension].insert(other.dimension);
            }
            if (variable.kind == Kind::loop && other.kind == Kind::thread && other.value == 0) {
                beside_[variable.dimension].insert(other.dimension);
            }
        }
        if (b->kind == Kind::constant && (a->kind == Kind::product || a->kind == Kind::index)) {
            offsets_.insert({a->dimension, b->value});
            return a;
        }
        if (a->kind != Kind::product || b->kind != Kind::thread || a->dimension != b->dimension || a->value == 0 ||
            a->value > simt::kMostThreads) {
            return std::nullopt;
        }
        std::uint32_t& stride = strides_[a->dimension];
        several_[a->dimension] = several_[a->dimension] || (stride != 0 && stride != a->value);
        stride = static_cast<std::uint32_t>(a->value);
        if (b->value != 0) {
            offsets_.insert({a->dimension, b->value});
        }
        return Row{Kind::index, a->dimension, 0};
    }

    std::map<std::uint32_t, Row> rows_;                    // as far as they are known
    std::map<std::uint32_t, std::optional<Row>> begins_;   // what loops begin with, by the row of their variable
    std::map<std::uint32_t, std::set<unsigned>> steps_;    // dimensions of the numbers that it is added to
    std::map<std::uint32_t, std::set<unsigned>> beside_;   // and of the threads' numbers in sums with it
    std::set<std::pair<unsigned, std::uint64_t>> offsets_; // by dimension
    std::array<std::uint32_t, kDimensions> strides_{};
    std::array<bool, kDimensions> several_{};
    std::array<bool, kDimensions> asks_{};
    std::array<std::uint32_t, kDimensions> turns_{}; // what loops that begin with the thread's number add to it
    std::uint32_t part_ = 0;                         // what that number is divided by where the block's is added to it
    std::uint32_t parts_ = 0;                        // and what that is multiplied by; 0: made of the block's width
    std::uint32_t widths_ = 0;                       // of blockDim.x that neighbouring blocks are apart; 0: none
    std::uint32_t divisor_ = 0;                      // of the thread's number in the grid; 0: none
    bool number_is_used_ = false;                    // undivided, or in several ways
    bool by_y_ = false;                              // the block's number in x is multiplied by its width in y
    HeldRows told_;                                  // integers that the kernel is told
    bool bounds_rows_ = false;                       // the block's number is compared with one
    bool counts_rows_ = false; // the block's number is multiplied by what is neither known nor its width
};
} // namespace

BlockElements elements_of_blocks(const Program& program, const compile::Kernel& kernel) {
    return BlockStrides(program, kernel).elements();
}

} // namespace warptree::runs
