// What the user looks at: options, trace, place, focus, looks.
#pragma once

#include "app/document/playback.hpp"
#include "app/document/runner.hpp"
#include "app/drawing/draw.hpp"
#include "app/drawing/theme.hpp"
#include "app/views/tree/tree_walk.hpp"
#include "app/views/views.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace warptree::session {

inline constexpr float kScales[] = {0.75F, 0.9F, 1.0F, 1.25F, 1.5F, 1.75F, 2.0F, 2.5F, 3.0F};

// Looks and layout, remembered from start to start.
struct Looks {
    scene::ThemeName theme = scene::ThemeName::dark;
    float scale = 1; // 0.75 … 3
    bool presentation = false;
    bool pointer = false, presenting_pointer = true; // a ring around the mouse, in the window and in a presentation
    bool shows_pointer() const { return presentation ? presenting_pointer : pointer; }
    void toggle_pointer() { (presentation ? presenting_pointer : pointer) = !shows_pointer(); }
    float left = 1, right = 1, lower = 1; // widths and heights of the panels against their defaults
    bool loop = false;
    float speed = 1;
};

class Explore {
  public:
    explicit Explore(std::function<void()> wake) : runner_(std::move(wake)) {}

    RunOptions options; // being edited
    Looks looks;
    Playback playback;
    scene::Target hover, selected;
    scene::Target pointed; // what the pointer is on in the frame being laid out; it is `hover` in the next
    scene::Camera camera;
    std::uint32_t block = 0;       // shown in the warp grid and the banks
    std::uint32_t warp = kNone;    // shown in the banks; kNone: whichever has most to show
    std::uint32_t request = kNone; // of that warp's shared accesses in the step; kNone: the one with most to show
    std::vector<scene::Way> walk;  // steps from cell to cell that the tree, which knows what lies where, has yet to go
    bool walked = false;           // the selection came by keyboard: it is described where it lies
    std::string front = "tree";    // the panel in the tree's place where folded ones take turns
    std::uint32_t hidden_from = kNone; // steps of the last launch from here on are yet to be predicted
    std::string error;                 // why the options do not run, or a file did not open; empty when all is well

    const std::shared_ptr<const Trace>& trace() const { return trace_; }
    const std::filesystem::path& file() const { return file_; } // the trace is of this file; empty: live
    Runner& runner() { return runner_; }
    const Runner& runner() const { return runner_; }

    void run();                                   // what `options` say, if they can run
    void select_strategy(std::string_view id);    // with a block it takes
    void next_strategy(int direction);            // the next one that can run
    bool poll();                                  // takes a finished run; true when the trace changed
    void open(const std::filesystem::path& path); // throws FileError
    void show_file(const std::filesystem::path& path, std::shared_ptr<const Trace> trace); // as read from there
    void back_to_live();
    void scale_by(int direction);
    void next_theme();
    // The shared access that the banks show: index into the launch's requests, or kNone. What the pointer is on goes
    // first.
    std::uint32_t shown_request() const;
    std::vector<std::uint32_t> shown_requests() const; // of the warp that the banks show, in order of issue
    void next_request(int direction);
    void next_warp(int direction);
    void select(const scene::Target& target); // keeps it, or lets it go; the banks show its warp
    void scale_elements(bool up);             // twice or half of them

  private:
    void show(std::shared_ptr<const Trace> trace);

    std::shared_ptr<const Trace> trace_;
    std::filesystem::path file_;
    Runner runner_;
};

} // namespace warptree::session
