// What was shown before, to go back to: a history of state strings.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace warptree::session {

class History {
  public:
    // What is shown now. A new choice is a new entry, and what was undone before it is gone; moving through time, or the
    // tree, changes the entry that is there.
    void note(const std::string& state);
    // The state to show in place of this one; nothing: there is none.
    std::optional<std::string> undo();
    std::optional<std::string> redo();
    bool can_undo() const { return at_ > 0; }
    bool can_redo() const { return at_ + 1 < states_.size(); }

  private:
    static constexpr std::size_t kMost = 500;
    std::vector<std::string> states_;
    std::size_t at_ = 0;
    bool going_ = false; // what is noted next is what undo or redo asked for
};

} // namespace warptree::session
