#include "app/base/json_text.hpp"
#include "app/base/npy.hpp"
#include "app/base/type_words.hpp"
#include "app/base/whole_file.hpp"
#include "app/request/option.hpp"
#include "app/trace/io/archive.hpp"
#include "app/trace/io/file.hpp"
#include "app/trace/io/kernel_manifest.hpp"
#include "app/trace/io/program_manifest.hpp"
#include "app/trace/io/schema.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>

namespace warptree {

namespace {
using Json = nlohmann::ordered_json;

// Whether every node's value is of the trace's own type: `node_value` then holds them as such, else `node_bits`.
bool node_values_are_elements(const Trace& trace) {
    const ElementType element = trace.options.type;
    return std::all_of(trace.launches.begin(), trace.launches.end(), [&](const Launch& l) {
        return std::all_of(l.nodes.begin(), l.nodes.end(), [&](const Node& n) {
            return (n.type == ValueType::none || n.type == value_type_of(element)) &&
                   (bytes(element) == sizeof n.bits || n.bits >> 8 * bytes(element) == 0);
        });
    });
}

class Writer {
  public:
    explicit Writer(const Trace& trace) : trace_(trace), rows_(trace.launches.size(), Json::object()) {}

    std::string write(RunControl* control) {
        schema::tables([this](const char* table, auto member, auto columns) {
            count_rows(table, member);
            columns([&](const char* name, auto field, const char* meaning) {
                using T = schema::ValueOf<RowOf<decltype(member)>, decltype(field)>;
                using S = decltype(schema::stored_as<T>());
                column<S>(name, schema::dtype_of<S>(), meaning, member,
                          [field](const auto& row) { return stored<S>(schema::get(row, field)); });
            });
        });
        for (const CounterField& counter : counter_fields()) {
            column<std::uint64_t>(fmt::format("step_{}", counter.name), "<u8", "counter of the step, over all blocks",
                                  &Launch::steps,
                                  [field = counter.member](const Step& s) { return s.counters.*field; });
        }
        schema::lists([this](const char* name, auto member, const char* meaning) {
            using S = RowOf<decltype(member)>;
            count_rows(name, member);
            column<S>(name, schema::dtype_of<S>(), meaning, member, [](S value) { return value; });
        });
        const auto bits_of = [](const auto& value) { return value.bits; };
        if (node_values_are_elements(trace_)) {
            elements("node_value", "value of each node", &Launch::nodes, bits_of);
        } else {
            column<std::uint64_t>("node_bits", "<u8", "value of each node, as bits of its node_type", &Launch::nodes,
                                  bits_of);
        }
        count_rows("partial", &Launch::partials);
        elements("partial_value", "a launch's output, the first 1024 elements", &Launch::partials, bits_of);
        // The path of an input file need not be UTF-8; invalid bytes are replaced.
        const std::string manifest = json_text(this->manifest(), 1) + "\n";
        entries_.insert(entries_.begin(),
                        {"manifest.json", manifest.size(), [&manifest] { return std::string(manifest); }});
        if (total_ > kMostTraceBytes) {
            throw FileError(fmt::format("a trace of {} bytes would be too large to open (at most {}); use a smaller "
                                        "--window",
                                        total_, kMostTraceBytes));
        }
        return pack(entries_, control);
    }

  private:
    template <class S, class T> static S stored(const T& value) {
        if constexpr (std::is_same_v<T, SourceLine>) {
            return value.packed;
        } else {
            return static_cast<S>(value);
        }
    }
    template <class Member> struct Row;
    template <class T> struct Row<std::vector<T> Launch::*> { using type = T; };
    template <class Member> using RowOf = typename Row<Member>::type;

    template <class Member> void count_rows(const char* table, Member member) {
        for (std::size_t i = 0; i < trace_.launches.size(); ++i) {
            rows_[i][table] = (trace_.launches[i].*member).size();
        }
    }

    // get(row): what is stored of it.
    template <class S, class Member, class Get>
    void column(const std::string& name, const char* dtype, const std::string& meaning, Member member, Get get) {
        std::uint64_t count = 0;
        for (const Launch& l : trace_.launches) {
            count += (l.*member).size();
        }
        arrays_[name] = {{"dtype", dtype}, {"shape", {count}}, {"meaning", meaning}};
        std::string header = npy::header(dtype, count);
        const std::uint64_t size = header.size() + count * sizeof(S);
        entries_.push_back({name + ".npy", size, [this, member, get, size, header = std::move(header)] {
                                std::string bytes = header;
                                bytes.resize(size);
                                char* at = bytes.data() + header.size();
                                for (const Launch& l : trace_.launches) {
                                    for (const auto& row : l.*member) {
                                        const S value = get(row);
                                        std::memcpy(at, &value, sizeof value);
                                        at += sizeof value;
                                    }
                                }
                                return bytes;
                            }});
        total_ += size;
    }
    // Values of the trace's type, whose bits `get` returns.
    template <class Member, class Get> void elements(const char* name, const char* meaning, Member member, Get get) {
        const char* const dtype = schema::dtype_of(trace_.options.type);
        if (bytes(trace_.options.type) == 4) {
            column<std::uint32_t>(name, dtype, meaning, member,
                                  [get](const auto& row) { return static_cast<std::uint32_t>(get(row)); });
        } else {
            column<std::uint64_t>(name, dtype, meaning, member, get);
        }
    }

    Json result(const Scalar& s) const {
        Json one{{"bits", fmt::format("{:#x}", s.bits)}, {"text", to_string(s)}};
        if (s.type != trace_.options.type) { // an index, a count
            one["type"] = name(s.type);
        }
        return one;
    }
    static std::string bits(double value) { return fmt::format("{:#x}", Scalar::of(value).bits); }

    // Those of request::options() that a trace keeps, and what is no text of theirs.
    Json options() const {
        const RunOptions& o = trace_.options;
        Json j{{"n", o.n},
               {"block", o.block.value_or(0)},
               {"parameters", o.parameters},
               {"input", name(o.input)},
               {"input_file", o.input_file},
               {"window", {o.window.first, o.window.count}},
               {"workers", o.workers}};
        for (const request::Option& option : request::options()) {
            if ((option.places & request::kManifest) != 0) {
                const std::string value = option.get(o);
                j[request::json_key(option)] = option.count ? Json(parse_count(value).value_or(0)) : Json(value);
            }
        }
        return j;
    }

    Json manifest() const {
        const RunOptions& o = trace_.options;
        Json sources = Json::array();
        for (const SourceFile& file : trace_.sources) {
            sources.push_back({{"path", file.path}, {"text", file.text}});
        }
        Json launches = Json::array();
        for (std::size_t i = 0; i < trace_.launches.size(); ++i) {
            const Launch& l = trace_.launches[i];
            Json labels = Json::array();
            for (const Step& s : l.steps) {
                labels.push_back(s.label);
            }
            launches.push_back({{"grid", l.grid},
                                {"block", l.block},
                                {"elements", l.elements},
                                {"shared_bytes", l.shared_bytes},
                                {"outputs", l.outputs_total},
                                {"stalled_blocks", l.stalled_blocks},
                                {"window", {l.window_first, l.window_count}},
                                {"steps", std::move(labels)},
                                {"rows", rows_[i]},
                                {"kernel", manifest::of_kernel_launch(l)},
                                {"program", manifest::of_program_launch(l)}});
        }
        return {{"format", "warptree.trace"},
                {"version", kTraceVersion},
                {"producer", trace_.producer},
                {"device",
                 {{"name", trace_.device.name},
                  {"compute_major", trace_.device.compute_major},
                  {"compute_minor", trace_.device.compute_minor}}},
                {"variant", o.strategy},
                {"options", options()},
                {"kernel", manifest::of_kernel(trace_)},
                {"program", manifest::of_program(trace_)},
                {"launches", std::move(launches)},
                {"host_partials", trace_.host_partials},
                {"tree",
                 {{"leaves", trace_.tree.leaves},
                  {"combines", trace_.tree.combines},
                  {"useful_combines", trace_.tree.useful_combines},
                  {"padding_combines", trace_.tree.padding_combines},
                  {"depth", trace_.tree.depth}}},
                {"result", result(trace_.result)},
                {"reference", result(trace_.reference)},
                {"reference_error_bits", bits(trace_.reference_error)},
                {"tolerance_bits", bits(trace_.tolerance)},
                {"pass", trace_.pass},
                {"first_wrong", trace_.first_wrong ? Json(*trace_.first_wrong) : Json()},
                {"sources", std::move(sources)},
                {"arrays", arrays_}};
    }

    const Trace& trace_;
    std::vector<LaterEntry> entries_;
    std::vector<Json> rows_; // of each table, by launch
    Json arrays_ = Json::object();
    std::uint64_t total_ = 0; // bytes of all entries, unpacked
};
} // namespace

void save(const Trace& trace, const std::filesystem::path& path, RunControl* control) {
    const std::string bytes = Writer(trace).write(control);
    if (control != nullptr && control->cancel) {
        throw Cancelled();
    }
    write_whole(path, bytes);
}

} // namespace warptree
