#include "app/shell/input.hpp"

#include "app/shell/actions.hpp"

#include <GLFW/glfw3.h>

#include <backends/imgui_impl_glfw.h>
#include <imgui.h>

#include <cfloat>
#include <utility>

namespace warptree::window {

namespace {
// ImGui 1.86 polls the mouse; later versions queue events.
constexpr bool kPolls = IMGUI_VERSION_NUM < 18700;
// A field that is clicked or focused gets the keyboard some frames later.
constexpr int kFramesToFocus = 5;

bool is_modifier(int key) { return key >= GLFW_KEY_LEFT_SHIFT && key <= GLFW_KEY_RIGHT_SUPER; }

// Text comes as characters, so a letter's key may go down and up within a frame.
bool only_types(int key, int modifiers) {
    return key > GLFW_KEY_SPACE && key <= GLFW_KEY_GRAVE_ACCENT && (modifiers & GLFW_MOD_CONTROL) == 0;
}
} // namespace

Input& Input::of(GLFWwindow* window) { return *static_cast<Input*>(glfwGetWindowUserPointer(window)); }

Input::Input(GLFWwindow* window, std::function<void()> wake, std::function<void(const std::string&)> drop)
    : window_(window), wake_(std::move(wake)), drop_(std::move(drop)) {
    glfwSetWindowUserPointer(window, this);
    glfwGetCursorPos(window, &x_, &y_);
    glfwSetKeyCallback(window, [](GLFWwindow* w, int key, int scancode, int action, int modifiers) {
        of(w).push({Kind::key, key, scancode, action, modifiers});
    });
    glfwSetCharCallback(window, [](GLFWwindow* w, unsigned character) {
        of(w).push({Kind::character, static_cast<int>(character)});
    });
    glfwSetMouseButtonCallback(window, [](GLFWwindow* w, int button, int action, int modifiers) {
        of(w).push({Kind::button, button, 0, action, modifiers});
    });
    glfwSetCursorPosCallback(window, [](GLFWwindow* w, double x, double y) {
        of(w).push({Kind::move, 0, 0, 0, 0, x, y});
    });
    glfwSetScrollCallback(window, [](GLFWwindow* w, double x, double y) {
        of(w).push({Kind::scroll, 0, 0, 0, 0, x, y});
    });
    glfwSetCursorEnterCallback(window, [](GLFWwindow* w, int entered) {
        ImGui_ImplGlfw_CursorEnterCallback(w, entered);
        if (entered == GLFW_FALSE) {
            of(w).push({Kind::move, 0, 0, 0, 0, kOutside, kOutside});
        }
    });
    glfwSetWindowFocusCallback(window, [](GLFWwindow* w, int focused) {
        ImGui_ImplGlfw_WindowFocusCallback(w, focused);
        of(w).wake_();
    });
    glfwSetDropCallback(window, [](GLFWwindow* w, int count, const char** paths) {
        if (count > 0) {
            of(w).drop_(paths[count - 1]);
        }
        of(w).wake_();
    });
    glfwSetFramebufferSizeCallback(window, [](GLFWwindow* w, int, int) { of(w).wake_(); });
    glfwSetWindowRefreshCallback(window, [](GLFWwindow* w) {
        of(w).uncovered_ = true;
        of(w).wake_();
    });
}

void Input::push(const Event& event) {
    const bool same = !events_.empty() && events_.back().kind == event.kind && events_.back().code == event.code;
    if (same && (event.kind == Kind::move ||
                 (event.kind == Kind::key && event.action == GLFW_REPEAT && events_.back().action == GLFW_REPEAT))) {
        events_.back() = event; // merged, so that slow frames keep up with the input
    } else {
        events_.push_back(event);
    }
    wake_();
}

bool Input::fits(const Event& e, const Taken& taken) const {
    switch (e.kind) {
    case Kind::move: return !taken.button;
    case Kind::scroll: return !taken.button;
    case Kind::button: return e.code < 0 || e.code >= 5 || !taken.buttons[static_cast<std::size_t>(e.code)];
    case Kind::character:
    case Kind::key: break;
    }
    if (taken.button || taken.command || typing_waits_ > 0) {
        return false;
    }
    // A key that does not type may take the keyboard from a field, which must get its characters first.
    const bool seen =
        e.code >= 0 && e.code < static_cast<int>(taken.keys.size()) && taken.keys[static_cast<std::size_t>(e.code)];
    return e.kind == Kind::character || only_types(e.code, e.modifiers) || is_modifier(e.code) ||
           (!seen && !(taken.text && e.action != GLFW_RELEASE));
}

void Input::give_key(const Event& e, Taken& taken, const std::function<KeyUse(const KeyPress&)>& on_key) {
    KeyUse use = KeyUse::pass;
    if (e.action != GLFW_RELEASE && !is_modifier(e.code)) {
        swallow_ = false;
        use = on_key({e.code, ((e.modifiers & GLFW_MOD_SHIFT) != 0 ? kShift : 0) |
                                  ((e.modifiers & GLFW_MOD_ALT) != 0 ? kAlt : 0) |
                                  ((e.modifiers & (GLFW_MOD_CONTROL | GLFW_MOD_SUPER)) != 0 ? kControl : 0)});
        swallow_ = use == KeyUse::taken;
    }
    if (!swallow_ || e.action == GLFW_RELEASE || is_modifier(e.code)) {
        if (e.code >= 0 && e.code < static_cast<int>(taken.keys.size())) {
            taken.keys[static_cast<std::size_t>(e.code)] = true;
        }
        ImGui_ImplGlfw_KeyCallback(window_, e.code, e.scancode, e.action, e.modifiers);
        if (e.action != GLFW_RELEASE && !is_modifier(e.code)) {
            taken.command = !only_types(e.code, e.modifiers);
        }
    }
}

void Input::give(const Event& e, Taken& taken, const std::function<KeyUse(const KeyPress&)>& on_key) {
    switch (e.kind) {
    case Kind::key: give_key(e, taken, on_key); break;
    case Kind::character:
        if (!swallow_) {
            taken.text = true;
            ImGui_ImplGlfw_CharCallback(window_, static_cast<unsigned>(e.code));
        }
        break;
    case Kind::scroll: ImGui_ImplGlfw_ScrollCallback(window_, e.x, e.y); break;
    case Kind::move: x_ = e.x; y_ = e.y;
#if IMGUI_VERSION_NUM >= 18700
        ImGui_ImplGlfw_CursorPosCallback(window_, e.x, e.y);
#endif
        break;
    case Kind::button:
        if (e.code >= 0 && e.code < 5) {
            taken.button = taken.buttons[static_cast<std::size_t>(e.code)] = true;
            down_[static_cast<std::size_t>(e.code)] = e.action == GLFW_PRESS;
        }
        if (!kPolls) {
            ImGui_ImplGlfw_MouseButtonCallback(window_, e.code, e.action, e.modifiers);
        }
    }
}

void Input::deliver(const std::function<KeyUse(const KeyPress&)>& on_key, const std::function<void()>& on_click) {
    Taken taken;
    typing_waits_ -= typing_waits_ > 0 ? 1 : 0;
    while (!events_.empty() && fits(events_.front(), taken)) {
        const Event event = events_.front();
        events_.pop_front();
        give(event, taken, on_key);
        if (event.kind == Kind::button && event.action == GLFW_PRESS) {
            on_click();
            settle();
        }
    }
}

void Input::settle() { typing_waits_ = kFramesToFocus; }

void Input::after_backend() const {
    if (!kPolls) {
        return;
    }
    ImGuiIO& io = ImGui::GetIO();
    io.MousePos = x_ > kOutside ? ImVec2(static_cast<float>(x_), static_cast<float>(y_)) : ImVec2(-FLT_MAX, -FLT_MAX);
    for (std::size_t i = 0; i < down_.size(); ++i) {
        io.MouseDown[i] = down_[i];
    }
}

} // namespace warptree::window
