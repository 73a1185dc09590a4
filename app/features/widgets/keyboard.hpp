// Which panel has the keyboard, and its pending keys. If no panel has it, keys move through time.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptree::panels {

enum class PanelKey {
    up,
    down,
    left,
    right,
    enter,
    next,
    previous,
    first,
    last,
    page_up,
    page_down,
    escape,
    find,
    undo,
    redo
};

class Keyboard {
  public:
    const std::string& panel() const { return panel_; } // its id; empty: none
    bool on(std::string_view id) const { return panel_ == id; }
    // Nonzero in the frame after the panel got the keyboard: 1 from the panel before it, -1 from the one after.
    int arrived() const { return arrived_; }

    void set_ring(std::vector<std::string> ids) { ring_ = std::move(ids); } // panels in the order of Tab
    void give(std::string_view id, int direction = 1) {
        panel_ = id;
        arrived_ = direction;
        keys_.clear();
    }
    void release() { give(""); }
    // Likewise, and takes it from the field of the panel, too.
    void drop() {
        release();
        left_ = true;
    }
    bool in_ring(std::string_view id) const { return std::find(ring_.begin(), ring_.end(), id) != ring_.end(); }
    // To the panel after or before this one; past the ends, to none.
    void leave(int direction) {
        const auto at = std::find(ring_.begin(), ring_.end(), panel_);
        const auto here = panel_.empty()      ? (direction > 0 ? -1 : std::ssize(ring_))
                          : at == ring_.end() ? std::ssize(ring_)
                                              : at - ring_.begin();
        const auto to = here + direction;
        give(to >= 0 && to < std::ssize(ring_) ? ring_[static_cast<std::size_t>(to)] : std::string(), direction);
        left_ = true;
    }
    // True once after a panel was left: a field in it still has the keyboard and must lose it.
    bool take_left() { return std::exchange(left_, false); }

    bool waiting() const { return !keys_.empty() || !typed_.empty(); }
    void press(PanelKey key) { keys_.push_back(key); }
    bool take(PanelKey key) {
        const auto found = std::find(keys_.begin(), keys_.end(), key);
        if (found == keys_.end()) {
            return false;
        }
        keys_.erase(found);
        return true;
    }
    // Letters, as capitals, and digits that an open list is still to search for.
    void type(char letter) { typed_ += letter; }
    std::string take_typed() { return std::exchange(typed_, {}); }
    // The input was accepted: once the panel is drawn, no panel has the keyboard.
    void done() { done_ = true; }
    // The panel has been drawn and has handled its keys.
    void end_frame(std::string_view drawn) {
        if (panel_ == drawn) {
            keys_.clear();
            arrived_ = 0;
            if (std::exchange(done_, false)) {
                release();
                left_ = true;
            }
        }
    }

    // An open list gets the keys before any panel. Set in every frame.
    bool list_open() const { return list_open_; }
    void set_list_open(bool open) { list_open_ = open; }

  private:
    std::string panel_;
    int arrived_ = 0;
    bool left_ = false, done_ = false, list_open_ = false;
    std::vector<std::string> ring_;
    std::vector<PanelKey> keys_;
    std::string typed_;
};

} // namespace warptree::panels
