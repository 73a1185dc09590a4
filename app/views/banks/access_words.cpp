#include "app/views/banks/access_words.hpp"

#include "app/drawing/fitting.hpp"
#include "app/views/parts.hpp"

namespace warptree::scene {

AccessWords::AccessWords(const ViewContext& context, Rect area, Drawing& drawing)
    : context_(context), area_(area), drawing_(drawing) {
    const float scale = context.scale;
    above_ = area.h >= 150 * scale ? 24 * scale : 0;
    below_ = (area.h >= 110 * scale ? 54.0F : area.h >= 56 * scale ? 22.0F : 0.0F) * scale;
    axis_ = area.h >= 130 * scale ? 18 * scale : 0;
}

void AccessWords::say_longest(Point at, float size, std::initializer_list<std::string> texts) const {
    const float room = area_.right() - at.x;
    const std::string text = first_fitting(*context_.measure, Face::sans, size, room, texts);
    put_text(drawing_.layers[3], *context_.measure, area_,
             {at, Align::left, Face::sans, size, context_.theme->muted,
              fitted(*context_.measure, text, Face::sans, size, room)});
}

void AccessWords::caption(std::initializer_list<std::string> texts) const {
    if (above_ > 0) {
        say_longest({area_.x + 4 * context_.scale, area_.y + above_ * 0.4F}, 14 * context_.scale, texts);
    }
}

void AccessWords::verdict(const std::string& cost, std::initializer_list<std::string> notes,
                          std::initializer_list<std::string> sentences) const {
    if (below_ <= 0) {
        return;
    }
    const float scale = context_.scale, size = 14 * scale;
    const bool line_alone = below_ < 50 * scale;
    const float big = line_alone ? size : 18 * scale;
    const float x = area_.x + 4 * scale, y = area_.bottom() - below_ + (line_alone ? 14 : 16) * scale;
    put_text(drawing_.layers[3], *context_.measure, area_,
             {{x, y}, Align::left, Face::sans_bold, big, context_.theme->text, cost});
    say_longest({x + context_.measure->width(cost, Face::sans_bold, big) + 12 * scale, y + (line_alone ? 0 : scale)},
                size, notes);
    if (!line_alone) {
        say_longest({x, y + 23 * scale}, size, sentences);
    }
}

} // namespace warptree::scene
