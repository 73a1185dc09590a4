// The user's input, in order. A frame takes at most one change of each key and button, so that a press shorter than
// a frame, a click right after a click, and typing right after a dialog opens all arrive.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <string>
#include <utility>

struct GLFWwindow;

namespace warptree::window {

struct KeyPress {
    int key = 0;       // GLFW key code
    int modifiers = 0; // kShift, kControl
};

// What became of a key press.
enum class KeyUse {
    pass,  // ImGui gets it
    taken, // ImGui does not
    both   // acted on, and ImGui gets it
};

class Input {
  public:
    // Takes the window's callbacks and user pointer. `wake` is called after every event, `drop` with the path of the
    // last file dropped.
    Input(GLFWwindow* window, std::function<void()> wake, std::function<void(const std::string&)> drop);
    Input(const Input&) = delete;
    Input& operator=(const Input&) = delete;

    bool waiting() const { return !events_.empty(); } // more events are left for the next frame
    // Once a frame, before ImGui_ImplGlfw_NewFrame. `on_key` sees every press and repeat, `on_click` every button
    // press.
    void deliver(const std::function<KeyUse(const KeyPress&)>& on_key, const std::function<void()>& on_click);
    // True once after the system lost the window's contents and needs them redrawn.
    bool take_uncovered() { return std::exchange(uncovered_, false); }
    void settle();              // keys wait until a field just opened or closed has gained or lost the keyboard
    void after_backend() const; // once a frame, between ImGui_ImplGlfw_NewFrame and ImGui::NewFrame

  private:
    static constexpr double kOutside = -1e9;
    enum class Kind { key, character, button, move, scroll };
    struct Event {
        Kind kind;
        int code = 0, scancode = 0, action = 0, modifiers = 0; // code: key, character or button
        double x = 0, y = 0;
    };
    // The input taken in this frame.
    struct Taken {
        std::array<bool, 512> keys{};
        std::array<bool, 8> buttons{};
        bool button = false, text = false;
        // A key that does not type went down: it and its modifiers stay so for the frame.
        bool command = false;
    };
    void push(const Event& event);
    bool fits(const Event& event, const Taken& taken) const;
    void give(const Event& event, Taken& taken, const std::function<KeyUse(const KeyPress&)>& on_key);
    void give_key(const Event& event, Taken& taken, const std::function<KeyUse(const KeyPress&)>& on_key);

    static Input& of(GLFWwindow* window);

    GLFWwindow* window_;
    std::function<void()> wake_;
    std::function<void(const std::string&)> drop_;
    std::deque<Event> events_;
    std::array<bool, 5> down_{};
    double x_ = kOutside, y_ = kOutside;
    int typing_waits_ = 0; // frames until ImGui knows which field has the keyboard
    bool uncovered_ = false;
    bool swallow_ = false; // drop the characters of a key that was taken
};

} // namespace warptree::window
