// The contents of one window: turns events into actions and draws frames.
#pragma once

#include "app/features/annotate/annotations.hpp"
#include "app/features/coach/coach.hpp"
#include "app/features/deck/deck.hpp"
#include "app/features/explore/explore_state.hpp"
#include "app/features/explore/panels/layout.hpp"
#include "app/features/explore/panels/panel.hpp"
#include "app/features/history/history.hpp"
#include "app/features/screen.hpp"
#include "app/render/gl/gl_retained.hpp"
#include "app/run/tries/smallest_failure.hpp"
#include "app/shell/actions.hpp"
#include "app/shell/clock.hpp"
#include "app/shell/dialogs.hpp"
#include "app/shell/input.hpp"
#include "app/shell/lecture.hpp"
#include "app/shell/motion.hpp"
#include "app/shell/presenter.hpp"
#include "app/shell/settings.hpp"
#include "app/shell/state.hpp"
#include "app/views/verdict.hpp"

#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct GLFWwindow;
struct ImDrawData;

namespace warptree::window {

class Screen {
  public:
    Screen(GLFWwindow* window, const session::Settings& settings, std::string note, FrameTimes& frame_times);
    ~Screen();
    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;

    session::Explore& explore() { return explore_; }
    // Opens the files, shows the state, or runs the options.
    void start(const std::vector<std::string>& files, const std::string& state);
    void frame();                     // waits for events when nothing moves
    bool frame_if_due();              // where the window system calls, and may not be kept waiting; true: there was one
    void remember(bool window_there); // saves the settings for the next start
    // A state string of what is shown (document/state_string.hpp); empty: not everything that was asked for is there yet.
    std::string settled_state() const;

    // The halves of a frame. compose() takes input and finished work and lays out, without waiting or painting; the
    // draw lists, which include records of painter(), stay valid until the next call. paint() brings picture() up to
    // date; true when it changed.
    const ImDrawData& compose();
    bool paint();
    const render::GlPainter& painter() const { return *painter_; }
    const render::GlRetained& picture() const { return *picture_; }
    const pages::Page& page() const { return *pages_[page_]; }
    scene::Rect placed(const std::string& id) const { return state_.placed(id); } // in the last frame; empty: not shown
    bool act(const std::string& id);          // performs the action with that id; false: there is none
    void show_state(const std::string& text); // throws OptionError
    void open(const std::string& path);       // queued behind the current file job
    void open_deck(const std::string& path);  // throws FileError
    // Where the surroundings have a dialog for files, which calls open(); empty: the program's own is shown.
    std::function<void()> ask_for_file;
    session::Coach& coach() { return coach_; }

  private:
    static constexpr int kFramesToSettle = 7; // frames to draw after an event until everything has settled

    // waiting.cpp
    void wake();          // from any thread: a frame is due
    bool moves() const;   // frames follow one another
    double spare() const; // seconds until the next frame is due if nothing happens
    bool is_due();
    void wait();
    void show();              // a frame
    bool has_settled() const; // everything requested is shown, and nothing is pending
    void rebuild_looks();
    bool needs_all();
    void lay_out();
    void show_page(std::size_t index);
    void go_to_page(std::size_t index); // on the user's request
    void toggle_presentation();
    bool open_in_page(const std::string& path); // in a page that accepts it; throws FileError
    session::StateString state() const;
    // The same, with the text of the kernel file on screen where it fits.
    session::StateString state_to_share() const;
    void settle_state();
    void notify(const std::string& notice);
    // keys.cpp
    void add_page_actions();
    WindowHooks hooks();
    void cancel_run();
    bool rests();
    // A panel fills the window in a presentation: nothing but it, the step's sentence and the transport.
    bool is_bare() const { return explore_.looks.presentation && explore_.full; }
    struct Judged {
        std::string name;
        scene::RunVerdict verdict;
    };
    Judged judged();
    float verdict_room(const panels::Context& c, const Judged& it, float most_name) const;
    float draw_verdict(panels::Context& c, const Judged& it, float left, float right, float y);
    float offer_expectation(panels::Context& c, float x, float right, float y);
    KeyUse on_key(KeyPress press);
    KeyUse act_on(const KeyPress& press);
    KeyUse panel_key(const KeyPress& press);
    KeyUse list_key(const KeyPress& press);
    void give_keyboard(const char* panel);
    void copy_table(TableFormat as);
    // smallest.cpp
    void find_smallest();
    void take_smallest();
    // mending.cpp
    void mend();
    void take_mending();
    bool take_back_mending(bool forward); // or writes it again; false: the text is another
    // lecture.cpp
    void turn_deck(int by);
    void draw_deck(panels::Context& context, const scene::Rect& bar);
    void export_deck();
    void add_to_deck();
    void edit_deck_page();
    void change_deck(session::Deck deck, std::size_t at); // throws Error
    void export_screen();
    void note_history();
    void go_in_history(bool forward);
    void toggle_full(const std::string& panel);
    void take_tool(session::Annotations::Tool tool);
    KeyUse annotation_key(const KeyPress& press);
    void draw_annotations(const panels::Context& context, const scene::Rect& room);
    LectureState lecture_state() const;
    // coach.cpp
    void draw_coach(panels::Context& context);
    void go_on_with_coach(bool dismiss);
    // panels.cpp
    void draw_explore(panels::Context& context);
    void bring_forward(const panels::Layout& layout);
    void draw_panels(panels::Context& context, const panels::Layout& layout);
    void draw_panel(panels::Context& context, panels::Panel& panel, const scene::Rect& rect);
    void draw_tabs(panels::Context& context, const scene::Rect& area);
    void draw_splitters(panels::Context& context, const panels::Layout& layout);
    bool move_by_keys(panels::Context& context, const panels::Splitter& splitter);
    // chrome.cpp
    void draw_top_bar(panels::Context& context, const scene::Rect& bar);
    float draw_page_tabs(panels::Context& context, float left, float right, float beside,
                         float y); // returns their right edge
    void draw_progress(panels::Context& context, float top);
    void draw_notice(panels::Context& context, float bottom);
    void draw_pointer(const panels::Context& context);

    GLFWwindow* window_;
    FrameTimes& frame_times_;
    Clock clock_;
    std::atomic<bool> woken_{true};
    double next_due_ = 0; // where frames are shown when they are due
    StateFile state_;
    session::Explore explore_;
    render::Fonts fonts_;
    std::unique_ptr<render::GlPainter> painter_;
    std::unique_ptr<render::GlRetained> picture_;
    std::unique_ptr<Presenter> presenter_;
    std::array<int, 2> shown_size_{}; // of the last frame's framebuffer
    int all_left_ = 0;                // frames to present in full
    std::vector<std::unique_ptr<panels::Panel>> panels_;
    std::vector<std::unique_ptr<pages::Page>> pages_;
    std::size_t page_ = 0;    // the one shown
    float notice_bottom_ = 0; // of this frame's page; notices go above it
    std::vector<Action> actions_;
    Input input_;
    panels::Keyboard keyboard_;
    std::vector<std::string> folded_; // panels shown in turn in the tree's place
    float drag_from_ = 1;             // the share when the dragging of a splitter began
    Dialogs dialogs_;
    std::shared_ptr<runs::SmallestFailure> smallest_; // set by search_; declared before it, so that it ends first
    std::string searched_, searched_block_;           // the kernel file's text then, and its block
    std::shared_ptr<std::optional<session::Explore::Mending>> mending_; // as smallest_
    std::pair<std::string, std::string> mended_; // the text before the last mending, and after it
    session::FileJob search_;
    // The verdict of the trace shown, found once.
    class KnownVerdict {
      public:
        const scene::RunVerdict& of(const std::shared_ptr<const Trace>& trace) {
            if (trace_.lock() != trace) {
                trace_ = trace;
                verdict_ = scene::verdict(*trace);
            }
            return verdict_;
        }

      private:
        std::weak_ptr<const Trace> trace_;
        scene::RunVerdict verdict_;
    };
    KnownVerdict verdict_;
    std::string titled_;             // of the window
    scene::Point rested_at_;         // where the pointer was when it last moved
    std::optional<double> rest_due_; // when it has come to rest; nullopt: it has, or keys drive
    bool keys_drive_ = false;        // a key was pressed since it moved
    bool seen_pointer_ = false;
    std::vector<std::string> to_open_; // once no file job is running
    bool opens_first_ = false;         // a file opened at the start is being read
    // The initial values of a page.
    const std::map<std::string, std::string>& at_first(std::size_t page) const;
    mutable std::map<std::size_t, std::map<std::string, std::string>> at_first_;
    mutable std::pair<session::ExploreState, std::optional<session::StateString>>
        packed_;                                     // packing takes a millisecond
    std::optional<session::ExploreState> to_settle_; // to show once its trace has arrived
    std::shared_ptr<const Trace> shown_before_;      // the trace shown before
    std::string notice_;
    double notice_until_ = 0;
    bool notice_in_bar_ = false; // the notice fits in the top bar
    std::optional<session::Deck> deck_;
    std::string deck_path_;
    std::size_t deck_at_ = 0;
    float deck_height_ = 0; // of its bar, in this frame
    session::History history_;
    session::Annotations annotations_;
    scene::Point annotated_size_; // of the window
    std::string under_mouse_;     // panel, in this frame
    session::Coach coach_;
    double clicked_ = -1; // time of the click whose ripple is still visible; -1: none
    scene::Point clicked_at_;
    float built_scale_ = 0;
    scene::ThemeName built_theme_{};
    bool built_ = false;
    int frames_left_ = kFramesToSettle; // frames to draw before waiting again
    bool ripples_ = false;              // a ripple is visible: keep drawing frames
    double last_ = 0;                   // when the frame began
    double passed_ = 0;                 // seconds since the previous frame
    int restore_[4] = {0, 0, 0, 0};     // position and size before full screen
    float restore_scale_ = 1;
    bool calm_ = asks_for_less_motion(); // the desktop asks for it
};

} // namespace warptree::window
