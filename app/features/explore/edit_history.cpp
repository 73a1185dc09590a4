#include "app/features/explore/edit_history.hpp"

#include "app/base/identifier.hpp"

#include <utility>

namespace warptree::session {

void EditHistory::changed(Snapshot before, const std::string& after) {
    const bool restored = std::exchange(restored_, std::nullopt) == after;
    const auto at = static_cast<std::size_t>(before.cursor);
    const bool typed = after.size() == before.text.size() + 1 && at < after.size() && in_identifier(after[at]);
    const bool goes_on = typed && typed_to_ == before.cursor;
    typed_to_ = typed && !restored ? std::optional(before.cursor + 1) : std::nullopt;
    if (restored) {
        return;
    }
    redo_.clear();
    if (!goes_on) {
        keep(std::move(before));
    }
}

void EditHistory::replaced(Snapshot before) {
    typed_to_.reset();
    restored_.reset();
    redo_.clear();
    keep(std::move(before));
}

void EditHistory::keep(Snapshot before) {
    bytes_ += before.text.size();
    undo_.push_back(std::move(before));
    std::size_t forgotten = 0;
    while (forgotten + 1 < undo_.size() && (undo_.size() - forgotten > kMost || bytes_ > kMostBytes)) {
        bytes_ -= undo_[forgotten++].text.size();
    }
    undo_.erase(undo_.begin(), undo_.begin() + static_cast<std::ptrdiff_t>(forgotten));
}

std::optional<EditHistory::Snapshot> EditHistory::step(std::vector<Snapshot>& from, std::vector<Snapshot>& to,
                                                       Snapshot now) {
    if (from.empty()) {
        return std::nullopt;
    }
    to.push_back(std::move(now));
    Snapshot result = std::move(from.back());
    from.pop_back();
    restored_ = result.text;
    return result;
}

std::optional<EditHistory::Snapshot> EditHistory::undo(Snapshot now) {
    std::optional<Snapshot> result = step(undo_, redo_, std::move(now));
    bytes_ -= result ? result->text.size() : 0;
    return result;
}

std::optional<EditHistory::Snapshot> EditHistory::redo(Snapshot now) {
    const std::size_t bytes = now.text.size();
    std::optional<Snapshot> result = step(redo_, undo_, std::move(now));
    bytes_ += result ? bytes : 0;
    return result;
}

} // namespace warptree::session
