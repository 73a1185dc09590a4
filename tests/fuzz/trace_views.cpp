// Trace files: every accepted trace can be drawn, at its first and last steps.
#include "app/trace/explain/explain.hpp"
#include "app/trace/io/file.hpp"
#include "app/views/views.hpp"
#include "tests/fuzz/input_file.hpp"

using namespace warptree;

namespace {
// Letters half as wide as their size: precise enough for every view.
class Measure final : public scene::TextMeasure {
  public:
    float width(std::string_view text, scene::Face, float size) const override {
        return static_cast<float>(text.size()) * size / 2;
    }
};

void draw(const Trace& trace, const session::Moment& moment) {
    const Measure measure;
    scene::ViewContext context;
    context.trace = &trace;
    context.moment = moment;
    context.theme = &scene::theme(scene::ThemeName::light);
    context.measure = &measure;
    const scene::Rect area{0, 0, 1280, 720};
    context.hover = {scene::Target::Kind::node, moment.launch, 0, moment.step + 5, 0};
    context.selected = {scene::Target::Kind::thread, moment.launch, 0, 33, 0};
    scene::draw_tree(context, area, {});
    if (moment.launch < trace.launches.size()) {
        scene::draw_warps(context, area, 0);
        scene::draw_banks(context, area);
    }
    scene::draw_source(context, area);
    scene::summarize(trace, moment);
}
} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fuzz::refusable([&] {
        const Trace trace = load(fuzz::file_of(data, size));
        for (std::uint32_t l = 0; l < std::min<std::size_t>(trace.launches.size(), 3); ++l) {
            const auto steps = static_cast<std::uint32_t>(trace.launches[l].steps.size());
            for (std::uint32_t s = 0; s < steps; s = s < 2 || s + 2 >= steps ? s + 1 : steps - 2) {
                draw(trace, {l, s, 0.5F, 1});
                draw(trace, {l, s, 1, session::kAllArrived});
            }
        }
        if (trace.host_partials > 1) {
            draw(trace, {static_cast<std::uint32_t>(trace.launches.size()), 0, 1, 1});
        }
    });
}
