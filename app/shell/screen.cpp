#include "app/shell/screen.hpp"

#include "app/base/error.hpp"
#include "app/document/opened_files.hpp"
#include "app/features/deck/panels/deck_bar.hpp"
#include "app/render/gl/gl_dialect.hpp"
#include "app/shell/style.hpp"

#include <glad/gl.h>
// glad first: GLFW must not include its own OpenGL header.
#include <GLFW/glfw3.h>

#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <utility>

namespace warptree::window {

namespace {
constexpr double kNoticeSeconds = 5;
} // namespace

Screen::Screen(GLFWwindow* window, const session::Settings& settings, std::string note, FrameTimes& frame_times)
    : window_(window), frame_times_(frame_times), explore_([this] { wake(); }),
      input_(
          window, [this] { frames_left_ = kFramesToSettle; }, [this](const std::string& path) { open(path); }),
      dialogs_([this] { wake(); }), search_([this] { wake(); }), notice_(std::move(note)) {
    explore_.options = settings.options;
    explore_.looks = settings.looks;
    session::remember_files(settings.files);
    explore_.playback.loop = settings.looks.loop;
    explore_.playback.set_speed(settings.looks.speed);
    notice_until_ = notice_.empty() ? 0 : clock_.now() + kNoticeSeconds;
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
#if IMGUI_VERSION_NUM >= 18700
    ImGui::GetIO().ConfigInputTrickleEventQueue = false; // typed text arrives before the keys that follow it
#endif
    ImGui_ImplGlfw_InitForOpenGL(window_, false);
    if (!ImGui_ImplOpenGL3_Init(render::kGlsl)) { // it loads the library by itself
        throw Error("OpenGL's library libGL.so.1 is not found; Debian has it in the package libgl1");
    }
    painter_ = std::make_unique<render::GlPainter>(fonts_);
    picture_ = std::make_unique<render::GlRetained>(*painter_);
    presenter_ = std::make_unique<Presenter>(window_);
    panels_ = panels::make_panels();
    pages_ = pages::make_pages({[this](panels::Context& c) { draw_explore(c); },
                                [this](const std::string& id, scene::Rect rect) { state_.place(id, rect); },
                                [this](const char* panel) { give_keyboard(panel); }, [this] { wake(); },
                                [this](const std::string& notice) { notify(notice); },
                                [this](const std::string& id) {
                                    for (std::size_t i = 0; i < pages_.size(); ++i) {
                                        if (id == pages_[i]->id()) {
                                            show_page(i);
                                        }
                                    }
                                },
                                [this] { copy_table(TableFormat::markdown); }});
    dialogs_.open_elsewhere = [this](const std::string& path) { return open_in_page(path); };
    for (std::size_t i = 0; i < pages_.size(); ++i) {
        if (const auto values = settings.pages.find(pages_[i]->id()); values != settings.pages.end()) {
            pages_[i]->restore(values->second);
        }
        page_ = settings.page == pages_[i]->id() ? i : page_;
    }
    actions_ = make_actions(explore_, hooks());
    add_page_actions();
    last_ = clock_.now();
}

Screen::~Screen() {
    picture_.reset();
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
}

void Screen::show_page(std::size_t index) {
    if (index != page_) {
        page_ = index;
        annotations_.wipe();
        keyboard_.release();
        ImGui::SetWindowFocus(nullptr);
        frames_left_ = kFramesToSettle;
    }
}

void Screen::go_to_page(std::size_t index) {
    if (index != page_) {
        pages_[index]->entered(explore_);
        show_page(index);
    }
}

void Screen::notify(const std::string& notice) {
    notice_ = notice;
    constexpr double kLettersPerSecond = 12; // read at leisure
    notice_until_ = clock_.now() + std::max(kNoticeSeconds, static_cast<double>(notice.size()) / kLettersPerSecond);
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

bool Screen::has_settled() const {
    return !input_.waiting() && frames_left_ == 0 && !clock_.behind() && !explore_.runner().busy() &&
           !(explore_.code.any() && explore_.code_reader.busy()) && !dialogs_.job().busy() && !search_.busy() &&
           !pages_[page_]->busy() && to_open_.empty() && !to_settle_;
}

void Screen::rebuild_looks() {
    const session::Looks& looks = explore_.looks;
    if (!built_ || looks.scale != built_scale_) {
#if IMGUI_VERSION_NUM >= 19200
        fonts_.build(looks.scale);
#else
        if (built_) {
            ImGui_ImplOpenGL3_DestroyFontsTexture();
        }
        fonts_.build(looks.scale);
        if (built_) {
            ImGui_ImplOpenGL3_CreateFontsTexture();
        }
#endif
        picture_->forget();
    }
    if (!built_ || looks.scale != built_scale_ || looks.theme != built_theme_) {
        apply_style(scene::theme(looks.theme), looks.scale);
        frames_left_ = kFramesToSettle;
    }
    built_ = true;
    built_scale_ = looks.scale;
    built_theme_ = looks.theme;
}

bool Screen::act(const std::string& id) {
    const auto found = std::find_if(actions_.begin(), actions_.end(), [&](const Action& a) { return a.id == id; });
    if (found == actions_.end()) {
        return false;
    }
    found->act();
    return true;
}

void Screen::frame() {
    wait();
    show();
}

void Screen::show() {
    const double began = glfwGetTime();
    compose();
    const bool all = needs_all();
    if (paint() || all) {
        presenter_->present(*picture_, all);
        frame_times_.frame(1e3 * (glfwGetTime() - began));
    }
    note_history();
    if (state_.wanted()) {
        state_.lecture = lecture_state();
        if (clock_.told() && has_settled()) {
            // A round trip to the display, so that everything drawn is visible before the number is written.
            double x = 0, y = 0;
            glfwGetCursorPos(window_, &x, &y);
            state_.settled = clock_.number();
        }
        state_.write(explore_, dialogs_, notice_, keyboard_.panel(), *picture_, *pages_[page_],
                     session::to_string(this->state()));
    }
}

const ImDrawData& Screen::compose() {
    input_.deliver([this](const KeyPress& press) { return on_key(press); }, [this] { keyboard_.release(); });
    const double now = clock_.now();
    std::string notice;
    frames_left_ = explore_.poll() ? kFramesToSettle : frames_left_;
    const auto shown = explore_.trace();
    if (dialogs_.poll(explore_, notice)) {
        frames_left_ = kFramesToSettle;
        if (explore_.trace() != shown) {
            show_page(0); // the page that shows traces
        }
    }
    take_smallest();
    take_mending();
    if (!to_open_.empty() && !dialogs_.job().busy()) {
        const std::string next = std::move(to_open_.front());
        to_open_.erase(to_open_.begin());
        open(next);
    }
    if (opens_first_ && !dialogs_.job().busy()) {
        opens_first_ = false;
        if (!explore_.trace()) {
            explore_.run(); // the file could not be opened
        }
    }
    if (!notice.empty()) {
        notify(notice);
    }
    if (!explore_.news.empty()) {
        notify(std::exchange(explore_.news, {}));
    }
    settle_state();
    explore_.advance(now);
    for (const auto& page : pages_) {
        frames_left_ = page->poll() ? kFramesToSettle : frames_left_;
    }
    passed_ = now - last_;
    last_ = now;
    explore_.playback.advance(std::min(passed_, 0.1));
    pages_[page_]->advance(std::min(passed_, 0.1));
    ripples_ = explore_.flying = false;
    frames_left_ = std::max(0, frames_left_ - 1);
    rebuild_looks();
    lay_out();
    return *ImGui::GetDrawData();
}

bool Screen::paint() { return picture_->draw(*ImGui::GetDrawData(), scene::theme(explore_.looks.theme).background); }

// Whether the display may have lost its contents. A software renderer notices a new size only while presenting frames
// of that size, so a few more follow.
bool Screen::needs_all() {
    constexpr int kFramesOfANewSize = 4;
    std::array<int, 2> size{};
    glfwGetFramebufferSize(window_, size.data(), &size[1]);
    all_left_ = size != shown_size_ ? kFramesOfANewSize : std::max(0, all_left_ - 1);
    shown_size_ = size;
    frames_left_ = std::max(frames_left_, all_left_);
    return input_.take_uncovered() || all_left_ > 0;
}

// Whether the pointer has come to rest, and no key was pressed since.
bool Screen::rests() {
    constexpr double kRest = 0.4; // seconds
    constexpr float kTremor = 3;  // pixels
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (!seen_pointer_ && ImGui::IsMousePosValid(&mouse)) { // where it lay when the window opened
        seen_pointer_ = keys_drive_ = true;
        rested_at_ = {mouse.x, mouse.y};
    }
    const bool moved = std::abs(mouse.x - rested_at_.x) > kTremor || std::abs(mouse.y - rested_at_.y) > kTremor ||
                       ImGui::IsMouseDown(ImGuiMouseButton_Left);
    if (moved) {
        rested_at_ = {mouse.x, mouse.y};
        rest_due_ = last_ + kRest;
        keys_drive_ = false;
    }
    if (keys_drive_ || !ImGui::IsMousePosValid(&mouse)) {
        rest_due_.reset();
        return false;
    }
    if (rest_due_ && last_ >= *rest_due_) {
        rest_due_.reset();
        frames_left_ = kFramesToSettle;
    }
    return !rest_due_;
}

void Screen::lay_out() {
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    if (clock_.told()) {
        constexpr double kLeast = 1e-6; // ImGui requires time to advance
        ImGui::GetIO().DeltaTime = static_cast<float>(std::max(passed_, kLeast));
    }
    input_.after_backend();
    ImGui::NewFrame();
    painter_->begin_frame();
    if (keyboard_.take_left()) {
        ImGui::SetWindowFocus(nullptr);
    }
    const scene::Theme& theme = scene::theme(explore_.looks.theme);
    const bool animates = explore_.looks.animates.value_or(!calm_);
    panels::Context context{explore_,  *painter_,
                            fonts_,    theme,
                            keyboard_, last_,
                            rests(),   explore_.looks.presentation || explore_.full,
                            animates,  [this](const std::string& id, scene::Rect r) { state_.place(id, r); }};
    context.elsewhere = [this](std::string_view words) {
        std::vector<panels::Context::Found> found;
        for (const Action* a : named_actions(actions_, words)) {
            if ((a->key == 0 || a->group == "Screens") && !a->words.empty() && a->page != "explore" &&
                speaks_of(*a, words)) {
                found.push_back({a->title, [this, id = a->id] { act(id); }});
            }
        }
        return found;
    };
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    if (display.x > 1 && display.y > 1) {
        explore_.pointed = {};
        const float top = is_bare() ? 0 : panels::layout(display.x, display.y, explore_.looks).top;
        deck_height_ = deck_ ? panels::deck_bar_height(context) : 0;
        const float bottom = display.y - deck_height_;
        notice_bottom_ = bottom;
        under_mouse_.clear();
        state_.forget_places();
        keyboard_.set_ring({});
        keyboard_.set_list_open(false);
        // The description of a keyboard selection lies above everything, so hide it while a dialog is open.
        const bool dialog = dialogs_.current() != Dialog::none;
        const bool walked = dialog && std::exchange(explore_.walked, false);
        const scene::Target selected = explore_.selected;
        const ImVec2 mouse = ImGui::GetIO().MousePos;
        const bool draws = annotations_.tool() != session::Annotations::Tool::none;
        if (dialog || draws) { // no hover, tooltip or click behind it
            ImGui::GetIO().MousePos = {-FLT_MAX, -FLT_MAX};
        }
        pages_[page_]->draw(context, {0, top, display.x, bottom - top});
        ImGui::GetIO().MousePos = mouse;
        explore_.walked = explore_.walked || (walked && explore_.selected == selected);
        if (explore_.pointed != explore_.hover) { // redraw, so that all views show it
            explore_.hover = explore_.pointed;
            frames_left_ = kFramesToSettle;
        }
        if (std::exchange(explore_.wants_open, false)) {
            act("open");
        }
        if (std::exchange(explore_.wants_mending, false)) {
            mend();
        }
        if (std::exchange(explore_.wants_new, false)) {
            act("new-kernel");
        }
        if (!is_bare()) {
            draw_top_bar(context, {0, 0, display.x, top});
        }
        draw_deck(context, {0, bottom, display.x, deck_height_});
        draw_progress(context, top);
        draw_notice(context, notice_bottom_);
        draw_coach(context);
        std::string notice;
        const auto shown = explore_.trace();
        const bool opens = dialogs_.current() == Dialog::open;
        dialogs_.draw(context, actions_, *pages_[page_], notice);
        if (opens && explore_.trace() != shown) {
            show_page(0); // the page that shows traces
        }
        if (!notice.empty()) {
            notify(notice);
        }
        draw_annotations(context, {0, top, display.x, bottom - top});
        draw_pointer(context);
    }
    ImGui::Render();
#if IMGUI_VERSION_NUM >= 19200 // its back end uploads textures only when it draws, which it does not here
    if (const ImVector<ImTextureData*>* textures = ImGui::GetDrawData()->Textures) {
        for (ImTextureData* texture : *textures) {
            if (texture->Status != ImTextureStatus_OK) {
                ImGui_ImplOpenGL3_UpdateTexture(texture);
            }
        }
    }
#endif
}

} // namespace warptree::window
