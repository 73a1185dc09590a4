// Barriers in the tree: a line below the row of the step that each ends, and beside it how many threads arrived.
#include "app/views/barriers.hpp"
#include "app/views/tree/tree_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace warptree::scene {

namespace {
// Warps share the columns of their block, evenly if a thread has several.
std::vector<Span> spans_of(const TreeView& view, std::uint32_t block) {
    const unsigned warps = view.launch->warps();
    const std::uint32_t columns = view.index->columns - view.index->lead;
    const bool own = view.detail == Detail::cells && columns <= view.launch->block * view.index->beside;
    const float width = own ? view.pitch * static_cast<float>(kWarpSize * view.index->beside)
                        : view.detail == Detail::cells
                            ? view.pitch * static_cast<float>(columns) / static_cast<float>(warps)
                            : view.warp_pitch();
    const float lead = view.detail == Detail::cells ? view.pitch * static_cast<float>(view.index->lead) : 0;
    const float left = view.x(block, -0.5F) + lead;
    const float right = view.x(block, static_cast<float>(view.index->columns) - 0.5F);
    std::vector<Span> spans;
    for (unsigned w = 0; w < warps; ++w) {
        const float from = left + width * static_cast<float>(w);
        spans.push_back({std::min(from, right), std::min(from + width, right)});
    }
    return spans;
}

std::vector<Span> kept(std::vector<Span> spans, const Rect& room) {
    for (Span& s : spans) {
        s.from = std::clamp(s.from, room.x, room.right());
        s.to = std::clamp(s.to, room.x, room.right());
    }
    return spans;
}

// For one step, over all blocks shown: how many threads arrived at its first barrier.
struct Arrived {
    std::uint64_t threads = 0, expected = 0;
    std::uint32_t blocks = 0;
    float y = 0;
    bool passed = true, missing = false, alike = true; // alike: as many in each block
};

void say(const TreeView& view, std::uint32_t step, const Arrived& at, Layer& frame) {
    const float size = view.px(11);
    const Rect gutter{view.room.right(), view.room.y, view.area.right() - view.room.right(), view.room.h};
    // Leave room for the labels of the rows above and below.
    if (view.row_pitch < view.px(14) + 1.6F * size || step > view.step ||
        (step == view.step && !view.context->moment.complete())) {
        return;
    }
    const Color ink = at.passed ? view.theme->muted : view.theme->text;
    const float y = std::max(at.y, view.y(step) + view.px(8) + size * 0.7F);
    const std::string none = at.missing ? "no barrier" : "";
    const bool each = at.alike && at.blocks > 1; // barriers are of a block
    const std::uint64_t threads = at.threads / (each ? at.blocks : 1), expected = at.expected / (each ? at.blocks : 1);
    const std::string in = each ? fmt::format(" in each of {}", at.blocks) : "";
    for (const std::string& text :
         {none, each ? fmt::format("{} of {} arrived{} blocks", threads, expected, in) : "",
          fmt::format("{} of {} arrived{}", threads, expected, in), fmt::format("{} / {}{}", threads, expected, in),
          fmt::format("{} / {}{}", threads, expected, each ? " each" : ""),
          fmt::format("{} / {}", threads, expected)}) {
        if (text.empty() || (at.expected == 0 && !at.missing)) {
            continue;
        }
        if (put_text(frame, *view.measure, gutter,
                     {{view.area.right() - view.px(8), y}, Align::right, Face::sans, size, ink, text})) {
            return;
        }
    }
}
} // namespace

void add_barriers(const TreeView& view, Drawing& drawing) {
    Layer& marks = drawing.layers[mark_layer];
    std::map<std::uint32_t, Arrived> arrived;
    for (std::uint32_t b = 0; b < view.index->blocks; ++b) {
        const std::uint32_t block = view.index->first_block + b;
        const std::vector<Span> warps = kept(spans_of(view, block), view.room);
        if (!view.launch->in_window(block) || warps.empty() || warps.back().to - warps.front().from < view.px(6)) {
            continue;
        }
        std::uint32_t in_step = 0, step = kNone;
        for (const BarrierLine& barrier : barrier_lines(*view.launch, block)) {
            in_step = barrier.step == step ? in_step + 1 : 0;
            step = barrier.step;
            // Above the thread discs of the next step, which are between the rows.
            const float gap = view.row_pitch - view.cell_height;
            const float y = view.y(step) + view.cell_height / 2 + gap * (view.detail == Detail::cells ? 0.16F : 0.5F) +
                            std::min(view.px(3), gap / 8) * static_cast<float>(in_step);
            if (in_step > 2 || view.hidden(step) || y < view.room.y || y > view.room.bottom() || gap < 3) {
                continue;
            }
            add_barrier({view.context, view.step, std::min(1.5F, gap / 8 / view.scale)}, barrier, warps, y, marks);
            put_hit(drawing, view.room,
                    {warps.front().from, y - view.px(3), warps.back().to - warps.front().from, view.px(6)},
                    {Target::Kind::step, view.launch_id, block, step, step});
            Arrived& sum = arrived[step];
            if (barrier.missing) {
                sum.missing = true;
                sum.passed = false;
                sum.y = view.y(step) + view.row_pitch / 2;
            } else if (in_step == 0) {
                sum.alike =
                    sum.alike && (sum.blocks == 0 || (sum.threads == std::uint64_t{sum.blocks} * barrier.threads &&
                                                      sum.expected == std::uint64_t{sum.blocks} * barrier.expected));
                ++sum.blocks;
                sum.threads += barrier.threads;
                sum.expected += barrier.expected;
                sum.passed = sum.passed && barrier.passed;
                sum.y = view.y(step) + view.row_pitch / 2;
            }
        }
    }
    for (const auto& [step, at] : arrived) {
        say(view, step, at, drawing.layers[frame_layer]);
    }
}

} // namespace warptree::scene
