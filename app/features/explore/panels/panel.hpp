// A panel: a fixed part of the screen with its own content. One panel per file, all listed in panels.cpp.
#pragma once

#include "app/features/explore/explore.hpp"
#include "app/features/explore/panels/keyboard.hpp"
#include "app/render/gl/gl_painter.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace warptree::panels {

// What a panel has access to.
struct Context {
    session::Explore& explore;
    render::GlPainter& painter;
    const render::Fonts& fonts;
    const scene::Theme& theme;
    Keyboard& keyboard;
    double now = 0; // seconds since the start
    // Reports an item's rectangle, for tests.
    std::function<void(const std::string& id, scene::Rect rect)> placed = [](const std::string&, scene::Rect) {};
    float px(float at_scale_1) const { return at_scale_1 * fonts.scale(); }
    scene::ViewContext view() const;
};

class Panel {
  public:
    virtual ~Panel() = default;
    virtual const char* id() const = 0;                           // stable: for layout, state file and tests
    virtual const char* title() const = 0;                        // "" : no heading
    virtual std::string note(const Context&) const { return {}; } // beside the title, muted
    // Draws into the current ImGui window; `area` is the content in pixels.
    virtual void draw(Context& context, scene::Rect area) = 0;
};

// Marks ImGui's last item as the one that has the keyboard.
void focus_ring(const Context& context);

// In the order in which layout.hpp places them.
std::vector<std::unique_ptr<Panel>> make_panels();

std::unique_ptr<Panel> make_strategies();
std::unique_ptr<Panel> make_parameters();
std::unique_ptr<Panel> make_tree();
std::unique_ptr<Panel> make_warps();
std::unique_ptr<Panel> make_banks();
std::unique_ptr<Panel> make_source();
std::unique_ptr<Panel> make_this_step();
std::unique_ptr<Panel> make_transport();

} // namespace warptree::panels
