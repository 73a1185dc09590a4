// The bar of a deck below the screen: which state of how many, its title and its note, which a presentation hides.
#pragma once

#include "app/features/deck/deck.hpp"
#include "app/features/widgets/context.hpp"

namespace warptree::panels {

float deck_bar_height(const Context& context);
struct DeckBarClick {
    int turn = 0; // to the previous (-1) or next (1) state
    bool close = false, edit = false;
};
DeckBarClick draw_deck_bar(const Context& context, const scene::Rect& bar, const session::Deck& deck, std::size_t at,
                           bool presents);

} // namespace warptree::panels
