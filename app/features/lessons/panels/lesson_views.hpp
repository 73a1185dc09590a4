// The views of a lesson: tree, warps and banks together or one at a time, and the transport below them.
#pragma once

#include "app/features/explore/panels/panel.hpp"
#include "app/features/lessons/lesson_run.hpp"
#include "app/features/screen.hpp"

#include <memory>
#include <optional>
#include <string>

namespace warptree::pages {

class LessonViews {
  public:
    explicit LessonViews(std::function<void(const std::string& id, scene::Rect rect)> placed);

    session::Explore& explore() { return explore_; } // what the views show
    const session::Explore& explore() const { return explore_; }
    // LessonStage::loads, for the figure in place of the banks; nullopt: no figure.
    std::optional<unsigned> loads;
    // Moves the views to the stage's place, once per stage and once per answer. True: the stage has changed.
    bool follow(const session::LessonRun& run, std::size_t lesson);
    void forget() { at_ = {}; } // the next follow() moves the views again
    // Whether the selection has changed since the last call.
    bool picked();

    // `alone`: there is room for either the views or the text.
    void draw(panels::Context& context, const scene::Rect& area, bool alone);
    // The text that runs, in `area`.
    void draw_source(panels::Context& context, const scene::Rect& area);
    void next(bool alone); // of the views, and of the text if `alone`
    bool pictured() const { return pictured_; }
    void show_text() { pictured_ = false; }

  private:
    // Identifies what is on screen, to notice changes.
    struct Shown {
        std::size_t lesson = SIZE_MAX, stage = 0;
        bool revealed = false, finished = false;
        const Trace* trace = nullptr; // the whole trace, not the visible part
        friend bool operator==(const Shown&, const Shown&) = default;
    };
    void draw_panel(panels::Context& context, panels::Panel& panel, const scene::Rect& area, bool tabs, bool alone);
    void draw_loads(panels::Context& context, const scene::Rect& area);
    void paint_loads(panels::Context& context, const scene::Rect& area);
    void draw_tabs(panels::Context& context, const scene::Rect& area, bool alone);

    std::function<void(const std::string& id, scene::Rect rect)> placed_;
    session::Explore explore_;
    std::unique_ptr<panels::Panel> tree_, warps_, banks_, source_, transport_;
    Shown at_;
    scene::Target before_;       // the selection at the last call of picked()
    std::string front_ = "tree"; // the view if there is room for only one
    bool pictured_ = false;      // if `alone`: the views are shown, not the text
};

} // namespace warptree::pages
