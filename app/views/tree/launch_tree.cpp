// Launches as rows of blocks: which partial results each block of the next launch takes, down to the host's combine.
#include "app/views/tree/tree_layout.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace warptree::scene {

namespace {

// Input elements per block if each block takes a contiguous range; else 0.
std::uint64_t elements_a_block(const Launch& launch) {
    struct Extent {
        std::uint64_t count = 0, least = kNone, most = 0;
    };
    std::vector<Extent> extents(launch.window_count);
    for (const Node& node : launch.nodes) {
        if (node.kind == NodeKind::leaf && launch.in_window(node.block)) {
            Extent& it = extents[node.block - launch.window_first];
            ++it.count;
            it.least = std::min<std::uint64_t>(it.least, node.element());
            it.most = std::max<std::uint64_t>(it.most, node.element());
        }
    }
    std::uint64_t elements = 0;
    for (const Extent& it : extents) {
        if (it.count != 0 && it.most - it.least + 1 != it.count) {
            return 0;
        }
        elements = std::max(elements, it.count);
    }
    return elements;
}

// A launch, or the last combine (by the host, or atomically), which is a row of one box.
struct Row {
    std::string title, detail, boundary;
    std::uint32_t launch = 0; // launches.size(): the last combine
    std::uint64_t blocks = 1;
    double share = 1;       // of the width, per block
    std::uint64_t from = 0; // partials of the row above that a block takes; 0: not contiguous
    bool current = false, done = false;
};

class LaunchTree {
  public:
    LaunchTree(const TreeView& view, Rect rect, Drawing& drawing)
        : view_(view), theme_(*view.theme), drawing_(drawing), rect_(rect) {
        make_rows();
        lay_out();
    }

    void draw() {
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            label(r);
            if (r > 0) {
                joints(r);
            }
            boxes(r);
        }
    }

  private:
    float px(float pixels) const { return view_.px(pixels); }
    Layer& layer() { return drawing_.layers[strip_layer]; }
    float width(const std::string& text, Face face = Face::sans) const {
        return view_.measure->width(text, face, size_);
    }

    void make_rows() {
        const Trace& trace = *view_.trace;
        const auto end = static_cast<std::uint32_t>(trace.launches.size());
        const bool host = is_host(trace, view_.context->moment);
        for (std::uint32_t l = 0; l < end; ++l) {
            const Launch& launch = trace.launches[l];
            Row row;
            row.title = end > 1 ? "launch " + std::to_string(l + 1) : "launch";
            row.detail = plural(launch.grid, "block") + " × " + grouped(launch.block);
            row.launch = l;
            row.blocks = launch.grid;
            row.current = !host && l == view_.launch_id;
            row.done = host || l < view_.launch_id ||
                       (row.current && view_.step + 1 == view_.steps() && view_.phase >= 1 &&
                        view_.context->hidden_from == kNone);
            row.share = 1.0 / static_cast<double>(launch.grid);
            if (l > 0) {
                row.boundary = "all blocks are done";
                take_from(row, launch);
            }
            rows_.push_back(row);
        }
        const bool atomic = trace.options.finish == Finish::atomic;
        if (trace.host_partials > 1 || (atomic && rows_.back().blocks > 1)) {
            Row row;
            row.title = atomic ? "atomic" : "host";
            row.detail = atomic ? "one total in memory" : "combines " + plural(trace.host_partials, "partial");
            row.boundary = atomic ? "in any order" : "all blocks are done";
            row.launch = end;
            row.from = rows_.back().blocks;
            row.current = host;
            row.done = atomic ? rows_.back().done : host && view_.context->moment.phase >= 1;
            rows_.push_back(row);
        }
    }

    void take_from(Row& row, const Launch& launch) const {
        const Row& above = rows_.back();
        row.from = launch.grid == 1 ? above.blocks : elements_a_block(launch);
        if (row.from != 0) {
            row.share = std::min(1.0, above.share * static_cast<double>(row.from));
        }
    }

    // Drawn larger if it has the panel to itself.
    bool roomy() const { return rect_.h / static_cast<float>(rows_.size()) > px(110); }

    void lay_out() {
        size_ = px(roomy() ? 15 : 13);
        float widest = 0;
        for (const Row& row : rows_) {
            widest = std::max({widest, width(row.title, Face::sans_bold), width(row.detail), width(row.boundary)});
        }
        details_ = widest + px(24) < rect_.w * 0.45F;
        if (!details_) {
            widest = 0;
            for (const Row& row : rows_) {
                widest = std::max(widest, width(row.title, Face::sans_bold));
            }
        }
        const float column = widest + px(28);
        field_ = {rect_.x + column, rect_.y, std::max(px(10), rect_.w - column - px(10)), rect_.h};
        const auto count = static_cast<float>(rows_.size());
        pitch_ = std::min(rect_.h / count, px(190));
        top_ = rect_.y + (rect_.h - pitch_ * count) / 2;
        height_ = std::min(px(roomy() ? 40 : 26), pitch_ * 0.42F);
    }

    float y(std::size_t row) const { return top_ + pitch_ * (static_cast<float>(row) + 0.5F); }
    // Horizontal extent of a block: that of all the blocks it takes from.
    std::pair<float, float> span(std::size_t row, std::uint64_t block) const {
        const double low = std::min(1.0, rows_[row].share * static_cast<double>(block));
        const double high = std::min(1.0, rows_[row].share * static_cast<double>(block + 1));
        return {field_.x + static_cast<float>(low * field_.w), field_.x + static_cast<float>(high * field_.w)};
    }
    Rect box(std::size_t row, std::uint64_t block) const {
        const auto [low, high] = span(row, block);
        const float wide = std::min(std::max(1.0F, (high - low) * 0.86F), px(roomy() ? 220 : 150));
        return {(low + high - wide) / 2, y(row) - height_ / 2, wide, height_};
    }
    bool separate(std::size_t row) const { return static_cast<float>(rows_[row].share) * field_.w >= px(4); }

    void label(std::size_t r) {
        const Row& row = rows_[r];
        const float x = rect_.x + px(8);
        const bool two = details_ && pitch_ >= px(46);
        const Color color = row.current || row.done ? theme_.text : theme_.muted;
        if (row.current) {
            drawing_.layers[frame_layer].boxes.push_back(
                {.rect = {rect_.x, y(r) - std::max(height_ / 2 + px(7), px(20)), rect_.w,
                          2 * std::max(height_ / 2 + px(7), px(20))},
                 .fill = mix(theme_.panel, theme_.accent_fill, 0.42F)});
        }
        say({x, y(r) - (two ? px(9) : 0)}, Align::left, Face::sans_bold, color, row.title);
        if (two) {
            say({x, y(r) + px(9)}, Align::left, Face::sans, theme_.muted, row.detail);
        }
        if (two && r > 0 && pitch_ >= px(62)) {
            say({x, y(r) - pitch_ / 2}, Align::left, Face::sans, theme_.muted, row.boundary);
            const float from = x + width(row.boundary) + px(8);
            layer().curves.push_back(straight({from, y(r) - pitch_ / 2}, {rect_.right() - px(4), y(r) - pitch_ / 2},
                                              px(1), theme_.faint, px(4)));
        }
        if (row.launch < view_.trace->launches.size()) {
            put_hit(drawing_, rect_, {rect_.x, y(r) - pitch_ / 2, field_.x - rect_.x, pitch_},
                    {Target::Kind::launch, row.launch, 0, row.launch});
        }
    }

    bool say(Point at, Align align, Face face, Color color, const std::string& text) {
        return put_text(layer(), *view_.measure, rect_, {at, align, face, size_, color, text});
    }

    // From the row above: a bracket over the blocks that one block takes from.
    void joints(std::size_t r) {
        const Row& row = rows_[r];
        const Color color = row.current ? theme_.accent : row.done ? theme_.muted : theme_.faint;
        const float stroke = px(row.current ? 1.6F : 1.2F);
        const float from = y(r - 1) + height_ / 2 + px(3);
        const float to = y(r) - height_ / 2;
        if (row.from == 0 || !separate(r)) { // too many, or not contiguous: only the outline
            layer().curves.push_back(falling({field_.x, from}, {box(r, 0).x, to}, stroke, color));
            layer().curves.push_back(
                falling({field_.right(), from}, {box(r, row.blocks - 1).right(), to}, stroke, color));
            return;
        }
        const float fold = from + (to - from) * 0.3F;
        float free_from = field_.x;
        for (std::uint64_t block = 0; block < row.blocks; ++block) {
            const std::uint64_t first = block * row.from;
            const std::uint64_t last = std::min(rows_[r - 1].blocks, first + row.from) - 1;
            if (first > last) {
                continue;
            }
            const float low = separate(r - 1) ? middle(box(r - 1, first)) : span(r - 1, first).first;
            const float high = separate(r - 1) ? middle(box(r - 1, last)) : span(r - 1, last).second;
            const float stem = middle(box(r, block));
            for (const Curve& line :
                 {straight({low, from}, {low, fold}, stroke, color), straight({low, fold}, {high, fold}, stroke, color),
                  straight({high, fold}, {high, from}, stroke, color),
                  straight({stem, fold}, {stem, to}, stroke, color)}) {
                layer().curves.push_back(line);
            }
            const std::string target =
                row.launch < view_.trace->launches.size() ? fmt::format("block {}", block) : row.title;
            const std::string text = first == last ? fmt::format("block {} → {}", first, target)
                                                   : fmt::format("blocks {}–{} → {}", first, last, target);
            const float x = std::max(stem + px(8), free_from);
            // Below the dashed rule, which runs halfway between the rows.
            const float at = pitch_ >= px(62) ? (y(r) - pitch_ / 2 + to) / 2 : (fold + to) / 2;
            if (x + width(text) <= std::max(span(r, block).second, stem + px(8)) - px(4) && to - at >= px(7)) {
                if (say({x, at}, Align::left, Face::sans, theme_.muted, text)) {
                    free_from = x + width(text) + px(8);
                }
            }
        }
    }
    static float middle(const Rect& r) { return r.x + r.w / 2; }

    void boxes(std::size_t r) {
        const Row& row = rows_[r];
        const bool result = r + 1 == rows_.size();
        const Color stroke = row.current ? theme_.accent
                             : row.done  ? (result ? theme_.agree : theme_.muted)
                                         : theme_.faint;
        const Color fill = row.current ? theme_.accent_fill
                           : row.done  ? (result ? mix(theme_.panel, theme_.agree, 0.22F) : theme_.off)
                                       : theme_.panel;
        const Launch* launch = row.launch < view_.trace->launches.size() ? &view_.trace->launches[row.launch] : nullptr;
        if (!separate(r)) {
            const Rect track{field_.x, y(r) - height_ / 2, field_.w, height_};
            layer().boxes.push_back(
                {.rect = track, .radius = px(4), .fill = fill, .stroke = stroke, .stroke_width = px(1)});
            put_text(layer(), *view_.measure, inset(track, px(2)),
                     {{middle(track), y(r)},
                      Align::center,
                      Face::sans,
                      std::min(size_, height_ * 0.8F),
                      row.current || row.done ? theme_.text : theme_.muted,
                      plural(row.blocks, "block")});
            return;
        }
        for (std::uint64_t block = 0; block < row.blocks; ++block) {
            const Rect rect = box(r, block);
            layer().boxes.push_back({.rect = rect,
                                     .radius = std::min(px(4), rect.w / 4),
                                     .fill = fill,
                                     .stroke = stroke,
                                     .stroke_width = std::min(px(row.current ? 1.8F : 1.0F), rect.w / 4)});
            inscribe(row, block, rect, launch, result);
            if (launch != nullptr && launch->in_window(static_cast<std::uint32_t>(block))) {
                put_hit(drawing_, rect_, rect,
                        {Target::Kind::block, row.launch, static_cast<std::uint32_t>(block),
                         static_cast<std::uint32_t>(block)});
            }
        }
    }

    // The block's number, or its partial result once there is one.
    void inscribe(const Row& row, std::uint64_t block, const Rect& rect, const Launch* launch, bool result) {
        std::vector<std::string> choices;
        const bool own = launch != nullptr && view_.trace->options.finish != Finish::atomic;
        if (row.done && result) {
            choices = {short_value(view_.trace->result, 9), short_value(view_.trace->result, 4)};
        } else if (row.done && own && block < launch->partials.size()) {
            choices = {short_value(launch->partials[block], 7), short_value(launch->partials[block], 3)};
        } else if (launch != nullptr) {
            choices = {"block " + std::to_string(block), std::to_string(block)};
        }
        const Face face = row.done ? Face::mono : Face::sans;
        const float size = std::min(size_, rect.h * 0.72F);
        for (const std::string& text : choices) {
            if (size >= px(8) && view_.measure->width(text, face, size) <= rect.w - px(4)) {
                put_text(layer(), *view_.measure, rect_,
                         {{middle(rect), rect.y + rect.h / 2},
                          Align::center,
                          face,
                          size,
                          row.done || row.current ? theme_.text : theme_.muted,
                          text});
                return;
            }
        }
    }

    const TreeView& view_;
    const Theme& theme_;
    Drawing& drawing_;
    Rect rect_, field_;
    std::vector<Row> rows_;
    bool details_ = true;
    float pitch_ = 1, top_ = 0, height_ = 1, size_ = 13;
};

} // namespace

float launch_tree_height(const TreeView& view) {
    const Trace& trace = *view.trace;
    const std::size_t rows = trace.launches.size() + (trace.host_partials > 1 ? 1 : 0);
    return rows < 2 ? 0 : view.px(64) * static_cast<float>(rows) + view.px(10);
}

void add_launch_tree(const TreeView& view, Rect rect, Drawing& drawing) { LaunchTree(view, rect, drawing).draw(); }

} // namespace warptree::scene
