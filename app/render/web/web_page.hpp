// A recorded run as one HTML file that needs nothing else: no network, no server, no program.
#pragma once

#include "app/drawing/theme.hpp"
#include "app/render/web/drawing_store.hpp"
#include "app/trace/model/trace.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace warptree::render {

class WebPage {
  public:
    static constexpr std::size_t kMostRuns = 4; // side by side

    explicit WebPage(std::string title) : title_(std::move(title)) {}

    // What a target is, for a tooltip; empty: nothing.
    using Describe = std::function<std::string(const Trace&, const scene::Target&)>;
    // Adds a run in all its steps, drawn for one of `columns` columns. Throws Cancelled; OptionError for a trace without steps.
    void add_run(const Trace& trace, std::size_t columns, const Describe& describe, RunControl* control = nullptr);

    struct Slide {
        std::string title, words;
        std::function<scene::Drawing(scene::ThemeName, const scene::TextMeasure&)> draw;
    };
    // Adds pictures of `width` by `height` pixels to page through.
    void add_slides(const std::vector<Slide>& slides, int width, int height, RunControl* control = nullptr);

    // The whole file. Throws FileError where the program's own page is missing.
    std::string html() const;

  private:
    struct View {
        std::string id, title;
        int width, height;
        std::vector<std::vector<std::array<std::uint32_t, 2>>> frames; // of each place, as it goes on: light, dark
    };
    struct Fact {
        std::string label, value, note;
        bool attention;
    };
    struct Place {
        std::string title, sentence;
        std::vector<Fact> facts;
        std::uint32_t launch = 0, step = 0;
    };
    struct Run {
        std::string name, detail;
        std::vector<Place> places;
        std::vector<View> views;
        // Operands of each node of each launch, -1 for none; empty where there are too many.
        std::vector<std::array<std::vector<std::int64_t>, 2>> operands;
    };

    std::string title_;
    DrawingStore store_;
    std::vector<Run> runs_;
};

} // namespace warptree::render
