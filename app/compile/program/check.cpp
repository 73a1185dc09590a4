// Checks every index of a program, so that the machine need not. What a program computes is not checked: a wrong
// program ends in a finding or exceeds its budget, but never accesses memory outside its arrays.
#include "app/compile/client/compiler.hpp"
#include "app/compile/program/shape.hpp"

#include <bit>
#include <string>

namespace warptree::compile {

namespace {

// Beyond these a program would need more memory than a warp can have.
constexpr std::uint32_t kMostRows = 1U << 20, kMostLocalBytes = (1U << 24) + (1U << 16); // with parameters
constexpr std::uint32_t kMostSharedBytes = (1U << 24) + 16; // with padding before dynamic arrays
constexpr std::uint32_t kMostArguments = 1U << 16;

class Checker {
  public:
    explicit Checker(const Program& program) : p_(program) {}

    void run() {
        tables();
        for (function_ = 0; function_ < p_.functions.size(); ++function_) check_function(p_.functions[function_]);
        for (const Kernel& kernel : p_.kernels) check_kernel(kernel);
        check_host_code();
    }

  private:
    [[noreturn]] void fail(const char* what) const {
        std::string text = std::string("the compiled program is damaged: ") + what;
        if (f_ != nullptr) text += " in function " + std::to_string(function_);
        throw CompileError(text);
    }
    void require(bool holds, const char* what) const {
        if (!holds) fail(what);
    }
    template <class T> void within(std::uint32_t index, const std::vector<T>& table, const char* what) const {
        if (index >= table.size()) fail(what);
    }
    template <class T> void within_or_none(std::uint32_t index, const std::vector<T>& table, const char* what) const {
        if (index != kNone && index >= table.size()) fail(what);
    }
    void location(std::uint32_t index) const {
        if (index != 0) within(index, p_.locations, "a location");
    }
    void type(ValueType type) const { require(type <= ValueType::bf16, "a value type"); }
    void fields(const Parameter& parameter) const {
        for (const Parameter::Field& field : parameter.fields) {
            type(field.type);
            require(field.offset <= parameter.element_bytes &&
                        bytes(field.type) <= parameter.element_bytes - field.offset,
                    "a member of an array's records");
        }
    }

    void tables() const;
    void memory_tables() const;
    void check_function(const FunctionCode& f);
    void check_block(const Block& block) const;
    void check_instruction(const Instruction& in, bool last) const;
    void check_table_entry(const Instruction& in) const;
    void check_call(const Instruction& in) const;
    void check_edge(std::uint32_t index) const;
    void check_selection(std::uint32_t index) const;
    void check_kernel(const Kernel& kernel) const;
    void check_host_code() const;

    void rows(std::uint32_t row, std::uint32_t count) const {
        require(row < f_->rows && count <= f_->rows - row, "a row");
    }
    void tags(std::uint32_t tag, std::uint32_t count) const {
        require(tag == 0 || (tag < f_->tag_rows && count <= f_->tag_rows - tag), "a tag row");
    }
    void value(const Value& v) const {
        require(v.rows == 1 || v.rows == 2, "the rows of a value");
        rows(v.row, v.rows);
        tags(v.tag, 1);
    }
    void access(std::uint32_t index) const {
        within(index, p_.accesses, "an access");
        if (p_.accesses[index].selection != kNone) check_selection(p_.accesses[index].selection);
    }

    const Program& p_;
    const FunctionCode* f_ = nullptr;
    std::uint32_t function_ = 0;
};

void Checker::tables() const {
    for (std::uint32_t i = 0; i < p_.locations.size(); ++i) {
        const Location& l = p_.locations[i];
        require(l.file < p_.files.size() || l.line == 0, "the file of a location");
        require(l.inlined_at == kNone || l.inlined_at < i, "the call of a location");
    }
    for (std::uint32_t i = 0; i < p_.loops.size(); ++i) {
        const Loop& l = p_.loops[i];
        require(l.parent == kNone || l.parent < i, "the parent of a loop");
        within_or_none(l.variable, p_.variables, "the variable of a loop");
        location(l.location);
    }
    for (const Variable& v : p_.variables) {
        type(v.type);
        within(v.function, p_.functions, "the function of a variable");
        location(v.location);
    }
    for (const Atomic& a : p_.atomics) {
        require(a.operation <= AtomicOperation::decrement && a.scope <= Scope::system, "an atomic");
        within(a.access, p_.accesses, "the access of an atomic");
        require(p_.accesses[a.access].count == 1, "the width of an atomic");
    }
    for (const Copy& c : p_.copies) require(c.bytes == 4 || c.bytes == 8 || c.bytes == 16, "the width of a copy");
    for (const Exchange& e : p_.exchanges) {
        require(e.bytes == 4 || e.bytes == 8, "the width of an exchange");
        type(e.type);
    }
    for (const Barrier& b : p_.barriers) {
        require(b.reduce <= Barrier::Reduce::any, "a barrier");
        for (const std::uint32_t at : b.within) location(at);
    }
    for (const KernelTemplate& t : p_.templates) location(t.location);
    for (const Diagnostic& d : p_.diagnostics) require(d.severity <= Diagnostic::Severity::error, "a diagnostic");
    for (const RefusedKernel& r : p_.refused) require(r.why.severity <= Diagnostic::Severity::error, "a diagnostic");
    memory_tables();
}

void Checker::memory_tables() const {
    for (const Access& a : p_.accesses) {
        require(a.scope <= Scope::system, "the scope of an access");
        require(a.index <= Access::Index::i64 && a.space <= Space::constant, "an access");
        require(std::has_single_bit(a.bytes) && a.bytes <= 8, "the width of an access");
        require(std::has_single_bit(a.count) && a.bytes * a.count <= 16, "the width of an access");
        type(a.type);
        within_or_none(a.array, p_.shared, "the array of an access");
        within_or_none(a.local, p_.locals, "the array of an access");
    }
    require(p_.globals.size() <= kMostAllocations, "the number of globals");
    for (const Global& g : p_.globals) {
        require(g.space <= Space::constant && std::has_single_bit(g.alignment), "a global");
        require(g.initial.empty() || g.initial.size() == g.bytes, "the initial value of a global");
        require(g.element_bytes != 0, "the elements of a global");
        type(g.element);
        for (const Global::Address& a : g.addresses) {
            require(g.initial.size() >= 8 && a.offset <= g.initial.size() - 8, "an address in a global");
            require((a.global == kNone) != (a.function == kNone), "an address in a global");
            within_or_none(a.global, p_.globals, "an address in a global");
            within_or_none(a.function, p_.functions, "an address in a global");
        }
    }
    for (const LocalArray& a : p_.locals) require(a.element_bytes != 0, "the elements of a local array");
    require(p_.static_shared_bytes <= kMostSharedBytes, "the size of shared memory");
    for (const SharedArray& a : p_.shared) {
        require(a.bytes == 0 || (a.offset <= p_.static_shared_bytes && a.bytes <= p_.static_shared_bytes - a.offset),
                "a shared array");
        require(a.bytes != 0 || a.offset <= kMostSharedBytes, "a shared array");
        require(a.element_bytes != 0, "the elements of a shared array");
        type(a.element);
        location(a.location);
    }
}

void Checker::check_function(const FunctionCode& f) {
    f_ = &f;
    require(f.rows <= kMostRows && f.local_bytes <= kMostLocalBytes, "the size of a frame");
    require(f.tag_rows >= 1 && f.tag_rows <= 0x10000, "the number of tag rows");
    require(!f.blocks.empty(), "the number of blocks");
    require(f.parameters.size() <= kMostArguments && f.results.size() <= kMostArguments, "the number of arguments");
    location(f.location);
    for (const Constant& c : f.constants) {
        require(c.rows == 1 || c.rows == 2, "the rows of a constant");
        rows(c.row, c.rows);
    }
    for (const Value& v : f.parameters) value(v);
    std::uint32_t next = f.results.empty() ? kNone : f.results.front().row;
    for (const Value& v : f.results) { // ret refers to them by the row of the first
        value(v);
        require(v.row == next, "the rows of a result");
        next += v.rows;
    }
    std::uint32_t before = 0;
    for (const Statement& s : f.statements) {
        require(s.instruction >= before && s.instruction < f.code.size(), "where a statement begins");
        before = s.instruction;
        location(s.location);
    }
    for (const Block& block : f.blocks) check_block(block);
    f_ = nullptr;
}

void Checker::check_block(const Block& block) const {
    require(block.count > 0 && block.first < f_->code.size() && block.count <= f_->code.size() - block.first,
            "the code of a block");
    within_or_none(block.reconverge, f_->blocks, "where a block reconverges");
    within_or_none(block.loop, p_.loops, "the loop of a block");
    if (block.loop != kNone) {
        for (std::uint32_t l = block.loop; l != kNone; l = p_.loops[l].parent) {
            const Loop& loop = p_.loops[l];
            within(loop.header, f_->blocks, "the header of a loop");
            if (loop.row == kNone) continue;
            require(loop.variable != kNone, "the variable of a loop");
            rows(loop.row, rows_of(p_.variables[loop.variable].type));
        }
    }
    for (std::uint32_t i = 0; i < block.count; ++i) check_instruction(f_->code[block.first + i], i + 1 == block.count);
}

void Checker::check_instruction(const Instruction& in, bool last) const {
    require(in.op < Opcode::count, "an opcode");
    const Shape s = shape(in.op);
    require(s.ends == last, "the end of a block");
    require(in.location < p_.locations.size() || in.location == 0, "a location");
    type(in.type);
    for (const auto& [operand, kind] : {std::pair{in.dst, s.dst}, {in.a, s.a}, {in.b, s.b}, {in.c, s.c}}) {
        switch (kind) {
        case Operand::access: access(operand); break;
        case Operand::atomic:
            within(operand, p_.atomics, "an atomic");
            access(p_.atomics[operand].access);
            break;
        case Operand::copy: within(operand, p_.copies, "a copy"); break;
        case Operand::exchange: within(operand, p_.exchanges, "an exchange"); break;
        case Operand::barrier: within(operand, p_.barriers, "a barrier"); break;
        case Operand::switch_table: within(operand, p_.switches, "a switch"); break;
        case Operand::call: within(operand, p_.calls, "a call"); break;
        case Operand::edge: check_edge(operand); break;
        case Operand::text: within(operand, p_.texts, "a text"); break;
        case Operand::variable: within(operand, p_.variables, "a variable"); break;
        case Operand::function: require(operand < static_cast<std::uint32_t>(Function::count), "a function"); break;
        case Operand::special: require(operand < static_cast<std::uint32_t>(Special::count), "a register"); break;
        case Operand::scope: require(operand <= static_cast<std::uint32_t>(Scope::system), "a scope"); break;
        default: break;
        }
    }
    check_table_entry(in);
    for_each_row(p_, in, [&](std::uint32_t row, std::uint32_t count, Use) { rows(row, count); });
    for_each_tag(p_, in, [&](std::uint32_t tag, std::uint32_t count, Use) { tags(tag, count); });
    if (in.selection != kNone) check_selection(in.selection);
}

// What for_each_row() relies on beyond the indices.
void Checker::check_table_entry(const Instruction& in) const {
    switch (in.op) {
    case Opcode::shuffle: require(p_.exchanges[in.c].mode <= 3, "the mode of a shuffle"); break;
    case Opcode::vote: require(p_.exchanges[in.c].mode <= 3, "the mode of a vote"); break;
    case Opcode::match: require(p_.exchanges[in.c].mode <= 1, "the mode of a match"); break;
    case Opcode::reduce_warp:
        require(p_.exchanges[in.c].mode <= 7 && p_.exchanges[in.c].bytes == 4, "the operation of a reduction");
        break;
    case Opcode::branch_switch: {
        const Switch& s = p_.switches[in.c];
        require(s.edges.size() == s.values.size() + 1, "the edges of a switch");
        for (const std::uint32_t edge : s.edges) check_edge(edge);
        break;
    }
    case Opcode::barrier: {
        const Barrier& b = p_.barriers[in.c];
        require((b.reduce == Barrier::Reduce::none) == (b.predicate == kNone), "the predicate of a barrier");
        break;
    }
    case Opcode::call:
    case Opcode::call_pointer: check_call(in); break;
    case Opcode::ret:
        require(in.a == (f_->results.empty() ? kNone : f_->results.front().row), "the rows of a result");
        break;
    case Opcode::keep_low:
    case Opcode::sign_low: require(in.b >= 1 && in.b <= 32, "a number of bits"); break;
    default: break;
    }
}

void Checker::check_call(const Instruction& in) const {
    const Call& call = p_.calls[in.c];
    require(call.arguments.size() <= kMostArguments && call.results.size() <= kMostArguments, "a call");
    for (const Value& v : call.arguments) value(v);
    for (const Value& v : call.results) value(v);
    require((call.function == kNone) == (in.op == Opcode::call_pointer), "the function of a call");
    if (call.function == kNone) return;
    within(call.function, p_.functions, "the function of a call");
    const auto match = [&](const std::vector<Value>& ours, const std::vector<Value>& theirs) {
        require(ours.size() == theirs.size(), "the arguments of a call");
        for (std::size_t i = 0; i < ours.size(); ++i)
            require(ours[i].rows == theirs[i].rows, "the arguments of a call");
    };
    match(call.arguments, p_.functions[call.function].parameters);
    match(call.results, p_.functions[call.function].results);
}

void Checker::check_edge(std::uint32_t index) const {
    within(index, p_.edges, "an edge");
    const Edge& edge = p_.edges[index];
    within(edge.block, f_->blocks, "the block of an edge");
    require(edge.first_move <= p_.moves.size() && edge.move_count <= p_.moves.size() - edge.first_move,
            "the moves of an edge");
    within_or_none(edge.begins, p_.loops, "the loop of an edge");
    within_or_none(edge.ends, p_.loops, "the loop of an edge");
    for (std::uint32_t i = 0; i < edge.move_count; ++i) {
        const Move& move = p_.moves[edge.first_move + i];
        require(move.rows == 1 || move.rows == 2, "the rows of a move");
        rows(move.dst, move.rows);
        rows(move.src, move.rows);
        tags(move.tag_dst, 1);
        tags(move.tag_src, 1);
        if (move.selection != kNone) check_selection(move.selection);
    }
    for (std::uint32_t k = edge.keep; k != kNone; k = p_.keeps[k].next) {
        within(k, p_.keeps, "what an edge keeps");
        const Keep& keep = p_.keeps[k];
        require(keep.next == kNone || keep.next < k, "the order of what an edge keeps");
        access(keep.access);
        rows(keep.a, 2);
        const Access::Index kind = p_.accesses[keep.access].index;
        if (kind != Access::Index::none) rows(keep.b, kind == Access::Index::i64 ? 2 : 1);
    }
}

void Checker::check_selection(std::uint32_t index) const {
    within(index, p_.selections, "a selection");
    const Selection& s = p_.selections[index];
    type(s.type);
    require(bytes(s.type) != 0, "the type of a selection");
    if (s.condition != kNone) rows(s.condition, 1);
    rows(s.x, rows_of(s.type));
    rows(s.y, rows_of(s.type));
    tags(s.tag_x, 1);
    tags(s.tag_y, 1);
    location(s.location);
}

void Checker::check_kernel(const Kernel& kernel) const {
    within(kernel.function, p_.functions, "the function of a kernel");
    location(kernel.location);
    const FunctionCode& f = p_.functions[kernel.function];
    require(f.results.empty() && f.parameters.size() == kernel.parameters.size(), "the parameters of a kernel");
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
        const Parameter& parameter = kernel.parameters[i];
        type(parameter.element);
        fields(parameter);
        require(parameter.kind <= Parameter::Kind::record && parameter.row == f.parameters[i].row,
                "a parameter of a kernel");
        if (parameter.kind == Parameter::Kind::value)
            require(rows_of(parameter.element) == f.parameters[i].rows, "the type of a kernel's parameter");
        else
            require(f.parameters[i].rows == 2, "the type of a kernel's parameter");
        if (parameter.kind == Parameter::Kind::record)
            require(parameter.local_offset <= f.local_bytes &&
                        parameter.bytes <= f.local_bytes - parameter.local_offset,
                    "the place of a kernel's parameter");
    }
    for (const Parameter& member : kernel.members) {
        within(member.record, kernel.parameters, "the record of a kernel's parameter");
        type(member.element);
        fields(member);
        const Parameter& of = kernel.parameters[member.record];
        const std::uint32_t size = member.kind == Parameter::Kind::array ? 8 : bytes(member.element);
        require(of.kind == Parameter::Kind::record && member.kind <= Parameter::Kind::value && size != 0 &&
                    member.local_offset <= of.bytes && size <= of.bytes - member.local_offset,
                "a member of a kernel's parameter");
    }
    for (const std::uint32_t array : kernel.shared) within(array, p_.shared, "an array of a kernel");
}

void Checker::check_host_code() const {
    std::uint64_t at = 0;
    for (const TextRange& range : p_.host_code) {
        require(!p_.files.empty() && range.first >= at && range.end > range.first &&
                    range.end <= p_.files.front().text.size(),
                "a range of the host's code");
        at = range.end;
    }
}

} // namespace

void check(const Program& program) { Checker(program).run(); }

} // namespace warptree::compile
