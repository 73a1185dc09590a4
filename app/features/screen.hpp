// A page: the screen below the top bar, chosen by a digit. One page per file, all listed in pages.cpp.
#pragma once

#include "app/features/action.hpp"
#include "app/features/widgets/context.hpp"
#include "app/render/movie/animation.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::pages {

// The window's services for its pages.
struct Tools {
    std::function<void(panels::Context&)> draw_panels;                   // the panels of the Explore screen
    std::function<void(const std::string& id, scene::Rect rect)> placed; // an item's rectangle, for tests
    std::function<void(const char* panel)> give_keyboard;
    std::function<void()> wake;                            // from any thread: something has changed; redraw
    std::function<void(const std::string& notice)> notify; // shows it for a while
    std::function<void(const std::string& id)> show_page;
    std::function<void()> copy_table; // of the page shown, as Markdown
};

// The format of a picture of a page.
struct PictureLook {
    int width = 1280, height = 720; // pixels (PNG), points (PDF) or user units (SVG)
    float scale = 1;                // of text and drawing
    scene::ThemeName theme = scene::ThemeName::light;
};

class Page {
  public:
    virtual ~Page() = default;
    virtual const char* id() const = 0; // stable
    virtual const char* title() const = 0;
    virtual int digit() const = 0;                                     // 1 … 9, the key that shows the page
    virtual void draw(panels::Context& context, scene::Rect area) = 0; // area: all of the window below the top bar
    virtual std::vector<window::Action> actions() { return {}; }       // their keys work while the page is shown
    virtual bool moving() const { return false; } // it is animated: draw every frame while the page is shown
    virtual void advance(double /*seconds*/) {}   // before each frame while the page is shown
    virtual bool busy() const { return false; }   // what it will show is still being computed
    virtual void entered(session::Explore&) {}    // the user switched to it, from Explore or another screen
    virtual bool poll() { return false; }         // takes finished work; true: redraw
    virtual void prepare() {}                     // without a window: starts and collects the work that draw() would
    // Takes a digit or a minus sign that is typed while nothing has the keyboard; false: the page has no use for it.
    virtual bool take_digit(char) { return false; }
    virtual bool dismiss() { return false; }                                 // Esc; true: there was something to close
    virtual std::map<std::string, std::string> values() const { return {}; } // the state of the page
    virtual std::map<std::string, std::string> remembered() const { return values(); } // between sessions
    virtual void restore(const std::map<std::string, std::string>&) {}                 // unusable values are ignored
    virtual std::map<std::string, std::string> shown() const { return {}; } // further visible state, for tests
    // For state strings: the value before "?"; empty: none. And whether a value is part of the string.
    virtual std::string subject() const { return {}; }
    virtual bool in_state(const std::string& /*value*/) const { return true; }
    // The run that the verdict in the top bar is on, where it is not Explore's. No trace: there is no verdict to show.
    struct Judged {
        std::string name;
        std::shared_ptr<const Trace> trace;
    };
    virtual std::optional<Judged> judged() const { return std::nullopt; }
    virtual bool open(const std::string& /*path*/) { return false; } // true: the file is the page's; throws FileError
    // What is shown as a picture: its default file name (empty: the trace's views are exported instead), and the
    // drawing. Throws FileError when there is nothing to draw yet.
    virtual std::string picture_name() const { return {}; }
    virtual scene::Drawing picture(const PictureLook&, const scene::TextMeasure&) const { return {}; }
    // The run that is stepped through; nullopt: the page has none. Throws FileError as above.
    virtual std::optional<render::Film> film(const PictureLook&, render::Pace&) const { return std::nullopt; }
    virtual bool has_table() const { return false; }
    // The table shown, as the contents of a file with the extension `end`: ".md", ".csv"; empty: there is none.
    virtual std::string table(const std::string& /*end*/) const { return {}; }
};

struct PageMaker {
    const char* id; // of the page
    std::unique_ptr<Page> (*make)(const Tools& tools);
};
// All pages, in the order of their digits.
std::span<const PageMaker> page_makers();
std::vector<std::unique_ptr<Page>> make_pages(const Tools& tools);
// A page by its id; nullptr: there is none.
std::unique_ptr<Page> make_page(std::string_view id, const Tools& tools);

std::unique_ptr<Page> make_explore(const Tools& tools);
std::unique_ptr<Page> make_compare(const Tools& tools);
std::unique_ptr<Page> make_timings(const Tools& tools);
std::unique_ptr<Page> make_theory(const Tools& tools);
std::unique_ptr<Page> make_lessons(const Tools& tools);
std::unique_ptr<Page> make_stride_playground(const Tools& tools);

} // namespace warptree::pages
