#include "app/features/explore/panels/canvas.hpp"

#include "app/features/widgets/frame.hpp"
#include "app/trace/explain/array_names.hpp"
#include "app/trace/explain/merged_parts.hpp"
#include "app/trace/explain/origin.hpp"
#include "app/trace/explain/values.hpp"
#include "app/views/barriers.hpp"
#include "app/views/lane_look.hpp"
#include "app/views/made_of.hpp"
#include "app/views/parts.hpp"
#include "app/views/running.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

namespace warptree::panels {

namespace {
// "element 5"; for a kernel file "in[5]".
std::string element_text(const Launch& l, const Node& n) {
    return n.allocation < l.allocations.size()
               ? fmt::format("{}[{}]{}", kernel_name(l, n.allocation), n.element(), buffer_note(l, n.allocation))
               : fmt::format("element {}", n.element());
}

// "stored to out[64] by thread 32 in line 9", of what leaves the block in the step.
std::string stored_text(const Trace& trace, const Launch& l, std::uint32_t node, std::uint32_t step) {
    std::string text;
    std::size_t times = 0;
    for (const Output& o : l.outputs) {
        if (o.node != node || o.step != step) {
            continue;
        }
        if (times++ == 0) {
            const std::string array = o.allocation < l.allocations.size() ? kernel_name(l, o.allocation) : "output";
            text = fmt::format("\n{} {}[{}]{} by thread {}{}", o.atomic ? "atomic on" : "stored to", array, o.index,
                               buffer_note(l, o.allocation), o.thread,
                               o.line.known() ? " in " + scene::written_at(trace, o.line) : "");
        }
    }
    return times < 2 ? text : fmt::format("{}, and {} more times", text, times - 1);
}

// step: whose cell is pointed at; kNone: the one in which it comes to be.
std::string describe_node(const Trace& trace, std::uint32_t launch, std::uint32_t index, std::uint32_t step) {
    const Launch& l = trace.launches[launch];
    const Node& n = l.nodes[index];
    const std::string stored = stored_text(trace, l, index, step);
    std::string out = fmt::format("value {}", value_text(trace, n)) + stored;
    if (n.kind == NodeKind::leaf) {
        out += "\n" + element_text(l, n);
        const std::optional<Origin> origin = origin_of(trace, launch, n.allocation, n.element());
        const std::string from = origin_text(trace, origin);
        out += (from.empty() ? "" : "\n" + from) +
               (origin && origin->output != nullptr ? "; a double click goes there" : "");
    } else if (n.kind == NodeKind::identity) {
        out += "\nidentity, past the end";
    } else if (n.kind == NodeKind::partial && n.allocation == kSharedMemory) {
        out += n.left < l.nodes.size()
                   ? fmt::format("\nfrom the shared memory of its cluster: block {} made it", l.nodes[n.left].block)
                   : std::string("\nfrom the shared memory of another block of its cluster");
    } else if (n.kind == NodeKind::partial) {
        out += "\nof another block, up to " + element_text(l, n);
    } else {
        out += "\n= " + scene::made_of(trace, launch, n);
        for (const MergedPart& part : merged_parts(trace, l, index)) {
            out += fmt::format("\n{} {}", part.name, part.value);
        }
        out += n.padding  ? "\nit changes nothing: an operand is only the identity"
               : n.useful ? ""
                          : "\nuseless: the result does not depend on it";
    }
    out += fmt::format("\n{}thread {}, warp {}, lane {}, block {}", stored.empty() ? "" : "made by ", n.thread,
                       n.thread / kWarpSize, n.thread % kWarpSize, n.block);
    out += n.word == kNone ? std::string("\nin a register")
           : n.word_allocation < l.allocations.size()
               ? fmt::format("\nstored to {}[{}]", kernel_name(l, n.word_allocation), n.word)
               : fmt::format("\nshared word {}", n.word);
    return out + (n.line.known() ? "\nsource " + scene::written_at(trace, n.line) : "");
}
// With the barriers of the target's block.
std::string describe_step(const Trace& trace, const Launch& l, const scene::Target& t) {
    std::string text = l.steps[t.index].label, before;
    if (!l.in_window(t.block)) {
        return text;
    }
    for (const scene::BarrierLine& b : scene::barrier_lines(l, t.block)) {
        const std::string line = b.step == t.index ? "\n" + scene::barrier_text(trace, b) : std::string();
        text += line == before ? "" : line; // equal lines only once
        before = line.empty() ? before : line;
    }
    return text;
}
// How many threads of some warps are active in the target's step; empty when the target has no step.
std::string lanes_of(const Launch& l, const scene::Target& t, unsigned first_warp, unsigned warps) {
    if (t.step >= l.steps.size() || !l.in_window(t.block) || first_warp + warps > l.warps()) {
        return {};
    }
    int active = 0, existing = 0;
    for (unsigned w = first_warp; w < first_warp + warps; ++w) {
        const WarpStep it = scene::lanes_at_work(l, t.block, t.step, w);
        active += std::popcount(it.active);
        existing += std::popcount(it.existing);
    }
    return fmt::format("\n{}: {} of {} threads active", l.steps[t.step].label, active, existing);
}
} // namespace

std::string describe(const Trace& trace, const scene::Target& t) {
    using Kind = scene::Target::Kind;
    if (t.launch >= trace.launches.size()) {
        return {};
    }
    const Launch& l = trace.launches[t.launch];
    switch (t.kind) {
    case Kind::node: return t.index < l.nodes.size() ? describe_node(trace, t.launch, t.index, t.step) : "";
    case Kind::thread: {
        std::string out = fmt::format("thread {}, warp {}, lane {}, block {}", t.index, t.index / kWarpSize,
                                      t.index % kWarpSize, t.block);
        if (t.step < l.steps.size() && l.in_window(t.block) && t.index < l.block) {
            const WarpStep w = scene::lanes_at_work(l, t.block, t.step, t.index / kWarpSize);
            const std::uint32_t lane = 1U << t.index % kWarpSize;
            out += fmt::format("\n{}: {}", l.steps[t.step].label,
                               (w.other_path & lane) != 0 ? "active, on another path"
                               : (w.active & lane) != 0   ? "active"
                               : w.active != 0            ? "inactive, its warp is active"
                                                          : "inactive, as is its whole warp");
        }
        return out;
    }
    case Kind::warp: return fmt::format("warp {} of block {}{}", t.index, t.block, lanes_of(l, t, t.index, 1));
    case Kind::step: return t.index < l.steps.size() ? describe_step(trace, l, t) : "";
    case Kind::block: return fmt::format("block {} of {}{}", t.block, l.grid, lanes_of(l, t, 0, l.warps()));
    case Kind::launch:
        return fmt::format("launch {}: {} of {}, {}", t.launch + 1, scene::plural(l.grid, "block"), l.block,
                           scene::plural(l.elements, "element"));
    case Kind::word: return fmt::format("shared word {}", t.index);
    case Kind::lane: return fmt::format("lane {}", t.index);
    case Kind::request:
        return t.index < l.requests.size()
                   ? fmt::format("{}, ideal {}", scene::plural(l.requests[t.index].wavefronts, "wavefront"),
                                 l.requests[t.index].ideal)
                   : "";
    case Kind::none: break;
    }
    return {};
}

namespace {
// Gives no answer away: nothing of a step to be predicted, nor the number of blocks.
std::string describe_known(const session::Explore& e, scene::Target t) {
    using Kind = scene::Target::Kind;
    const Trace& trace = *e.trace();
    if (e.hidden_from == kNone || t.launch + 1 != trace.launches.size()) {
        return describe(trace, t);
    }
    const Launch& l = trace.launches[t.launch];
    std::string later;
    if (t.step != kNone && t.step >= e.hidden_from && t.step < l.steps.size()) {
        later = l.steps[t.step].label == "?" ? "\nto predict" : fmt::format("\n{}: to predict", l.steps[t.step].label);
        t.step = kNone;
    }
    switch (t.kind) {
    case Kind::step: return later.empty() ? describe(trace, t) : later.substr(1);
    case Kind::block: return fmt::format("block {}", t.block) + later;
    case Kind::launch: return fmt::format("launch {}, blocks of {}", t.launch + 1, l.block);
    default: return describe(trace, t) + later;
    }
}
} // namespace

void dim_what_is_old(const Context& context, scene::Rect area) {
    if (context.explore.dimmed()) {
        const scene::Color& ground = context.theme.background;
        ImGui::GetWindowDrawList()->AddRectFilled({area.x, area.y}, {area.right(), area.bottom()},
                                                  IM_COL32(ground.r, ground.g, ground.b, 150));
    }
}

bool chip(const Context& context, const std::string& text, bool lit, const char* tip) {
    ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyleColorVec4(lit ? ImGuiCol_Header : ImGuiCol_Button));
    const bool pressed = ImGui::Button(text.c_str());
    ImGui::PopStyleColor();
    if (ImGui::IsItemHovered()) {
        pages::tooltip(context, tip);
    }
    return pressed;
}

bool paint(Context& context, const scene::Drawing& drawing, const char* item, const Said& said) {
    const scene::Rect& area = drawing.clip;
    if (area.w < 1 || area.h < 1) {
        return false;
    }
    ImGui::SetCursorScreenPos({area.x, area.y});
    ImGui::InvisibleButton(item, {area.w, area.h},
                           ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonMiddle);
    const bool on = ImGui::IsItemHovered();
    context.painter.add(drawing, ImGui::GetWindowDrawList());
    dim_what_is_old(context, area);
    if (!on) {
        return false;
    }
    const ImGuiIO& io = ImGui::GetIO();
    const scene::Target target = drawing.at({io.MousePos.x, io.MousePos.y});
    context.explore.pointed = target;
    // A press and release here, without a drag in between.
    if (ImGui::IsItemDeactivated() && ImGui::IsMouseReleased(ImGuiMouseButton_Left)) {
        const ImVec2 from = io.MouseClickedPos[ImGuiMouseButton_Left];
        if (std::hypot(io.MousePos.x - from.x, io.MousePos.y - from.y) < 4) {
            context.explore.select(target);
        }
    }
    // Not of what was shown before the text changed.
    if (!said.text.empty()) {
        if (context.tells && !context.explore.dimmed()) {
            pages::tooltip(context, said.text, &said.about);
        }
    } else if (context.tells && target.kind != scene::Target::Kind::none && context.explore.trace() &&
               !context.explore.dimmed()) {
        if (const std::string text = describe_known(context.explore, target); !text.empty()) {
            const auto hit = std::find_if(drawing.hits.rbegin(), drawing.hits.rend(),
                                          [&](const scene::Hit& h) { return h.target == target; });
            pages::tooltip(context, text, hit == drawing.hits.rend() ? nullptr : &hit->rect);
        }
    }
    return true;
}

} // namespace warptree::panels
