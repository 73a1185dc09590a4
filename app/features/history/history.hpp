// What was shown before, to go back to: a history of state strings.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace warptree::session {

class History {
  public:
    // Records what is shown now. A new choice adds an entry and drops the undone ones; moving through time, or in the
    // tree, changes the current entry.
    void note(const std::string& state);
    // The state to show in place of the current one; nullopt: there is none.
    std::optional<std::string> undo();
    std::optional<std::string> redo();
    bool can_undo() const { return at_ > 0; }
    bool can_redo() const { return at_ + 1 < states_.size(); }

  private:
    static constexpr std::size_t kMost = 500;
    std::vector<std::string> states_;
    std::size_t at_ = 0;
    bool going_ = false; // the next note() is of the state that undo or redo returned
};

} // namespace warptree::session
