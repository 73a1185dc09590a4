// The windows over the screen: open, save, export, palette, help. One at a time.
#pragma once

#include "app/document/file_job.hpp"
#include "app/features/screen.hpp"
#include "app/features/widgets/context.hpp"
#include "app/shell/actions.hpp"
#include "app/shell/input.hpp"

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace warptree::window {

enum class Dialog {
    none,
    open,
    save,
    export_picture,
    palette,
    help,
    state,
    menu,
    export_screen,
    export_deck,
    deck_page
};
const char* name(Dialog dialog);
std::string shown_stem(const session::Explore& explore); // what files about it are named after
// The notice after a trace or a kernel file was opened.
std::string opened_notice(const session::Explore& explore, const std::string& path);

class Dialogs {
  public:
    // `wake` is called from another thread when a file is written or read, or has made progress.
    explicit Dialogs(std::function<void()> wake) : job_(std::move(wake)) {}
    // `text`: the field's initial text, a file name or a state; empty: a default. An empty one in an export means that
    // it exports one of the trace's views.
    void show(Dialog dialog, const session::Explore& explore, const std::string& text = {});
    std::function<void(const std::string& text)> show_state; // goes to a typed state; throws OptionError
    std::function<void()> copy_for_others;                   // the state, with a file's text where that fits
    void close() { current_ = Dialog::none; }
    Dialog current() const { return current_; }
    bool types() const { // whether the dialog has a text field
        return current_ != Dialog::none && current_ != Dialog::help && current_ != Dialog::menu;
    }
    const std::string& error() const { return error_; } // why the dialog is still open
    bool key(const KeyPress& press);                    // true: the dialog used it
    std::string choices() const;                        // of an export or the menu, in words, for tests
    session::FileJob& job() { return job_; }
    const session::FileJob& job() const { return job_; }
    // Takes the outcome of a file job, if any: sets the notice, or shows its dialog again with the reason. True: there
    // was one.
    bool poll(session::Explore& explore, std::string& notice);
    // Opens a small trace at once, a larger one on another thread. True: it is shown. Throws FileError.
    bool open(session::Explore& explore, const std::string& path);
    // Called first by the dialog; true: the file was not a trace and has been opened elsewhere.
    std::function<bool(const std::string& path)> open_elsewhere;
    // For export_screen: the window as it was before the dialog, RGBA.
    struct ScreenPixels {
        std::vector<std::uint8_t> rgba;
        int width = 0, height = 0;
    };
    ScreenPixels screen;
    std::function<void(const std::string& path, RunControl&)> write_deck; // for export_deck; called on another thread
    // For deck_page: what it begins with, and what is to become of it. They throw Error for what cannot be written.
    struct DeckPage {
        bool added = false; // not in the deck yet
        std::string title, note;
        std::function<void(const std::string& title, const std::string& note)> take;
        std::function<void(int by)> move; // earlier or later in the deck
        std::function<void()> remove;
    };
    void show_deck_page(const session::Explore& explore, DeckPage page);
    // Draws the current one. `notice` receives what was done.
    void draw(panels::Context& context, const std::vector<Action>& actions, const pages::Page& page,
              std::string& notice);

  private:
    // file_dialogs.cpp
    void draw_path(panels::Context& context, const pages::Page& page, std::string& notice);
    void draw_files(panels::Context& context);
    void accept(session::Explore& explore, const pages::Page& page, std::string& notice);
    void save(session::Explore& explore, const std::string& path);
    void start(const std::string& path, const std::string& doing, std::function<void(RunControl&)> work);
    // export.cpp
    const char* view_name() const; // of the view to export
    void show_export(const session::Explore& explore, const std::string& given);
    void draw_export(panels::Context& context, const pages::Page& page);
    bool draw_choice(panels::Context& context, int row, const char* label, const std::vector<std::string>& names,
                     int chosen, int& next); // true: the choice changed
    void turn_view(int view);
    pages::PictureLook look() const; // throws OptionError
    void write_export(const session::Explore& explore, const pages::Page& page, const std::string& path,
                      std::string& notice);
    render::Film film(const session::Explore& explore, const pages::Page& page, const pages::PictureLook& look,
                      render::Pace& pace) const;
    // state_dialog.cpp
    void draw_state(panels::Context& context, std::string& notice);
    void draw_error(panels::Context& context) const;
    // deck_dialog.cpp
    void draw_deck_page(panels::Context& context);
    // action_lists.cpp
    void draw_palette(panels::Context& context, const std::vector<Action>& actions);
    void draw_help(panels::Context& context, const std::vector<Action>& actions, const pages::Page& page);
    void draw_menu(panels::Context& context, const std::vector<Action>& actions, const pages::Page& page);

    void set_text(const std::string& text);

    Dialog current_ = Dialog::none;
    bool opened_ = false; // opened in this frame: take the focus
    bool enter_ = false;
    int moves_ = 0;                  // arrow keys not yet acted on; down is positive
    int sideways_ = 0;               // likewise; right, or Tab, is positive
    int generation_ = 0;             // changes when the field must reload the text
    std::array<char, 16384> text_{}; // a state may carry a source
    std::array<char, 4096> note_{};
    DeckPage deck_page_;
    std::string error_;
    std::string overwrites_; // an existing file, after the warning that it exists
    int view_ = 0;           // of an export of the Explore screen
    int row_ = 0;            // of choices that the arrow keys change
    int rows_ = 1;           // number of choices
    float scale_ = 1;        // scale of an export; the next two likewise
    scene::ThemeName theme_ = scene::ThemeName::dark;
    std::array<char, 16> size_{"1280x720"};
    std::array<int, 2> window_size_{};  // in pixels
    std::string group_;                 // of the menu
    int choice_ = 0;                    // entry that Enter takes; files: −1 is the typed name
    std::vector<std::string> files_;    // as listed
    std::string listed_;                // the field's text at that time
    std::shared_ptr<const Trace> read_; // set by the job; declared before it, so that the job ends first
    session::FileJob job_;
    Dialog job_for_ = Dialog::none;
    bool asked_ = false; // requested by a dialog, which is shown again on failure
    std::string job_path_;
    std::string job_wrote_; // the file written, if not job_path_; set by the job, read once it is over
};

} // namespace warptree::window
