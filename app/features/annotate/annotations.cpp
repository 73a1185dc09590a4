#include "app/features/annotate/annotations.hpp"

#include <algorithm>
#include <cmath>

namespace warptree::session {

void Annotations::take(Tool tool) {
    end();
    tool_ = tool_ == tool ? Tool::none : tool;
    by_keys = false;
}

void Annotations::begin(scene::Point at) {
    if (tool_ == Tool::none) {
        return;
    }
    end();
    if (strokes_.size() == kMostStrokes) {
        strokes_.erase(strokes_.begin());
    }
    strokes_.push_back({tool_, {at}});
    drawing_ = true;
}

void Annotations::go_on(scene::Point at) {
    if (!drawing_) {
        return;
    }
    std::vector<scene::Point>& points = strokes_.back().points;
    if (at == points.back()) {
        return;
    }
    if (strokes_.back().tool == Tool::arrow) {
        points.resize(1);
    }
    if (points.size() < kMostPoints) {
        points.push_back(at);
    }
}

void Annotations::end() {
    if (drawing_ && strokes_.back().tool == Tool::arrow && strokes_.back().points.size() < 2) {
        strokes_.pop_back(); // a click does not make an arrow
    }
    drawing_ = false;
}

void Annotations::take_back() {
    drawing_ = false;
    if (!strokes_.empty()) {
        strokes_.pop_back();
    }
}

void Annotations::wipe() {
    drawing_ = false;
    strokes_.clear();
}

void Annotations::move_cursor(float dx, float dy, const scene::Rect& room) {
    if (!by_keys && !room.contains(cursor)) {
        cursor = {room.x + room.w / 2, room.y + room.h / 2};
    }
    by_keys = true;
    cursor.x = std::clamp(cursor.x + dx, room.x, room.right());
    cursor.y = std::clamp(cursor.y + dy, room.y, room.bottom());
    go_on(cursor);
}

ArrowHead arrow_head(scene::Point tail, scene::Point head, float size) {
    const float dx = tail.x - head.x, dy = tail.y - head.y, length = std::hypot(dx, dy);
    if (length <= 0) {
        return {head, head};
    }
    const float x = dx / length * std::min(size, length), y = dy / length * std::min(size, length);
    constexpr float kHalf = 0.5F; // width relative to length
    return {{head.x + x - y * kHalf, head.y + y + x * kHalf}, {head.x + x + y * kHalf, head.y + y - x * kHalf}};
}

} // namespace warptree::session
