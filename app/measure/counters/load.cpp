// Reads recorded counters: machine-written JSON; every member is checked before use.
#include "app/base/json.hpp"
#include "app/base/whole_file.hpp"
#include "app/measure/counters/counters.hpp"
#include "app/measure/counters/explanations.hpp"

#include "app/base/error.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <string>

namespace warptree::counters {

namespace {
using Json = nlohmann::ordered_json;
constexpr std::uint64_t kMostBytes = 16ULL << 20;

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why) {
    throw FileError(fmt::format("{}: {}; record it anew with script/counters", file.string(), why));
}

// One JSON object and its location, for messages.
class Object {
  public:
    Object(const Json& json, const std::filesystem::path& file, std::string where)
        : json_(json), file_(file), where_(std::move(where)) {
        if (!json.is_object()) {
            refuse(file_, where_ + " is not an object");
        }
    }
    const Json& member(const char* name) const {
        const auto it = json_.find(name);
        if (it == json_.end()) {
            refuse(file_, fmt::format("{} has no \"{}\"", where_, name));
        }
        return *it;
    }
    bool has(const char* name) const { return json_.contains(name); }
    std::string text(const char* name) const {
        const Json& j = member(name);
        if (!j.is_string()) {
            refuse(file_, fmt::format("\"{}\" of {} is not a string", name, where_));
        }
        return j.get<std::string>();
    }
    std::uint64_t count(const char* name) const {
        const auto count = whole_number(member(name), std::numeric_limits<std::uint64_t>::max());
        if (!count) {
            refuse(file_, fmt::format("\"{}\" of {} is not a count", name, where_));
        }
        return *count;
    }
    std::uint32_t count32(const char* name) const {
        const std::uint64_t value = count(name);
        if (value > std::numeric_limits<std::uint32_t>::max()) {
            refuse(file_, fmt::format("\"{}\" of {} is too large", name, where_));
        }
        return static_cast<std::uint32_t>(value);
    }
    double lanes(const char* name) const {
        const Json& j = member(name);
        if (!j.is_number() || j.get<double>() < 0 || j.get<double>() > kWarpSize) {
            refuse(file_, fmt::format("\"{}\" of {} is not a number of lanes from 0 to 32", name, where_));
        }
        return j.get<double>();
    }
    Object object(const char* name) const { return {member(name), file_, fmt::format("\"{}\" of {}", name, where_)}; }

  private:
    const Json& json_;
    const std::filesystem::path& file_;
    std::string where_;
};

Json parse(const std::filesystem::path& file, std::string_view format, std::uint64_t version) {
    const std::string text = read_whole(file, kMostBytes);
    Json json;
    try {
        json = parse_json(text);
    } catch (const JsonError& e) {
        refuse(file, e.what());
    }
    const Object top(json, file, "the file");
    if (top.text("format") != format) {
        refuse(file, fmt::format("it is not a {} file", format));
    }
    if (const std::uint64_t is = top.count("version"); is != version) {
        refuse(file, fmt::format("version {} is {} than this program reads", is, is > version ? "newer" : "older"));
    }
    if (!top.member("rows").is_array()) {
        refuse(file, "\"rows\" is not a list");
    }
    return json;
}

Counters read_counters(const Object& object) {
    Counters c;
    for (const CounterField& field : compared_fields()) {
        c.*field.member = object.count(field.name);
    }
    return c;
}

MachineCode read_code(const Object& object) {
    return {object.count("instructions"), object.count("branches"),     object.count("reconvergence"),
            object.count("predicated"),   object.count("shared_loads"), object.count("shared_stores")};
}
} // namespace

Recording load_recording(const std::filesystem::path& file) {
    const Json json = parse(file, "warptree.counters", 1);
    const Object top(json, file, "the file");
    Recording r{top.text("device"), top.text("compute_capability"),
                top.text("driver"), top.text("toolkit"),
                top.text("ncu"),    top.text("commit"),
                top.text("date"),   {}};
    for (std::size_t i = 0; i < json["rows"].size(); ++i) {
        const Object o(json["rows"][i], file, fmt::format("row {}", i));
        Row row;
        row.strategy = o.text("variant");
        row.n = o.count("n");
        row.block = o.count32("block");
        const auto type = element_type_from(o.text("type"));
        if (!type) {
            refuse(file, fmt::format("row {} has an element type that is not known", i));
        }
        row.type = *type;
        row.grid = o.count32("grid");
        row.predicted = read_counters(o.object("predicted"));
        row.counted = read_counters(o.object("counted"));
        row.predicted_lanes = o.lanes("predicted_lanes");
        row.active_lanes = o.lanes("active_lanes");
        row.predicated_on_lanes = o.lanes("predicated_on_lanes");
        row.divergent_branches = o.count("divergent_branches");
        if (o.has("code")) {
            row.code = read_code(o.object("code"));
        }
        r.rows.push_back(std::move(row));
    }
    return r;
}

std::vector<Explanation> load_explanations(const std::filesystem::path& file) {
    const Json json = parse(file, "warptree.counters.explanations", 2);
    std::vector<Explanation> all;
    for (std::size_t i = 0; i < json["rows"].size(); ++i) {
        const Object o(json["rows"][i], file, fmt::format("row {}", i));
        const auto formula = [&](const char* name) {
            if (!o.has(name)) {
                return Formula();
            }
            try { // a recorded number is a formula too
                return Formula(o.member(name).is_number_unsigned() ? std::to_string(o.count(name)) : o.text(name));
            } catch (const OptionError& e) {
                refuse(file, fmt::format("\"{}\" of row {}: {}", name, i, e.what()));
            }
        };
        Explanation e{o.text("variant"),
                      o.text("field"),
                      o.has("type") ? o.text("type") : "",
                      o.has("block") ? o.count32("block") : 0,
                      formula("counted"),
                      formula("at_least"),
                      formula("at_most"),
                      o.text("why")};
        if (e.why.empty()) {
            refuse(file, fmt::format("row {} explains nothing", i));
        }
        if (e.counted.empty() == (e.at_least.empty() || e.at_most.empty())) {
            refuse(file, fmt::format("row {} states no count; give \"counted\", or \"at_least\" and \"at_most\"", i));
        }
        const auto fields = compared_fields();
        if (std::none_of(fields.begin(), fields.end(), [&](const CounterField& f) { return e.field == f.name; })) {
            refuse(file, fmt::format("row {} is about a counter that is not compared", i));
        }
        all.push_back(std::move(e));
    }
    return all;
}

} // namespace warptree::counters
