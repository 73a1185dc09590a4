#include "app/shell/settings.hpp"

#include "app/base/json.hpp"
#include "app/base/json_text.hpp"
#include "app/base/whole_file.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/document/config_folder.hpp"
#include "app/request/said.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

namespace warptree::session {

namespace {
using Json = nlohmann::ordered_json;
constexpr std::uint64_t kMostBytes = 1U << 20;

template <class T, class From> void named(const Json& j, const char* key, T& value, From from) {
    if (j.contains(key)) {
        if (const auto found = from(j.at(key).get<std::string>())) {
            value = *found;
        }
    }
}

// `usual` where nothing is kept, or no whole number.
int size_from(const Json& j, const char* key, int usual, int least) {
    constexpr int kMost = 16384;
    const auto size = j.contains(key) ? whole_number(j.at(key), kMost) : std::nullopt;
    return size ? std::max(static_cast<int>(*size), least) : usual;
}

ParameterValues parameters_from(const Json& j) {
    ParameterValues values;
    for (const auto& [name, value] : j.items()) {
        if (const auto count = whole_number(value, std::numeric_limits<std::uint32_t>::max())) {
            values[name] = static_cast<std::uint32_t>(*count);
        }
    }
    return values;
}

Settings from_json(const Json& j) {
    Settings s;
    RunOptions& o = s.options;
    if (const std::string id = j.value("strategy", o.strategy); find_strategy(id) != nullptr) {
        o.strategy = id;
    }
    o.n = o.block.emplace(64);
    o.input = InputKind::iota;
    for (const request::Option& option : request::options()) {
        if ((option.places & request::kSettings) == 0 || !j.contains(request::json_key(option))) {
            continue;
        }
        const Json& value = j.at(request::json_key(option));
        option.set(o, value.is_string() ? value.get<std::string>() : value.dump());
    }
    o.n = std::min<std::uint64_t>(o.n, 1U << 22); // the first run must be short
    o.input = o.input == InputKind::file ? InputKind::ones : o.input;
    o.parameters = parameters_of(require_strategy(o.strategy), parameters_from(j.value("parameters", Json::object())));
    if (refusal(o)) {
        o = {};
        o.n = o.block.emplace(64);
        o.input = InputKind::iota;
    }
    named(j, "theme", s.looks.theme, scene::theme_from);
    s.looks.scale = std::clamp(j.value("scale", 1.0F), 0.75F, 3.0F);
    s.looks.left = std::clamp(j.value("left", 1.0F), 0.2F, 6.0F);
    s.looks.right = std::clamp(j.value("right", 1.0F), 0.2F, 6.0F);
    s.looks.lower = std::clamp(j.value("lower", 1.0F), 0.2F, 6.0F);
    s.looks.loop = j.value("loop", false);
    s.looks.coached = j.value("coached", true);
    s.looks.follow = j.value("follow", true);
    if (j.contains("animates")) {
        s.looks.animates = j.at("animates").get<bool>();
    }
    s.looks.pointer = j.value("pointer", false);
    s.looks.presenting_pointer = j.value("presenting_pointer", true);
    s.looks.speed = std::clamp(j.value("speed", 1.0F), 0.1F, 10.0F);
    s.width = size_from(j, "width", s.width, 640);
    s.height = size_from(j, "height", s.height, 400);
    s.page = j.value("page", s.page);
    if (j.contains("pages")) {
        s.pages = j.at("pages").get<decltype(s.pages)>();
    }
    if (j.contains("files")) {
        for (const auto& file : j.at("files").get<std::vector<std::string>>()) {
            s.files.emplace_back(file);
        }
    }
    return s;
}
} // namespace

std::filesystem::path settings_path() {
    const std::filesystem::path folder = config_folder();
    return folder.empty() ? folder : folder / "state.json";
}

Settings load_settings(const std::filesystem::path& path, std::string& note) {
    try {
        if (std::error_code missing; !path.empty() && std::filesystem::exists(path, missing)) {
            return from_json(parse_json(read_whole(path, kMostBytes)));
        }
    } catch (const std::exception&) {
        note = "The saved settings could not be read; these are the defaults.";
    }
    Settings first = from_json(Json::object());
    first.looks.coached = !note.empty();
    return first;
}

void save_settings(const std::filesystem::path& path, const Settings& s) {
    if (path.empty()) {
        return;
    }
    const RunOptions& o = s.options;
    Json j{{"strategy", o.strategy},
           {"parameters", o.parameters},
           {"theme", scene::name(s.looks.theme)},
           {"scale", s.looks.scale},
           {"left", s.looks.left},
           {"right", s.looks.right},
           {"lower", s.looks.lower},
           {"loop", s.looks.loop},
           {"coached", s.looks.coached},
           {"follow", s.looks.follow},
           {"pointer", s.looks.pointer},
           {"presenting_pointer", s.looks.presenting_pointer},
           {"speed", s.looks.speed},
           {"width", s.width},
           {"height", s.height},
           {"page", s.page},
           {"pages", s.pages}};
    if (s.looks.animates) {
        j["animates"] = *s.looks.animates;
    }
    for (const std::filesystem::path& file : s.files) {
        j["files"].push_back(file.string());
    }
    for (const request::Option& option : request::options_of(require_strategy(o.strategy))) {
        const bool unsaid = option.id == "finish" ? !o.finish : option.id == "input" && o.input == InputKind::file;
        if ((option.places & request::kSettings) != 0 && !unsaid) {
            const std::string value = option.get(o);
            j[request::json_key(option)] = option.count ? Json(parse_count(value).value_or(0)) : Json(value);
        }
    }
    std::filesystem::create_directories(path.parent_path());
    write_whole(path, json_text(j, 2) + "\n");
}

} // namespace warptree::session
