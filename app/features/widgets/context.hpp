// What panels, screens and dialogs have access to while they draw.
#pragma once

#include "app/drawing/theme.hpp"
#include "app/features/widgets/keyboard.hpp"
#include "app/render/gl/gl_painter.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::session {
class Explore;
}

namespace warptree::panels {

struct Context {
    session::Explore& explore;
    render::GlPainter& painter;
    const render::Fonts& fonts;
    const scene::Theme& theme;
    Keyboard& keyboard;
    double now = 0;            // seconds since the start
    bool tells = true;         // tooltips: the pointer has come to rest, and no key was pressed since
    bool figure_alone = false; // in a presentation, or after Z, a screen shows its figure only
    bool animates = false;     // steps by keys and buttons are shown as they happen
    // Reports an item's rectangle, for tests.
    std::function<void(const std::string& id, scene::Rect rect)> placed = [](const std::string&, scene::Rect) {};
    // What other screens have on some words: a title, and what shows it.
    struct Found {
        std::string title;
        std::function<void()> show;
    };
    std::function<std::vector<Found>(std::string_view words)> elsewhere = [](std::string_view) {
        return std::vector<Found>();
    };
    float px(float at_scale_1) const { return at_scale_1 * fonts.scale(); }
};

// Marks ImGui's last item as the one that has the keyboard.
void focus_ring(const Context& context);

} // namespace warptree::panels
