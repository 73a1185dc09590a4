#include "app/shell/state.hpp"

#include "app/base/error.hpp"
#include "app/base/json_text.hpp"
#include "app/base/whole_file.hpp"
#include "app/features/explore/explore.hpp"
#include "app/views/story.hpp"

#include <fmt/format.h>
#include <glad/gl.h>
#include <imgui.h>
#include <nlohmann/json.hpp>

#include <cstdlib>

namespace warptree::window {

namespace {
std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

void write_quietly(const std::string& path, const std::string& text) {
    try {
        write_whole(path, text);
    } catch (const FileError& e) {
        fmt::print(stderr, "warptree: {}\n", e.what());
    }
}

// Of the launch that is shown.
std::vector<std::string> arrays(const session::Explore& e) {
    std::vector<std::string> names;
    const std::uint32_t launch = e.playback.moment().launch;
    if (e.trace() && launch < e.trace()->launches.size()) {
        for (const ArrayPlace& array : arrays_of(e.trace()->launches[launch])) {
            names.push_back(array.name);
        }
    }
    return names;
}

nlohmann::ordered_json target(const scene::Target& t) {
    return {{"kind", static_cast<int>(t.kind)}, {"block", t.block}, {"index", t.index}};
}

const char* cursor_name() {
    switch (ImGui::GetMouseCursor()) {
    case ImGuiMouseCursor_ResizeEW: return "sideways";
    case ImGuiMouseCursor_ResizeNS: return "up-down";
    case ImGuiMouseCursor_TextInput: return "text";
    default: return "arrow";
    }
}
} // namespace

void StateFile::write(const session::Explore& e, const Dialogs& dialogs, const std::string& notice,
                      const std::string& keyboard, const render::GlRetained& picture, const pages::Page& page,
                      const std::string& state) {
    if (path_.empty()) {
        return;
    }
    const session::Moment& m = e.playback.moment();
    nlohmann::ordered_json j{{"strategy", e.options.strategy},
                             {"n", e.options.n},
                             {"block", e.options.block.value_or(0)},
                             {"shown", e.trace() ? e.trace()->options.strategy : ""},
                             {"shown_block", e.trace() ? e.trace()->block() : 0},
                             {"shown_n", e.trace() ? e.trace()->options.n : 0},
                             {"backend", e.trace() ? name(e.trace()->options.backend) : ""},
                             {"device", e.trace() ? e.trace()->device.name : ""},
                             {"renderer", reinterpret_cast<const char*>(glGetString(GL_RENDERER))},
                             {"busy", e.runner().busy()},
                             {"launch", m.launch},
                             {"step", m.step},
                             {"phase", m.phase},
                             {"barrier", m.barrier},
                             {"place", e.playback.place()},
                             {"places", e.playback.places()},
                             {"playing", e.playback.playing()},
                             {"loop", e.playback.loop},
                             {"speed", e.playback.speed()},
                             {"theme", scene::name(e.looks.theme)},
                             {"scale", e.looks.scale},
                             {"presentation", e.looks.presentation},
                             {"pointer", e.looks.shows_pointer()},
                             {"zoom", e.camera.zoom},
                             {"pan_x", e.camera.pan_x},
                             {"frame", name(e.frame)},
                             {"flying", e.flying},
                             {"follow", e.looks.follow},
                             {"hover", target(e.hover)},
                             {"selected", target(e.selected)},
                             {"file", e.file().string()},
                             {"dialog", name(dialogs.current())},
                             {"dialog_error", dialogs.error()},
                             {"choices", dialogs.choices()},
                             {"keyboard", keyboard},
                             {"front", e.front},
                             {"type", name(e.options.type)},
                             {"operator", name(e.options.op)},
                             {"left", e.looks.left},
                             {"right", e.looks.right},
                             {"lower", e.looks.lower},
                             {"warp", e.warp},
                             {"request", e.shown_request()},
                             {"array", e.array},
                             {"element", e.element ? static_cast<std::int64_t>(*e.element) : -1},
                             {"arrays", arrays(e)},
                             {"typing", ImGui::GetIO().WantTextInput},
                             {"mouse", {ImGui::GetIO().MousePos.x, ImGui::GetIO().MousePos.y}},
                             {"cursor", cursor_name()},
                             {"whole_frames", picture.whole_frames()},
                             {"partial_frames", picture.partial_frames() > 0},
                             {"page", page.id()},
                             {"page_values", page.values()},
                             {"page_shown", page.shown()},
                             {"state", state},
                             {"notice", notice},
                             {"tool", lecture.tool},
                             {"strokes", lecture.strokes},
                             {"deck_at", lecture.deck_at},
                             {"deck_states", lecture.deck_states},
                             {"deck_title", lecture.deck_title},
                             {"full", lecture.full},
                             {"coach", lecture.coach},
                             {"verdict", verdict},
                             {"settled", settled},
                             {"error", e.error}};
    if (const session::KernelFile* kernel = e.kernel()) {
        std::size_t findings = 0;
        nlohmann::ordered_json arguments = nlohmann::ordered_json::object();
        for (std::size_t i = 0; e.trace() && i < e.trace()->arguments.size(); ++i) {
            arguments[e.trace()->arguments[i].name] = e.trace()->arguments[i].value;
        }
        for (std::size_t l = 0; e.trace() && l < e.trace()->launches.size(); ++l) {
            findings += e.trace()->launches[l].findings.size();
        }
        j["kernel"] = {{"path", kernel->path().string()},
                       {"runs", e.on_kernel()},
                       {"unsaved", kernel->unsaved()},
                       {"differs", e.disk_differs()},
                       {"stale", e.stale()},
                       {"text", kernel->text()},
                       {"diagnostics", e.diagnostics.size()},
                       {"findings", findings},
                       {"mending", e.mending ? e.mending->remedy.words : ""},
                       {"arguments", arguments}};
    }
    if (e.on_program()) {
        for (const scene::StoryCell& cell : scene::story_cells(*e.trace())) {
            j["story"].push_back(cell.title + " | " + cell.detail);
        }
    }
    for (const auto& [id, r] : places_) {
        j["places_on_screen"][id] = {r.x, r.y, r.w, r.h};
    }
    if (std::string text = json_text(j, 1) + "\n"; text != last_) {
        write_quietly(path_, text);
        last_ = std::move(text);
    }
}

StateFile::StateFile() : path_(variable("WARPTREE_STATE_FILE")) {}

FrameTimes::FrameTimes() : path_(variable("WARPTREE_FRAME_TIMES")), start_(std::chrono::steady_clock::now()) {}

void FrameTimes::frame(double milliseconds) {
    if (path_.empty()) {
        return;
    }
    if (frames_.empty()) {
        first_ = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
    }
    frames_.push_back(milliseconds);
}

FrameTimes::~FrameTimes() {
    if (path_.empty()) {
        return;
    }
    std::string text = fmt::format("{:.3f}\n", first_);
    for (const double f : frames_) {
        text += fmt::format("{:.3f}\n", f);
    }
    write_quietly(path_, text);
}

} // namespace warptree::window
