// A box that shows one of several texts and opens a list of them.
#pragma once

#include "app/features/widgets/context.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warptree::panels {

struct ListBox {
    std::string id;                      // for ImGui
    std::string shown = {};              // in the box; shortened if it does not fit
    std::vector<std::string> items = {}; // the list
    std::size_t now = 0;                 // marked when it opens; past the end: the last one
    float width = 0;
    bool large = false;                                 // shows as many as fit
    std::function<bool(std::size_t)> enabled = nullptr; // null: all are
    std::function<void(std::size_t)> drawn = nullptr;   // called for each item, ImGui's last one; may be null
};
// The item chosen in this frame, by the mouse or, while the list is open, by Enter: arrows, Home, End, PageUp
// and PageDown move through it, letters and digits go to the item that begins with them, else to one that contains them (a
// single letter again to the next). Escape closes it.
std::optional<std::size_t> list_box(Context& context, const ListBox& box);

// Its list alone, in a popup that is open.
std::optional<std::size_t> list_items(Context& context, const ListBox& box);

} // namespace warptree::panels
