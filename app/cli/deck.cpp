// A deck as text, or as a PDF with a page per state.
#include "app/features/deck/deck.hpp"
#include "app/base/error.hpp"
#include "app/base/printable.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/exit_code.hpp"
#include "app/cli/interrupt.hpp"
#include "app/cli/output.hpp"
#include "app/cli/picture_options.hpp"
#include "app/features/deck/panels/deck_pages.hpp"
#include "app/features/deck/panels/page_state.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace warptree::commands {

namespace {
struct DeckWords {
    std::string file, out;
    PictureOptions picture;
};

int work(const DeckWords& words) {
    const session::Deck deck = session::load_deck(words.file, pages::check_state);
    if (words.out.empty()) {
        std::string text = deck.title + "\n";
        for (std::size_t i = 0; i < deck.states.size(); ++i) {
            text += fmt::format("{:4}  {}\n      {}\n", i + 1, deck.states[i].title, deck.states[i].state);
        }
        print(text);
        return kDone;
    }
    if (!words.out.ends_with(".pdf")) {
        throw OptionError(
            fmt::format("-o '{}': a deck is written as a PDF, a page per state; take a name that ends in .pdf",
                        printable(words.out)));
    }
    const Picture picture = words.picture.parse(words.out);
    RunControl control;
    const Interrupt interrupt(control);
    pages::write_deck(deck, {{picture.width, picture.height, picture.scale, picture.theme}, words.out, &control});
    return kDone;
}
} // namespace

void add_deck(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("deck", "Check a deck and list its states, or write them as a PDF");
    auto words = std::make_shared<DeckWords>();
    command->add_option("FILE", words->file, "A .deck file: a prepared sequence of states")->required();
    words->picture.add_to(*command);
    command->add_option("-o", words->out, "OUT.pdf: a page per state");
    command->callback([&action, words] { action = [words] { return work(*words); }; });
}

} // namespace warptree::commands
