// Something that a user can do, by name: with a key, from the palette or from the menu.
#pragma once

#include <functional>
#include <string>

namespace warptree::window {

// Modifier bits of a key.
inline constexpr int kShift = 1, kControl = 2, kAlt = 4;

struct Action {
    std::string id;    // stable
    std::string title; // "Step forward"
    std::string keys;  // as shown: "Right", "Ctrl+S"; empty: only in the palette
    int key = 0;       // GLFW key code; 0: none
    int modifiers = 0;
    std::function<void()> act;
    std::string page{};  // its keys work only on that page; empty: on every page
    std::string group{}; // its heading in the menu; empty for a page's own actions: the page's title
    std::string words{}; // what else the searches find it by: "coalescing sectors …"
};

} // namespace warptree::window
