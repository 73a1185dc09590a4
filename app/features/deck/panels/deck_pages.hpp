// The states of a deck as pages of a PDF, without a window.
#pragma once

#include "app/features/deck/deck.hpp"
#include "app/features/screen.hpp"

namespace warptree::pages {

struct DeckFile {
    PictureLook look;
    std::filesystem::path path; // .pdf
    RunControl* control = nullptr;
};
// Runs what the states show. A state that has no picture says so on its page. Throws OptionError, FileError, Cancelled.
void write_deck(const session::Deck& deck, const DeckFile& file);
scene::Drawing deck_page(const session::Deck& deck, std::size_t at, const DeckFile& file,
                         const scene::TextMeasure& measure);

} // namespace warptree::pages
