#include "app/measure/timing/results_file.hpp"

#include "app/base/json.hpp"
#include "app/base/printable.hpp"
#include "app/base/whole_file.hpp"
#include "app/catalogue/kernel_header.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

namespace warptree::timing {

namespace {
using Json = nlohmann::ordered_json;
constexpr std::uint64_t kMostElements = 1ULL << 40, kMostMoved = 1ULL << 50, kMostBlock = 1024;
constexpr double kLongest = 1e6, kFastest = 1e18; // seconds; bytes per second
constexpr double kNanosecondsASecond = 1e9;
constexpr std::uint64_t kMostNanoseconds = 1'000'000'000'000'000;

// One object of the file; end() refuses members that were not read.
class Reader {
  public:
    Reader(const Json& json, const std::string& file, std::string where)
        : json_(json), file_(file), where_(std::move(where)) {
        if (!json.is_object()) {
            refuse("is not an object");
        }
    }
    [[noreturn]] void refuse(const std::string& why) const {
        throw BrokenResults(fmt::format("{}: {} {}; measure again, or copy the file again from where it was written",
                                        file_, where_, why));
    }
    [[noreturn]] void refuse_member(const char* key, const std::string& what_it_takes) const {
        refuse(fmt::format("has a \"{}\" that is not {}", key, what_it_takes));
    }
    const Json* find(const char* key) {
        taken_.push_back(key);
        const auto it = json_.find(key);
        return it == json_.end() ? nullptr : &*it;
    }
    const Json& need(const char* key) {
        const Json* j = find(key);
        if (j == nullptr) {
            refuse(fmt::format("has no \"{}\"", key));
        }
        return *j;
    }
    std::string text(const char* key) { return text_of(need(key), key); }
    std::string text_or_empty(const char* key) {
        const Json* j = find(key);
        return j == nullptr ? std::string() : text_of(*j, key);
    }
    std::uint64_t count(const char* key, std::uint64_t least, std::uint64_t most) {
        return count_of(need(key), key, least, most);
    }
    std::uint64_t count_or_0(const char* key, std::uint64_t most) {
        const Json* j = find(key);
        return j == nullptr ? 0 : count_of(*j, key, 0, most);
    }
    std::uint32_t word_or_0(const char* key, std::uint32_t most) {
        return static_cast<std::uint32_t>(count_or_0(key, most));
    }
    int int_or_0(const char* key) {
        return static_cast<int>(count_or_0(key, static_cast<std::uint64_t>(std::numeric_limits<int>::max())));
    }
    bool flag_or_false(const char* key) {
        const Json* j = find(key);
        if (j != nullptr && !j->is_boolean()) {
            refuse_member(key, "true or false");
        }
        return j != nullptr && j->get<bool>();
    }
    // above 0, at most `most`
    std::optional<double> amount(const char* key, double most) {
        const Json* j = find(key);
        return j == nullptr ? std::nullopt : std::optional(amount_of(*j, key, most));
    }
    double amount_of(const Json& j, const char* key, double most) const {
        if (!j.is_number() || !(j.get<double>() > 0) || j.get<double>() > most) {
            refuse_member(key, fmt::format("a number above 0 and up to {:g}", most));
        }
        return j.get<double>();
    }
    std::uint64_t count_of(const Json& j, const char* key, std::uint64_t least, std::uint64_t most) const {
        const auto count = whole_number(j, most);
        if (!count || *count < least) {
            refuse_member(key, fmt::format("a whole number from {} to {}", least, most));
        }
        return *count;
    }
    const Json* list(const char* key) {
        const Json* j = find(key);
        if (j != nullptr && !j->is_array()) {
            refuse_member(key, "a list");
        }
        return j;
    }
    template <class From> auto named(const char* key, From from, const char* what) {
        const auto value = from(text(key));
        if (!value) {
            refuse_member(key, what);
        }
        return *value;
    }
    // To be called after reading the last member.
    void end() const {
        for (const auto& [key, value] : json_.items()) {
            if (std::find(taken_.begin(), taken_.end(), key) == taken_.end()) {
                refuse(fmt::format("has a \"{}\", which this format does not know", printable(key)));
            }
        }
    }

  private:
    std::string text_of(const Json& j, const char* key) const {
        constexpr std::size_t kMost = 4096;
        if (!j.is_string() || j.get_ref<const std::string&>().size() > kMost) {
            refuse_member(key, fmt::format("a text of up to {} bytes", kMost));
        }
        auto text = j.get<std::string>();
        if (std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; })) {
            refuse_member(key, "a text of one line");
        }
        return text;
    }

    const Json& json_;
    const std::string& file_;
    std::string where_;
    std::vector<std::string> taken_;
};

Configuration read_configuration(Reader& r) {
    Configuration c;
    c.variant = r.text("variant");
    if (c.variant.empty() || c.variant.size() > 64) {
        r.refuse_member("variant", "1 to 64 bytes long");
    }
    c.n = r.count("n", 1, kMostElements);
    c.block = r.word_or_0("block", kMostBlock);
    c.grid = r.word_or_0("grid", 0x7fffffff);
    c.type = r.named("type", element_type_from, "an element type");
    if (r.find("op") != nullptr) {
        c.op = r.named("op", operator_from, "an operator");
    }
    c.finish = r.named("finish", finish_from, "host, relaunch, atomic or last-block");
    c.mode = r.named("mode", mode_from, "cold, warm or unstated");
    c.quantity = r.named("quantity", quantity_from, "kernel, pipeline or launch");
    if (const Json* parameters = r.find("parameters")) {
        if (!parameters->is_object() || parameters->size() > catalogue::kMostParameters) {
            r.refuse_member("parameters", "a small object of numbers");
        }
        for (const auto& [key, value] : parameters->items()) {
            c.parameters[key] = static_cast<std::uint32_t>(
                r.count_of(value, "parameters", 0, std::numeric_limits<std::uint32_t>::max()));
        }
    }
    return c;
}

// Checks the members of a point against each other.
void check(const Reader& r, const Point& p) {
    const bool published = p.published_seconds || p.published_bytes_per_second;
    if (p.rounds.size() != p.samples.size()) {
        r.refuse(fmt::format("has {} samples and {} rounds", p.samples.size(), p.rounds.size()));
    }
    if (p.samples.empty() != (p.stop == Stop::none)) {
        r.refuse(p.samples.empty() ? "says what stopped the sampling, and has no samples"
                                   : "has samples and does not say what stopped the sampling");
    }
    if ((p.samples.empty() ? 0 : 1) + (published ? 1 : 0) + (p.skipped.empty() ? 0 : 1) != 1) {
        r.refuse("must be exactly one of measured, published and skipped");
    }
    if (p.bytes == 0 && p.skipped.empty() && p.what.quantity != Quantity::launch) {
        r.refuse("does not say how many bytes must move");
    }
}

// Seconds, or whole nanoseconds.
void read_samples(Reader& r, Point& p) {
    const Json *seconds = r.list("samples"), *whole = r.list("nanoseconds");
    if (seconds != nullptr && whole != nullptr) {
        r.refuse("has both \"samples\" and \"nanoseconds\"; leave one out");
    }
    if (seconds != nullptr) {
        p.samples.reserve(seconds->size());
        for (const Json& s : *seconds) {
            p.samples.push_back(r.amount_of(s, "samples", kLongest));
        }
    }
    if (whole != nullptr) {
        p.samples.reserve(whole->size());
        for (const Json& s : *whole) {
            p.samples.push_back(static_cast<double>(r.count_of(s, "nanoseconds", 1, kMostNanoseconds)) /
                                kNanosecondsASecond);
        }
    }
}

// The round of each sample, or how many each round took.
void read_rounds(Reader& r, Point& p) {
    const Json *rounds = r.list("rounds"), *turns = r.list("turns");
    if (rounds != nullptr && turns != nullptr) {
        r.refuse("has both \"rounds\" and \"turns\"; leave one out");
    }
    if (rounds != nullptr) {
        p.rounds.reserve(rounds->size());
        for (const Json& s : *rounds) {
            p.rounds.push_back(
                static_cast<std::uint32_t>(r.count_of(s, "rounds", 0, std::numeric_limits<std::uint32_t>::max())));
        }
    }
    if (turns != nullptr) {
        p.rounds.reserve(p.samples.size());
        for (std::size_t round = 0; round < turns->size(); ++round) {
            const std::uint64_t took = r.count_of((*turns)[round], "turns", 0, p.samples.size());
            if (took > p.samples.size() - p.rounds.size()) {
                r.refuse(fmt::format("has {} samples, but more in its \"turns\"", p.samples.size()));
            }
            p.rounds.insert(p.rounds.end(), took, static_cast<std::uint32_t>(round));
        }
    }
}

Point read_point(const Json& json, const std::string& file, const std::string& where) {
    Reader r(json, file, where);
    Point p;
    p.what = read_configuration(r);
    p.bytes = r.count("bytes", 0, kMostMoved);
    if (r.find("stop") != nullptr) {
        p.stop = r.named("stop", stop_from, "one of the criteria");
    }
    if (const Json* noise = r.find("noise")) {
        if (!noise->is_number() || !(noise->get<double>() >= 0) || !std::isfinite(noise->get<double>())) {
            r.refuse_member("noise", "a number from 0");
        }
        p.noise = noise->get<double>();
    }
    p.min_time = r.amount("min_time", kLongest).value_or(0);
    p.verified = r.flag_or_false("verified");
    p.skipped = r.text_or_empty("skipped");
    p.published_seconds = r.amount("published_seconds", kLongest);
    p.published_bytes_per_second = r.amount("published_bytes_per_second", kFastest);
    p.remark = r.text_or_empty("remark");
    read_samples(r, p);
    read_rounds(r, p);
    r.end();
    check(r, p);
    return p;
}

Provenance read_provenance(const Json& json, const std::string& file, const std::string& where) {
    Reader r(json, file, where);
    Provenance p;
    p.device = r.text_or_empty("device");
    p.compute_capability = r.text_or_empty("compute_capability");
    p.driver = r.text_or_empty("driver");
    p.toolkit = r.text_or_empty("toolkit");
    p.compiler_flags = r.text_or_empty("compiler_flags");
    p.commit = r.text_or_empty("commit");
    p.date = r.text_or_empty("date");
    p.source = r.text_or_empty("source");
    p.multiprocessors = r.int_or_0("multiprocessors");
    p.core_clock_khz = r.int_or_0("core_clock_khz");
    p.memory_clock_khz = r.int_or_0("memory_clock_khz");
    p.memory_bus_bits = r.int_or_0("memory_bus_bits");
    p.l2_bytes = r.count_or_0("l2_bytes", kMostMoved);
    p.flush_bytes = r.count_or_0("flush_bytes", kMostMoved);
    p.seed = r.count_or_0("seed", std::numeric_limits<std::uint64_t>::max());
    p.theoretical_bytes_per_second = r.amount("theoretical_bytes_per_second", kFastest).value_or(0);
    r.end();
    return p;
}

Series read_series(const Json& json, const std::string& file, std::size_t index) {
    const std::string where = fmt::format("series {}", index + 1);
    Reader r(json, file, where);
    Series s;
    s.name = r.text("name");
    if (s.name.empty()) {
        r.refuse_member("name", "a name");
    }
    s.provenance = read_provenance(r.need("provenance"), file, "the provenance of " + where);
    const Json* points = r.list("points");
    if (points == nullptr) {
        r.refuse("has no \"points\"");
    }
    s.points.reserve(points->size());
    for (std::size_t i = 0; i < points->size(); ++i) {
        s.points.push_back(read_point((*points)[i], file, fmt::format("point {} of {}", i + 1, where)));
    }
    r.end();
    return s;
}

// Whether the text is the beginning of a result file, e.g. a partly copied one.
bool begins_as_results(const std::string& text) {
    const std::string head = text.substr(0, 256);
    return head.find("\"warptree.timings\"") != std::string::npos;
}
} // namespace

std::vector<Series> series_from_json(const std::string& text, const std::string& name) {
    Json json;
    try {
        json = parse_json(text);
    } catch (const JsonError& e) {
        if (begins_as_results(text)) {
            throw TruncatedResults(fmt::format("{}: the result file is cut short or damaged ({}); copy it again, or "
                                               "measure again with 'warptree bench'",
                                               name, e.what()));
        }
        throw NotResults(name + ": not a result file; take one that 'warptree bench --json FILE' wrote");
    }
    const bool ours = json.is_object() && json.contains("format") && json["format"] == "warptree.timings";
    if (!ours) {
        throw NotResults(name + ": JSON, but not a result file; take one that 'warptree bench --json FILE' wrote");
    }
    Reader top(json, name, "the file");
    top.find("format");
    const auto version = top.count("version", 1, std::numeric_limits<std::uint64_t>::max());
    if (version > static_cast<std::uint64_t>(kResultsVersion)) {
        throw NewerResults(
            fmt::format("{}: results of version {}, and this program reads up to {}; take a newer warptree", name,
                        version, kResultsVersion));
    }
    const Json* list = top.list("series");
    if (list == nullptr || list->empty()) {
        top.refuse("holds no series");
    }
    top.end();
    std::vector<Series> all;
    for (std::size_t i = 0; i < list->size(); ++i) {
        all.push_back(read_series((*list)[i], name, i));
    }
    return all;
}

void save_results(const std::filesystem::path& file, std::span<const Series> series) {
    write_whole(file, to_json(series));
}

std::vector<Series> load_results(const std::filesystem::path& file) {
    return series_from_json(read_whole(file), file.string());
}

} // namespace warptree::timing
