#include "app/features/explore/panels/layout.hpp"

#include "app/views/story.hpp"

#include <algorithm>
#include <utility>

namespace warptree::panels {

namespace {
// At scale 1.
constexpr float kGap = 6;
constexpr float kLeastLeft = 190, kLeastRight = 230, kLeastMiddle = 360, kLeastTree = 130, kLeastLower = 120;

// Lays out in units of scale 1.
class Plan {
  public:
    Plan(float width, float height, const session::Looks& looks, bool edits, bool story)
        : looks_(looks), edits_(edits), story_(story), width_(width) {
        const bool low = height < 330;
        bar_ = top_ = low ? 38 : 46;
        bottom_ = low ? 50 : 68;
        end_ = height - bottom_;
        if (story) {
            const float cells = height < 420 ? scene::kLowStory : scene::kStoryHeight;
            place("story", {0, bar_, width, cells + kGap});
            top_ += cells + kGap;
        }
        inner_ = end_ - top_;
    }

    Layout make() {
        columns();
        const float x = left_ > 0 ? left_ + kGap : kGap;
        const float w = width_ - x - kGap - (right_ > 0 ? right_ + kGap : 0);
        if (left_ > 0) {
            const float parameters = std::min(372.0F, inner_ * 0.56F);
            place("strategies", {0, top_, left_, inner_ - parameters});
            place("parameters", {0, end_ - parameters, left_, parameters});
            const float most = std::max(kLeastLeft, width_ - right_ - kLeastMiddle - 3 * kGap);
            split("left", {left_, top_, kGap, inner_}, true, &session::Looks::left, left_base_, kLeastLeft, most);
        } else {
            fold({"strategies", "parameters"});
        }
        middle(x, w);
        if (right_ > 0) {
            right_column(width_ - right_ - kGap);
        } else {
            fold({"source", "step"});
        }
        place("transport", {0, end_, width_, bottom_});
        result_.top = bar_;
        result_.begin = top_;
        result_.bottom = bottom_;
        return std::move(result_);
    }

  private:
    void columns() {
        left_base_ = std::min(258.0F, width_ * (edits_ ? 0.22F : 0.3F)); // of an own kernel the tree is looked at, too
        const float reading =
            std::min(482.0F, width_ * (looks_.presentation ? 0.23F : 0.27F)); // capped at room for 60 characters
        right_base_ = edits_ ? std::min({538.0F, width_ * 0.36F, width_ * 0.6F - 302}) : reading;
        const bool left = !looks_.presentation && width_ >= kLeastLeft + kLeastRight + kLeastMiddle + 3 * kGap;
        const bool right = width_ >= kLeastRight + kLeastMiddle + 3 * kGap;
        left_ = left ? std::max(kLeastLeft, left_base_ * looks_.left) : 0;
        right_ = right ? std::max(kLeastRight, right_base_ * looks_.right) : 0;
        // The wider side shrinks first to make room for the middle.
        for (int i = 0; i < 2; ++i) {
            const float lack = kLeastMiddle + 3 * kGap + left_ + right_ - width_;
            float& side = left_ > right_ ? left_ : right_;
            const float least = left_ > right_ ? kLeastLeft : kLeastRight;
            side = lack > 0 && side > 0 ? std::max(least, side - lack) : side;
        }
    }

    void middle(float x, float w) {
        const float room = inner_ - 3 * kGap;
        if (room < kLeastTree + kLeastLower) {
            place("tree", {x, top_ + kGap, w, inner_ - 2 * kGap});
            fold({"warps", "banks", "memory"});
            return;
        }
        const float base = room * (story_                           ? 0.15F
                                   : edits_ && !looks_.presentation ? 0.2F
                                   : looks_.presentation            ? 0.22F
                                                                    : 0.24F); // the tree is what is looked at
        const float lower = std::clamp(base * looks_.lower, kLeastLower, room - kLeastTree);
        place("tree", {x, top_ + kGap, w, room - lower});
        const float y = top_ + 2 * kGap + room - lower;
        split("lower", {x, y - kGap, w, kGap}, false, &session::Looks::lower, -base, kLeastLower, room - kLeastTree);
        if (w < 520) {
            place("warps", {x, y, w, lower});
            fold({"banks", "memory"});
            return;
        }
        const float warps = (w - kGap) * 0.6F;
        place("warps", {x, y, warps, lower});
        place("banks", {x + warps + kGap, y, w - warps - kGap, lower});
    }

    void right_column(float x) {
        const float room = inner_ - 3 * kGap;
        split("right", {x - kGap, top_, kGap, inner_}, true, &session::Looks::right, -right_base_, kLeastRight,
              std::max(kLeastRight, width_ - left_ - kLeastMiddle - 3 * kGap));
        if (room < 300) {
            place("step", {x, top_ + kGap, right_, inner_ - 2 * kGap});
            fold({"source"});
            return;
        }
        const float source = room * (edits_ ? 0.64F : 0.5F);
        place("source", {x, top_ + kGap, right_, source});
        place("step", {x, top_ + 2 * kGap + source, right_, room - source});
    }

    void place(const char* id, const scene::Rect& rect) { result_.places.emplace_back(id, rect); }
    void fold(std::initializer_list<const char*> ids) {
        result_.folded.insert(result_.folded.end(), ids.begin(), ids.end());
    }
    void split(const char* id, const scene::Rect& rect, bool upright, float session::Looks::*share, float unit,
               float least, float most) {
        if (most - least < 8) {
            return; // no room to distribute
        }
        const float base = unit < 0 ? -unit : unit;
        result_.splitters.push_back({id, rect, upright, share, unit, least / base, most / base});
    }

    const session::Looks& looks_;
    bool edits_, story_;
    float width_, bar_ = 0, top_ = 0, bottom_ = 0, end_ = 0, inner_ = 0;
    float left_ = 0, right_ = 0, left_base_ = 0, right_base_ = 0;
    Layout result_;
};

scene::Rect scaled(const scene::Rect& r, float s) { return {r.x * s, r.y * s, r.w * s, r.h * s}; }
} // namespace

Layout layout(float width, float height, const session::Looks& looks, bool edits, bool story) {
    const float s = looks.scale;
    Layout result = Plan(width / s, height / s, looks, edits, story).make();
    result.top *= s;
    result.begin *= s;
    result.bottom *= s;
    for (auto& [id, rect] : result.places) {
        rect = scaled(rect, s);
    }
    for (Splitter& splitter : result.splitters) {
        splitter.rect = scaled(splitter.rect, s);
        splitter.unit *= s;
    }
    return result;
}

Layout with_one_panel(Layout l, float width, float scale, bool bare) {
    const float up = bare ? std::exchange(l.top, 0.0F) : 0;
    l.begin -= up;
    const float gap = kGap * scale;
    std::vector<std::pair<std::string, scene::Rect>> places;
    std::vector<std::string> folded;
    for (const auto& [id, rect] : l.places) {
        if (id == "transport") {
            places.emplace_back("tree", scene::Rect{gap, l.begin + gap, width - 2 * gap, rect.y - l.begin - 2 * gap});
            places.emplace_back(id, rect);
        } else if (id == "story") {
            places.emplace_back(id, scene::Rect{rect.x, rect.y - up, rect.w, rect.h});
        } else if (id != "tree") {
            folded.push_back(id);
            if (id == "banks") {
                folded.emplace_back("memory");
            }
        }
    }
    folded.insert(folded.end(), l.folded.begin(), l.folded.end());
    l.places = std::move(places);
    l.folded = std::move(folded);
    l.splitters.clear();
    return l;
}

} // namespace warptree::panels
