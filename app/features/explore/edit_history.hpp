// What an edited text was before each change. A word that is typed is one change.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace warptree::session {

class EditHistory {
  public:
    struct Snapshot {
        std::string text;
        int cursor = 0; // bytes before it
    };
    // The oldest are forgotten where there are more, or where they have more bytes in all; the latest is always kept.
    static constexpr std::size_t kMost = 500, kMostBytes = 32U << 20;

    // One change at the cursor. What undo() or redo() just returned is none.
    void changed(Snapshot before, const std::string& after);
    // The whole text was replaced from elsewhere.
    void replaced(Snapshot before);
    // The text to go back to, or to go on to; nothing: there is none. `now` is what redo() or undo() then returns.
    std::optional<Snapshot> undo(Snapshot now);
    std::optional<Snapshot> redo(Snapshot now);

  private:
    void keep(Snapshot before);
    std::optional<Snapshot> step(std::vector<Snapshot>& from, std::vector<Snapshot>& to, Snapshot now);

    std::vector<Snapshot> undo_, redo_;
    std::size_t bytes_ = 0;               // of undo_
    std::optional<int> typed_to_;         // the last change was a character of a word, and ended there
    std::optional<std::string> restored_; // by the last step
};

} // namespace warptree::session
