// A deck: a prepared sequence of states to page through in class. A plain text file, described in docs/decks.md:
//
//   deck: Reductions in one hour
//
//   state: explore/interleaved-modulo?n=64&block=64&step=3
//   title: Every second lane works
//   What to say: every line that does not begin with a key belongs to the note.
#pragma once

#include "app/document/state_string.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::session {

struct DeckState {
    std::string state; // as in state_string.hpp; a file in it may be relative to the deck's folder
    std::string title, note;
    int line = 0; // of the file
    friend bool operator==(const DeckState&, const DeckState&) = default;
};

// The title, or where there is none what is shown: "sum.cu, step 3".
std::string shown_title(const DeckState& state);

struct Deck {
    std::string title;
    std::vector<DeckState> states; // at least one
    friend bool operator==(const Deck&, const Deck&) = default;
};

inline constexpr std::size_t kMostDeckStates = 200;

bool is_deck_path(const std::filesystem::path& path);

// `file` is for messages. Throws FileError "file:line: reason".
Deck parse_deck(std::string_view text, const std::string& file);
// `check` throws OptionError for a state that cannot be shown. Throws FileError as above.
Deck load_deck(const std::filesystem::path& path, const std::function<void(const StateString&)>& check);
std::string to_text(const Deck& deck); // parse_deck reads the same deck from it
// Files that its states name are written as the path from the deck's folder; one that lies elsewhere is refused by
// FileError, and text that would be read as something else by OptionError.
void save_deck(const Deck& deck, const std::filesystem::path& path);

} // namespace warptree::session
