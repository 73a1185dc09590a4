// One file of HTML with a recorded run, or up to four, or a deck: for whoever has a browser and nothing else.
#include "app/base/error.hpp"
#include "app/base/whole_file.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/exit_code.hpp"
#include "app/cli/interrupt.hpp"
#include "app/cli/progress.hpp"
#include "app/cli/trace_options.hpp"
#include "app/features/deck/deck.hpp"
#include "app/features/deck/panels/deck_pages.hpp"
#include "app/features/deck/panels/page_state.hpp"
#include "app/features/explore/panels/canvas.hpp"
#include "app/render/web/web_page.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace warptree::commands {

namespace {

struct ExportWords {
    std::vector<std::string> whats;
    std::string out, title;
};

constexpr int kSlideWidth = 1280, kSlideHeight = 720;

render::WebPage page_of_deck(const ExportWords& words, RunControl& control) {
    const session::Deck deck = session::load_deck(words.whats.front(), pages::check_state);
    std::vector<render::WebPage::Slide> slides;
    for (std::size_t i = 0; i < deck.states.size(); ++i) {
        slides.push_back({deck.states[i].title, deck.states[i].note,
                          [&deck, &control, i](scene::ThemeName theme, const scene::TextMeasure& measure) {
                              const pages::DeckFile look{{kSlideWidth, kSlideHeight, 1, theme}, {}, &control};
                              return pages::deck_page(deck, i, look, measure);
                          }});
    }
    render::WebPage page(words.title.empty() ? deck.title : words.title);
    page.add_slides(slides, kSlideWidth, kSlideHeight, &control);
    return page;
}

render::WebPage page_of_runs(const ExportWords& words, const TraceOptions& options, RunControl& control) {
    std::vector<Trace> traces;
    std::string names;
    for (const std::string& what : words.whats) {
        traces.push_back(trace_of(what, options));
        names += (names.empty() ? "" : ", ") + traces.back().options.strategy;
    }
    render::WebPage page(words.title.empty() ? names : words.title);
    for (const Trace& trace : traces) {
        page.add_run(trace, traces.size(), panels::describe, &control);
    }
    return page;
}

int work(const ExportWords& words, const TraceOptions& options) {
    if (!words.out.ends_with(".html") && !words.out.ends_with(".htm")) {
        throw OptionError(
            fmt::format("-o '{}': the page is one file of HTML; take a name that ends in .html", printable(words.out)));
    }
    const bool deck = words.whats.size() == 1 && session::is_deck_path(words.whats.front());
    if (deck && options.given()) {
        throw OptionError("the states of a deck say what runs; leave the options of a run out");
    }
    if (words.whats.size() > render::WebPage::kMostRuns) {
        throw OptionError(fmt::format("{} runs do not fit side by side; name at most {}", words.whats.size(),
                                      render::WebPage::kMostRuns));
    }
    RunControl control;
    const Interrupt interrupt(control);
    std::string html;
    {
        Progress progress("drawing");
        control.progress = [&](double fraction) { progress.show(fraction); };
        html = (deck ? page_of_deck(words, control) : page_of_runs(words, options, control)).html();
    }
    write_whole(words.out, html);
    return kDone;
}

} // namespace

void add_export(CLI::App& app, Action& action) {
    CLI::App* command =
        app.add_subcommand("export", "Write a run as one page of HTML that anybody's browser steps through");
    auto words = std::make_shared<ExportWords>();
    command
        ->add_option("what", words->whats,
                     "One to four strategies, kernel files or .wtrace files, side by side; or a .deck")
        ->required();
    command->add_option("-o", words->out, "The page: a name that ends in .html")->required();
    command->add_option("--title", words->title, "Of the page (default: what it shows)");
    auto options = TraceOptions::add_to(*command);
    command->callback([&action, words, options] { action = [words, options] { return work(*words, *options); }; });
}

} // namespace warptree::commands
