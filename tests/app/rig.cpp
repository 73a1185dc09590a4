#include "tests/app/rig.hpp"

#include "app/base/error.hpp"
#include "app/document/kernel_template.hpp"
#include "app/features/compare/comparison.hpp"
#include "app/features/lessons/lesson_file.hpp"
#include "app/features/theory/topic.hpp"
#include "app/render/damage.hpp"
#include "tests/app/process.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/sanitizer.hpp"

#include <glad/gl.h>
// glad first: GLFW must not bring its own OpenGL header.
#include <GLFW/glfw3.h>

#include <fmt/format.h>
#include <imgui.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace warptree::testing {

namespace fs = std::filesystem;

namespace {
bool driver_was_loaded = false;

session::Settings first_settings() {
    session::Settings s;
    s.options.strategy = "interleaved-modulo";
    s.options.n = 256;
    s.options.block = 64;
    s.options.input = InputKind::iota;
    s.options.backend = Backend::cpu;
    return s;
}

std::uint64_t hash_of(const ImDrawData& data) {
    std::uint64_t hash = 1;
    for (int i = 0; i < data.CmdListsCount; ++i) {
        const ImDrawList& l = *data.CmdLists[i];
        hash =
            render::hash_bytes(l.VtxBuffer.Data, sizeof(ImDrawVert) * static_cast<std::size_t>(l.VtxBuffer.Size), hash);
    }
    return hash;
}
} // namespace
} // namespace warptree::testing

// Called when the program ends. The OpenGL driver is unloaded before leaks are counted, so its leaks have no symbols.
extern "C" int __lsan_is_turned_off() { // NOLINT(*-reserved-identifier)
    return warptree::testing::driver_was_loaded ? 1 : 0;
}

namespace warptree::testing {

std::string Rig::obstacle() { return has("Xvfb") ? "" : "needs Xvfb: script/bootstrap --test installs it"; }

Rig::Rig() {
    driver_was_loaded = true;
    directory_ = fs::temp_directory_path() / ("warptree_rig_" + std::to_string(getpid()));
    fs::create_directories(directory_);
    server_ = std::make_unique<XServer>(directory_);
    // Keeps the user's own files out: settings, recordings, unsaved texts.
    const std::string config = (directory_ / "config").string();
    for (const auto& [name, value] : {std::pair{"DISPLAY", server_->name().c_str()},
                                      {"XDG_CONFIG_HOME", config.c_str()},
                                      {"LIBGL_ALWAYS_SOFTWARE", "1"},
                                      {"WAYLAND_DISPLAY", ""}}) {
        const char* before = std::getenv(name);
        environment_.emplace_back(name, before == nullptr ? std::optional<std::string>() : before);
        setenv(name, value, 1);
    }
    unsetenv("WAYLAND_DISPLAY");
    if (server_->name().empty() || glfwInit() == GLFW_FALSE) {
        throw std::runtime_error("no display");
    }
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
    window_ = glfwCreateWindow(kRigSizes[0].width, kRigSizes[0].height, "warptree", nullptr, nullptr);
    if (window_ == nullptr) {
        throw std::runtime_error("no window with OpenGL 3.3");
    }
    glfwMakeContextCurrent(window_);
    if (gladLoadGL(glfwGetProcAddress) == 0) {
        throw std::runtime_error("no OpenGL");
    }
    screen_ = std::make_unique<window::Screen>(window_, first_settings(), "", times_);
    // The pointer is outside the window.
    const GLFWcursorenterfun entered = glfwSetCursorEnterCallback(window_, nullptr);
    glfwSetCursorEnterCallback(window_, entered);
    entered(window_, GLFW_FALSE);
    ImGui::GetIO().ConfigInputTextCursorBlink = false;
    screen_->start({}, "");
    settle();
    screen_->act("dismiss");
}

Rig::~Rig() {
    screen_.reset();
    if (window_ != nullptr) {
        glfwDestroyWindow(window_);
    }
    glfwTerminate();
    for (const auto& [name, value] : environment_) {
        value ? setenv(name, value->c_str(), 1) : unsetenv(name);
    }
    server_.reset();
    fs::remove_all(directory_);
}

void Rig::resize(int width, int height) {
    glfwSetWindowSize(window_, width, height);
    for (int now[2]{}, i = 0; i < 30000; ++i) { // a minute, for a busy machine
        glfwPollEvents();
        glfwGetFramebufferSize(window_, &now[0], &now[1]);
        if (now[0] == width && now[1] == height) {
            return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    throw std::runtime_error(fmt::format("the window never became {} by {}", width, height));
}

const ImDrawData& Rig::settle() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(tests::kSanitized ? 40 : 15);
    std::uint64_t before = 0;
    while (std::chrono::steady_clock::now() < end) {
        const ImDrawData& data = screen_->compose();
        const auto shown = screen_->page().shown();
        const auto says = [&](const char* key, const char* value) {
            const auto found = shown.find(key);
            return found != shown.end() && found->second == value;
        };
        const bool busy = screen_->explore().runner().busy() || screen_->explore().code_reader.busy() ||
                          says("busy", "yes") || says("ready", "no");
        const std::uint64_t now = hash_of(data);
        const bool same = !busy && now == before;
        before = now;
        if (same) {
            return data;
        }
        if (busy) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }
    throw std::runtime_error("the frame never came to rest");
}

FrameTexts Rig::texts() { return read_frame(*ImGui::GetDrawData(), screen_->painter()); }

std::string Rig::write(const std::string& name, const std::string& text) const {
    const fs::path path = directory_ / name;
    std::ofstream(path) << text;
    return path.string();
}

void Rig::calm() {
    screen_->explore().leave_kernel();
    const std::string page = screen_->page().id();
    screen_->act(page == "explore" ? "timings" : "explore"); // takes keyboard focus from its panels
    screen_->act(page);
    for (int i = 0; i < 4; ++i) {
        screen_->act("dismiss");
    }
    looks().presentation = false;
    screen_->explore().full = false;
    screen_->explore().front = "tree";
    screen_->coach().end();
    screen_->act("deck-close");
    screen_->compose();
}

namespace {
// Shows the state that a state string describes.
RigState at(const std::string& name, const std::string& state) {
    return {name, [state](Rig& r) { r.screen().show_state(state); }};
}
// Shows `first`, then runs the actions with these ids.
RigState doing(RigState first, const std::string& name, std::vector<std::string> actions) {
    return {name, [first = std::move(first), actions = std::move(actions)](Rig& r) {
                first.show(r);
                r.settle();
                for (const std::string& id : actions) {
                    if (!r.screen().act(id)) {
                        throw std::runtime_error("there is no action " + id);
                    }
                    r.screen().compose();
                }
            }};
}
// A user's kernel file at a step; `edit` changes its text without saving.
RigState kernel(const std::string& name, const std::string& text, const std::string& values,
                const std::function<std::string(std::string)>& edit = {}) {
    return {name, [=](Rig& r) {
                session::StateString state{"explore", "", {}};
                state.values["file"] = r.write("a reduction of mine.cu", text);
                r.screen().show_state(session::to_string(state) + values);
                session::Explore& e = r.screen().explore();
                if (e.kernel()->recovered()) { // left by another state
                    e.take_disk();
                }
                r.settle();
                if (edit) {
                    e.edit_kernel(edit(text), 0);
                    e.advance(1);
                }
            }};
}
std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// Two launches, of which the second adds what the first stored.
std::string program_text() {
    const std::string text = session::first_kernel(); // its first comment states a launch
    return " #include <cstdio>\n" + text.substr(text.find("__global__")) + R"(
int main() {
    int *in, *part, *out, sum = 0;
    cudaMalloc(&in, 256 * sizeof(int));
    cudaMalloc(&part, 4 * sizeof(int));
    cudaMalloc(&out, sizeof(int));
    cudaMemset(in, 1, 256 * sizeof(int));
    reduce<<<4, 64, 64 * sizeof(int)>>>(in, part, 256);
    reduce<<<1, 4, 4 * sizeof(int)>>>(part, out, 4);
    cudaMemcpy(&sum, out, sizeof(int), cudaMemcpyDeviceToHost);
    printf("the sum of all elements is %d\n", sum);
    return sum == 0;
}
)";
}

RigState presented(RigState first) {
    return {first.name + ", presented", [first](Rig& r) {
                first.show(r);
                r.looks().presentation = true;
            }};
}
} // namespace

std::vector<RigState> rig_states() {
    std::vector<RigState> all;
    const RigState explore = at("explore", "explore/interleaved-modulo?n=256&block=64&input=iota&step=3");
    all.push_back(explore);
    for (const char* s :
         {"explore/scan-blelloch?n=64&block=64&step=4", "explore/sequential?n=4096&block=256&step=2",
          "explore/sequential?n=8192&block=1024&finish=relaunch&step=4", "explore/scan-lookback?n=512&block=64&step=3",
          "explore/missing-syncwarp?n=128&block=64&step=7", "explore/block-shuffle?n=256&block=128&step=3",
          "explore/tiled-matmul?n=16&block=256&step=2",
          "explore/sequential?n=128&block=128&step=2&part=3&select=thread:0:0:5",
          "explore/barrier-in-branch?n=128&block=128&step=3&select=thread:0:0:5",
          "explore/sequential?n=256&block=128&step=2&full=tree", "explore/sequential?n=256&block=128&step=2&full=warps",
          "explore/sequential?n=256&block=128&step=2&select=thread:0:0:5&full=step",
          "explore/sequential?n=256&block=128&step=2&code=ptx",
          "explore/scan-lookback?n=512&block=64&step=3&code=ptx:sass&full=source"}) {
        all.push_back(at(s, s));
    }
    for (std::size_t i = 1; i <= 6; ++i) { // folded panels take turns in the tree's place
        all.push_back(
            doing(explore, fmt::format("explore, folded panel {}", i), std::vector<std::string>(i, "next-panel")));
    }
    for (const char* dialog : {"palette", "help", "export", "open", "save", "state", "copy-state"}) {
        all.push_back(doing(explore, std::string("explore, ") + dialog, {dialog}));
    }
    all.push_back(presented(explore));
    const std::string sum = session::first_kernel();
    const std::string race = replaced(sum, "        __syncthreads();\n    }", "    }");
    const RigState own = kernel("kernel", sum, "&step=3&n=512");
    const RigState racing = kernel("kernel, findings", race, "&step=3&n=512");
    all.insert(all.end(), {own, racing, presented(own), presented(racing)});
    all.push_back(doing(racing, "kernel, a finding", {"next-finding"}));
    all.push_back(kernel("kernel, errors", sum, "&step=3", [](std::string text) {
        return replaced(replaced(std::move(text), "unsigned tid", "unsigned tod"), "out[blockIdx.x] = ", "out = ");
    }));
    all.push_back(doing(own, "kernel, editor", {"edit"}));
    const std::string whole = program_text();
    const RigState program = kernel("program", whole, "&launch=2&step=1");
    all.insert(all.end(), {program, presented(program)});
    all.push_back(kernel("program, crash", replaced(whole, "return", "sum += part[0]; return"), ""));
    all.push_back(kernel("program, nothing launched", replaced(whole, "<<<4, 64,", "<<<4, 2048,"), ""));
    for (std::size_t i = 1; i <= 6; ++i) {
        all.push_back(
            doing(racing, fmt::format("kernel, folded panel {}", i), std::vector<std::string>(i, "next-panel")));
    }
    all.push_back({"kernel, another on the disk", [own](Rig& r) {
                       own.show(r);
                       session::Explore& e = r.screen().explore();
                       e.edit_kernel("// mine\n" + e.kernel()->text(), 0);
                       r.write("a reduction of mine.cu", "// theirs\n");
                       const auto end = std::chrono::steady_clock::now() + kLongestWait;
                       while (!e.disk_differs() && std::chrono::steady_clock::now() < end) {
                           e.poll();
                           std::this_thread::sleep_for(std::chrono::milliseconds(2));
                       }
                       e.advance(1);
                   }});
    all.push_back({"kernel, beside a strategy", [own](Rig& r) {
                       own.show(r);
                       r.settle();
                       r.screen().show_state("compare");
                       r.settle();
                       r.screen().act("compare-take");
                   }});
    all.push_back({"explore, a deck", [](Rig& r) {
                       r.screen().open_deck((tests::source_dir() / "assets/decks/first-hour.deck").string());
                       r.screen().act("deck-next");
                   }});
    for (int step = 1; step <= 3; ++step) {
        all.push_back({fmt::format("explore, coach {}", step), [explore, step](Rig& r) {
                           explore.show(r);
                           r.settle();
                           r.screen().coach().begin();
                           for (int i = 1; i < step; ++i) {
                               r.screen().coach().next();
                           }
                       }});
    }
    const auto& presets = session::presets();
    for (const session::Preset& p : presets) {
        all.push_back(doing(at("", "compare"), "compare " + p.id, {"compare-" + p.id}));
        all.back().one_of_many = true;
    }
    // Three columns, two, four.
    const RigState compare = doing(at("", "compare"), "compare", {"compare-" + presets[0].id, "compare-last"});
    const RigState two = doing(at("", "compare"), "compare two", {"compare-" + presets[1].id, "compare-last"});
    const RigState four = doing(compare, "compare four", {"compare-add"});
    all.insert(all.end(), {compare, two, four});
    all.push_back(doing(four, "compare four, edited", {"compare-change"}));
    all.push_back(doing(four, "compare four, warps", {"compare-part"}));
    all.push_back(doing(four, "compare four, banks", {"compare-part", "compare-part"}));
    all.push_back(doing(four, "compare four, table", {"compare-part", "compare-part", "compare-part"}));
    all.push_back(doing(compare, "compare, exported", {"export"}));
    all.push_back(presented(compare));
    all.push_back(presented(four));
    for (const char* kernels : {"ladder", "reductions", "scans", "others"}) {
        all.push_back(at(std::string("timings ") + kernels, std::string("timings?kernels=") + kernels));
    }
    for (const char* show : {"time", "bandwidth", "peak", "speed-up"}) {
        all.push_back(doing(at("", "timings"), std::string("timings ") + show, {std::string("timings-show-") + show}));
    }
    const RigState timings = at("timings", "timings");
    all.push_back(doing(timings, "timings, next figure", {"timings-figure"}));
    all.push_back(doing(timings, "timings, figure after", {"timings-figure", "timings-figure"}));
    all.push_back(doing(timings, "timings, next part", {"timings-front"}));
    all.push_back(doing(timings, "timings, part after", {"timings-front", "timings-front"}));
    all.push_back(presented(timings));
    for (const auto& topic : topics::topics()) {
        const std::string few = topic->id() == std::string("orders") ? "?n=1000" : ""; // summed a thousand times
        all.push_back(at(std::string("theory ") + topic->id(), std::string("theory/") + topic->id() + few));
    }
    all.push_back(presented(at("theory occupancy", "theory/occupancy")));
    for (const session::Lesson& lesson : session::load_lessons()) {
        for (std::size_t i = 0; i < lesson.stages.size(); ++i) {
            const std::string name = fmt::format("lessons {} {}", lesson.id, i + 1);
            const RigState stage = at(name, fmt::format("lessons/{}?stage={}", lesson.id, i + 1));
            all.push_back(stage);
            all.back().one_of_many = true;
            if (lesson.stages[i].kind != session::QuestionKind::none) {
                all.push_back(doing(stage, name + ", answered", {"lesson-show"}));
                all.back().one_of_many = true;
            }
        }
    }
    const RigState lesson = at("lessons", "lessons/" + session::load_lessons().front().id);
    all.push_back(lesson);
    all.push_back(doing(lesson, "lessons, answered", {"lesson-next", "lesson-show"}));
    all.push_back(doing(lesson, "lessons, next view", {"lesson-view"}));
    all.push_back(doing(lesson, "lessons, view after", {"lesson-view", "lesson-view"}));
    all.push_back(doing(lesson, "lessons, last view", {"lesson-view", "lesson-view", "lesson-view"}));
    all.push_back(presented(lesson));
    all.push_back(at("strides", "stride-playground"));
    all.push_back(presented(at("strides", "stride-playground")));
    all.push_back(at("strides with conflicts", "stride-playground?index=t*32"));
    const RigState shuffles = at("shuffles", "stride-playground?playground=shuffles&width=8&delta=3&lanes=0fffffff");
    all.push_back(shuffles);
    all.push_back(presented(shuffles));
    return all;
}

} // namespace warptree::testing
