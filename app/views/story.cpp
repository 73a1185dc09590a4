#include "app/views/story.hpp"

#include "app/base/printable.hpp"
#include "app/trace/explain/findings.hpp"
#include "app/trace/explain/report_program.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace warptree::scene {

namespace {
using Mark = StoryCell::Mark;

std::string in_bytes(std::uint64_t bytes) {
    for (const auto& [shift, unit] : {std::pair{30, "GB"}, {20, "MB"}, {10, "KB"}}) {
        if (bytes >> shift != 0) {
            return fmt::format("{:.3g} {}", static_cast<double>(bytes) / static_cast<double>(1ULL << shift), unit);
        }
    }
    return fmt::format("{} B", bytes);
}

std::string named(const std::string& variable) { return variable.empty() ? "memory" : variable; }

// "TEST PASS"; of several lines "n 1024 … TEST PASS".
std::string ends_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        if (end > from) {
            lines.push_back(text.substr(from, end - from));
        }
        from = end + 1;
    }
    std::string ends = lines.empty() ? "" : lines.size() == 1 ? lines.front() : lines.front() + " … " + lines.back();
    std::replace(ends.begin(), ends.end(), '\t', ' ');
    return ends;
}

// "in → out", what the launch reads and writes; "data" for what it does both to.
std::string flow_of(const Launch& launch) {
    std::string in, out, both;
    const auto add = [](std::string& list, const std::string& name) { list += (list.empty() ? "" : ", ") + name; };
    for (const Allocation& a : launch.allocations) {
        if (a.input || a.output) {
            add(a.input && a.output ? both : a.input ? in : out, a.name);
        }
    }
    if (!in.empty() && !both.empty()) {
        add(in, both);
        both.clear();
    } else if (!out.empty() && !both.empty()) {
        add(out, both);
        both.clear();
    }
    return !both.empty() ? both : in.empty() ? out : out.empty() ? in : in + " → " + out;
}

Mark worse(Mark a, Mark b) { return std::max(a, b); }
Mark mark_of(Severity severity) {
    return severity == Severity::fault ? Mark::fault : severity == Severity::risk ? Mark::risk : Mark::plain;
}

std::string at_line(const Trace& trace, const StoryEvent& event) {
    return !event.line.known() ? ""
           : event.line.file() == 0
               ? fmt::format("\nline {}", event.line.line())
               : fmt::format("\n{}:{}",
                             event.line.file() < trace.sources.size() ? trace.sources[event.line.file()].path : "?",
                             event.line.line());
}

StoryCell launch_cell(const Trace& trace, const StoryEvent& event) {
    StoryCell cell;
    cell.title = event.name + event.text;
    cell.launch = event.launch;
    if (event.launch >= trace.launches.size()) {
        cell.launch = kNone;
        cell.detail = "launch, not kept";
        return cell;
    }
    const Launch& launch = trace.launches[event.launch];
    const std::string flow = flow_of(launch);
    cell.detail = fmt::format("launch {}{}{}", event.launch + 1, flow.empty() ? "" : " · ", flow);
    for (const Finding& f : launch.findings) {
        if (mark_of(f.severity) > cell.mark) {
            cell.mark = mark_of(f.severity);
            cell.detail = fmt::format("launch {} · {}", event.launch + 1, title(f.kind));
        }
        cell.told += fmt::format("\n{}: {}", title(f), sentence(trace, launch, f));
    }
    return cell;
}

StoryCell cell_of(const Trace& trace, const StoryEvent& event) {
    StoryCell cell;
    switch (event.kind) {
    case StoryKind::allocate:
        cell.title = named(event.name);
        cell.detail = in_bytes(event.bytes) + (event.text.empty() ? " on the device" : ", " + event.text);
        break;
    case StoryKind::free:
        cell.title = "free";
        cell.detail = named(event.name);
        break;
    case StoryKind::copy: {
        const bool in = event.direction == CopyDirection::host_to_device,
                   back = event.direction == CopyDirection::device_to_host;
        cell.title = named(event.other) + " → " + named(event.name);
        cell.detail = fmt::format("copy {}{}{}", in_bytes(event.bytes),
                                  in     ? " in"
                                  : back ? " back"
                                         : "",
                                  event.text.empty() ? "" : ": " + event.text);
        break;
    }
    case StoryKind::set:
        cell.title = fmt::format("{}{} = {}", event.text == "0" ? "" : "bytes of ", named(event.name), event.text);
        cell.detail = "set " + in_bytes(event.bytes);
        break;
    case StoryKind::launch: cell = launch_cell(trace, event); break;
    case StoryKind::print:
        cell.title = "prints";
        cell.prints = true;
        cell.detail = ends_of(event.text);
        break;
    case StoryKind::error:
        cell.title = event.name.empty() ? "error" : event.name;
        cell.detail = event.text;
        cell.mark = Mark::fault;
        break;
    case StoryKind::exit:
        cell.title = fmt::format("exit {}", event.bytes);
        cell.detail = event.text;
        cell.mark = event.bytes == 0 && event.text.empty() ? Mark::good : Mark::fault;
        break;
    case StoryKind::wait: break;
    }
    cell.title = printable(cell.title);
    cell.detail = printable(cell.detail);
    cell.line = event.line;
    cell.told = event_text(trace, event) + at_line(trace, event) + cell.told;
    return cell;
}

// What the host gets back last, for the end of the story: "h_out = 4950".
std::string read_back(const Trace& trace) {
    const auto& all = trace.program.events;
    const auto last = std::find_if(all.rbegin(), all.rend(), [](const StoryEvent& e) {
        return e.kind == StoryKind::copy && e.direction == CopyDirection::device_to_host && !e.text.empty();
    });
    return last == all.rend() ? "" : named(last->name) + " = " + last->text;
}
} // namespace

std::vector<StoryCell> story_cells(const Trace& trace) {
    std::vector<StoryCell> cells;
    const StoryEvent* before = nullptr;
    for (const StoryEvent& event : trace.program.events) {
        if (event.kind == StoryKind::wait) {
            continue;
        }
        if (event.kind == StoryKind::free && before != nullptr && before->kind == StoryKind::free) {
            cells.back().detail += ", " + named(event.name);
            cells.back().told += "\n" + event_text(trace, event);
        } else {
            cells.push_back(cell_of(trace, event));
        }
        before = &event;
    }
    if (trace.program.events_left_out != 0) {
        StoryCell more;
        more.title = "…";
        more.detail = grouped(trace.program.events_left_out) + " more";
        more.told = "the story has " + more.detail + ", which are not kept";
        cells.push_back(more);
    }
    if (cells.empty()) {
        return cells;
    }
    for (const Finding& f : trace.program.findings) {
        auto at = std::find_if(cells.begin(), cells.end(),
                               [&](const StoryCell& c) { return f.line.known() && c.line == f.line; });
        at = at == cells.end() ? std::prev(at) : at;
        at->mark = worse(at->mark, mark_of(f.severity));
        at->told += fmt::format("\n{}: {}", title(f), sentence(trace, f));
        if (at + 1 == cells.end() && f.severity == Severity::fault && trace.program.exit != 0) {
            at->detail = printable(sentence(trace, f)); // says more than the signal does
        } else if (at + 1 == cells.end() && at->detail.empty()) {
            at->detail = title(f.kind);
        }
    }
    if (cells.back().detail.empty()) {
        cells.back().detail = read_back(trace);
    }
    const auto is_fault = [](const StoryCell& c) { return c.mark == StoryCell::Mark::fault; };
    if (cells.back().mark == StoryCell::Mark::good && std::any_of(cells.begin(), cells.end(), is_fault)) {
        cells.back().mark = StoryCell::Mark::plain; // "exit 0" alone makes nothing good
    }
    return cells;
}

std::uint32_t telling_launch(const Trace& trace) {
    const auto wrong = std::find_if(trace.launches.begin(), trace.launches.end(), [](const Launch& l) {
        return std::any_of(l.findings.begin(), l.findings.end(),
                           [](const Finding& f) { return f.severity == Severity::fault; });
    });
    if (wrong != trace.launches.end()) {
        return static_cast<std::uint32_t>(wrong - trace.launches.begin());
    }
    std::uint64_t most = 0;
    std::uint32_t best = 0;
    for (std::uint32_t l = 0; l < trace.launches.size(); ++l) {
        if (const std::uint64_t combines = trace.launches[l].totals().combines; combines > most) {
            most = combines;
            best = l;
        }
    }
    return best;
}

namespace {
constexpr float kTitleSize = 13.5F, kDetailSize = 12, kStoryPad = 11, kStoryArrow = 24;
constexpr float kLeastCell = 76, kMostCell = 320, kCover = 20;

float words_width(const StoryCell& cell, const TextMeasure& measure, float scale) {
    const float mark = cell.mark == Mark::fault || cell.mark == Mark::risk ? 12 * scale : 0;
    return std::max(measure.width(cell.title, Face::mono, kTitleSize * scale) + mark,
                    measure.width(cell.detail, Face::sans, kDetailSize * scale));
}
} // namespace

StoryRow lay_out_story(const Trace& trace, const TextMeasure& measure, float scale) {
    StoryRow row;
    row.cells = story_cells(trace);
    for (const StoryCell& cell : row.cells) {
        const float w = std::clamp(std::ceil(words_width(cell, measure, scale) + 2 * kStoryPad * scale) + 1,
                                   kLeastCell * scale, kMostCell * scale);
        row.width += row.places.empty() ? 0 : kStoryArrow * scale;
        row.places.push_back({row.width, w});
        row.width += w;
    }
    return row;
}

float clamped_scroll(const StoryRow& row, float width, float scroll) {
    return std::clamp(scroll, 0.0F, std::max(0.0F, row.width - width));
}

float scroll_to_launch(const StoryRow& row, std::uint32_t launch, float width, float scroll, float scale) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
        if (row.cells[i].launch == launch && launch != kNone) {
            const float beside = 40 * scale; // of its neighbours
            scroll = std::max(scroll, row.places[i].x + row.places[i].w + beside - width);
            scroll = std::min(scroll, row.places[i].x - beside);
        }
    }
    return clamped_scroll(row, width, scroll);
}

std::uint32_t cell_at(const StoryRow& row, const Rect& area, float scroll, Point at) {
    for (std::size_t i = 0; i < row.places.size() && area.contains(at); ++i) {
        const float x = area.x + row.places[i].x - scroll;
        if (at.x >= x && at.x < x + row.places[i].w) {
            return static_cast<std::uint32_t>(i);
        }
    }
    return kNone;
}

namespace {
class StoryDrawing {
  public:
    StoryDrawing(const ViewContext& context, const Rect& area, Drawing& drawing)
        : c_(context), t_(*context.theme), area_(area), drawing_(drawing) {}

    // `room`: without what covers the ends of the row; a cell that is not whole in it has no words.
    void cell(const StoryCell& cell, const Rect& box, const Rect& room) {
        const bool launch = cell.launch != kNone, here = launch && cell.launch == c_.moment.launch;
        const bool hovered = c_.hover.kind == Target::Kind::launch && launch && c_.hover.launch == cell.launch;
        const Color edge = cell.mark == Mark::fault  ? t_.hazard
                           : cell.mark == Mark::risk ? t_.attention
                           : cell.mark == Mark::good ? t_.agree
                           : launch                  ? t_.accent
                                                     : t_.line;
        layer(0).boxes.push_back({.rect = box,
                                  .radius = px(5),
                                  .fill = here      ? t_.accent_fill
                                          : hovered ? mix(t_.panel, t_.accent_fill, 0.4F)
                                                    : t_.panel,
                                  .stroke = edge,
                                  .stroke_width = px(here     ? 2.2F
                                                     : launch ? 1.4F
                                                              : 1.0F)});
        if (launch) {
            put_hit(drawing_, area_, box, {Target::Kind::launch, cell.launch, 0, cell.launch});
        }
        if (box.x < room.x - 0.5F || box.right() > room.right() + 0.5F) {
            return;
        }
        float x = box.x + px(kStoryPad);
        const bool two = box.h >= px(36);
        const float y = two ? box.y + box.h * 0.33F : box.y + box.h / 2;
        if (cell.mark == Mark::fault || cell.mark == Mark::risk) {
            put({{x, y}, Align::left, Face::sans_bold, px(kTitleSize), edge, "!"});
            x += px(12);
        }
        const float words = box.right() - px(kStoryPad) - x;
        put({{x, y},
             Align::left,
             Face::mono,
             px(kTitleSize),
             t_.text,
             fitted(*c_.measure, cell.title, Face::mono, px(kTitleSize), words)});
        if (two) {
            put({{box.x + px(kStoryPad), box.y + box.h * 0.71F},
                 Align::left,
                 Face::sans,
                 px(kDetailSize),
                 here ? t_.text : t_.muted,
                 fitted(*c_.measure, cell.detail, Face::sans, px(kDetailSize), box.w - 2 * px(kStoryPad))});
        }
    }

    void arrow(float from, float y) {
        const float begin = from + px(5), tip = from + px(kStoryArrow - 4), head = px(4);
        for (const Curve& line : {straight({begin, y}, {tip, y}, px(1.3F), t_.muted),
                                  straight({tip - head, y - head}, {tip, y}, px(1.3F), t_.muted),
                                  straight({tip - head, y + head}, {tip, y}, px(1.3F), t_.muted)}) {
            layer(0).curves.push_back(line);
        }
    }

    // That the row goes on beyond an edge.
    void more(bool left) {
        const float w = px(kCover), y = area_.y + area_.h / 2, head = px(5);
        const Rect cover{left ? area_.x : area_.right() - w, area_.y, w, area_.h};
        layer(1).boxes.push_back({.rect = cover, .fill = t_.background});
        const float tip = left ? cover.x + px(5) : cover.right() - px(5), away = left ? head : -head;
        layer(2).curves.push_back(straight({tip + away, y - head}, {tip, y}, px(1.8F), t_.text));
        layer(2).curves.push_back(straight({tip + away, y + head}, {tip, y}, px(1.8F), t_.text));
    }

  private:
    float px(float at_scale_1) const { return at_scale_1 * c_.scale; }
    Layer& layer(std::size_t i) { return drawing_.layers[i]; }
    void put(Text text) {
        if (!text.text.empty()) {
            layer(0).texts.push_back(std::move(text));
        }
    }

    const ViewContext& c_;
    const Theme& t_;
    Rect area_;
    Drawing& drawing_;
};
} // namespace

Drawing draw_story(const ViewContext& context, const Rect& area, const StoryRow& row, float scroll) {
    Drawing drawing;
    drawing.clip = area;
    drawing.layers.resize(3);
    StoryDrawing draws(context, area, drawing);
    const bool before = scroll > 0.5F, after = row.width - scroll > area.w + 0.5F;
    const float left = before ? kCover * context.scale : 0, right = after ? kCover * context.scale : 0;
    const Rect room{area.x + left, area.y, area.w - left - right, area.h};
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
        const Rect box{area.x + row.places[i].x - scroll, area.y, row.places[i].w, area.h};
        if (box.right() + kStoryArrow * context.scale < area.x || box.x > area.right()) {
            continue;
        }
        draws.cell(row.cells[i], box, room);
        if (i + 1 < row.cells.size()) {
            draws.arrow(box.right(), box.y + box.h / 2);
        }
    }
    if (before) {
        draws.more(true);
    }
    if (after) {
        draws.more(false);
    }
    return drawing;
}

} // namespace warptree::scene
