// What the user is looking at: options, trace, position, focus, looks.
#pragma once

#include "app/document/code_reader.hpp"
#include "app/document/file_watch.hpp"
#include "app/document/kernel_file.hpp"
#include "app/document/playback.hpp"
#include "app/document/runner.hpp"
#include "app/drawing/draw.hpp"
#include "app/drawing/theme.hpp"
#include "app/run/remedy/remedy.hpp"
#include "app/run/remedy/text_difference.hpp"
#include "app/trace/explain/array_contents.hpp"
#include "app/trace/explain/costs.hpp"
#include "app/views/source/code_lines.hpp"
#include "app/views/tree/tree_frame.hpp"
#include "app/views/tree/tree_walk.hpp"
#include "app/views/views.hpp"

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::session {

inline constexpr float kScales[] = {0.75F, 0.9F, 1.0F, 1.25F, 1.5F, 1.75F, 2.0F, 2.5F, 3.0F};

// Looks and layout, remembered between sessions.
struct Looks {
    scene::ThemeName theme = scene::ThemeName::dark;
    float scale = 1; // 0.75 … 3
    bool presentation = false;
    bool pointer = false, presenting_pointer = true; // a ring around the mouse, in the window and in a presentation
    bool shows_pointer() const { return presentation ? presenting_pointer : pointer; }
    void toggle_pointer() { (presentation ? presenting_pointer : pointer) = !shows_pointer(); }
    float left = 1, right = 1, lower = 1; // widths and heights of the panels relative to their defaults
    bool loop = false;
    float speed = 1;
    bool coached = true;          // the first-start coach was finished or dismissed
    std::optional<bool> animates; // steps by keys and buttons are shown as they happen; nullopt: as the desktop asks
    bool follow = true;           // playing zooms to where the work is, if the whole tree is crowded
};

// PTX and SASS beside the source.
struct CodeView {
    bool ptx = false, sass = false;
    std::optional<scene::CodePlace> at; // the line whose counterparts are highlighted; nullopt: the running one
    bool any() const { return ptx || sass; }
    bool shows(scene::CodeColumn column) const {
        return column == scene::CodeColumn::ptx ? ptx : column == scene::CodeColumn::cuda || sass;
    }
    // None, PTX, both, SASS, none.
    void next() {
        const bool had = ptx;
        ptx = ptx ? !sass : !sass;
        sass = had;
    }
    friend bool operator==(const CodeView&, const CodeView&) = default;
};

// The options with which a strategy replaces another: as they are, but for what it cannot take. The block stays, and may
// be refused.
RunOptions with_strategy(RunOptions options, std::string_view id);

class Explore {
  public:
    explicit Explore(std::function<void()> wake) : code_reader(wake), wake_(wake), runner_(std::move(wake)) {}

    RunOptions options; // being edited
    Looks looks;
    Playback playback;
    scene::Target hover, selected;
    scene::Target partner;                  // the other thread of the finding whose thread is `selected`
    scene::Target pointed;                  // the target under the pointer in this frame; becomes `hover` in the next
    scene::Frame frame = scene::Frame::all; // what fills the tree; refers to `block` and `warp`
    scene::Camera camera;                   // of the tree as last drawn; fixed under Frame::free
    bool flying = false;                    // the camera is moving to the frame
    bool jump = false;                      // the camera moves there without animation
    std::uint32_t block = 0;                // shown in the warp grid and the banks
    std::uint32_t warp = kNone;             // shown in the banks; kNone: whichever has most to show
    std::optional<std::uint64_t> element;   // of that array: asked for by name, marked and in view
    std::string array;                      // whose elements are shown in the place of the banks; empty: none
    std::uint32_t request = kNone;          // of that warp's exchanges in the step; kNone: the one with most to show
    std::vector<scene::Way> walk;           // pending moves from cell to cell, made by the tree, which knows the layout
    bool walked = false;                    // selected by keyboard: the description is shown at the selection
    std::string front = "tree";             // the panel in the tree's place when folded ones share it
    bool full = false;                      // it fills the window, and all others are folded
    std::uint32_t hidden_from = kNone;      // steps of the last launch from here on are hidden until predicted
    std::string news;                       // about the file, to be told once
    std::string told;         // of the run that is shown: what its edit changed, or a search has found; empty: nothing
    std::string to_tell;      // the same, of the run to come
    std::string error;        // why the options do not run, or a file did not open; empty: no error
    bool first_sight = false; // something else is shown, and no frame was asked for: framed so that values can be read
    bool needs_room = false;  // all of the tree, as last drawn, is too dense for values, and none is shown so at first
    bool wants_open = false, wants_new = false;       // asked for in the list of files; the window does it
    bool wants_mending = false;                       // in the messages below the source: as the key does
    std::optional<runs::FindingPlace> chosen_finding; // among these messages
    // What mends a finding of `of`, shown below it until it is written or the text changes.
    struct Mending {
        std::shared_ptr<const Trace> of;
        runs::FindingPlace place;
        runs::Remedy remedy;
        std::vector<runs::DifferenceLine> lines;
    };
    std::optional<Mending> mending;
    std::weak_ptr<const Trace> unmended; // of which no small change that was tried mends anything, or that finding
    std::optional<runs::FindingPlace> unmended_finding;
    bool may_mend() const; // a finding or a cost of the kernel file on screen has changes that can be tried
    // What lines of the kernel file on screen cost, where nothing is found: looked at once for each trace.
    const std::vector<LineCost>& costs() const;
    std::uint32_t line_asked = 0; // of the kernel's own file, which the source is to show once; 0: none
    int next_message = 0;         // pending moves among the messages below the source
    bool printed = false;         // what was printed is shown below the source
    CodeView code;
    CodeReader code_reader;
    std::vector<compile::Diagnostic> diagnostics; // of the kernel file, where it does not compile

    const std::shared_ptr<const Trace>& trace() const { return trace_; }
    const std::filesystem::path& file() const { return file_; } // the trace was read from this file; empty: live
    std::string shown_name() const;                             // "sequential", "mine.cu", "run.wtrace"
    bool tries() const { return tries_ && runner_.busy(); }     // the run is shown, and other launches are tried
    Runner& runner() { return runner_; }
    const Runner& runner() const { return runner_; }

    void run();                                   // what `options` say, if they can run
    void run_strategy(const RunOptions& asked);   // in place of a kernel file, if one is shown
    void select_strategy(std::string_view id);    // with its default block, or n, if it cannot run with the current one
    void next_strategy(int direction);            // 1: the next in the list; -1: the previous
    bool poll();                                  // takes a finished run or a changed file; true: redraw
    void open(const std::filesystem::path& path); // throws FileError
    void show_file(const std::filesystem::path& path, std::shared_ptr<const Trace> trace); // as read from the path
    void back_to_live();

    // The kernel file that was opened last; null: none. It is kept while a strategy is shown.
    const KernelFile* kernel() const { return kernel_.get(); }
    bool on_kernel() const;                                           // whether it is what runs, not a strategy
    void open_kernel(const std::filesystem::path& path);              // throws FileError
    void open_text(const std::string& stem, const std::string& text); // a new file STEM.cu, not on disk yet
    void new_kernel(const std::string& text);                         // not on disk yet, under an unused name
    // Opens a copy of the shown strategy with the same options; the file, not on disk yet, is named after it. False:
    // the strategy has no source text.
    bool copy_strategy();
    bool has_copy_of(std::string_view strategy) const; // the kernel file is one
    void leave_kernel();                               // `options` are the strategy's again; nothing runs yet
    void show_kernel();                                // shows it again, with its earlier options, after a strategy
    void call_kernel_with(const RunOptions& options);  // KernelOptions and those of the interpreter
    void edit_kernel(std::string text, double now);    // runs after a short delay: see advance()
    void keep_kernel_safe() const;                     // keeps its unsaved text across a crash
    void save_kernel();                                // throws FileError
    void save_kernel_as(const std::filesystem::path& path);
    void take_disk(); // reads the file again, dropping unsaved changes; throws FileError
    bool disk_differs() const { return disk_differs_; } // another program wrote the file while our text was unsaved
    // Whether the trace was made from a different text than the one on screen, or of a strategy's options before some that do not
    // run.
    bool stale() const;
    // Whether it is another strategy's than the one that is chosen, which does not run.
    bool of_another() const { return stale() && !on_kernel() && trace_->options.strategy != options.strategy; }
    // Whether what is shown is of something earlier: of a text before one that does not run, or a run takes its time.
    bool dimmed() const;
    // Starts whatever is due by `now`.
    void advance(double now);
    std::optional<double> due() const { return due_; } // when the next thing is due; nullopt: nothing is
    const RunOptions& strategy_options() const { return on_kernel() ? strategy_options_ : options; }
    bool on_program() const;                      // the trace is of a whole program
    void go_to_launch(std::uint32_t launch);      // its first step
    bool go_to_origin(const scene::Target& leaf); // where an earlier launch stored it; false: the trace does not know
    void next_launch(int direction);              // 1: of the program's launches the next; -1: the one before
    // Goes to where a finding happened: its step, block and threads. Of a block that is not traced: runs again, with that in the
    // place of the last one that is.
    void go_to_finding(std::uint32_t launch, const Finding& finding);
    // To the next finding of a run whose findings no list shows; -1: the previous one.
    void next_finding(int by);
    // Runs again with that block traced, and goes there. false: what is shown cannot be run again.
    bool trace_block(std::uint32_t launch, std::uint32_t block);
    void move_camera(float x, float y); // by pixels
    void fit();                         // all of the tree
    void go_in();                       // from all to a block, to a warp
    void go_out();
    // The tree's camera for a drawing of another size.
    scene::Camera camera_in(const scene::ViewContext& context, const scene::Rect& area) const;
    void scale_by(int direction);
    void next_theme();
    // The exchange that the banks show (see scene::exchanges), or kNone. One of the warp under the pointer takes
    // precedence.
    std::uint32_t shown_request() const;
    std::vector<std::uint32_t> shown_requests() const; // of the warp that the banks show, in order of issue
    void next_request(int direction);
    void next_warp(int direction);
    void show_array(const std::string& name);
    void show_element(const ArrayPlace& array, std::uint64_t index); // and selects the thread that has stored it
    void go_to(const scene::Target& target);                         // selects it, with its block and warp in view
    void next_array(); // from the banks to the first array of the launch, to the next ones, and back
    void select(const scene::Target& target); // selects or deselects it; the banks switch to its warp
    void scale_elements(bool up);             // doubles or halves n

  private:
    // Seconds without a key press until the text is compiled, so that the tree is updated within 150 ms of the key.
    static constexpr double kQuiet = 0.12;
    static constexpr double kPause = 4; // seconds after which typing has ended

    void show(std::shared_ptr<const Trace> trace);
    void complete(std::shared_ptr<const Trace> trace);
    void keep_place_in_launch(); // block and warp, as far as the shown launch has them
    bool was_program() const;    // the kernel file's trace that is shown
    void begin_kernel(std::unique_ptr<KernelFile> kernel);
    void watch_kernel();

    std::shared_ptr<const Trace> trace_;
    mutable std::weak_ptr<const Trace> costs_of_;
    mutable std::vector<LineCost> costs_;
    std::filesystem::path file_;
    std::unique_ptr<KernelFile> kernel_;
    std::optional<runs::Guess> guess_; // how its kernel is called where nobody says it, since it was opened
    RunOptions asked_;                 // of the latest run of it
    RunOptions guessed_of_;            // of the run by which guess_ was made
    RunOptions strategy_options_;      // while a kernel file runs: those of the strategy before it
    RunOptions kernel_options_;        // while a strategy runs: those of the kernel file
    std::optional<double> due_;        // when the text is to be compiled
    // What was shown before the typing that goes on began, and when its last letter came: what is half typed may run, too.
    std::shared_ptr<const Trace> before_typing_;
    double typed_ = 0;
    bool begins_ = false;           // the next run is shown from its first step on
    std::function<void()> arrives_; // where to go when the next run is shown
    bool refused_ = false;          // the options of the strategy do not run
    bool tries_ = false;            // what is shown came before other launches were tried
    bool disk_differs_ = false;
    bool gone_ = false;                // the file was deleted
    std::atomic<bool> written_{false}; // set by the watch when the file was written
    std::function<void()> wake_;
    Runner runner_;
    std::unique_ptr<FileWatch> watch_; // last member: its thread uses those above
};

} // namespace warptree::session
