#include "app/window_screen.hpp"

#include "app/panels/layout.hpp"
#include "app/render/gl_program.hpp"
#include "app/window_style.hpp"
#include "kernels/cpu/interpreter.hpp"
#include "kernels/cuda/backend.hpp"
#include "kernels/error.hpp"

#include <glad/gl.h>
// glad first: GLFW must not bring its own OpenGL header.
#include <GLFW/glfw3.h>

#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

namespace warptree::window {

namespace {
constexpr double kNoticeSeconds = 5;

ImU32 u32(const scene::Color& c) { return IM_COL32(c.r, c.g, c.b, c.a); }
} // namespace

Screen::Screen(GLFWwindow* window, const session::Settings& settings, std::string note, FrameTimes& frame_times)
    : window_(window), frame_times_(frame_times), explore_([] { glfwPostEmptyEvent(); }), notice_(std::move(note)) {
    explore_.options = settings.options;
    explore_.looks = settings.looks;
    explore_.playback.loop = settings.looks.loop;
    explore_.playback.set_speed(settings.looks.speed);
    notice_until_ = notice_.empty() ? 0 : kNoticeSeconds;
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    ImGui::GetIO().ConfigFlags |= ImGuiConfigFlags_NoMouseCursorChange;
    set_callbacks(); // before ImGui's, which calls them on
    ImGui_ImplGlfw_InitForOpenGL(window_, true);
    ImGui_ImplOpenGL3_Init("#version 330 core");
    painter_ = std::make_unique<render::GlPainter>(fonts_);
    panels_ = panels::make_panels();
    actions_ = make_actions(explore_, hooks());
    last_ = glfwGetTime();
}

Screen::~Screen() {
    painter_.reset();
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
}

Screen& Screen::of(GLFWwindow* window) { return *static_cast<Screen*>(glfwGetWindowUserPointer(window)); }

void Screen::set_callbacks() {
    glfwSetWindowUserPointer(window_, this);
    glfwSetKeyCallback(window_, [](GLFWwindow* w, int key, int, int action, int mods) {
        if (action != GLFW_RELEASE) {
            of(w).on_key(key, ((mods & GLFW_MOD_SHIFT) != 0 ? kShift : 0) |
                                  ((mods & (GLFW_MOD_CONTROL | GLFW_MOD_SUPER)) != 0 ? kControl : 0));
        }
        of(w).lively_ = 3;
    });
    glfwSetDropCallback(window_, [](GLFWwindow* w, int count, const char** paths) {
        if (count > 0) {
            of(w).open(paths[count - 1]);
        }
        of(w).lively_ = 3;
    });
    const auto wake = [](GLFWwindow* w) { of(w).lively_ = 3; };
    glfwSetCursorPosCallback(window_, [](GLFWwindow* w, double, double) { of(w).lively_ = 2; });
    glfwSetMouseButtonCallback(window_, [](GLFWwindow* w, int, int, int) { of(w).lively_ = 3; });
    glfwSetScrollCallback(window_, [](GLFWwindow* w, double, double) { of(w).lively_ = 3; });
    glfwSetCharCallback(window_, [](GLFWwindow* w, unsigned) { of(w).lively_ = 3; });
    glfwSetFramebufferSizeCallback(window_, [](GLFWwindow* w, int, int) { of(w).lively_ = 3; });
    glfwSetWindowRefreshCallback(window_, wake);
}

void Screen::on_key(int key, int modifiers) {
    // A dialog's field has the keyboard from the start, before ImGui's first frame with it.
    const bool dialog = dialogs_.current() != Dialog::none && dialogs_.current() != Dialog::help;
    const bool typing = dialog || (built_ && ImGui::GetIO().WantTextInput);
    if (key == GLFW_KEY_KP_ADD || (key == GLFW_KEY_EQUAL && modifiers == (kShift | kControl))) {
        key = GLFW_KEY_EQUAL;
        modifiers = kControl;
    } else if (key == GLFW_KEY_KP_SUBTRACT) {
        key = GLFW_KEY_MINUS;
        modifiers = kControl;
    }
    if (dialog && (key == GLFW_KEY_ENTER || key == GLFW_KEY_KP_ENTER)) {
        dialogs_.enter();
        return;
    }
    for (const Action& a : actions_) {
        if (a.key != key || a.modifiers != modifiers) {
            continue;
        }
        // While a field has the keyboard, only what no field understands.
        const bool function_key = key >= GLFW_KEY_F1 && key <= GLFW_KEY_F25;
        if (!typing || modifiers == kControl || function_key || key == GLFW_KEY_ESCAPE) {
            a.act();
        }
        return;
    }
}

WindowHooks Screen::hooks() {
    WindowHooks h;
    h.fit = [this] { explore_.camera = {}; };
    h.presentation = [this] { toggle_presentation(); };
    h.export_picture = [this] { dialogs_.show(Dialog::export_picture, explore_); };
    h.save_trace = [this] { dialogs_.show(Dialog::save, explore_); };
    h.open_trace = [this] { dialogs_.show(Dialog::open, explore_); };
    h.palette = [this] { dialogs_.show(Dialog::palette, explore_); };
    h.help = [this] { dialogs_.show(Dialog::help, explore_); };
    h.reset_layout = [this] {
        explore_.looks.left = explore_.looks.right = explore_.looks.lower = 1;
        explore_.looks.scale = 1;
        explore_.camera = {};
    };
    h.quit = [this] { glfwSetWindowShouldClose(window_, GLFW_TRUE); };
    h.dismiss = [this] {
        if (dialogs_.current() != Dialog::none) {
            dialogs_.close();
        } else if (explore_.runner().busy()) {
            explore_.runner().cancel();
        } else {
            explore_.selected = {};
        }
    };
    return h;
}

void Screen::toggle_presentation() {
    session::Looks& looks = explore_.looks;
    looks.presentation = !looks.presentation;
    if (looks.presentation) {
        glfwGetWindowPos(window_, &restore_[0], &restore_[1]);
        glfwGetWindowSize(window_, &restore_[2], &restore_[3]);
        restore_scale_ = looks.scale;
        looks.scale = std::min(3.0F, looks.scale * 1.5F);
        GLFWmonitor* monitor = glfwGetPrimaryMonitor();
        if (const GLFWvidmode* mode = monitor == nullptr ? nullptr : glfwGetVideoMode(monitor)) {
            glfwSetWindowMonitor(window_, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
        }
    } else {
        looks.scale = restore_scale_;
        if (restore_[2] > 0) {
            glfwSetWindowMonitor(window_, nullptr, restore_[0], restore_[1], restore_[2], restore_[3], 0);
        }
    }
}

void Screen::open(const std::string& path) {
    try {
        explore_.open(path);
        notice_ = "opened " + path;
    } catch (const FileError& e) {
        notice_ = e.what();
    }
    notice_until_ = glfwGetTime() + kNoticeSeconds;
}

void Screen::start(const std::vector<std::string>& files) {
    for (const std::string& file : files) {
        open(file);
    }
    if (!explore_.trace()) {
        explore_.run();
    }
    if (notice_.empty() && !cuda::usable()) {
        notice_ = "No GPU here: kernels run in the CPU interpreter.";
        notice_until_ = glfwGetTime() + kNoticeSeconds;
    }
}

void Screen::remember() {
    session::Settings s{explore_.options, explore_.looks, 0, 0};
    s.options.input = s.options.input == InputKind::file ? InputKind::iota : s.options.input;
    s.looks.loop = explore_.playback.loop;
    s.looks.speed = explore_.playback.speed();
    glfwGetWindowSize(window_, &s.width, &s.height);
    if (s.looks.presentation) {
        s.looks.scale = restore_scale_;
        s.width = restore_[2];
        s.height = restore_[3];
    }
    try {
        session::save_settings(session::settings_path(), s);
    } catch (const std::exception& e) {
        fmt::print(stderr, "warptree: {}\n", e.what());
    }
}

void Screen::wait() {
    if (explore_.playback.playing() || lively_ > 0) {
        glfwPollEvents();
    } else if (notice_until_ > glfwGetTime()) {
        glfwWaitEventsTimeout(notice_until_ - glfwGetTime());
    } else if (ImGui::GetIO().WantTextInput) {
        glfwWaitEventsTimeout(0.5); // the cursor blinks
    } else {
        glfwWaitEvents();
    }
}

void Screen::rebuild_looks() {
    const session::Looks& looks = explore_.looks;
    if (!built_ || looks.scale != built_scale_) {
        if (built_) {
            ImGui_ImplOpenGL3_DestroyFontsTexture();
        }
        fonts_.build(looks.scale);
        if (built_) {
            ImGui_ImplOpenGL3_CreateFontsTexture();
        }
    }
    if (!built_ || looks.scale != built_scale_ || looks.theme != built_theme_) {
        apply_style(scene::theme(looks.theme), looks.scale);
        lively_ = 3;
    }
    built_ = true;
    built_scale_ = looks.scale;
    built_theme_ = looks.theme;
}

void Screen::frame() {
    wait();
    const double now = glfwGetTime();
    if (explore_.poll()) {
        lively_ = 3;
    }
    explore_.playback.advance(std::min(now - last_, 0.1));
    last_ = now;
    lively_ = std::max(0, lively_ - 1);
    rebuild_looks();
    draw();
    glfwSwapBuffers(window_); // waits for what a software renderer still draws
    frame_times_.frame(1e3 * (glfwGetTime() - now));
    if (state_.wanted()) {
        state_.write(explore_, name(dialogs_.current()), notice_);
    }
}

void Screen::draw() {
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    ImGui::NewFrame();
    painter_->begin_frame();
    const scene::Theme& theme = scene::theme(explore_.looks.theme);
    panels::Context context{explore_, *painter_, fonts_, theme, last_};
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    if (display.x > 1 && display.y > 1) {
        explore_.hover = {};
        const auto places = panels::layout(display.x, display.y, explore_.looks);
        for (const auto& [id, rect] : places) {
            for (const auto& panel : panels_) {
                if (id == panel->id()) {
                    draw_panel(context, *panel, rect);
                }
            }
        }
        draw_top_bar(context, display.x);
        draw_progress(context);
        std::string notice;
        dialogs_.draw(context, actions_, notice);
        if (!notice.empty()) {
            notice_ = notice;
            notice_until_ = last_ + kNoticeSeconds;
        }
    }
    ImGui::Render();
    painter_->upload();
    int width = 0, height = 0;
    glfwGetFramebufferSize(window_, &width, &height);
    glViewport(0, 0, width, height);
    const scene::Color& b = theme.background;
    glClearColor(static_cast<float>(b.r) / 255, static_cast<float>(b.g) / 255, static_cast<float>(b.b) / 255, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    render::check_gl("drawing a frame");
}

void Screen::draw_panel(panels::Context& c, panels::Panel& panel, const scene::Rect& r) {
    ImGui::SetNextWindowPos({r.x, r.y});
    ImGui::SetNextWindowSize({r.w, r.h});
    ImGui::Begin(panel.id(), nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoScrollWithMouse);
    state_.place(panel.id(), r);
    const float pad = c.px(12), top = c.px(8);
    scene::Rect area{r.x + pad, r.y + top, r.w - 2 * pad, r.h - 2 * top};
    if (*panel.title() != '\0') {
        ImDrawList* list = ImGui::GetWindowDrawList();
        ImGui::PushFont(fonts_.bold());
        const float title_width = ImGui::CalcTextSize(panel.title()).x;
        list->AddText({area.x, area.y}, u32(c.theme.text), panel.title());
        ImGui::PopFont();
        const std::string note = panel.note(c);
        if (title_width + ImGui::CalcTextSize(note.c_str()).x + c.px(14) < area.w) {
            list->AddText({area.x + title_width + c.px(14), area.y}, u32(c.theme.muted), note.c_str());
        }
        const float heading = ImGui::GetTextLineHeight() + c.px(6);
        area.y += heading;
        area.h -= heading;
    }
    ImGui::SetCursorScreenPos({area.x, area.y});
    panel.draw(c, area);
    ImGui::End();
}

void Screen::draw_top_bar(panels::Context& c, float width) {
    const float height = panels::kTopBar * fonts_.scale();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({width, height});
    ImGui::Begin("top", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoBringToFrontOnFocus);
    const float y = (height - ImGui::GetFrameHeight()) / 2;
    ImGui::SetCursorPos({c.px(18), y});
    ImGui::PushFont(fonts_.font(scene::Face::sans_bold, 18 * fonts_.scale()));
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted("warptree");
    ImGui::PopFont();
    ImGui::SameLine(c.px(130));
    ImGui::SetCursorPosY(y);
    ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyleColorVec4(ImGuiCol_Header));
    ImGui::Button("Explore", {c.px(92), 0});
    ImGui::PopStyleColor();

    const auto& trace = explore_.trace();
    const bool recorded = !explore_.file().empty();
    const std::string device = recorded && trace ? "recorded: " + trace->device.name
                               : trace && trace->options.backend == Backend::cuda
                                   ? trace->device.name
                                   : fmt::format("CPU interpreter, {} cores", cpu::default_workers());
    float x = width - c.px(14);
    const auto button = [&](const std::string& text, const char* id, auto act) {
        const float w = ImGui::CalcTextSize(text.c_str()).x + c.px(18);
        x -= w + c.px(4);
        ImGui::SetCursorPos({x, y});
        if (ImGui::Button((text + "##" + id).c_str(), {w, 0})) {
            act();
        }
        state_.place(id, {x, y, w, ImGui::GetFrameHeight()});
    };
    button("F1", "help", [&] { dialogs_.show(Dialog::help, explore_); });
    button("Ctrl K", "palette", [&] { dialogs_.show(Dialog::palette, explore_); });
    const char* themes[] = {"Light", "Dark", "Contrast"};
    button(themes[static_cast<int>(explore_.looks.theme)], "theme", [&] { explore_.next_theme(); });
    button(fmt::format("{:.0f} %", 100 * explore_.looks.scale), "scale", [&] { explore_.scale_by(0); });
    const float w = ImGui::CalcTextSize(device.c_str()).x;
    x -= w + c.px(24);
    if (x > c.px(240)) {
        ImGui::SetCursorPos({x, y});
        ImGui::AlignTextToFramePadding();
        const ImVec2 at = ImGui::GetCursorScreenPos();
        ImGui::GetWindowDrawList()->AddCircleFilled({at.x - c.px(10), at.y + ImGui::GetFrameHeight() / 2}, c.px(4),
                                                    u32(c.theme.agree));
        ImGui::TextDisabled("%s", device.c_str());
    }
    const bool show_notice = !notice_.empty() && notice_until_ > last_;
    if (show_notice && ImGui::CalcTextSize(notice_.c_str()).x + c.px(250) < x) {
        ImGui::SetCursorPos({c.px(240), y});
        ImGui::AlignTextToFramePadding();
        ImGui::TextDisabled("%s", notice_.c_str());
    }
    ImGui::End();
}

void Screen::draw_progress(panels::Context& c) {
    if (!explore_.runner().busy() || explore_.runner().progress() < 0.02) {
        return;
    }
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({display.x / 2, c.px(panels::kTopBar + 20)}, ImGuiCond_Always, {0.5F, 0});
    ImGui::Begin("progress", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoFocusOnAppearing);
    ImGui::Text("tracing %s", explore_.options.strategy.c_str());
    ImGui::ProgressBar(static_cast<float>(explore_.runner().progress()), {c.px(260), 0});
    ImGui::SameLine();
    if (ImGui::Button("Cancel")) {
        explore_.runner().cancel();
    }
    ImGui::End();
}

} // namespace warptree::window
