// The memory spaces of a kernel as nested boxes: everything inside a box shares its memory.
#include "app/features/theory/figure.hpp"
#include "app/theory/memory_spaces.hpp"
#include "app/views/parts.hpp"

#include <nlohmann/json.hpp>

namespace warptree::topics {

namespace {
using scene::Align;
using scene::Color;
using scene::Face;
using scene::Rect;

Table spaces_table() {
    Table table{{{"memory", false, 9},
                 {"seen by", false, 8},
                 {"lasts as long as", false, 7},
                 {"access", false, 5},
                 {"where", false, 4},
                 {"declared", false, 3}},
                {}};
    for (const theory::MemorySpace& s : theory::memory_spaces()) {
        table.rows.push_back({std::string(s.name), std::string(s.scope), std::string(s.lifetime), std::string(s.access),
                              std::string(s.place), std::string(s.declaration)});
    }
    return table;
}

class Memory : public Topic {
  public:
    const char* id() const override { return "memory"; }
    const char* title() const override { return "Memory spaces"; }
    const char* words() const override { return "coalescing, coalesced, sectors, aligned, transactions"; }

    std::string sentence(const Subject&) const override {
        return "Registers and local memory belong to one thread, shared memory to the threads of one block, global and "
               "constant memory to the whole grid and the host. So threads of a block share data in shared memory, "
               "blocks only in global memory.";
    }

    scene::Drawing draw(const FigureContext& context, Rect area, const Subject&) const override {
        Figure f(context, area);
        const float table_height = f.line_height(f.body()) * 7;
        const float gap = f.px(14);
        const bool both = area.h - table_height - gap >= f.px(200);
        const Rect figure{area.x, area.y, std::min(area.w, f.px(1180)),
                          both ? std::min(area.h - table_height - gap, f.px(330)) : 0};
        if (both) {
            grid(f, figure);
        }
        const float y = both ? figure.bottom() + gap : area.y;
        draw_table(f, {area.x, y, area.w, area.bottom() - y}, spaces_table());
        return f.take();
    }

    std::vector<Table> tables(const Subject&) const override { return {spaces_table()}; }
    std::string notes(const Subject&) const override {
        std::string out;
        for (const theory::MemorySpace& s : theory::memory_spaces()) {
            out += std::string(s.name) + ": " + std::string(s.note) + "\n";
        }
        return out;
    }

    nlohmann::ordered_json json(const Subject&) const override {
        nlohmann::ordered_json all = nlohmann::ordered_json::array();
        for (const theory::MemorySpace& s : theory::memory_spaces()) {
            all.push_back({{"name", s.name},
                           {"declaration", s.declaration},
                           {"place", s.place},
                           {"scope", s.scope},
                           {"lifetime", s.lifetime},
                           {"access", s.access},
                           {"note", s.note}});
        }
        return {{"spaces", all}};
    }

  private:
    // A frame with a label in its first line; returns what is left inside.
    static Rect frame(Figure& f, const Rect& r, const std::string& label, Color fill) {
        f.box(r, fill, f.theme().faint);
        const float row = f.line_height(f.small());
        f.text({r.x + f.px(9), r.y + f.px(2), r.w - f.px(18), row}, label, f.small(), f.theme().muted, Align::left,
               Face::sans_bold);
        return {r.x + f.px(9), r.y + f.px(3) + row, r.w - f.px(18), r.h - row - f.px(11)};
    }
    static void store(Figure& f, const Rect& r, const std::string& label, Color color, scene::Pattern pattern) {
        f.box(r, scene::mix(f.theme().panel, color, 0.35F), color, pattern, scene::with_alpha(color, 0.25F));
        f.text(scene::inset(r, f.px(3)), label, f.small(), f.theme().text, Align::center);
    }

    static void grid(Figure& f, const Rect& r) {
        const float gap = f.px(10), bar = f.px(30);
        // On the left the host; between it and the grid, what both reach.
        const float host = std::min(f.px(110), r.w * 0.16F);
        const Rect device{r.x + host + f.px(26), r.y, r.w - host - f.px(26), r.h};
        const Rect inner = frame(f, device, "grid", f.theme().background);
        const float memory = inner.bottom() - bar;
        const Rect blocks{inner.x, inner.y, inner.w, memory - bar - 2 * gap - inner.y};
        const bool two = blocks.w > f.px(420);
        const float w = two ? (blocks.w - gap) / 2 : blocks.w;
        for (int b = 0; b < (two ? 2 : 1); ++b) {
            block(f, {blocks.x + (w + gap) * static_cast<float>(b), blocks.y, w, blocks.h}, b);
        }
        const Rect global{inner.x, memory - bar - gap, inner.w, bar}, constant{inner.x, memory, inner.w, bar};
        store(f, global, "global memory", f.theme().agree, scene::Pattern::plain);
        store(f, constant, "constant memory (read only)", f.theme().conflict, scene::Pattern::plain);
        const Rect cpu{r.x, global.y, host, constant.bottom() - global.y};
        f.box(cpu, f.theme().off, f.theme().faint);
        f.text(scene::inset(cpu, f.px(3)), "host", f.small(), f.theme().text, Align::center);
        for (const Rect& target : {global, constant}) {
            const float y = target.y + target.h / 2;
            f.line({cpu.right(), y}, {target.x, y}, f.px(1.5F), f.theme().muted);
        }
    }

    static void block(Figure& f, const Rect& r, int number) {
        const float gap = f.px(8), bar = f.px(28);
        const Rect inner = frame(f, r, "block " + std::to_string(number), f.theme().panel);
        store(f, {inner.x, inner.y, inner.w, bar}, "shared memory", f.theme().accent, scene::Pattern::plain);
        const Rect threads{inner.x, inner.y + bar + gap, inner.w, inner.h - bar - gap};
        const bool two = threads.w > f.px(210);
        const float w = two ? (threads.w - gap) / 2 : threads.w;
        for (int t = 0; t < (two ? 2 : 1); ++t) {
            const Rect place{threads.x + (w + gap) * static_cast<float>(t), threads.y, w, threads.h};
            const Rect inside = frame(f, place, "thread " + std::to_string(t), f.theme().background);
            const float h = (inside.h - gap) / 2;
            if (h < f.px(16)) {
                continue;
            }
            store(f, {inside.x, inside.y, inside.w, std::min(h, bar)}, "registers", f.theme().attention,
                  scene::Pattern::plain);
            store(f, {inside.x, inside.y + std::min(h, bar) + gap, inside.w, std::min(h, bar)}, "local memory",
                  f.theme().hazard, scene::Pattern::hatch);
        }
    }
};
} // namespace

std::unique_ptr<Topic> make_memory() { return std::make_unique<Memory>(); }

} // namespace warptree::topics
