// A topic of the Theory screen: what it computes as a figure, as text and as JSON. One topic per file, all listed in
// topics.cpp. Figures are pure functions: same arguments, same drawing.
#pragma once

#include "app/base/table.hpp"
#include "app/drawing/draw.hpp"
#include "app/drawing/theme.hpp"
#include "app/features/theory/choices.hpp"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warptree::runs {
struct RoundingTable;
struct RoundingOptions;
} // namespace warptree::runs

namespace warptree::topics {

// What is needed to draw a figure.
struct FigureContext {
    const scene::Theme* theme = nullptr;
    const scene::TextMeasure* measure = nullptr;
    float scale = 1;
    float px(float at_scale_1) const { return at_scale_1 * scale; }
};

// The subject of a topic: choices and data.
struct Subject : Choices {
    // A kernel of one's own that block and shared bytes were taken from, and these; no name: none.
    struct OfKernel {
        std::string name;
        theory::BlockShape block;
        std::uint64_t shared = 0;
        bool operator==(const OfKernel& o) const { return name == o.name && block == o.block && shared == o.shared; }
    } kernel{};
    std::shared_ptr<const runs::RoundingTable> rounding{}; // of these choices; null: not computed yet
};

class Topic {
  public:
    virtual ~Topic() = default;
    virtual const char* id() const = 0;              // stable: "occupancy"
    virtual const char* title() const = 0;           // "Occupancy"
    virtual const char* words() const { return ""; } // of its subject, for searches
    virtual std::vector<Field> fields() const { return {}; }
    // One to three computed sentences.
    virtual std::string sentence(const Subject& subject) const = 0;
    // Draws nothing outside `area`.
    virtual scene::Drawing draw(const FigureContext& context, scene::Rect area, const Subject& subject) const = 0;
    virtual std::vector<Table> tables(const Subject&) const { return {}; } // what the figure shows, in numbers
    virtual std::string notes(const Subject&) const { return {}; }         // below them; every line ends in a newline
    virtual nlohmann::ordered_json json(const Subject& subject) const = 0;
    // What it runs kernels for, to have Subject::rounding of; nullopt: nothing.
    virtual std::optional<runs::RoundingOptions> runs(const Choices&) const;
};

std::span<const std::unique_ptr<Topic>> topics();
const Topic* find_topic(std::string_view id);
const Topic& require_topic(std::string_view id); // throws OptionError that lists the ids

// As text and Markdown the sentence, tables and notes; as CSV the tables alone.
std::string written(const Topic& topic, const Subject& subject, TableFormat as = TableFormat::text);

std::unique_ptr<Topic> make_warps();
std::unique_ptr<Topic> make_occupancy();
std::unique_ptr<Topic> make_device();
std::unique_ptr<Topic> make_memory();
std::unique_ptr<Topic> make_work();
std::unique_ptr<Topic> make_intensity();
std::unique_ptr<Topic> make_tiles();
std::unique_ptr<Topic> make_resources();
std::unique_ptr<Topic> make_rounding();
std::unique_ptr<Topic> make_order_sums();
std::unique_ptr<Topic> make_clocks();

// Title, sentence and figure of a topic in `area`.
scene::Drawing framed_figure(const Topic& topic, const FigureContext& context, scene::Rect area,
                             const Subject& subject);
// The same as a whole picture of width × height with its background.
scene::Drawing compose(const Topic& topic, const FigureContext& context, float width, float height,
                       const Subject& subject);

} // namespace warptree::topics
