#include "app/base/json_text.hpp"
#include "app/base/npy.hpp"
#include "app/base/whole_file.hpp"
#include "app/request/option.hpp"
#include "app/trace/io/archive.hpp"
#include "app/trace/io/file.hpp"
#include "app/trace/io/kernel_manifest.hpp"
#include "app/trace/io/program_manifest.hpp"
#include "app/trace/io/schema.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warptree {

namespace {
using Json = nlohmann::ordered_json;

class Writer {
  public:
    explicit Writer(const Trace& trace) : trace_(trace) {}

    std::string write(RunControl* control) {
        schema::tables([this](const char* table, auto member, auto columns, int) {
            column(std::string(table) + "_launch", "<u2", fmt::format("launch of each {} row", table),
                   [&](auto put) { each(member, [&](std::uint16_t launch, const auto&) { put(launch); }); });
            columns([&](const char* name, auto field, const char* meaning, bool = false) {
                using T = std::remove_cvref_t<decltype(std::declval<RowOf<decltype(member)>>().*field)>;
                using S = decltype(schema::stored_as<T>());
                column(name, schema::dtype_of<S>(), meaning, [&](auto put) {
                    each(member, [&](std::uint16_t, const auto& row) { put(stored<S>(row.*field)); });
                });
            });
        });
        for (const CounterField& field : counter_fields()) {
            column(fmt::format("step_{}", field.name), "<u8", "counter of the step, over all blocks", [&](auto put) {
                each(&Launch::steps, [&](std::uint16_t, const Step& s) { put(s.counters.*field.member); });
            });
        }
        plain("index", "<u4", "index each lane of a request touches, by lane, in units of request_bytes",
              &Launch::indices);
        elements("node_value", "value of each node",
                 [&](auto put) { each(&Launch::nodes, [&](std::uint16_t, const Node& n) { put(n.bits); }); });
        plain("shuffle_source", "|u1", "source lane of each lane of a shuffle", &Launch::shuffle_sources);
        plain("watched", "<u8", "values of variables, as bits of their type", &Launch::watched);
        if (!trace_.kernel.empty()) { // its values may have several types
            column("node_bits", "<u8", "value of each node, as bits of its type",
                   [&](auto put) { each(&Launch::nodes, [&](std::uint16_t, const Node& n) { put(n.bits); }); });
        }
        column("partial_launch", "<u2", "launch of each partial",
               [&](auto put) { each(&Launch::partials, [&](std::uint16_t l, const Scalar&) { put(l); }); });
        elements("partial_value", "a launch's output, the first 1024 elements",
                 [&](auto put) { each(&Launch::partials, [&](std::uint16_t, const Scalar& s) { put(s.bits); }); });
        // The path of an input file need not be UTF-8; invalid bytes are replaced.
        entries_.insert(entries_.begin(), {"manifest.json", json_text(manifest(), 1) + "\n"});
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

    template <class Member, class F> void each(Member member, F f) {
        for (std::size_t i = 0; i < trace_.launches.size(); ++i) {
            for (const auto& row : trace_.launches[i].*member) {
                f(static_cast<std::uint16_t>(i), row);
            }
        }
    }

    // A list of numbers, and the column with their launches.
    template <class Member> void plain(const std::string& name, const char* dtype, const char* meaning, Member member) {
        column(name + "_launch", "<u2", fmt::format("launch of each {} row", name),
               [&](auto put) { each(member, [&](std::uint16_t launch, const auto&) { put(launch); }); });
        column(name, dtype, meaning,
               [&](auto put) { each(member, [&](std::uint16_t, const auto& value) { put(value); }); });
    }

    // `fill` calls put(value) for each row, values of the dtype's size.
    template <class Fill>
    void column(const std::string& name, const char* dtype, const std::string& meaning, Fill fill) {
        std::string data;
        std::uint64_t count = 0;
        fill([&](auto value) {
            data.append(reinterpret_cast<const char*>(&value), sizeof value);
            ++count;
        });
        add(name, dtype, meaning, count, data);
    }
    template <class Fill> void elements(const char* name, const char* meaning, Fill fill) {
        std::string data;
        std::uint64_t count = 0;
        const unsigned size = bytes(trace_.options.type);
        fill([&](std::uint64_t bits) {
            data.append(reinterpret_cast<const char*>(&bits), size);
            ++count;
        });
        add(name, schema::dtype_of(trace_.options.type), meaning, count, data);
    }
    void add(const std::string& name, const char* dtype, const std::string& meaning, std::uint64_t count,
             const std::string& data) {
        arrays_[name] = {{"dtype", dtype}, {"shape", {count}}, {"meaning", meaning}};
        entries_.emplace_back(name + ".npy", npy::encode(dtype, count, data));
        total_ += entries_.back().second.size();
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
        for (const Launch& l : trace_.launches) {
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
    Entries entries_;
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
