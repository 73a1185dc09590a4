// A panel: a fixed part of the screen with its own content. One panel per file, all listed in panels.cpp.
#pragma once

#include "app/features/explore/explore.hpp"
#include "app/features/widgets/context.hpp"

#include <memory>
#include <string>
#include <vector>

namespace warptree::panels {

class Panel {
  public:
    virtual ~Panel() = default;
    virtual const char* id() const = 0;                                   // stable: for layout, state file and tests
    virtual const char* title() const = 0;                                // "" : no heading
    virtual std::string heading(const Context&) const { return title(); } // of what it shows now
    virtual std::string note(const Context&) const { return {}; }         // beside the title, muted
    // Draws into the current ImGui window; `area` is the content in pixels.
    virtual void draw(Context& context, scene::Rect area) = 0;
};

// What the views of the trace are drawn from.
scene::ViewContext view_of(const Context& context);

// In the order in which layout.hpp places them.
std::vector<std::unique_ptr<Panel>> make_panels();

std::unique_ptr<Panel> make_story();
std::unique_ptr<Panel> make_strategies();
std::unique_ptr<Panel> make_parameters();
std::unique_ptr<Panel> make_tree();
std::unique_ptr<Panel> make_warps();
std::unique_ptr<Panel> make_banks(bool alone = false); // alone: memory has no place beside it
std::unique_ptr<Panel> make_memory();
std::unique_ptr<Panel> make_source();
std::unique_ptr<Panel> make_this_step();
std::unique_ptr<Panel> make_transport();

} // namespace warptree::panels
