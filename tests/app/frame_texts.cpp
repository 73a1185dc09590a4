#include "tests/app/frame_texts.hpp"

#include <imgui.h>
#include <imgui_internal.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace warptree::testing {

namespace {
using scene::Rect;

// A glyph's bitmap is up to this much larger than its ink.
constexpr float kSlack = 0.8F;
// What a frame cuts off is known exactly, so its tolerance is smaller.
constexpr float kSqueezed = 0.3F;
// Two inks overlap when they share more than this in both directions.
constexpr float kShared = 1.5F;

Rect from_corners(float left, float top, float right, float bottom) { return {left, top, right - left, bottom - top}; }
Rect intersect(const Rect& a, const Rect& b) {
    return from_corners(std::max(a.x, b.x), std::max(a.y, b.y), std::min(a.right(), b.right()),
                        std::min(a.bottom(), b.bottom()));
}
Rect unite(const Rect& a, const Rect& b) {
    return a.w <= 0 ? b
                    : from_corners(std::min(a.x, b.x), std::min(a.y, b.y), std::max(a.right(), b.right()),
                                   std::max(a.bottom(), b.bottom()));
}

struct BakedGlyph {
    const ImFont* font;
    const ImFontGlyph* glyph;
};

// Finds the glyph of a quad by the position of its corner in the atlas.
class Atlas {
  public:
    explicit Atlas(const ImFontAtlas& atlas) : white_(atlas.TexUvWhitePixel) {
        for (const ImFont* font : atlas.Fonts) {
            for (const ImFontGlyph& g : font->Glyphs) {
                if (g.Visible != 0) {
                    by_corner_.emplace(key(g.U0, g.V0), BakedGlyph{font, &g});
                    all_.push_back({font, &g});
                }
            }
        }
    }
    bool is_white(const ImVec2& uv) const { return uv.x == white_.x && uv.y == white_.y; }
    std::optional<BakedGlyph> at(const ImVec2& low, const ImVec2& high) const {
        if (is_white(low)) {
            return std::nullopt;
        }
        if (const auto found = by_corner_.find(key(low.x, low.y)); found != by_corner_.end()) {
            return found->second;
        }
        const ImVec2 middle{(low.x + high.x) / 2, (low.y + high.y) / 2};
        for (const BakedGlyph& b : all_) { // quads that ImGui clipped to a frame
            if (middle.x > b.glyph->U0 && middle.x < b.glyph->U1 && middle.y > b.glyph->V0 && middle.y < b.glyph->V1) {
                return b;
            }
        }
        return std::nullopt;
    }

  private:
    static std::uint64_t key(float u, float v) {
        std::uint32_t a = 0, b = 0;
        std::memcpy(&a, &u, sizeof a);
        std::memcpy(&b, &v, sizeof b);
        return (static_cast<std::uint64_t>(a) << 32) | b;
    }
    ImVec2 white_;
    std::unordered_map<std::uint64_t, BakedGlyph> by_corner_;
    std::vector<BakedGlyph> all_;
};

struct Triangle {
    ImVec2 a, b, c;
    bool contains(float x, float y) const {
        const auto side = [&](const ImVec2& p, const ImVec2& q) {
            return (q.x - p.x) * (y - p.y) - (q.y - p.y) * (x - p.x);
        };
        const float i = side(a, b), j = side(b, c), k = side(c, a);
        return (i >= 0 && j >= 0 && k >= 0) || (i <= 0 && j <= 0 && k <= 0);
    }
};

// An opaque shape that may cover text.
struct Cover {
    std::size_t order;
    std::size_t window; // index of the root window
    Rect rect;          // clipped
    std::optional<Triangle> triangle;
};

// Covers, binned by square of the screen.
class Covers {
  public:
    Covers(float width, float height)
        : columns_(static_cast<std::size_t>(width / kCell) + 1), rows_(static_cast<std::size_t>(height / kCell) + 1),
          cells_(columns_ * rows_) {}
    void add(Cover cover) {
        const Rect& r = cover.rect;
        if (r.w <= 0 || r.h <= 0) {
            return;
        }
        const auto index = static_cast<std::uint32_t>(all_.size());
        for (std::size_t y = cell(r.y, rows_); y <= cell(r.bottom(), rows_); ++y) {
            for (std::size_t x = cell(r.x, columns_); x <= cell(r.right(), columns_); ++x) {
                cells_[y * columns_ + x].push_back(index);
            }
        }
        all_.push_back(cover);
    }
    // The last cover painted after `order` over a point.
    const Cover* over(float x, float y, std::size_t order) const {
        const auto& here = cells_[cell(y, rows_) * columns_ + cell(x, columns_)];
        for (auto it = here.rbegin(); it != here.rend(); ++it) {
            const Cover& c = all_[*it];
            if (c.order <= order) {
                break;
            }
            if (c.rect.contains({x, y}) && (!c.triangle || c.triangle->contains(x, y))) {
                return &c;
            }
        }
        return nullptr;
    }

  private:
    static constexpr float kCell = 32;
    static std::size_t cell(float at, std::size_t count) {
        return std::min(static_cast<std::size_t>(std::max(0.0F, at) / kCell), count - 1);
    }
    std::size_t columns_, rows_;
    std::vector<std::vector<std::uint32_t>> cells_;
    std::vector<Cover> all_;
};

struct Ink {
    Rect box; // the whole quad
    Rect clip;
    std::size_t order = 0;
    bool squeezed = false; // ImGui clipped the quad itself
};

struct Line {
    const ImFont* font = nullptr;
    float scale = 1, baseline = 0, next = 0; // next: pen position after the last glyph
    std::size_t list = 0;
    std::string text;
    std::vector<Ink> inks;
};

void append_utf8(std::string& out, unsigned c) {
    char buffer[5] = {};
    ImTextCharToUtf8(buffer, c);
    out += buffer;
}

class Reader {
  public:
    Reader(const ImDrawData& data, const render::GlPainter& painter)
        : data_(data), painter_(painter), atlas_(*ImGui::GetIO().Fonts),
          screen_(from_corners(data.DisplayPos.x, data.DisplayPos.y, data.DisplayPos.x + data.DisplaySize.x,
                               data.DisplayPos.y + data.DisplaySize.y)),
          covers_(data.DisplaySize.x, data.DisplaySize.y) {}

    FrameTexts read() {
        for (int i = 0; i < data_.CmdListsCount; ++i) {
            windows_.push_back(window_of(data_.CmdLists[i]));
        }
        for (std::size_t i = 0; i < windows_.size(); ++i) {
            read_list(i);
        }
        for (const Line& line : lines_) {
            judge(line);
        }
        find_overlaps();
        return std::move(result_);
    }

  private:
    static const ImGuiWindow* window_of(const ImDrawList* list) {
        for (const ImGuiWindow* w : ImGui::GetCurrentContext()->Windows) {
            if (w->DrawList == list) {
                return w;
            }
        }
        return nullptr;
    }
    std::size_t root_of(std::size_t list) const {
        const ImGuiWindow* w = windows_[list];
        for (std::size_t i = 0; w != nullptr && i < windows_.size(); ++i) {
            if (windows_[i] == w->RootWindow) {
                return i;
            }
        }
        return list;
    }
    std::string name_of(std::size_t list) const { return windows_[list] == nullptr ? "?" : windows_[list]->Name; }

    void read_list(std::size_t list) {
        const ImDrawList& l = *data_.CmdLists[list];
        const std::size_t root = root_of(list);
        for (const ImDrawCmd& command : l.CmdBuffer) {
            const Rect clip =
                from_corners(command.ClipRect.x, command.ClipRect.y, command.ClipRect.z, command.ClipRect.w);
            if (const auto* batch = render::GlPainter::batch_of(command)) {
                for (std::size_t i = batch->first; batch->boxes && i < batch->first + batch->count; ++i) {
                    const auto& b = painter_.boxes()[i];
                    ++order_;
                    if (b.fill[3] == 255) {
                        covers_.add({order_, root, intersect({b.rect[0], b.rect[1], b.rect[2], b.rect[3]}, clip), {}});
                    }
                }
            } else if (command.UserCallback == nullptr) {
                read_triangles(l, command, clip, list, root);
            }
        }
    }

    void read_triangles(const ImDrawList& l, const ImDrawCmd& command, const Rect& clip, std::size_t list,
                        std::size_t root) {
        const ImDrawIdx* indices = l.IdxBuffer.Data + command.IdxOffset;
        const ImDrawVert* vertices = l.VtxBuffer.Data + command.VtxOffset;
        for (unsigned at = 0; at + 3 <= command.ElemCount;) {
            ++order_;
            const ImDrawIdx* i = indices + at;
            if (at + 6 <= command.ElemCount && i[3] == i[0] && i[4] == i[2] && i[1] == i[0] + 1 && i[5] == i[0] + 3) {
                const ImDrawVert &low = vertices[i[0]], &high = vertices[i[2]];
                if (const auto glyph = atlas_.at(low.uv, high.uv)) {
                    read_glyph(*glyph, low, high, clip, list);
                    at += 6;
                    continue;
                }
            }
            const ImDrawVert &a = vertices[i[0]], &b = vertices[i[1]], &c = vertices[i[2]];
            const bool opaque = (a.col & b.col & c.col) >> IM_COL32_A_SHIFT == 255;
            if (opaque && atlas_.is_white(a.uv) && atlas_.is_white(b.uv)) {
                const Rect box =
                    from_corners(std::min({a.pos.x, b.pos.x, c.pos.x}), std::min({a.pos.y, b.pos.y, c.pos.y}),
                                 std::max({a.pos.x, b.pos.x, c.pos.x}), std::max({a.pos.y, b.pos.y, c.pos.y}));
                covers_.add({order_, root, intersect(box, clip), Triangle{a.pos, b.pos, c.pos}});
            }
            at += 3;
        }
    }

    void read_glyph(const BakedGlyph& baked, const ImDrawVert& low, const ImDrawVert& high, const Rect& clip,
                    std::size_t list) {
        if (low.col >> IM_COL32_A_SHIFT == 0) {
            return;
        }
        const ImFontGlyph& g = *baked.glyph;
        const float scale = (high.pos.x - low.pos.x) / (high.uv.x - low.uv.x) * (g.U1 - g.U0) / (g.X1 - g.X0);
        // Where the unclipped quad would lie.
        const float left = low.pos.x - (low.uv.x - g.U0) / (g.U1 - g.U0) * (g.X1 - g.X0) * scale;
        const float top = low.pos.y - (low.uv.y - g.V0) / (g.V1 - g.V0) * (g.Y1 - g.Y0) * scale;
        Ink ink{{left, top, (g.X1 - g.X0) * scale, (g.Y1 - g.Y0) * scale}, clip, order_, false};
        const Rect drawn = from_corners(low.pos.x, low.pos.y, high.pos.x, high.pos.y);
        if (drawn.w < ink.box.w - kSqueezed || drawn.h < ink.box.h - kSqueezed) {
            ink.squeezed = true;
            ink.clip = intersect(ink.clip, drawn);
        }
        const float pen = left - g.X0 * scale, baseline = top - g.Y0 * scale;
        Line* line = lines_.empty() ? nullptr : &lines_.back();
        const float gap = line == nullptr ? 0 : pen - line->next;
        const float space = baked.font->FindGlyph(' ')->AdvanceX * scale;
        const float spaces = std::round(gap / space);
        const bool joins = line != nullptr && line->list == list && line->font == baked.font &&
                           std::abs(line->scale - scale) < 0.01F && std::abs(line->baseline - baseline) < 0.1F &&
                           spaces >= 0 && spaces < 4 && std::abs(gap - spaces * space) < 0.06F;
        if (!joins) {
            line = &lines_.emplace_back();
            line->font = baked.font;
            line->scale = scale;
            line->baseline = baseline;
            line->list = list;
        } else {
            line->text.append(static_cast<std::size_t>(spaces), ' ');
        }
        append_utf8(line->text, g.Codepoint);
        line->next = pen + g.AdvanceX * scale;
        line->inks.push_back(ink);
    }

    // Whether a window, or one around it, scrolls its content out of sight at this edge.
    bool scrolls_at(std::size_t list, float y, bool top) const {
        for (const ImGuiWindow* w = windows_[list]; w != nullptr; w = w->ParentWindow) {
            const ImRect& inner = w->InnerClipRect;
            const float edge = top ? inner.Min.y : inner.Max.y;
            if (w->ScrollMax.y > 0 && std::abs(edge - y) < 2) {
                return true;
            }
        }
        return false;
    }

    // Whether a window, or one around it, has content scrolled out of sight on that side.
    bool goes_on_at(std::size_t list, bool left) const {
        for (const ImGuiWindow* w = windows_[list]; w != nullptr; w = w->ParentWindow) {
            const bool scrolls = (w->Flags & ImGuiWindowFlags_HorizontalScrollbar) != 0;
            if (scrolls && (left ? w->Scroll.x > 0 : w->Scroll.x < w->ScrollMax.x)) {
                return true;
            }
        }
        return false;
    }

    static bool is_being_typed(const std::string& text) {
        const ImGuiContext& g = *ImGui::GetCurrentContext();
        const ImGuiInputTextState& field = g.InputTextState;
        return g.ActiveId != 0 && g.ActiveId == field.ID && field.TextA.Size > 0 &&
               std::string_view(field.TextA.Data).find(text) != std::string_view::npos;
    }

    void judge(const Line& line) {
        const std::string window = name_of(line.list);
        FrameText text{line.text, window, {}, line.font->FontSize * line.scale, 0, 0, line.inks.front().order};
        Rect whole;
        const char* fault = nullptr;
        const auto wrong = [&](const char* what) { fault = fault == nullptr ? what : fault; };
        bool covered_here = false;
        for (const Ink& ink : line.inks) {
            whole = unite(whole, ink.box);
            const Rect &b = ink.box, &c = ink.clip;
            const bool above = b.bottom() <= c.y + kSlack, below = b.y >= c.bottom() - kSlack;
            const bool top = b.y<c.y - kSlack, bottom = b.bottom()> c.bottom() + kSlack;
            if ((top && scrolls_at(line.list, c.y, true)) || (bottom && scrolls_at(line.list, c.bottom(), false))) {
                if (!above && !below) {
                    ++text.seen; // at least partly
                    text.ink = unite(text.ink, intersect(b, c));
                }
                continue;
            }
            const Rect seen = intersect(b, intersect(c, screen_));
            const float x = seen.x + seen.w / 2, y = seen.y + seen.h / 2;
            if (seen.w > 0 && seen.h > 0) {
                if (const Cover* cover = covers_.over(x, y, ink.order)) {
                    ++text.hidden;
                    covered_here = covered_here || cover->window == root_of(line.list);
                    continue; // a covered glyph cannot look wrong
                }
            }
            if (ink.squeezed && is_being_typed(line.text)) {
                // a field scrolls what is typed into it
            } else if (ink.squeezed) {
                wrong("cut to its frame");
            } else if ((b.x < c.x - kSlack && goes_on_at(line.list, true)) ||
                       (b.right() > c.right() + kSlack && goes_on_at(line.list, false))) {
                // a window that scrolls sideways
            } else if (b.x < c.x - kSlack || b.right() > c.right() + kSlack) {
                wrong(b.x < c.x - kSlack ? "cut at the left" : "cut at the right");
            } else if (top || bottom) {
                wrong(above || below ? "out of its area" : top ? "cut at the top" : "cut at the bottom");
            } else if (!scene::Rect(screen_).contains({b.x + kSlack, b.y + kSlack}) ||
                       b.right() > screen_.right() + kSlack || b.bottom() > screen_.bottom() + kSlack) {
                wrong("outside the window");
            }
            if (seen.w > 0 && seen.h > 0) {
                ++text.seen;
                text.ink = unite(text.ink, seen);
            }
        }
        if (text.seen > 0 && text.hidden > 0 && covered_here) {
            wrong("partly covered");
        }
        if (fault != nullptr) {
            result_.faults.push_back({fault, line.text, window, whole});
        }
        if (text.seen > 0) {
            result_.texts.push_back(std::move(text));
        }
    }

    void find_overlaps() {
        std::vector<const FrameText*> sorted;
        for (const FrameText& t : result_.texts) {
            sorted.push_back(&t);
        }
        std::sort(sorted.begin(), sorted.end(),
                  [](const FrameText* a, const FrameText* b) { return a->ink.x < b->ink.x; });
        for (std::size_t i = 0; i < sorted.size(); ++i) {
            const Rect& a = sorted[i]->ink;
            for (std::size_t j = i + 1; j < sorted.size() && sorted[j]->ink.x < a.right() - kShared; ++j) {
                const Rect shared = intersect(a, sorted[j]->ink);
                const std::size_t lower = std::min(sorted[i]->order, sorted[j]->order);
                const bool apart = covers_.over(shared.x + shared.w / 2, shared.y + shared.h / 2, lower) != nullptr;
                if (shared.w > kShared && shared.h > kShared && !apart) {
                    result_.faults.push_back({fmt::format("overlaps \"{}\" of {}", sorted[j]->text, sorted[j]->window),
                                              sorted[i]->text, sorted[i]->window, shared});
                }
            }
        }
    }

    const ImDrawData& data_;
    const render::GlPainter& painter_;
    Atlas atlas_;
    Rect screen_;
    Covers covers_;
    std::size_t order_ = 0;
    std::vector<const ImGuiWindow*> windows_;
    std::vector<Line> lines_;
    FrameTexts result_;
};
} // namespace

FrameTexts read_frame(const ImDrawData& data, const render::GlPainter& painter) { return Reader(data, painter).read(); }

} // namespace warptree::testing
