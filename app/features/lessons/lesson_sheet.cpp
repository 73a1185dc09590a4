#include "app/features/lessons/lesson_sheet.hpp"

#include "app/features/lessons/load_figure.hpp"

#include "app/features/theory/figure.hpp"
#include "app/views/views.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warptree::topics {

namespace {
using scene::Align;
using scene::Color;
using scene::Face;
using scene::Rect;

// Text from top to bottom, as long as there is room.
class Column {
  public:
    Column(Figure& figure, Rect room) : figure_(figure), room_(room) {}

    void heading(const std::string& text, float size) {
        const float height = figure_.line_height(size);
        if (room_.h >= height) {
            figure_.text({room_.x, room_.y, room_.w, height}, text, size, figure_.theme().text, Align::left,
                         Face::sans_bold);
            down(height);
        }
    }
    void paragraph(const std::string& text, const Color& color, float indent = 0) {
        const Rect room{room_.x + indent, room_.y, room_.w - indent, room_.h};
        if (room.w > 0) {
            down(figure_.paragraph(room, text, figure_.body(), color));
        }
    }
    void gap(float height) { down(figure_.px(height)); }
    float y() const { return room_.y; }
    Rect left() const { return room_; }

  private:
    void down(float height) {
        room_.y += height;
        room_.h = std::max(0.0F, room_.h - height);
    }
    Figure& figure_;
    Rect room_;
};

void say(Figure& figure, const Rect& room, const LessonSheet& sheet, const session::LessonTeller& teller) {
    const session::LessonStage& stage = sheet.lesson->stages[sheet.stage];
    const scene::Theme& theme = figure.theme();
    Column column(figure, room);
    column.heading(sheet.lesson->title, figure.px(19));
    column.paragraph(stage.heading, theme.muted);
    column.gap(8);
    for (const std::string& text : teller.paragraphs()) {
        column.paragraph(text, theme.text);
        column.gap(6);
    }
    if (stage.kind == session::QuestionKind::none) {
        return;
    }
    column.gap(4);
    const float indent = figure.px(14), from = column.y();
    column.paragraph(teller.ask(), theme.text, indent);
    const auto options = teller.options();
    for (std::size_t i = 0; i < options.size(); ++i) {
        column.paragraph(fmt::format("{}) {}", static_cast<char>('a' + i), options[i]), theme.text, 2 * indent);
    }
    if (sheet.answered) {
        column.gap(6);
        column.paragraph(fmt::format("Answer: {}", teller.answer_text()), theme.agree, indent);
        for (const std::string& text : teller.why()) {
            column.paragraph(text, theme.text, indent);
        }
    }
    figure.box({room.x, from, figure.px(3), std::max(0.0F, column.y() - from)}, theme.accent);
}
} // namespace

scene::Drawing compose_lesson(const FigureContext& context, float width, float height, const LessonSheet& sheet) {
    const session::LessonStage& stage = sheet.lesson->stages[sheet.stage];
    const session::LessonTeller teller(stage, *sheet.traces);
    const session::LessonTeller::Place place = teller.place(sheet.answered);
    const session::Seen seen = sheet.answered ? session::Seen{sheet.traces->at(place.trace), kNone}
                                              : session::seen_at(stage, *sheet.traces, place);
    const Trace& trace = *seen.trace;

    Figure figure(context, {0, 0, width, height});
    figure.layer().boxes.push_back(
        {.rect = figure.area(), .fill = figure.theme().panel}); // the colour with which the tree fills its margins
    figure.next_layer();
    const float margin = std::min(figure.px(24), width / 20), gap = figure.px(20);
    const bool beside = width >= figure.px(700);
    const Rect inner{margin, margin, width - 2 * margin, height - 2 * margin};
    const float text = beside ? std::min(inner.w * 0.38F, figure.px(520)) : inner.w;
    say(figure, {inner.x, inner.y, text, inner.h}, sheet, teller);
    if (!beside) {
        return figure.take(); // the text has precedence
    }
    scene::ViewContext view;
    view.trace = &trace;
    view.moment = {place.launch, place.step, 1};
    view.theme = context.theme;
    view.measure = context.measure;
    view.scale = context.scale;
    view.hidden_from = seen.hidden_from;
    const Rect room{inner.x + text + gap, inner.y, inner.w - text - gap, inner.h};
    const float caption = figure.line_height(figure.body());
    const Launch& launch = trace.launches[place.launch];
    figure.text({room.x, room.y, room.w, caption},
                fmt::format("{}, n = {}, B = {}, {}", trace.options.strategy, trace.options.n, trace.block(),
                            launch.steps[place.step].label),
                figure.body(), figure.theme().muted);
    const Rect area{room.x, room.y + caption + figure.px(6), room.w, room.h - caption - figure.px(6)};
    if (area.h < figure.px(60)) {
        return figure.take();
    }
    if (const auto loads = teller.loads(); loads && sheet.answered) {
        figure.add(scene::draw_load_figure(figure.theme(), *context.measure, context.scale, area, *loads,
                                           bytes(trace.options.type)));
    } else if (stage.view == "warps") {
        figure.add(scene::draw_warps(view, area, launch.window_first));
    } else if (stage.view == "banks") {
        const auto warp = teller.warp();
        const auto shown =
            warp ? scene::exchanges(trace, view.moment, launch.window_first, *warp) : std::vector<std::uint32_t>();
        figure.add(scene::draw_banks(view, area, shown.empty() ? kNone : shown.front()));
    } else {
        figure.add(scene::draw_tree(view, area, {}));
    }
    return figure.take();
}

} // namespace warptree::topics
