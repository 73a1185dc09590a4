// Clock readings as JSON: machine-written, every member checked before use. Blocks are three lists of equal length.
#include "app/base/error.hpp"
#include "app/base/json.hpp"
#include "app/base/json_text.hpp"
#include "app/base/whole_file.hpp"
#include "app/measure/clocks/clocks.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace warptree::clocks {

namespace {
using Json = nlohmann::ordered_json;
constexpr std::uint64_t kMostNs = 1ULL << 50;

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why) {
    throw FileError(fmt::format("{}: {}; record it anew with 'warptree clocks' on a GPU", file.string(), why));
}

class Reader {
  public:
    Reader(const Json& json, const std::filesystem::path& file) : json_(json), file_(file) {
        if (!json.is_object()) {
            refuse(file, "expected an object");
        }
    }
    const Json& member(const char* name) const {
        const auto it = json_.find(name);
        if (it == json_.end()) {
            refuse(file_, fmt::format("\"{}\" is missing", name));
        }
        return *it;
    }
    std::string text(const char* name) const {
        const Json& j = member(name);
        if (!j.is_string()) {
            refuse(file_, fmt::format("\"{}\" is not a string", name));
        }
        return j.get<std::string>();
    }
    std::uint64_t count(const char* name, std::uint64_t most) const { return counted(member(name), name, most); }
    double amount(const char* name) const {
        const Json& j = member(name);
        if (!j.is_number() || !(j.get<double>() >= 0) || !std::isfinite(j.get<double>())) {
            refuse(file_, fmt::format("\"{}\" is not a number from 0", name));
        }
        return j.get<double>();
    }
    const Json& list(const char* name) const {
        const Json& j = member(name);
        if (!j.is_array()) {
            refuse(file_, fmt::format("\"{}\" is not a list", name));
        }
        return j;
    }
    std::uint64_t counted(const Json& j, const char* name, std::uint64_t most) const {
        const auto count = whole_number(j, most);
        if (!count) {
            refuse(file_, fmt::format("\"{}\" is not a count up to {}", name, most));
        }
        return *count;
    }

  private:
    const Json& json_;
    const std::filesystem::path& file_;
};

std::vector<BlockRun> read_blocks(const Reader& blocks, std::uint32_t multiprocessors) {
    const Json &on = blocks.list("multiprocessor"), &begin = blocks.list("begin_ns"), &end = blocks.list("end_ns");
    std::vector<BlockRun> all;
    for (std::size_t i = 0; i < on.size() && i < begin.size() && i < end.size(); ++i) {
        all.push_back({static_cast<std::uint32_t>(blocks.counted(on[i], "multiprocessor", multiprocessors - 1)),
                       blocks.counted(begin[i], "begin_ns", kMostNs), blocks.counted(end[i], "end_ns", kMostNs)});
    }
    return all;
}
} // namespace

std::string to_json(const Recording& r) {
    Json steps = Json::array();
    for (const StepCycles& s : r.steps) {
        steps.push_back({{"label", s.label},
                         {"warps", s.warps},
                         {"least", s.least},
                         {"median", s.median},
                         {"most", s.most},
                         {"waiting", s.waiting}});
    }
    Json on = Json::array(), begin = Json::array(), end = Json::array();
    for (const BlockRun& b : r.blocks) {
        on.push_back(b.multiprocessor);
        begin.push_back(b.begin_ns);
        end.push_back(b.end_ns);
    }
    const Json out{{"format", "warptree.clocks"},
                   {"version", 1},
                   {"device", r.device},
                   {"compute_capability", r.compute_capability},
                   {"driver", r.driver},
                   {"toolkit", r.toolkit},
                   {"commit", r.commit},
                   {"date", r.date},
                   {"variant", r.strategy},
                   {"n", r.n},
                   {"block", r.block},
                   {"type", name(r.type)},
                   {"multiprocessors", r.multiprocessors},
                   {"timer_ns", r.timer_ns},
                   {"plain_us", r.plain_us},
                   {"clocked_us", r.clocked_us},
                   {"samples", r.samples},
                   {"steps", std::move(steps)},
                   {"blocks", {{"multiprocessor", std::move(on)}, {"begin_ns", begin}, {"end_ns", std::move(end)}}}};
    return json_text(out) + "\n";
}

Recording load(const std::filesystem::path& file) {
    const std::string text = read_whole(file);
    Json json;
    try {
        json = parse_json(text);
    } catch (const JsonError& e) {
        refuse(file, e.what());
    }
    const Reader top(json, file);
    if (top.text("format") != "warptree.clocks") {
        refuse(file, "it does not hold clock readings");
    }
    if (top.count("version", ~0ULL) != 1) {
        refuse(file, fmt::format("version {} is newer than this program knows", top.count("version", ~0ULL)));
    }
    Recording r;
    r.device = top.text("device");
    r.compute_capability = top.text("compute_capability");
    r.driver = top.text("driver");
    r.toolkit = top.text("toolkit");
    r.commit = top.text("commit");
    r.date = top.text("date");
    r.strategy = top.text("variant");
    r.n = top.count("n", 1ULL << 40);
    r.block = static_cast<std::uint32_t>(top.count("block", 1024));
    const auto type = element_type_from(top.text("type"));
    if (!type) {
        refuse(file, "\"type\" is not an element type");
    }
    r.type = *type;
    r.multiprocessors = static_cast<std::uint32_t>(top.count("multiprocessors", 1U << 16));
    r.timer_ns = top.count("timer_ns", kMostNs);
    r.plain_us = top.amount("plain_us");
    r.clocked_us = top.amount("clocked_us");
    r.samples = static_cast<std::uint32_t>(top.count("samples", 1U << 30));
    for (const Json& step : top.list("steps")) {
        const Reader s(step, file);
        r.steps.push_back({s.text("label"), s.count("warps", 1ULL << 40), s.amount("least"), s.amount("median"),
                           s.amount("most"), s.amount("waiting")});
    }
    const Reader blocks(top.member("blocks"), file);
    const std::size_t count = blocks.list("multiprocessor").size();
    if (r.multiprocessors == 0 || count == 0 || blocks.list("begin_ns").size() != count ||
        blocks.list("end_ns").size() != count) {
        refuse(file, "its lists of blocks have different lengths");
    }
    r.blocks = read_blocks(blocks, r.multiprocessors);
    for (const BlockRun& b : r.blocks) {
        if (b.end_ns < b.begin_ns) {
            refuse(file, "a block ends before it begins");
        }
    }
    return r;
}

} // namespace warptree::clocks
