#include "app/session/state_string.hpp"

#include "kernels/error.hpp"
#include "kernels/printable.hpp"
#include "kernels/strategy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

namespace warptree::session {

namespace {
constexpr const char* kExample = "a state is as 'explore/sequential?n=64&block=64&step=3'";

bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-._~,:/^*+()").find(c) != std::string_view::npos;
}

std::string encoded(std::string_view text) {
    std::string out;
    for (const char c : text) {
        out += is_plain(c) ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

std::string decoded(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned byte = static_cast<unsigned char>(text[i]);
        if (text[i] == '%') {
            const std::string_view digits = text.substr(i + 1, 2);
            const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
            if (digits.size() != 2 || error != std::errc{} || end != digits.data() + 2) {
                throw OptionError(fmt::format("'{}' in a state is no %XX; write %25 for a percent sign",
                                              printable(text.substr(i, 3))));
            }
            i += 2;
        }
        if (byte < 0x20 || byte == 0x7F) {
            throw OptionError("a state holds no control characters; leave them out");
        }
        out += static_cast<char>(byte);
    }
    return out;
}

[[noreturn]] void refuse(std::string_view key, std::string_view value, const std::string& works) {
    throw OptionError(fmt::format("{}={} in a state is not usable; {}", key, printable(value), works));
}

std::uint64_t count(std::string_view key, std::string_view value, std::uint64_t least, std::uint64_t most) {
    const auto number = parse_count(value);
    if (!number || *number < least || *number > most) {
        refuse(key, value, fmt::format("take {} to {}", least, most));
    }
    return *number;
}
std::uint32_t count32(std::string_view key, std::string_view value, std::uint32_t least, std::uint32_t most) {
    return static_cast<std::uint32_t>(count(key, value, least, most));
}

template <class T, class From> T named(std::string_view key, const std::string& value, From from, const char* names) {
    const auto found = from(value);
    if (!found) {
        refuse(key, value, fmt::format("take {}", names));
    }
    return *found;
}

std::vector<std::string_view> split(std::string_view text, char at) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t end = text.find(at);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) {
            return parts;
        }
        text.remove_prefix(end + 1);
    }
}

using Kind = scene::Target::Kind;
constexpr std::array kKinds{
    std::pair{Kind::node, "node"},   std::pair{Kind::thread, "thread"},   std::pair{Kind::warp, "warp"},
    std::pair{Kind::step, "step"},   std::pair{Kind::request, "request"}, std::pair{Kind::lane, "lane"},
    std::pair{Kind::block, "block"}, std::pair{Kind::launch, "launch"},   std::pair{Kind::word, "word"}};

std::string target_text(const scene::Target& t) {
    for (const auto& [kind, word] : kKinds) {
        if (kind == t.kind) {
            const std::string step = t.step == kNone ? "" : fmt::format(":{}", t.step);
            return fmt::format("{}:{}:{}:{}{}", word, t.launch, t.block, t.index, step);
        }
    }
    return {};
}

scene::Target target_from(const std::string& value) {
    const auto parts = split(value, ':');
    scene::Target t;
    for (const auto& [kind, word] : kKinds) {
        t.kind = parts[0] == word ? kind : t.kind;
    }
    if (t.kind == Kind::none || parts.size() < 4 || parts.size() > 5) {
        refuse("select", value,
               "take KIND:LAUNCH:BLOCK:INDEX[:STEP] with a node, thread, warp, step, request, lane, block, launch or "
               "word");
    }
    t.launch = count32("select", parts[1], 0, kNone - 1);
    t.block = count32("select", parts[2], 0, kNone - 1);
    t.index = count32("select", parts[3], 0, kNone - 1);
    t.step = parts.size() == 5 ? count32("select", parts[4], 0, kNone - 1) : kNone;
    return t;
}

Window window_from(const std::string& value) {
    const auto parts = split(value, ':');
    if (parts.size() != 2) {
        refuse("window", value, "take FIRST:COUNT, as in 0:8");
    }
    return {count32("window", parts[0], 0, kNone - 1), count32("window", parts[1], 0, kNone - 1)};
}

// True when `key` is a trace option, which `o` then has.
bool take_option(RunOptions& o, const StrategyInfo& info, const std::string& key, const std::string& value) {
    if (key == "n") {
        o.n = count(key, value, 1, kMaxElements);
    } else if (key == "block") {
        o.block = count32(key, value, 1, 1024);
    } else if (key == "type") {
        o.type = named<ElementType>(key, value, element_type_from, "i32, u32, i64, f32 or f64");
    } else if (key == "op") {
        o.op = named<Operator>(key, value, operator_from, "sum, product, min, max, xor or sum-of-squares");
    } else if (key == "finish") {
        o.finish = named<Finish>(key, value, finish_from, "host, relaunch, atomic or last-block");
    } else if (key == "host-below") {
        o.host_below = count(key, value, 1, kMaxElements);
    } else if (key == "input") {
        o.input = InputKind::file;
        o.input_file = value;
        for (const InputKind kind : {InputKind::ones, InputKind::iota, InputKind::random, InputKind::alternating}) {
            if (value == name(kind)) {
                o.input = kind;
                o.input_file.clear();
            }
        }
    } else if (key == "seed") {
        o.seed = count(key, value, 0, ~0ULL);
    } else if (key == "backend") {
        o.backend = named<Backend>(key, value, backend_from, "auto, cpu or cuda");
    } else if (key == "banks") {
        o.banks = value == "16" ? 16 : value == "32" ? 32 : 0;
        if (o.banks == 0) {
            refuse(key, value, "take 32, or 16 for cc 1.x");
        }
    } else if (key == "window") {
        o.window = window_from(value);
    } else if (key == "order") {
        o.order = named<WarpOrder>(key, value, warp_order_from, "in-order, reverse, random or lockstep");
    } else {
        for (const Parameter& p : info.parameters) {
            if (key == p.name) {
                o.parameters[key] = count32(key, value, 0, ~0U);
                return true;
            }
        }
        return false;
    }
    return true;
}

// Those that differ from what a state says by saying nothing; n and block always.
void put_options(const RunOptions& o, std::map<std::string, std::string>& values) {
    const RunOptions usual;
    const StrategyInfo& info = require_strategy(o.strategy);
    values["n"] = std::to_string(o.n);
    values["block"] = std::to_string(o.block.value_or(info.default_block));
    const auto put = [&](const char* key, bool differs, std::string value) {
        if (differs) {
            values[key] = std::move(value);
        }
    };
    put("type", o.type != usual.type, std::string(name(o.type)));
    put("op", o.op != usual.op, std::string(name(o.op)));
    if (o.finish) {
        put("finish", *o.finish != finishes(info).front(), std::string(name(*o.finish)));
    }
    put("host-below", o.host_below != usual.host_below, std::to_string(o.host_below));
    put("input", o.input != usual.input, o.input == InputKind::file ? o.input_file : std::string(name(o.input)));
    put("seed", o.seed != usual.seed, std::to_string(o.seed));
    put("backend", o.backend != usual.backend, std::string(name(o.backend)));
    put("banks", o.banks != usual.banks, std::to_string(o.banks));
    put("window", o.window != usual.window, fmt::format("{}:{}", o.window.first, o.window.count));
    put("order", o.order != usual.order, std::string(name(o.order)));
    for (const Parameter& p : info.parameters) {
        if (const auto found = o.parameters.find(p.name); found != o.parameters.end() && found->second != p.fallback) {
            values[std::string(p.name)] = std::to_string(found->second);
        }
    }
}

// Of two orders of the same keys the one that reads well.
int rank(const std::string& key) {
    constexpr std::array kFirst{"n", "block"};
    constexpr std::array kLast{"step", "part", "shown-block", "warp", "access", "select", "theme", "scale"};
    for (std::size_t i = 0; i < kFirst.size(); ++i) {
        if (key == kFirst[i]) {
            return static_cast<int>(i) - 10;
        }
    }
    for (std::size_t i = 0; i < kLast.size(); ++i) {
        if (key == kLast[i]) {
            return static_cast<int>(i) + 1;
        }
    }
    return 0;
}

bool holds(const Trace& trace, const scene::Target& t) {
    if (t.launch >= trace.launches.size()) {
        return false;
    }
    const Launch& l = trace.launches[t.launch];
    if (t.step != kNone && t.step >= l.steps.size()) {
        return false;
    }
    switch (t.kind) {
    case Kind::node: return t.index < l.nodes.size() && l.nodes[t.index].block == t.block;
    case Kind::thread: return t.block < l.grid && t.index < l.block;
    case Kind::warp: return t.block < l.grid && t.index < l.warps();
    case Kind::step: return t.index < l.steps.size();
    case Kind::request: return t.index < l.requests.size();
    case Kind::lane: return t.index < kWarpSize;
    case Kind::block: return t.block < l.grid;
    case Kind::launch: return true;
    case Kind::word: return t.index < l.shared_bytes;
    case Kind::none: break;
    }
    return false;
}
} // namespace

StateString parse_state(std::string_view text) {
    const std::size_t question = text.find('?');
    const std::string_view path = text.substr(0, question);
    const std::size_t slash = path.find('/');
    StateString state;
    state.screen = decoded(path.substr(0, slash));
    state.subject = slash == std::string_view::npos ? "" : decoded(path.substr(slash + 1));
    if (state.screen.empty() || (slash != std::string_view::npos && state.subject.empty())) {
        throw OptionError(fmt::format("'{}' names no {}; {}", printable(text),
                                      state.screen.empty() ? "screen" : "subject after the slash", kExample));
    }
    if (question == std::string_view::npos) {
        return state;
    }
    for (const std::string_view part : split(text.substr(question + 1), '&')) {
        const std::size_t equals = part.find('=');
        if (equals == 0 || equals == std::string_view::npos || equals + 1 == part.size()) {
            throw OptionError(fmt::format("'{}' in a state is no KEY=VALUE; {}", printable(part), kExample));
        }
        const std::string key = decoded(part.substr(0, equals));
        if (!state.values.emplace(key, decoded(part.substr(equals + 1))).second) {
            throw OptionError(fmt::format("'{}' is said twice in a state; leave one out", printable(key)));
        }
    }
    return state;
}

std::string to_string(const StateString& state) {
    std::string out = encoded(state.screen);
    out += state.subject.empty() ? "" : "/" + encoded(state.subject);
    char before = '?';
    for (int at = -10; at <= 10; ++at) {
        for (const auto& [key, value] : state.values) {
            if (rank(key) == at) {
                out += before + encoded(key) + "=" + encoded(value);
                before = '&';
            }
        }
    }
    return out;
}

std::string state_command(const StateString& state) { return "warptree --state '" + to_string(state) + "'"; }

StateLooks take_looks(StateString& state) {
    StateLooks looks;
    if (const auto found = state.values.find("theme"); found != state.values.end()) {
        looks.theme = named<scene::ThemeName>("theme", found->second, scene::theme_from, "light, dark or contrast");
        state.values.erase(found);
    }
    if (const auto found = state.values.find("scale"); found != state.values.end()) {
        const std::string& text = found->second;
        float scale = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), scale);
        if (error != std::errc{} || end != text.data() + text.size() || !(scale >= 0.75F && scale <= 3.0F)) {
            refuse("scale", text, "take 0.75 to 3");
        }
        looks.scale = scale;
        state.values.erase(found);
    }
    return looks;
}

ExploreState explore_state(const StateString& state) {
    ExploreState e;
    const auto file = state.values.find("file");
    const bool recorded = file != state.values.end();
    if (recorded != state.subject.empty()) {
        throw OptionError(recorded ? "a state shows a strategy or a file=, not both; leave one out"
                                   : fmt::format("a state of explore names a strategy or a file=; {}", kExample));
    }
    const StrategyInfo* info = nullptr;
    if (!recorded) {
        if (find_strategy(state.subject) == nullptr) {
            require_strategy(printable(state.subject));
        }
        info = find_strategy(state.subject);
        e.options.strategy = state.subject;
        e.options.n = info->default_n;
    } else {
        e.file = file->second;
    }
    for (const auto& [key, value] : state.values) {
        if (key == "step") {
            e.step = count32(key, value, 0, kNone - 1);
        } else if (key == "part") {
            e.part = count32(key, value, 1, 3);
        } else if (key == "select") {
            e.selected = target_from(value);
        } else if (key == "shown-block") {
            e.block = count32(key, value, 0, kNone - 1);
        } else if (key == "warp") {
            e.warp = count32(key, value, 0, 31);
        } else if (key == "access") {
            e.request = count32(key, value, 0, kNone - 1);
        } else if (key != "file" && (recorded || !take_option(e.options, *info, key, value))) {
            throw OptionError(fmt::format("'{}' in a state means nothing to {}; leave it out, or see "
                                          "docs/command-line.md",
                                          printable(key), recorded ? "a recorded trace" : state.subject));
        }
    }
    if (!recorded) {
        e.options.block = e.options.block.value_or(info->default_block);
        if (const auto why = refusal(e.options)) {
            throw OptionError(*why);
        }
    }
    return e;
}

ExploreState explore_state(const Explore& explore) {
    ExploreState e;
    e.options = explore.options;
    e.file = explore.file().string();
    const Moment& m = explore.playback.moment();
    e.step = explore.playback.place();
    e.part = std::clamp(static_cast<unsigned>(std::ceil(m.phase * 3 - 0.01F)), 1U, 3U);
    e.selected = explore.selected;
    if (explore.block != 0) {
        e.block = explore.block;
    }
    e.warp = explore.warp;
    e.request = explore.request;
    return e;
}

StateString state_string(const ExploreState& e) {
    StateString s;
    s.screen = "explore";
    if (e.file.empty()) {
        s.subject = e.options.strategy;
        put_options(e.options, s.values);
    } else {
        s.values["file"] = e.file;
    }
    s.values["step"] = std::to_string(e.step);
    if (e.part != 3) {
        s.values["part"] = std::to_string(e.part);
    }
    if (e.selected.kind != Kind::none) {
        s.values["select"] = target_text(e.selected);
    }
    if (e.block) {
        s.values["shown-block"] = std::to_string(*e.block);
    }
    if (e.warp != kNone) {
        s.values["warp"] = std::to_string(e.warp);
    }
    if (e.request != kNone) {
        s.values["access"] = std::to_string(e.request);
    }
    return s;
}

std::string go_to(const ExploreState& state, Explore& explore) {
    if (!explore.trace()) {
        return "there is no trace";
    }
    Playback& p = explore.playback;
    p.pause();
    p.go_to_place(state.step, static_cast<float>(state.part) / 3);
    explore.walked = false;
    explore.selected = {};
    std::string lack;
    if (state.step >= p.places()) {
        lack = fmt::format("there is no step {}; this is the last one", state.step);
    }
    if (state.selected.kind != Kind::none) {
        if (holds(*explore.trace(), state.selected)) {
            explore.select(state.selected);
        } else {
            lack = "what the state selects is not in this trace";
        }
    }
    const std::uint32_t launch = p.moment().launch;
    const Launch& l = explore.trace()->launches[launch < explore.trace()->launches.size() ? launch : 0];
    if (state.block) {
        const auto& all = explore.trace()->launches;
        if (std::any_of(all.begin(), all.end(), [&](const Launch& one) { return one.in_window(*state.block); })) {
            explore.block = *state.block;
        } else {
            lack = fmt::format("block {} is not traced in full", *state.block);
        }
    }
    explore.warp = state.warp == kNone || state.warp < l.warps() ? state.warp : kNone;
    explore.request = state.request;
    return lack;
}

} // namespace warptree::session
