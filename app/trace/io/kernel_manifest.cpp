#include "app/trace/io/kernel_manifest.hpp"

#include "app/trace/io/manifest.hpp"

namespace warptree::manifest {

namespace {
using Json = nlohmann::ordered_json;
using Written = nlohmann::ordered_json;

constexpr std::size_t kMostRows = 1U << 16;
constexpr std::size_t kMostText = 16U << 20;

unsigned number(ValueType type) { return static_cast<unsigned>(type); }
ValueType type_of(const Json& j) { return number_of(j, ValueType::bf16); }
SourceLine line_of(const Json& j) { return SourceLine::unpack(whole<std::uint32_t>(j)); }

const Json& list(const Json& j, const char* name, std::size_t most = kMostRows) {
    const Json& rows = j.at(name);
    if (!rows.is_array() || rows.size() > most) {
        corrupt(fmt::format("manifest.json: {} is not a list, or too long", name));
    }
    return rows;
}

Written allocation(const Allocation& a) {
    return {{"name", a.name},
            {"element", number(a.element)},
            {"element_bytes", a.element_bytes},
            {"elements", a.elements},
            {"input", a.input},
            {"output", a.output},
            {"reached", a.reached},
            {"held", a.held}};
}
Allocation read_allocation(const Json& j) {
    return {text(j.at("name")),
            type_of(j.at("element")),
            whole<std::uint32_t>(j.at("element_bytes")),
            whole<std::uint64_t>(j.at("elements")),
            j.at("input").get<bool>(),
            j.at("output").get<bool>(),
            whole<std::uint64_t>(j.at("reached")),
            whole<std::uint32_t>(j.at("held"))};
}

Written shared_array(const SharedArray& a) {
    return {{"name", a.name},
            {"element", number(a.element)},
            {"element_bytes", a.element_bytes},
            {"offset", a.offset},
            {"bytes", a.bytes},
            {"row", a.row}};
}
SharedArray read_shared_array(const Json& j) {
    return {text(j.at("name")),
            type_of(j.at("element")),
            whole<std::uint32_t>(j.at("element_bytes")),
            whole<std::uint32_t>(j.at("offset")),
            whole<std::uint32_t>(j.at("bytes")),
            whole<std::uint32_t>(j.at("row"))};
}

Written variable(const Variable& v) { return {{"name", v.name}, {"type", number(v.type)}, {"line", v.line.packed}}; }
Variable read_variable(const Json& j) { return {text(j.at("name")), type_of(j.at("type")), line_of(j.at("line"))}; }

template <class Row, class Write> Written rows(const std::vector<Row>& from, Write write) {
    Written out = Written::array();
    for (const Row& row : from) {
        out.push_back(write(row));
    }
    return out;
}
template <class Row, class Read> void read_rows(const Json& from, std::vector<Row>& to, Read read) {
    for (const Json& row : from) {
        to.push_back(read(row));
    }
}
} // namespace

nlohmann::ordered_json of_finding(const Finding& f) {
    return {{"kind", static_cast<unsigned>(f.kind)},
            {"severity", static_cast<unsigned>(f.severity)},
            {"block", f.block},
            {"thread", f.thread},
            {"step", f.step},
            {"line", f.line.packed},
            {"other_block", f.other_block},
            {"other_thread", f.other_thread},
            {"other_step", f.other_step},
            {"other_line", f.other_line.packed},
            {"writes", f.writes},
            {"other_writes", f.other_writes},
            {"updates", f.updates},
            {"guess", f.guess},
            {"compares", f.compares},
            {"fence_missing", f.fence_missing},
            {"array", f.array},
            {"index", static_cast<std::uint64_t>(f.index)}, // two's complement
            {"elements", f.elements},
            {"bytes", f.bytes},
            {"mask", f.mask},
            {"times", f.times},
            {"text", f.text}};
}
Finding read_finding(const Json& j) {
    Finding f;
    f.kind = number_of(j.at("kind"), FindingKind::not_a_number);
    f.severity = number_of(j.at("severity"), Severity::cost);
    f.block = whole<std::uint32_t>(j.at("block"));
    f.thread = whole<std::uint32_t>(j.at("thread"));
    f.step = whole<std::uint32_t>(j.at("step"));
    f.line = line_of(j.at("line"));
    f.other_block = whole<std::uint32_t>(j.at("other_block"));
    f.other_thread = whole<std::uint32_t>(j.at("other_thread"));
    f.other_step = whole<std::uint32_t>(j.at("other_step"));
    f.other_line = line_of(j.at("other_line"));
    f.writes = j.at("writes").get<bool>();
    f.other_writes = j.at("other_writes").get<bool>();
    f.updates = j.at("updates").get<bool>();
    f.guess = j.at("guess").get<bool>();
    f.compares = j.value("compares", false); // of later traces
    f.fence_missing = j.at("fence_missing").get<bool>();
    f.array = text(j.at("array"));
    f.index = static_cast<std::int64_t>(whole<std::uint64_t>(j.at("index")));
    f.elements = whole<std::uint64_t>(j.at("elements"));
    f.bytes = whole<std::uint32_t>(j.at("bytes"));
    f.mask = whole<std::uint32_t>(j.at("mask"));
    f.times = whole<std::uint64_t>(j.at("times"));
    f.text = text(j.at("text"));
    return f;
}

nlohmann::ordered_json of_kernel_launch(const Launch& l) {
    if (l.allocations.empty()) {
        return {};
    }
    Written purposes = Written::array();
    for (const Step& s : l.steps) {
        purposes.push_back(s.purpose);
    }
    return {{"grid_shape", l.grid_shape},
            {"purposes", std::move(purposes)},
            {"block_shape", l.block_shape},
            {"cluster", l.cluster},
            {"allocations", rows(l.allocations, allocation)},
            {"shared_arrays", rows(l.shared_arrays, shared_array)},
            {"variables", rows(l.variables, variable)},
            {"findings", rows(l.findings, of_finding)},
            {"printed", l.printed}};
}

void read_kernel_launch(const Json& j, Launch& l) {
    for (unsigned d = 0; d < 3; ++d) {
        l.grid_shape[d] = whole<std::uint32_t>(j.at("grid_shape").at(d));
        l.block_shape[d] = whole<std::uint32_t>(j.at("block_shape").at(d));
        l.cluster[d] = whole<std::uint32_t>(j.at("cluster").at(d));
    }
    read_rows(list(j, "allocations"), l.allocations, read_allocation);
    read_rows(list(j, "shared_arrays"), l.shared_arrays, read_shared_array);
    read_rows(list(j, "variables"), l.variables, read_variable);
    read_rows(list(j, "findings"), l.findings, read_finding);
    l.printed = text(j.at("printed"), 3 * kMostPrinted); // a byte that is not UTF-8 becomes three
}

OtherLaunch read_other_launch(const Json& j) {
    return {text(j.at("with")),
            text(j.at("found")),
            text(j.at("rest")),
            j.at("wrong").get<bool>(),
            SourceLine::unpack(whole<std::uint32_t>(j.at("line"))),
            whole<std::uint64_t>(j.at("n"))};
}

nlohmann::ordered_json of_kernel(const Trace& t) {
    if (t.kernel.empty()) {
        return {};
    }
    const KernelOptions& k = t.options.kernel;
    return {{"name", t.kernel},
            {"of_file", t.kernels},
            {"arguments", rows(t.arguments,
                               [](const KernelArgument& a) -> Written {
                                   return {{"name", a.name},
                                           {"type", a.type},
                                           {"value", a.value},
                                           {"count", a.count},
                                           {"chosen", a.chosen}};
                               })},
            {"outputs", rows(t.outputs,
                             [](const KernelOutput& o) -> Written {
                                 return {{"name", o.name},
                                         {"type", number(o.type)},
                                         {"count", o.count},
                                         {"values", o.values},
                                         {"records", o.records}};
                             })},
            {"chosen", t.chosen},
            {"tried", rows(t.tried,
                           [](const OtherLaunch& o) -> Written {
                               return {{"with", o.with},   {"found", o.found},      {"rest", o.rest},
                                       {"wrong", o.wrong}, {"line", o.line.packed}, {"n", o.n}};
                           })},
            {"refused", rows(t.refused,
                             [](const RefusedKernel& r) -> Written {
                                 return {{"name", r.name}, {"why", r.why}};
                             })},
            {"expected", t.expected},
            {"equals", t.equals},
            {"asked",
             {{"file", k.file},
              {"text", k.text.value_or("")}, // an empty file has no trace, so "" means none
              {"kernel", k.kernel},
              {"grid", k.grid},
              {"block", k.block},
              {"shared", k.shared},
              {"arguments", k.arguments},
              {"expect", k.expect},
              {"n_given", k.n_given},
              {"input_given", k.input_given},
              {"most_instructions", k.most_instructions}}}};
}

void read_kernel(const Json& j, Trace& t) {
    t.kernel = text(j.at("name"));
    read_rows(list(j, "of_file"), t.kernels, [](const Json& k) { return text(k); });
    read_rows(list(j, "arguments"), t.arguments, [](const Json& a) -> KernelArgument {
        return {text(a.at("name")), text(a.at("type")), text(a.at("value")), whole<std::uint64_t>(a.at("count")),
                a.at("chosen").get<bool>()};
    });
    read_rows(list(j, "outputs"), t.outputs, [](const Json& o) -> KernelOutput {
        KernelOutput out{text(o.at("name")), type_of(o.at("type")), whole<std::uint64_t>(o.at("count")), {}, {}};
        read_rows(list(o, "values"), out.values, [](const Json& v) { return whole<std::uint64_t>(v); });
        read_rows(list(o, "records"), out.records, [](const Json& r) { return text(r); });
        return out;
    });
    read_rows(list(j, "chosen"), t.chosen, [](const Json& c) { return text(c); });
    read_rows(list(j, "tried"), t.tried, read_other_launch);
    read_rows(list(j, "refused"), t.refused, [](const Json& r) -> RefusedKernel {
        return {text(r.at("name")), text(r.at("why"))};
    });
    t.expected = text(j.at("expected"));
    t.equals = text(j.at("equals"));
    KernelOptions& k = t.options.kernel;
    const Json& asked = j.at("asked");
    k.file = text(asked.at("file"));
    if (std::string edited = text(asked.at("text"), kMostText); !edited.empty()) {
        k.text = std::move(edited);
    }
    k.kernel = text(asked.at("kernel"));
    k.grid = text(asked.at("grid"));
    k.block = text(asked.at("block"));
    k.shared = text(asked.at("shared"));
    for (const auto& [name, value] : asked.at("arguments").items()) {
        k.arguments.insert_or_assign(name.substr(0, 256), text(value));
    }
    k.expect = text(asked.at("expect"));
    k.n_given = asked.at("n_given").get<bool>();
    k.input_given = asked.at("input_given").get<bool>();
    k.most_instructions = whole<std::uint64_t>(asked.at("most_instructions"));
}

} // namespace warptree::manifest
