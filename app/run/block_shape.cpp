#include "app/run/block_shape.hpp"

#include "app/base/options.hpp"
#include "app/catalogue/kernel_header.hpp"
#include "app/run/each_instruction.hpp"
#include "app/simt/machine.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace warptree::runs {

using compile::Program;

namespace {
constexpr std::uint32_t kMostThreads = simt::kMostThreads; // of a block
} // namespace

unsigned thread_dimensions(const Program& program, const compile::Kernel& kernel) {
    // Only uses in the file itself count: cooperative groups read all three to compute a rank.
    const auto named = [&](std::string_view what) {
        return std::any_of(program.files.begin(), program.files.end(), [&](const compile::SourceText& file) {
            return !file.ours && file.text.find(what) != std::string::npos;
        });
    };
    const unsigned in_text = named("threadIdx.z") ? 3 : named("threadIdx.y") ? 2 : 1;
    unsigned most = 1;
    each_instruction(program, kernel, [&](const compile::Instruction& in) {
        if (in.op == compile::Opcode::special) {
            const auto what = static_cast<compile::Special>(in.c);
            most = std::max(most, what == compile::Special::thread_z   ? 3U
                                  : what == compile::Special::thread_y ? 2U
                                                                       : 1U);
        }
    });
    return std::min(most, in_text);
}

std::array<bool, 3> asks_for_its_block(const Program& program, const compile::Kernel& kernel) {
    using compile::Special;
    constexpr std::array kBlocks{Special::block_x, Special::block_y, Special::block_z};
    constexpr std::array kGrids{Special::grid_size_x, Special::grid_size_y, Special::grid_size_z};
    std::array<bool, 3> asks{};
    asks.fill(kernel.cooperative || kernel.cluster[0] != 0);
    each_instruction(program, kernel, [&](const compile::Instruction& in) {
        const auto what = static_cast<Special>(in.c);
        const bool special = in.op == compile::Opcode::special;
        const bool any = (special && what == Special::multiprocessor) || in.op == compile::Opcode::call_pointer;
        for (unsigned d = 0; d < 3; ++d) {
            asks[d] = asks[d] || any || (special && (what == kBlocks[d] || what == kGrids[d]));
        }
    });
    return asks;
}

bool knows_its_block(const Program& program, const compile::Kernel& kernel) {
    const std::array<bool, 3> asks = asks_for_its_block(program, kernel);
    return std::find(asks.begin(), asks.end(), true) != asks.end();
}

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
        follow(program, program.functions[kernel.function]);
        for (unsigned d = 0; d < kDimensions; ++d) {
            if (asks_[d] || several_[d]) {
                strides_[d] = 0;
            }
        }
    }
    std::uint32_t operator[](unsigned dimension) const { return strides_[dimension]; }
    BlockElements elements() const {
        const std::uint32_t shared = divisor_ != 0 ? divisor_ : strides_[0] == 0 ? part_ : 0;
        return {strides_, counts_rows_, number_is_used_ || shared == 0 ? 1 : shared, widths_ == 0 ? 1 : widths_, by_y_};
    }
    // The threads of a block that takes `number` elements with so many threads each, as in blockIdx.x * 8 + threadIdx.x / 32, or whose
    // loop takes the next one's elements after so many, as in for (i = threadIdx.x; i < n; i += 128); 0: neither, or it asks.
    std::uint32_t threads(unsigned dimension) const {
        const std::uint32_t of_parts = dimension == 0 && elements().threads_each == part_ ? parts_ * part_ : 0;
        return asks_[dimension] ? 0 : of_parts != 0 ? of_parts : turns_[dimension];
    }
    bool asks_width() const { return asks_[0]; } // blockDim.x
    // The least part of the stride that is added to an element's number, as 256 in in[i] + in[i + 256]: a thread's elements are
    // that far apart; 0: none.
    std::uint32_t apart(unsigned dimension) const {
        const std::uint32_t stride = strides_[dimension];
        for (const auto& [of, offset] : offsets_) {
            if (of == dimension && offset >= kWarpSize && offset < stride && stride % offset == 0) {
                return static_cast<std::uint32_t>(offset);
            }
        }
        return 0;
    }
    // The rows of a tile that a thread takes are that far apart, as 8 in for (j = 0; j < 32; j += 8) … in[y + j]; 0: none, or
    // neighbours are among what is added, as in a stencil.
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

  private:
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
    }
    // A loop goes on: what it adds to an element's number, or to what is added to that.
    void repeat(const compile::Move& move) {
        const auto next = row(move.src);
        if (!next || next->kind != Kind::advanced || next->dimension != move.dst || next->value > kMostThreads) {
            return;
        }
        if (const auto begin = begins_[move.dst]; begin && begin->kind == Kind::thread && begin->value == 0 &&
                                                  std::has_single_bit(next->value) && next->value >= kFewestOfATurn) {
            std::uint32_t& turn = turns_[begin->dimension];
            turn = std::max(turn, static_cast<std::uint32_t>(next->value));
        }
        for (const unsigned dimension : steps_[move.dst]) {
            offsets_.insert({dimension, next->value});
        }
        if (const auto begin = begins_[move.dst]; begin && begin->kind == Kind::index) {
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
        if (a && a->kind == Kind::thread && a->dimension == 0 && a->value == 0 && by > 1 && by <= kMostThreads) {
            return Row{Kind::part, 0, by};
        }
        if (!a || a->kind != Kind::number) {
            return of_width(a, b);
        }
        number_is_used_ = number_is_used_ || by < 2 || by > kMostThreads || (divisor_ != 0 && divisor_ != by);
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
            b->value > (shifts ? 10 : kMostThreads)) {
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
            a->value + b->value <= kMostThreads) {
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
        }
        if (b->kind == Kind::constant && (a->kind == Kind::product || a->kind == Kind::index)) {
            offsets_.insert({a->dimension, b->value});
            return a;
        }
        if (a->kind != Kind::product || b->kind != Kind::thread || a->dimension != b->dimension || a->value == 0 ||
            a->value > kMostThreads) {
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
    bool counts_rows_ = false; // the block's number is multiplied by what is neither known nor its width
};

// The integers among a template's arguments: 256 of "reduce<float, 256>".
std::vector<std::uint32_t> numbers_in(std::string_view instance) {
    std::vector<std::uint32_t> numbers;
    const std::size_t open = instance.find('<');
    for (const std::string& argument : catalogue::listed(
             open == std::string_view::npos ? "" : instance.substr(open + 1, instance.rfind('>') - open - 1))) {
        if (const auto number = parse_count(argument); number && *number <= kMostThreads) {
            numbers.push_back(static_cast<std::uint32_t>(*number));
        }
    }
    return numbers;
}

// A tile in shared memory that is larger than what a block stores, by its halo, has a thread for each element where its sides are
// whole and those of what is stored are not: 32 x 32 for 28 x 28, 128 for 124.
std::optional<simt::Extent> tile_with_halo(const Program& program, const compile::Kernel& kernel, simt::Extent stored,
                                           std::uint32_t most) {
    for (const std::uint32_t s : kernel.shared) {
        const compile::SharedArray& array = program.shared[s];
        const std::uint32_t elements = array.bytes / std::max(1U, array.element_bytes);
        if (stored[1] == 1 && array.extents.size() < 2 && elements > stored[0] && elements <= most &&
            elements < 2 * stored[0] && elements % kWarpSize == 0 && stored[0] % kWarpSize != 0) {
            return simt::Extent{elements, 1, 1};
        }
        if (array.extents.size() == 2) {
            const simt::Extent tile = tile_of(array.extents);
            const bool whole = std::has_single_bit(tile[0]) && std::has_single_bit(tile[1]);
            if (whole && tile[0] > stored[0] && tile[1] > stored[1] && tile[0] < 2 * stored[0] &&
                tile[1] < 2 * stored[1] && simt::volume(tile) <= most) {
                return tile;
            }
        }
    }
    return std::nullopt;
}

// The block that the kernel's own arithmetic says; nullopt: it does not.
std::optional<simt::Extent> stated_block(const Program& program, const compile::Kernel& kernel, unsigned dimensions) {
    const BlockStrides strides(program, kernel);
    const std::uint32_t most = kernel.most_threads != 0 ? kernel.most_threads : kMostThreads;
    if (dimensions == 2) {
        const std::uint32_t rows = strides.rows_apart() != 0 ? strides.rows_apart() : strides[1];
        const bool fits = strides[0] != 0 && rows != 0 && strides[0] * rows <= most;
        const simt::Extent stored{strides[0], rows, 1};
        const auto tile = strides[0] != 0 && rows != 0 ? tile_with_halo(program, kernel, stored, most) : std::nullopt;
        return tile ? tile : fits ? std::optional(stored) : std::nullopt;
    }
    std::uint32_t threads = strides[0] != 0 ? strides[0] : strides.threads(0);
    if (dimensions == 1 && !strides.asks_width() && !knows_its_block(program, kernel)) {
        // One block: a thread for each element of its array.
        for (const std::uint32_t s : kernel.shared) {
            const compile::SharedArray& array = program.shared[s];
            const std::uint32_t elements = array.bytes / std::max(1U, array.element_bytes);
            threads = array.extents.size() < 2 && elements >= kWarpSize && elements <= most
                          ? std::max(threads, elements)
                          : threads;
        }
    }
    if (dimensions != 1 || threads == 0 || threads > most) {
        return std::nullopt;
    }
    // A thread may take several elements, one a block's width after the other: what is added to the first one's number says
    // how many, or the template's argument, or its array in shared memory.
    if (const std::uint32_t apart = strides.apart(0); apart != 0) {
        threads = apart;
    }
    for (const std::uint32_t number : numbers_in(kernel.name)) {
        threads = number >= kWarpSize && threads % number == 0 ? number : threads;
    }
    for (const std::uint32_t s : kernel.shared) {
        const compile::SharedArray& array = program.shared[s];
        const std::uint32_t elements = array.bytes / std::max(1U, array.element_bytes);
        if (array.extents.size() < 2 && elements >= 64 && elements < threads && threads % elements == 0 &&
            threads / elements <= 8) {
            threads = elements;
        }
    }
    const simt::Extent stored{threads, 1, 1};
    return tile_with_halo(program, kernel, stored, most).value_or(stored);
}

// The elements of arrays in shared memory that all have as many, likely one a thread. Of one array alone a run tells, as more
// threads go past shared memory; what goes past one of several lies in the next. nullopt: there are no such arrays.
std::optional<std::uint32_t> threads_of_arrays(const Program& program, const compile::Kernel& kernel) {
    std::optional<std::uint32_t> threads;
    if (kernel.shared.size() < 2) {
        return threads;
    }
    for (const std::uint32_t s : kernel.shared) {
        const compile::SharedArray& array = program.shared[s];
        const std::uint32_t elements = array.bytes / std::max(1U, array.element_bytes);
        if (elements == 0 || elements == 1) { // its size is the launch's; a number
            continue;
        }
        if (array.extents.size() > 1 || elements < 2 * kWarpSize || elements > kMostThreads ||
            (threads && *threads != elements)) {
            return std::nullopt;
        }
        threads = elements;
    }
    return threads;
}
} // namespace

BlockElements elements_of_blocks(const Program& program, const compile::Kernel& kernel) {
    return BlockStrides(program, kernel).elements();
}

simt::Extent tile_of(const std::vector<std::uint32_t>& extents) {
    // One column more than rows, or than a power of two, is padding against bank conflicts.
    const bool padded =
        extents[1] == extents[0] + 1 || (extents[1] > kWarpSize / 2 && std::has_single_bit(extents[1] - 1));
    const std::uint32_t rows = extents[0], columns = padded ? extents[1] - 1 : extents[1];
    return rows == 0 || columns == 0 ? simt::Extent{1024, 1024, 1} : simt::Extent{columns, rows, 1};
}

simt::Extent usual_block(const Program& program, const compile::Kernel& kernel, unsigned dimensions,
                         std::uint32_t threads) {
    const std::uint32_t usual = dimensions == 1 ? threads : 256;
    const std::uint32_t most = kernel.most_threads != 0 ? std::min(kernel.most_threads, usual) : usual;
    if (const auto stated = stated_block(program, kernel, dimensions)) {
        return *stated;
    }
    if (dimensions == 1) {
        return {std::min(most, threads_of_arrays(program, kernel).value_or(most)), 1, 1};
    }
    for (const std::uint32_t s : kernel.shared) {
        const std::vector<std::uint32_t>& e = program.shared[s].extents;
        if (const simt::Extent cube{e.size() == 3 ? e[2] : 0, e.size() == 3 ? e[1] : 0, e.size() == 3 ? e[0] : 0};
            dimensions == 3 && simt::volume(cube) != 0 &&
            simt::volume(cube) <= (kernel.most_threads != 0 ? kernel.most_threads : kMostThreads)) {
            return cube;
        }
        if (dimensions == 2 && e.size() == 2) {
            // Sides that are no powers of two are a block's and a halo's.
            const simt::Extent tile = tile_of(e);
            const bool whole = std::has_single_bit(tile[0]) && std::has_single_bit(tile[1]);
            const std::uint32_t room = kernel.most_threads != 0 ? kernel.most_threads : whole ? kMostThreads : most;
            if (simt::volume(tile) <= room) {
                return tile;
            }
        }
    }
    simt::Extent block = dimensions == 2 ? simt::Extent{16, 16, 1} : simt::Extent{8, 8, 4};
    const BlockStrides strides(program, kernel);
    const std::uint32_t columns = strides.threads(0), rows = strides.threads(1);
    if (dimensions == 2 && std::max(columns, rows) != 0) {
        block = {columns != 0 ? columns : std::max(1U, usual / rows), rows != 0 ? rows : std::max(1U, usual / columns),
                 1};
    }
    for (unsigned d = dimensions; simt::volume(block) > most;) {
        d = d == 0 ? dimensions - 1 : d - 1;
        block[d] = std::max(1U, block[d] / 2);
    }
    return block;
}

} // namespace warptree::runs
