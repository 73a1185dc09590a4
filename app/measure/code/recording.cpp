#include "app/measure/code/recording.hpp"

#include "app/base/element.hpp"
#include "app/base/error.hpp"
#include "app/base/json.hpp"
#include "app/base/json_text.hpp"
#include "app/base/whole_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <charconv>

namespace warptree::code {

namespace {
using Json = nlohmann::ordered_json;
constexpr const char* kFormat = "warptree.code";

// "20@1 93@0" and a tab, then the text: line 20 of file 1, inlined at line 93 of file 0.
std::string packed(const Line& line) {
    std::string text;
    for (const Place& place : line.places) {
        text += fmt::format("{}{}@{}", text.empty() ? "" : " ", place.line, place.file);
    }
    return text + '\t' + line.text;
}

Line unpacked(const std::string& text, std::size_t files) {
    Line line;
    const std::size_t tab = text.find('\t');
    if (tab == std::string::npos) {
        throw std::invalid_argument("a line of code has no tab");
    }
    line.text = text.substr(tab + 1);
    const char* at = text.data();
    const char* const end = at + tab;
    while (at < end) {
        Place place;
        const auto first = std::from_chars(at, end, place.line);
        const bool goes_on = first.ec == std::errc() && first.ptr < end && *first.ptr == '@';
        const auto second = goes_on ? std::from_chars(first.ptr + 1, end, place.file) : first;
        if (!goes_on || second.ec != std::errc() || place.file >= files || place.line == 0) {
            throw std::invalid_argument("a line of code refers to no source line");
        }
        line.places.push_back(place);
        at = second.ptr < end ? second.ptr + 1 : end;
    }
    return line;
}

Json listing_json(const Listing& listing) {
    Json lines = Json::array();
    for (const Line& line : listing.lines) {
        lines.push_back(packed(line));
    }
    return {{"compiler", listing.compiler}, {"files", listing.files}, {"lines", std::move(lines)}};
}

Listing listing_of(const Json& json) {
    Listing listing;
    listing.compiler = json.at("compiler").get<std::string>();
    listing.files = json.at("files").get<std::vector<std::string>>();
    for (const Json& line : json.at("lines")) {
        listing.lines.push_back(unpacked(line.get<std::string>(), listing.files.size()));
    }
    return listing;
}
} // namespace

std::string to_json(const Recording& r) {
    const Json json = {{"format", kFormat},
                       {"version", 1},
                       {"strategy", r.strategy},
                       {"type", std::string(name(r.type))},
                       {"what", r.code.what},
                       {"kernel", r.code.kernel},
                       {"architecture", r.code.architecture},
                       {"source", fmt::format("{:016x}", r.code.source)},
                       {"ptx", listing_json(r.code.ptx)},
                       {"sass", listing_json(r.code.sass)}};
    return json_text(json, 0) + "\n";
}

Recording load_recording(const std::filesystem::path& file) {
    const std::string text = read_whole(file);
    try {
        const Json json = parse_json(text);
        if (json.at("format") != kFormat || json.at("version") != 1) {
            throw FileError(file.string() + ": is not a code recording of version 1");
        }
        Recording r;
        r.strategy = json.at("strategy").get<std::string>();
        const auto type = element_type_from(json.at("type").get<std::string>());
        if (!type) {
            throw std::invalid_argument("its type is unknown");
        }
        r.type = *type;
        r.code.what = json.at("what").get<std::string>();
        r.code.kernel = json.at("kernel").get<std::string>();
        r.code.architecture = json.at("architecture").get<std::string>();
        r.code.source = std::stoull(json.at("source").get<std::string>(), nullptr, 16);
        r.code.ptx = listing_of(json.at("ptx"));
        r.code.sass = listing_of(json.at("sass"));
        return r;
    } catch (const JsonError& e) {
        throw FileError(fmt::format("{}: is not usable: {}", file.string(), e.what()));
    } catch (const FileError&) {
        throw;
    } catch (const std::exception& e) { // from the JSON library or the code above
        throw FileError(fmt::format("{}: is not usable: {}", file.string(), e.what()));
    }
}

} // namespace warptree::code
