// A topic of the Theory screen: what it computes as a figure, as text and as JSON. One topic a file, all listed in
// topics.cpp. Figures are pure functions: same arguments, same drawing.
#pragma once

#include "app/scene/draw.hpp"
#include "app/scene/theme.hpp"
#include "app/topics/choices.hpp"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace warptree::theory {
struct RoundingTable;
}

namespace warptree::topics {

// What a figure is drawn with.
struct FigureContext {
    const scene::Theme* theme = nullptr;
    const scene::TextMeasure* measure = nullptr;
    float scale = 1;
    const theory::RoundingTable* rounding = nullptr; // of these choices; null: not computed yet
    float px(float at_scale_1) const { return at_scale_1 * scale; }
};

class Topic {
  public:
    virtual ~Topic() = default;
    virtual const char* id() const = 0;    // stable: "occupancy"
    virtual const char* title() const = 0; // "Occupancy"
    virtual std::vector<Field> fields() const { return {}; }
    // One to three computed sentences.
    virtual std::string sentence(const Choices& choices) const = 0;
    // Nothing lies outside `area`.
    virtual scene::Drawing draw(const FigureContext& context, scene::Rect area, const Choices& choices) const = 0;
    virtual std::string text(const Choices& choices) const = 0; // lines, the last one ended
    virtual nlohmann::ordered_json json(const Choices& choices) const = 0;
    // Runs kernels, and so needs a table computed beside the drawing: see FigureContext::rounding.
    virtual bool runs() const { return false; }
};

std::span<const std::unique_ptr<Topic>> topics();
const Topic* find_topic(std::string_view id);
const Topic& require_topic(std::string_view id); // throws OptionError that lists the ids

std::unique_ptr<Topic> make_warps();

// Title, sentence and figure of a topic in `area`.
scene::Drawing framed_figure(const Topic& topic, const FigureContext& context, scene::Rect area,
                             const Choices& choices);
// The same as a whole picture of width × height with its background.
scene::Drawing compose(const Topic& topic, const FigureContext& context, float width, float height,
                       const Choices& choices);

} // namespace warptree::topics
