#include "app/features/explore/explore_state.hpp"

#include "app/base/error.hpp"
#include "app/base/printable.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/document/packed_text.hpp"
#include "app/document/state_values.hpp"
#include "app/request/said.hpp"
#include "app/run/kernel_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace warptree::session {

using namespace state;

namespace {
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

constexpr std::array kColumns{"cuda", "ptx", "sass"};

scene::CodePlace code_place_from(const std::string& value) {
    const auto parts = split(value, ':');
    const auto column = std::find(kColumns.begin(), kColumns.end(), parts.front());
    if (parts.size() != 2 || column == kColumns.end()) {
        refuse("code-at", value, "take cuda, ptx or sass and a row, as in ptx:12");
    }
    return {static_cast<scene::CodeColumn>(column - kColumns.begin()), count32("code-at", parts[1], 0, kNone - 1)};
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

ExploreState explore_state(const StateString& state) {
    if (const std::string own = own_kernel(state.subject); !own.empty() && !state.values.contains("file")) {
        StateString of_file = state;
        of_file.subject.clear();
        of_file.values["file"] = own;
        return explore_state(of_file);
    }
    ExploreState e;
    const auto file = state.values.find("file");
    const bool named = file != state.values.end();
    const bool kernel = named && runs::is_kernel_path(file->second), recorded = named && !kernel;
    if (named != state.subject.empty()) {
        throw OptionError(named ? "a state shows a strategy or a file=, not both; leave one out"
                                : fmt::format("a state of explore names a strategy or a file=; {}", kExample));
    }
    if (const auto source = state.values.find("source"); source != state.values.end()) {
        e.carried = true;
        e.options.kernel.text = unpacked_text(source->second);
        if (!kernel || file->second.find_first_of("/\\") != std::string::npos) {
            throw OptionError(
                "a state with a source= has the name of its file beside it, without a folder: file=mine.cu");
        }
    }
    if (!named) {
        if (find_strategy(state.subject) == nullptr) {
            require_strategy(printable(state.subject));
        }
        e.options = request::usual(*find_strategy(state.subject));
    } else {
        e.file = file->second;
        e.options.kernel.file = kernel ? e.file : "";
    }
    e.placed = state.values.contains("step") || state.values.contains("launch");
    for (const auto& [key, value] : state.values) {
        if (key == "step") {
            e.step = count32(key, value, 0, kNone - 1);
        } else if (key == "launch") {
            e.launch = count32(key, value, 1, kNone - 1);
        } else if (key == "part") {
            e.part = count32(key, value, 1, 4);
        } else if (key == "select") {
            e.selected = target_from(value);
        } else if (key == "shown-block") {
            e.block = count32(key, value, 0, kNone - 1);
        } else if (key == "warp") {
            e.warp = count32(key, value, 0, 31);
        } else if (key == "access") {
            e.request = count32(key, value, 0, kNone - 1);
        } else if (key == "array") {
            e.array = value;
        } else if (key == "full") {
            constexpr std::array kPanels{"tree",   "warps", "banks",      "memory",
                                         "source", "step",  "strategies", "parameters"};
            if (std::find(kPanels.begin(), kPanels.end(), value) == kPanels.end()) {
                refuse(key, value, "take tree, warps, banks, memory, source, step, strategies or parameters");
            }
            e.full = value;
        } else if (key == "code") {
            for (const std::string_view word : split(value, ':')) {
                e.code.ptx |= word == "ptx";
                e.code.sass |= word == "sass";
                if (word != "ptx" && word != "sass") {
                    refuse(key, value, "take ptx, sass or ptx:sass");
                }
            }
        } else if (key == "code-at") {
            e.code.at = code_place_from(value);
        } else if (key == "zoom") {
            const auto parts = split(value, ':');
            if (parts.size() > 2) {
                refuse(key, value, "take FACTOR or FACTOR:ROWS, as in 8 or 8:3");
            }
            e.frame = scene::Frame::free;
            e.camera.zoom = real(key, parts[0], 0.01F, 1e6F);
            e.camera.rows = parts.size() < 2 ? scene::kMostRowZoom : real(key, parts[1], 0.01F, scene::kMostRowZoom);
        } else if (key == "frame") {
            e.frame = state::named<scene::Frame>("frame", value, scene::frame_from, "all, block, warp, values or work");
        } else if (key == "pan") {
            const auto parts = split(value, ':');
            if (parts.size() != 2) {
                refuse(key, value, "take X:Y in pixels, as in -120:40");
            }
            e.frame = scene::Frame::free;
            e.camera.pan_x = real(key, parts[0], -1e8F, 1e8F);
            e.camera.pan_y = real(key, parts[1], -1e8F, 1e8F);
        } else if (key != "file" && key != "source" &&
                   (recorded || !request::set(e.options, key, value, request::Spelling::state))) {
            throw OptionError(fmt::format("'{}' is no state key of {}; leave it out, or see "
                                          "docs/command-line.md",
                                          printable(key),
                                          recorded ? "a recorded trace"
                                          : kernel ? "a kernel file"
                                                   : state.subject));
        }
    }
    if (!named) {
        if (const auto why = refusal(e.options)) {
            throw OptionError(*why);
        }
    }
    return e;
}

ExploreState explore_state(const Explore& explore) {
    ExploreState e;
    e.options = explore.options;
    e.file =
        explore.on_kernel() && explore.file().empty() ? explore.kernel()->path().string() : explore.file().string();
    const Moment& m = explore.playback.moment();
    e.launch = explore.on_program() ? m.launch + 1 : 0;
    e.step = explore.on_program() ? m.step : explore.playback.place();
    e.part = m.complete() ? 4 : std::clamp(static_cast<unsigned>(std::ceil(m.phase * 3 - 0.01F)), 1U, 3U);
    e.selected = explore.selected;
    if (explore.block != 0) {
        e.block = explore.block;
    }
    e.warp = explore.warp;
    e.request = explore.request;
    e.array = explore.array;
    e.full = explore.full ? explore.front : "";
    e.code = explore.code;
    e.frame = explore.frame == scene::Frame::all && !explore.needs_room ? std::nullopt : std::optional(explore.frame);
    e.camera = explore.frame == scene::Frame::free ? explore.camera : scene::Camera();
    return e;
}

StateString state_string(const ExploreState& e) {
    StateString s;
    s.screen = "explore";
    const auto put_options = [&] {
        for (const auto& [id, value] : request::said(e.options, request::Spelling::state)) {
            s.values[id] = value;
        }
    };
    if (e.file.empty()) {
        s.subject = e.options.strategy;
        put_options();
    } else {
        s.values["file"] = e.file;
        if (runs::is_kernel_path(e.file)) {
            put_options();
        }
    }
    s.values["step"] = std::to_string(e.step);
    if (e.launch != 0) {
        s.values["launch"] = std::to_string(e.launch);
    }
    if (e.part != 4) {
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
    if (!e.array.empty()) {
        s.values["array"] = e.array;
    }
    if (!e.full.empty()) {
        s.values["full"] = e.full;
    }
    if (e.code.any()) {
        s.values["code"] = e.code.ptx && e.code.sass ? "ptx:sass" : e.code.ptx ? "ptx" : "sass";
        if (e.code.at) {
            s.values["code-at"] =
                fmt::format("{}:{}", kColumns[static_cast<std::size_t>(e.code.at->column)], e.code.at->row);
        }
    }
    const scene::Camera& camera = e.camera;
    if (e.frame != scene::Frame::free) {
        if (e.frame) {
            s.values["frame"] = name(*e.frame);
        }
        return s;
    }
    s.values["zoom"] = camera.rows == scene::kMostRowZoom ? fmt::format("{:g}", camera.zoom)
                                                          : fmt::format("{:g}:{:g}", camera.zoom, camera.rows);
    if (camera.pan_x != 0 || camera.pan_y != 0) {
        s.values["pan"] = fmt::format("{:g}:{:g}", camera.pan_x, camera.pan_y);
    }
    return s;
}

std::optional<StateString> state_with_source(const ExploreState& state) {
    if (!runs::is_kernel_path(state.file) || !state.options.kernel.text ||
        state.options.kernel.text->size() > kMostUnpacked) {
        return std::nullopt;
    }
    StateString s = state_string(state);
    s.values["file"] = std::filesystem::path(state.file).filename().string();
    s.values["source"] = packed_text(*state.options.kernel.text);
    return s.values["source"].size() <= kMostPacked ? std::optional(std::move(s)) : std::nullopt;
}

std::string go_to(const ExploreState& state, Explore& explore) {
    if (!explore.trace()) {
        return "there is no trace";
    }
    Playback& p = explore.playback;
    p.pause();
    const std::uint32_t shown = state.launch == 0 ? 0 : state.launch - 1;
    const bool anywhere = !state.placed && explore.on_program();
    if (!anywhere) {
        p.go_to_place(state.launch == 0 ? state.step : p.first_place(shown) + state.step,
                      static_cast<float>(state.part) / 3);
    }
    if (state.part == 3) {
        p.wait_at_barrier();
    }
    explore.walked = false;
    explore.first_sight = !state.frame;
    explore.selected = {};
    std::string lack;
    if (state.launch != 0 && p.places_of(shown) == 0) {
        lack = fmt::format("there is no launch {}; this is the last one", state.launch);
    } else if (state.launch != 0 && state.step >= p.places_of(shown)) {
        p.go_to_launch(shown, state.step);
        lack = fmt::format("launch {} has no step {}; this is its last one", state.launch, state.step);
    } else if (state.step >= p.places()) {
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
    if (explore.trace()->launches.empty()) {
        return lack;
    }
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
    explore.array = state.array;
    explore.code = state.code;
    explore.full = !state.full.empty();
    explore.front = explore.full ? state.full : explore.front;
    explore.frame = state.frame.value_or(scene::Frame::all);
    explore.camera = state.camera;
    explore.jump = true;
    return lack;
}

} // namespace warptree::session
