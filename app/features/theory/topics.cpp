#include "app/features/theory/figure.hpp"

#include "app/base/error.hpp"
#include "app/run/judge/rounding.hpp"
#include "app/views/parts.hpp"

#include <array>

namespace warptree::topics {

std::optional<runs::RoundingOptions> Topic::runs(const Choices&) const { return std::nullopt; }

std::span<const std::unique_ptr<Topic>> topics() {
    static const std::array all{make_warps(),    make_occupancy(),  make_device(), make_memory(),
                                make_work(),     make_intensity(),  make_tiles(),  make_resources(),
                                make_rounding(), make_order_sums(), make_clocks()};
    return all;
}

const Topic* find_topic(std::string_view id) {
    for (const auto& topic : topics()) {
        if (topic->id() == id) {
            return topic.get();
        }
    }
    return nullptr;
}

const Topic& require_topic(std::string_view id) {
    if (const Topic* found = find_topic(id)) {
        return *found;
    }
    std::string all;
    for (const auto& topic : topics()) {
        all += (all.empty() ? "" : ", ") + std::string(topic->id());
    }
    throw OptionError("the topic '" + std::string(id.substr(0, 40)) + "' is not known; take one of " + all);
}

std::string written(const Topic& topic, const Subject& subject, TableFormat as) {
    const std::string tables = table_text(topic.tables(subject), as), notes = topic.notes(subject);
    if (as == TableFormat::csv) {
        return tables;
    }
    return topic.sentence(subject) + "\n" + (tables.empty() ? "" : "\n" + tables) + (notes.empty() ? "" : "\n" + notes);
}

scene::Drawing compose(const Topic& topic, const FigureContext& context, float width, float height,
                       const Subject& subject) {
    scene::Drawing whole{.clip = {0, 0, width, height}, .layers = {}, .hits = {}};
    whole.layers.emplace_back();
    whole.layers.back().boxes.push_back({.rect = whole.clip, .fill = context.theme->background});
    const float margin = std::min(context.px(18), width / 24);
    const scene::Rect inner = scene::inset(whole.clip, margin);
    scene::Drawing framed = framed_figure(topic, context, inner, subject);
    for (scene::Layer& layer : framed.layers) {
        whole.layers.push_back(std::move(layer));
    }
    return whole;
}

} // namespace warptree::topics
