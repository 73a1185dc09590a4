#include "app/drawing/draw.hpp"

namespace warptree::scene {

Target Drawing::at(Point p) const {
    if (!clip.contains(p)) {
        return {};
    }
    for (auto hit = hits.rbegin(); hit != hits.rend(); ++hit) {
        if (hit->rect.contains(p)) {
            return hit->target;
        }
    }
    return {};
}

} // namespace warptree::scene
