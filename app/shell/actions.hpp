// Everything that a user can do, by name: keys, palette and help all read this one list.
#pragma once

#include "app/base/table.hpp"
#include "app/features/action.hpp"
#include "app/features/explore/explore.hpp"
#include "app/views/tree/tree_walk.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::window {

// Operations of the window that actions use.
struct WindowHooks {
    std::function<void()> fit, presentation, export_picture, save_trace, open_trace, palette, help, reset_layout, quit,
        dismiss, find_strategy, save, save_kernel_as, edit, new_kernel, parameters, next_panel, redraw, cancel,
        next_focus, state, copy_state, menu, undo, redo, full, pen, arrow, wipe, export_screen, export_deck, close_deck,
        add_to_deck, edit_deck_page, smallest, mend, follow, animate;
    std::function<void(int by)> turn_deck;
    std::function<void(scene::Way)> walk;
    std::function<void(const char* id)> edge; // moves the keyboard focus to a splitter
    std::function<void(float steps)> zoom;
    std::function<void(TableFormat)> copy_table; // of the page shown
};

// The actions of the window and the Explore page.
std::vector<Action> make_actions(session::Explore& explore, const WindowHooks& hooks);

// What the palette lists: every action whose title contains the letters of `wanted` in order; first those that contain
// it as a substring.
std::vector<const Action*> named_actions(const std::vector<Action>& actions, std::string_view wanted);
// Whether its title or the words of its subject have `wanted`, of three letters or more.
bool speaks_of(const Action& action, std::string_view wanted);
// What the help lists for a page ("": for all pages): every action that has a key.
std::vector<const Action*> keyed_actions(const std::vector<Action>& actions, std::string_view page);
// What the menu of a page lists: every action available there, by group, the page's own groups first.
struct ActionGroup {
    std::string name;
    std::vector<const Action*> actions;
};
std::vector<ActionGroup> grouped_actions(const std::vector<Action>& actions, std::string_view page,
                                         const std::string& title);

} // namespace warptree::window
