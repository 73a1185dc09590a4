// Decks.
#include "app/features/deck/deck.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace warptree;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fuzz::refusable([&] { session::parse_deck(fuzz::text_of(data, size), "mine.deck"); });
}
