#include "app/base/json.hpp"
#include "app/base/npy.hpp"
#include "app/base/printable.hpp"
#include "app/base/whole_file.hpp"
#include "app/request/option.hpp"
#include "app/trace/io/archive.hpp"
#include "app/trace/io/check.hpp"
#include "app/trace/io/file.hpp"
#include "app/trace/io/kernel_manifest.hpp"
#include "app/trace/io/manifest.hpp"
#include "app/trace/io/program_manifest.hpp"
#include "app/trace/io/schema.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <new>
#include <numeric>

namespace warptree {

namespace {
using Json = nlohmann::ordered_json;
using manifest::bits;
using manifest::corrupt;
using manifest::text;
using manifest::whole;

constexpr std::size_t kMostLaunches = 1U << 14; // a program's
constexpr std::size_t kMostSources = 64;
constexpr std::size_t kMostSourceBytes = 1U << 20;
constexpr const char* kTypedValues = "node_value";

class Reader {
  public:
    // `progress` is called with the fraction that is read.
    Reader(const ArchiveReader& archive, Trace& trace, std::function<void(double)> progress)
        : archive_(archive), trace_(trace), progress_(std::move(progress)) {}

    void read() {
        read_manifest();
        schema::tables([this](const char* table, auto member, auto columns) {
            const std::vector<std::size_t> counts = rows(table);
            const std::uint64_t total = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
            columns([&](const char* name, auto, const char*) { require_rows(name, total); });
            if (std::string_view(table) == "step") {
                for (const CounterField& field : counter_fields()) {
                    require_rows(fmt::format("step_{}", field.name), total);
                }
            } else if (std::string_view(table) == "node") {
                require_rows(node_values(), total);
            } else if (std::string_view(table) == "warp_step") {
                require_warp_steps(total);
            }
            resize(member, counts);
            columns([&](const char* name, auto field, const char*) {
                using T =
                    schema::ValueOf<std::remove_cvref_t<decltype((trace_.launches[0].*member)[0])>, decltype(field)>;
                if constexpr (std::is_same_v<T, SourceLine>) {
                    lines(name, member, field);
                } else {
                    using S = decltype(schema::stored_as<T>());
                    column<S>(name, schema::dtype_of<S>(), member,
                              [&](auto& row, S value) { set<T>(name, row, field, value); });
                }
            });
        });
        for (const CounterField& field : counter_fields()) {
            column<std::uint64_t>(fmt::format("step_{}", field.name), "<u8", &Launch::steps,
                                  [&](Step& s, std::uint64_t value) { s.counters.*field.member = value; });
        }
        schema::lists([this](const char* name, auto member, const char*) {
            using T = std::remove_cvref_t<decltype((trace_.launches[0].*member)[0])>;
            const std::vector<std::size_t> counts = rows(name);
            require_rows(name, std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
            resize(member, counts);
            column<T>(name, schema::dtype_of<T>(), member, [](T& row, T value) { row = value; });
        });
        if (node_values() == kTypedValues) {
            elements(kTypedValues, &Launch::nodes, [](Node& n, std::uint64_t value) { n.bits = value; });
        } else {
            column<std::uint64_t>(node_values(), "<u8", &Launch::nodes,
                                  [](Node& n, std::uint64_t value) { n.bits = value; });
        }
        const std::vector<std::size_t> partials = rows("partial");
        require_rows("partial_value", std::accumulate(partials.begin(), partials.end(), std::uint64_t{0}));
        resize(&Launch::partials, partials);
        const ElementType type = trace_.result.type;
        elements("partial_value", &Launch::partials, [type](Scalar& s, std::uint64_t bits) { s = {type, bits}; });
        labels();
    }

  private:
    template <class T, class Row, class Field>
    static void set(const char* name, Row& row, Field field, decltype(schema::stored_as<T>()) value) {
        if constexpr (std::is_same_v<T, bool>) {
            if (value > 1) {
                corrupt(fmt::format("{}: {} is not a flag", name, value));
            }
        }
        if (!schema::put(row, field, static_cast<T>(value))) { // ranges of enums and indices: check.hpp
            corrupt(fmt::format("{}: {} in a row that has none", name, value));
        }
    }

    template <class Member, class Field> void lines(const char* name, Member member, Field field) {
        column<std::uint32_t>(name, "<u4", member, [&](auto& row, std::uint32_t value) {
            const SourceLine line = SourceLine::unpack(value);
            if (line.file() >= std::max<std::size_t>(1, trace_.sources.size())) {
                corrupt(fmt::format("{}: there is no source {}", name, line.file()));
            }
            row.*field = line;
        });
    }

    // The column with the values of nodes.
    const char* node_values() const { return counts_.contains(kTypedValues) ? kTypedValues : "node_bits"; }

    // Rows of an array, as the manifest states them; its entry has just their size.
    std::uint64_t count_of(const std::string& name) const {
        const auto found = counts_.find(name);
        if (found == counts_.end()) {
            corrupt(fmt::format("array {} is missing", name));
        }
        return found->second;
    }
    void require_rows(const std::string& name, std::uint64_t wanted) const {
        if (const std::uint64_t has = count_of(name); has != wanted) {
            corrupt(fmt::format("array {} has {} rows where its table has {}", name, has, wanted));
        }
    }
    // Each warp of the window has a row for each step.
    void require_warp_steps(std::uint64_t stated) const {
        std::uint64_t wanted = 0;
        for (const Launch& l : trace_.launches) {
            if (l.window_first > l.grid || l.window_count > l.grid - l.window_first || l.block > 1024) {
                return; // check() says it better
            }
            wanted += std::uint64_t{l.window_count} * l.steps.size() * l.warps();
        }
        if (wanted != stated) {
            corrupt(fmt::format("warp_step has {} rows where the window has {}", stated, wanted));
        }
    }

    // Unpacks it; it is gone with the result, so that memory holds one at a time.
    struct Column {
        std::string bytes; // of the file
        std::uint64_t count = 0;
        std::size_t begin = 0; // of the elements
        const char* data() const { return bytes.data() + begin; }
    };
    Column array(const std::string& name, const char* dtype) {
        static_cast<void>(count_of(name));
        Column column;
        column.bytes = archive_.read(name + ".npy");
        const auto decoded = npy::decode(column.bytes);
        if (!decoded || decoded->dtype != dtype || decoded->count != count_of(name)) {
            corrupt(fmt::format("array {} is not a {} array of the size it states", name, dtype));
        }
        column.count = decoded->count;
        column.begin = column.bytes.size() - decoded->data.size();
        unpacked_ += column.bytes.size();
        progress_(static_cast<double>(unpacked_) / static_cast<double>(all_));
        return column;
    }

    // Of a table, in each launch.
    std::vector<std::size_t> rows(const char* table) const {
        std::vector<std::size_t> counts;
        try {
            for (const Json& launch : manifest_.at("launches")) {
                counts.push_back(whole<std::uint32_t>(launch.at("rows").at(table)));
            }
        } catch (const Json::exception& e) {
            corrupt(fmt::format("manifest.json: {}", e.what()));
        }
        return counts;
    }
    template <class Member> void resize(Member member, const std::vector<std::size_t>& counts) {
        for (std::size_t i = 0; i < counts.size(); ++i) {
            (trace_.launches[i].*member).resize(counts[i]);
        }
    }

    template <class S, class Member, class Put>
    void column(const std::string& name, const char* dtype, Member member, Put put) {
        fill(array(name, dtype), name, sizeof(S), member, [&](auto& row, const char* at) {
            S value;
            std::memcpy(&value, at, sizeof value);
            put(row, value);
        });
    }
    template <class Member, class Put> void elements(const char* name, Member member, Put put) {
        const unsigned size = bytes(trace_.options.type);
        fill(array(name, schema::dtype_of(trace_.options.type)), name, size, member, [&](auto& row, const char* at) {
            std::uint64_t value = 0;
            std::memcpy(&value, at, size);
            put(row, value);
        });
    }
    template <class Member, class Put>
    void fill(const Column& a, const std::string& name, std::size_t size, Member member, Put put) {
        std::uint64_t total = 0;
        for (const Launch& l : trace_.launches) {
            total += (l.*member).size();
        }
        if (a.count != total) {
            corrupt(fmt::format("array {} has {} rows where its table has {}", name, a.count, total));
        }
        const char* at = a.data();
        for (Launch& l : trace_.launches) {
            for (auto& row : l.*member) {
                put(row, at);
                at += size;
            }
        }
    }

    void read_manifest() {
        const auto size = archive_.sizes().find("manifest.json");
        if (size == archive_.sizes().end()) {
            throw NotATrace("a zip archive, but not a trace: it has no manifest.json");
        }
        if (size->second > kMostManifestBytes) {
            corrupt(fmt::format("manifest.json has {} bytes, of at most {}", size->second, kMostManifestBytes));
        }
        try {
            manifest_ = parse_json(archive_.read("manifest.json"), kMostManifestBytes);
            if (manifest_.at("format").get<std::string>() != "warptree.trace") {
                throw NotATrace("its manifest is another program's");
            }
            if (!manifest_.at("version").is_number_integer()) {
                corrupt("manifest.json: the version is no number");
            }
            if (const auto version = manifest_.at("version").get<std::int64_t>(); version > kTraceVersion) {
                throw NewerTrace(fmt::format("trace format {} of {}, while this version reads {}; update warptree",
                                             version, manifest_.at("producer").get<std::string>().substr(0, 60),
                                             kTraceVersion));
            } else if (version < kTraceVersion) {
                throw OlderTrace(fmt::format("trace format {}, while this version reads {}; record it anew", version,
                                             kTraceVersion));
            }
            describe();
            read_counts();
        } catch (const JsonError& e) {
            corrupt(fmt::format("manifest.json: {}", e.what()));
        } catch (const Json::exception& e) {
            corrupt(fmt::format("manifest.json: {}", e.what()));
        }
    }

    template <class From> static auto named(const Json& j, From from) {
        const std::string value = text(j);
        const auto found = from(value);
        if (!found) {
            corrupt(fmt::format("manifest.json: '{}' is not known", value.substr(0, 40)));
        }
        return *found;
    }
    void describe() {
        const Json& m = manifest_;
        trace_.producer = text(m.at("producer"));
        const Json& d = m.at("device");
        trace_.device = {text(d.at("name")), whole<int>(d.at("compute_major")), whole<int>(d.at("compute_minor"))};
        RunOptions& o = trace_.options;
        const Json& j = m.at("options");
        o.strategy = text(m.at("variant"));
        o.n = whole<std::uint64_t>(j.at("n"));
        o.block = whole<std::uint32_t>(j.at("block"));
        for (const request::Option& option : request::options()) {
            if ((option.places & request::kManifest) == 0) {
                continue;
            }
            const Json& value = j.at(request::json_key(option));
            if (!option.set(o, option.count ? std::to_string(whole<std::uint64_t>(value)) : text(value))) {
                corrupt(fmt::format("manifest.json: {} is not known", printable(value.dump().substr(0, 40))));
            }
        }
        if (const auto values = j.find("parameters"); values != j.end()) {
            for (const auto& [key, value] : values->items()) {
                o.parameters.insert_or_assign(key.substr(0, 64), whole<std::uint32_t>(value));
            }
        }
        o.input = named(j.at("input"), input_from);
        o.input_file = text(j.at("input_file"));
        o.window = {whole<std::uint32_t>(j.at("window").at(0)), whole<std::uint32_t>(j.at("window").at(1))};
        o.workers = whole<unsigned>(j.at("workers"));
        for (const Json& l : m.at("launches")) {
            if (trace_.launches.size() == kMostLaunches) {
                corrupt(fmt::format("manifest.json: more than {} launches", kMostLaunches));
            }
            Launch& launch = trace_.launches.emplace_back();
            launch.grid = whole<std::uint32_t>(l.at("grid"));
            launch.block = whole<std::uint32_t>(l.at("block"));
            launch.elements = whole<std::uint64_t>(l.at("elements"));
            launch.shared_bytes = whole<std::uint32_t>(l.at("shared_bytes"));
            launch.outputs_total = whole<std::uint32_t>(l.at("outputs"));
            launch.stalled_blocks = whole<std::uint32_t>(l.at("stalled_blocks"));
            launch.window_first = whole<std::uint32_t>(l.at("window").at(0));
            launch.window_count = whole<std::uint32_t>(l.at("window").at(1));
            if (const auto kernel = l.find("kernel"); kernel != l.end() && !kernel->is_null()) {
                manifest::read_kernel_launch(*kernel, launch);
            }
            if (const auto program = l.find("program"); program != l.end() && !program->is_null()) {
                manifest::read_program_launch(*program, launch);
            }
        }
        if (const auto kernel = m.find("kernel"); kernel != m.end() && !kernel->is_null()) {
            manifest::read_kernel(*kernel, trace_);
        }
        if (const auto program = m.find("program"); program != m.end() && !program->is_null()) {
            manifest::read_program(*program, trace_);
        }
        trace_.host_partials = whole<std::uint32_t>(m.at("host_partials"));
        const Json& tree = m.at("tree");
        trace_.tree = {whole<std::uint64_t>(tree.at("leaves")), whole<std::uint64_t>(tree.at("combines")),
                       whole<std::uint64_t>(tree.at("useful_combines")),
                       whole<std::uint64_t>(tree.at("padding_combines")), whole<std::uint64_t>(tree.at("depth"))};
        for (const Json& file : m.value("sources", Json::array())) {
            if (trace_.sources.size() == kMostSources) {
                corrupt(fmt::format("manifest.json: more than {} sources", kMostSources));
            }
            trace_.sources.push_back({text(file.at("path")), text(file.at("text"), kMostSourceBytes)});
        }
        const auto result = [&](const Json& j) {
            return Scalar{j.contains("type") ? named(j.at("type"), element_type_from) : o.type, bits(j.at("bits"))};
        };
        trace_.result = result(m.at("result"));
        trace_.reference = result(m.at("reference"));
        trace_.reference_error = Scalar{ElementType::f64, bits(m.at("reference_error_bits"))}.as<double>();
        trace_.tolerance = Scalar{ElementType::f64, bits(m.at("tolerance_bits"))}.as<double>();
        trace_.pass = m.at("pass").get<bool>();
        if (m.contains("first_wrong") && !m.at("first_wrong").is_null()) {
            trace_.first_wrong = whole<std::uint64_t>(m.at("first_wrong"));
        }
    }

    // What the manifest says of each array bounds what is unpacked of it.
    void read_counts() {
        for (const auto& [name, described] : manifest_.at("arrays").items()) {
            const auto size = archive_.sizes().find(name + ".npy");
            if (size == archive_.sizes().end()) {
                continue; // missing only if it is asked for
            }
            const std::size_t item = npy::item_bytes(text(described.at("dtype")));
            const Json& shape = described.at("shape");
            const auto count = whole<std::uint64_t>(shape.at(0));
            const std::uint64_t most = archive_.sizes().at(name + ".npy");
            if (item == 0 || shape.size() != 1 || count > most / item || most - count * item > npy::kMostHeaderBytes) {
                corrupt(
                    fmt::format("array {} has {} bytes, which are not the rows that the manifest states", name, most));
            }
            counts_.emplace(name, count);
            all_ += most;
        }
    }

    static std::optional<InputKind> input_from(std::string_view value) {
        for (const InputKind kind :
             {InputKind::ones, InputKind::iota, InputKind::random, InputKind::alternating, InputKind::file}) {
            if (value == name(kind)) {
                return kind;
            }
        }
        return std::nullopt;
    }

    void purposes(const Json& launch, std::vector<Step>& steps) {
        const auto kernel = launch.find("kernel");
        if (kernel == launch.end() || !kernel->is_object()) {
            return;
        }
        const Json& list = kernel->at("purposes");
        if (list.size() != steps.size()) {
            corrupt(fmt::format("manifest.json: {} purposes of {} steps", list.size(), steps.size()));
        }
        for (std::size_t s = 0; s < steps.size(); ++s) {
            steps[s].purpose = text(list.at(s), 512);
        }
    }

    void labels() {
        try {
            for (std::size_t i = 0; i < trace_.launches.size(); ++i) {
                const Json& list = manifest_.at("launches").at(i).at("steps");
                auto& steps = trace_.launches[i].steps;
                if (list.size() != steps.size()) {
                    corrupt(fmt::format("manifest.json: launch {} names {} steps and has {}", i, list.size(),
                                        steps.size()));
                }
                for (std::size_t s = 0; s < steps.size(); ++s) {
                    steps[s].label = text(list.at(s), 64);
                }
                purposes(manifest_.at("launches").at(i), steps);
            }
        } catch (const Json::exception& e) {
            corrupt(fmt::format("manifest.json: {}", e.what()));
        }
    }

    const ArchiveReader& archive_;
    Trace& trace_;
    std::function<void(double)> progress_;
    std::map<std::string, std::uint64_t> counts_; // rows by array
    std::uint64_t all_ = 1, unpacked_ = 0;        // bytes
    Json manifest_;
};

// Rethrows errors with the same type, prefixed with the file's name.
template <class F> void naming(const std::filesystem::path& path, F f) {
    const auto named = [&](const char* what, const char* advice) {
        std::string line = fmt::format("{}: {}{}", path.string(), what, advice);
        // Untrusted names and texts must not contain terminal control characters.
        std::replace_if(
            line.begin(), line.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, '?');
        return line;
    };
    try {
        f();
    } catch (const NotATrace& e) {
        throw NotATrace(named(e.what(), ""));
    } catch (const NewerTrace& e) {
        throw NewerTrace(named(e.what(), ""));
    } catch (const CorruptTrace& e) {
        throw CorruptTrace(named(e.what(), "; the file is damaged, record it again"));
    } catch (const BadArchive& e) {
        switch (e.damage) {
        case Damage::not_an_archive: throw NotATrace(named("not a warptree trace", "; 'warptree record' writes one"));
        case Damage::truncated:
            throw TruncatedTrace(named("truncated: its end is missing", "; copy or record it again"));
        case Damage::corrupt: throw CorruptTrace(named(e.what.c_str(), "; the file is damaged, record it again"));
        }
    } catch (const std::bad_alloc&) {
        throw FileError(named("needs more memory than is available", "; record it with a smaller --window"));
    }
}
} // namespace

Trace load(const std::filesystem::path& path, RunControl* control) {
    const auto on = [control] {
        if (control != nullptr && control->cancel) {
            throw Cancelled();
        }
    };
    Trace trace;
    naming(path, [&] {
        const std::string bytes = read_whole(path, kMostTraceBytes, "PK");
        if (bytes.empty()) {
            throw NotATrace("empty file, not a warptree trace");
        }
        const ArchiveReader archive(bytes, kMostTraceBytes);
        Reader reader(archive, trace, [&](double fraction) {
            on();
            if (control != nullptr && control->progress) {
                control->progress(fraction);
            }
        });
        reader.read();
        on();
        check(trace);
        on();
    });
    return trace;
}

} // namespace warptree
