// listing(): a program as text, one line per instruction. r4 is a row, r4:8 one of 8 bytes, %3 a tag row.
#include "app/compile/program/shape.hpp"

#include <cinttypes>
#include <cstdio>

namespace warptree::compile {

namespace {

template <class... T> std::string format(const char* pattern, T... values) {
    char text[256];
    std::snprintf(text, sizeof text, pattern, values...);
    return text;
}

const char* name(Space space) {
    switch (space) {
    case Space::unknown: return "generic";
    case Space::global: return "global";
    case Space::shared: return "shared";
    case Space::local: return "local";
    case Space::constant: return "constant";
    }
    return "";
}

class Lister {
  public:
    explicit Lister(const Program& program) : p_(program) {}

    std::string run() {
        for (const Diagnostic& d : p_.diagnostics)
            out_ += d.file + ":" + std::to_string(d.line) + ": " + d.message + "\n";
        for (const RefusedKernel& r : p_.refused) out_ += "without kernel " + r.name + ": " + r.why.message + "\n";
        for (const SharedArray& a : p_.shared)
            out_ += "shared " + a.name + format(": %u bytes at %u\n", a.bytes, a.offset);
        for (std::size_t i = 0; i < p_.globals.size(); ++i) {
            const Global& g = p_.globals[i];
            out_ += format("global %zu ", i) + g.name + format(": %u bytes, %s\n", g.bytes, name(g.space));
        }
        for (const Kernel& kernel : p_.kernels) list(kernel);
        for (std::size_t i = 0; i < p_.functions.size(); ++i) list(p_.functions[i], i);
        return out_;
    }

  private:
    void list(const Kernel& kernel) {
        out_ += "kernel " + kernel.name + format(": function %u", kernel.function);
        if (kernel.independent_blocks) out_ += ", independent blocks";
        if (kernel.cooperative) out_ += ", cooperative";
        if (kernel.cluster[0] != 0)
            out_ += format(", clusters of %u", kernel.cluster[0]) + format(" x %u", kernel.cluster[1]) +
                    format(" x %u", kernel.cluster[2]);
        out_ += '\n';
        for (const Parameter& p : kernel.members)
            out_ += "  " + p.type + " " + p.name + format(": at %u\n", p.local_offset);
        for (const Parameter& p : kernel.parameters) {
            out_ += "  " + p.type + " " + p.name + ": " + row(p.row);
            if (p.loads) out_ += ", loads";
            if (p.stores) out_ += ", stores";
            if (p.updates) out_ += ", updates";
            if (p.signals) out_ += ", signals";
            out_ += '\n';
        }
    }

    void list(const FunctionCode& f, std::size_t number) {
        out_ += format("function %zu ", number) + f.name +
                format(": %u rows, %u tags, %u bytes local\n", f.rows, f.tag_rows - 1, f.local_bytes);
        if (!f.parameters.empty()) out_ += "  parameters" + values(f.parameters) + "\n";
        if (!f.results.empty()) out_ += "  results" + values(f.results) + "\n";
        for (const Constant& c : f.constants) out_ += format("  r%u = 0x%" PRIx64 "\n", c.row, c.bits);
        for (std::size_t b = 0; b < f.blocks.size(); ++b) {
            const Block& block = f.blocks[b];
            out_ += format(" block %zu", b);
            if (block.reconverge != kNone) out_ += format(", reconverges at %u", block.reconverge);
            for (std::uint32_t l = block.loop; l != kNone; l = p_.loops[l].parent) {
                const Loop& loop = p_.loops[l];
                out_ += format(", %sloop %u", loop.stage ? "stage " : "", l);
                if (loop.variable != kNone) out_ += " of " + p_.variables[loop.variable].name + " " + row(loop.row);
            }
            out_ += '\n';
            for (std::uint32_t i = 0; i < block.count; ++i) list(f, block.first + i);
        }
    }

    void list(const FunctionCode& f, std::uint32_t number) {
        const Instruction& in = f.code[number];
        if ((in.flags & kBeginsStatement) != 0) {
            for (const Statement& s : f.statements)
                if (s.instruction == number)
                    out_ += "  statement" + place(s.location) + (s.parameter.empty() ? "" : " " + s.parameter + " = ") +
                            (s.parameter.empty() ? "" : std::to_string(s.value)) + "\n";
        }
        const Shape s = shape(in.op);
        std::string text = "    ";
        const std::string dst = operand(in.dst, s.dst, in.tag_dst);
        if (!dst.empty() && !s.reads) text += dst + " = ";
        text += compile::name(in.op);
        if (!dst.empty() && s.reads) text += " " + dst;
        text += operands(in, s);
        if ((in.flags & kCombines) != 0) text += (in.flags & kStage) != 0 ? "  combines, stage" : "  combines";
        if (in.selection != kNone) text += selection(in.selection);
        out_ += text + place(in.location) + "\n";
        if (s.c == Operand::edge) list_edge(in.c, in.op == Opcode::branch ? "else" : "to");
        if (s.b == Operand::edge) list_edge(in.b, "then");
        if (in.op == Opcode::branch_switch) {
            const Switch& table = p_.switches[in.c];
            for (std::size_t i = 0; i < table.edges.size(); ++i)
                list_edge(table.edges[i],
                          i < table.values.size() ? "case " + std::to_string(table.values[i]) : "default");
        }
    }

    std::string operands(const Instruction& in, const Shape& s) const {
        std::string text;
        const auto add = [&](const std::string& operand) {
            if (!operand.empty()) text += " " + operand;
        };
        add(operand(in.a, s.a, in.tag_a));
        add(operand(in.b, s.b, in.tag_b));
        add(operand(in.c, s.c, in.tag_c));
        return text;
    }

    std::string operand(std::uint32_t value, Operand kind, std::uint16_t tag) const {
        switch (kind) {
        case Operand::none:
        case Operand::edge:
        case Operand::switch_table: return "";
        case Operand::row:
        case Operand::value:
        case Operand::result_row:
        case Operand::results:
        case Operand::elements: return value == kNone ? "" : row(value) + tagged(tag);
        case Operand::index_row: return value == kNone ? "" : row(value);
        case Operand::wide: return row(value) + ":8" + tagged(tag);
        case Operand::access: return access(p_.accesses[value]);
        case Operand::atomic: {
            const Atomic& a = p_.atomics[value];
            return format("operation %u, value ", static_cast<unsigned>(a.operation)) + row(a.value) +
                   tagged(a.tag_value) + (a.counts ? " counted" : "") +
                   (a.expected == kNone ? "" : " expected " + row(a.expected)) + ", " + access(p_.accesses[a.access]);
        }
        case Operand::exchange: {
            const Exchange& e = p_.exchanges[value];
            return format("mode %u, %u bytes, mask ", e.mode, e.bytes) + row(e.mask) +
                   (e.lane == kNone ? "" : ", lane " + row(e.lane)) +
                   (e.width == kNone ? "" : ", width " + row(e.width));
        }
        case Operand::call: {
            const Call& c = p_.calls[value];
            std::string text = c.function == kNone ? "pointer" : p_.functions[c.function].name;
            return text + format(" (function %d)", static_cast<int>(c.function)) + values(c.arguments) + " ->" +
                   values(c.results);
        }
        case Operand::copy: {
            const Copy& c = p_.copies[value];
            return format("%u bytes to ", c.bytes) + row(c.to) + " from " + row(c.from);
        }
        case Operand::text: return "\"" + p_.texts[value] + "\"";
        case Operand::variable: return p_.variables[value].name;
        case Operand::function: return compile::name(static_cast<Function>(value));
        default: return std::to_string(value);
        }
    }

    std::string access(const Access& a) const {
        static constexpr const char* kIndex[] = {"", "i32", "u32", "i64"};
        std::string text = "[";
        if (a.index != Access::Index::none) text += format("%s * %u", kIndex[static_cast<int>(a.index)], a.scale);
        text += format("%+" PRId64 "] %s %u", a.offset, name(a.space), a.bytes);
        if (a.count != 1) text += format(" x %u", a.count);
        if (a.array != kNone) text += " " + p_.shared[a.array].name;
        if (a.local != kNone) text += " " + p_.locals[a.local].name;
        if (a.is_volatile) text += " volatile";
        if (a.selection != kNone) text += selection(a.selection);
        return text;
    }

    void list_edge(std::uint32_t index, const std::string& when) {
        const Edge& e = p_.edges[index];
        out_ += "      " + when + format(" %u", e.block);
        if (e.begins != kNone) out_ += format(", begins iteration of %u", e.begins);
        if (e.ends != kNone) out_ += format(", ends %u", e.ends);
        for (std::uint32_t k = e.keep; k != kNone; k = p_.keeps[k].next)
            out_ += ", keeps" + selection(p_.accesses[p_.keeps[k].access].selection);
        for (std::uint32_t i = 0; i < e.move_count; ++i) {
            const Move& m = p_.moves[e.first_move + i];
            out_ += ", " + row(m.dst) + tagged(m.tag_dst) + " = " + row(m.src) + tagged(m.tag_src);
            if (m.selection != kNone) out_ += selection(m.selection);
        }
        out_ += '\n';
    }

    std::string selection(std::uint32_t index) const {
        const Selection& s = p_.selections[index];
        return "  chooses " + row(s.x) + tagged(s.tag_x) + (s.greater ? " > " : " < ") + row(s.y) + tagged(s.tag_y) +
               (s.condition == kNone ? "" : " by " + row(s.condition)) + ((s.flags & kStage) != 0 ? ", stage" : "");
    }

    std::string values(const std::vector<Value>& list) const {
        std::string text;
        for (const Value& v : list) text += " " + row(v.row) + (v.rows == 2 ? ":8" : "") + tagged(v.tag);
        return text;
    }

    std::string place(std::uint32_t index) const {
        if (index == 0 || p_.locations[index].line == 0) return "";
        std::string text = "  ;";
        for (; index != kNone; index = p_.locations[index].inlined_at) {
            const Location& l = p_.locations[index];
            text += format(" %u:%u", l.line, l.column);
        }
        return text;
    }

    static std::string row(std::uint32_t row) { return row == kNone ? "-" : "r" + std::to_string(row); }
    static std::string tagged(std::uint16_t tag) { return tag == 0 ? "" : "%" + std::to_string(tag); }

    const Program& p_;
    std::string out_;
};

} // namespace

std::string listing(const Program& program) { return Lister(program).run(); }

} // namespace warptree::compile
