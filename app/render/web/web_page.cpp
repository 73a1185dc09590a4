#include "app/render/web/web_page.hpp"

#include "app/base/error.hpp"
#include "app/base/resources.hpp"
#include "app/base/type_words.hpp"
#include "app/base/whole_file.hpp"
#include "app/base/xml_text.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/document/packed_text.hpp"
#include "app/document/playback.hpp"
#include "app/render/cairo/cairo_text.hpp"
#include "app/views/parts.hpp"
#include "app/views/views.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <zlib.h>

#include <utility>

namespace warptree::render {

namespace {

using scene::Drawing;
using scene::ThemeName;

constexpr std::size_t kMostNodes = 1 << 16; // with operands, of a run

struct Panel {
    const char* id;
    const char* title;
    int width, height; // of a run alone; beside others as wide as its column
};
constexpr std::array kPanels{Panel{"tree", "Tree", 860, 420}, Panel{"source", "Source", 400, 420},
                             Panel{"warps", "Warps", 500, 320}, Panel{"banks", "Banks and memory", 350, 320}};
constexpr std::array kPhases{1.0F / 6, 0.5F, 5.0F / 6, 1.0F}; // amid loads, combines and stores, and complete
constexpr int kWhole = 1280, kLeastColumn = 400;

Drawing drawn(const Trace& trace, const session::Moment& moment, ThemeName theme, const scene::TextMeasure& measure,
              std::string_view view, int width, int height) {
    scene::ViewContext context;
    context.trace = &trace;
    context.moment = moment;
    context.theme = &scene::theme(theme);
    context.measure = &measure;
    const scene::Rect area{0, 0, static_cast<float>(width), static_cast<float>(height)};
    const auto& launches = trace.launches;
    if (view == "tree") {
        return scene::draw_tree(context, area, {});
    }
    if (view == "warps") {
        return scene::draw_warps(context, area,
                                 moment.launch < launches.size() ? launches[moment.launch].window_first : 0);
    }
    return view == "banks" ? scene::draw_banks(context, area) : scene::draw_source(context, area);
}

std::string hex(scene::Color c) { return fmt::format("#{:02x}{:02x}{:02x}{:02x}", c.r, c.g, c.b, c.a); }

// All of `page` with each {{name}} replaced.
std::string filled(std::string page, const std::vector<std::pair<std::string, std::string>>& values) {
    for (const auto& [name, value] : values) {
        const std::string mark = "{{" + name + "}}";
        for (std::size_t at = page.find(mark); at != std::string::npos; at = page.find(mark, at + value.size())) {
            page.replace(at, mark.size(), value);
        }
    }
    return page;
}

void check(RunControl* control, std::size_t done, std::size_t all) {
    if (control == nullptr) {
        return;
    }
    if (control->cancel) {
        throw Cancelled();
    }
    if (control->progress) {
        control->progress(static_cast<double>(done) / static_cast<double>(all));
    }
}

std::string detail_of(const Trace& trace) {
    const RunOptions& o = trace.options;
    std::string text;
    if (const StrategyInfo* info = find_strategy(o.strategy)) { // a file of one's own has no such options
        text = fmt::format("n = {}, {}, {}, ", o.n, c_name(o.type), computed(*info, o.op));
    }
    if (trace.launches.size() == 1) {
        const Launch& l = trace.launches.front();
        text += fmt::format("{} of {} threads, ", scene::plural(l.grid, "block"), l.block);
    } else {
        text += fmt::format("{} launches, ", trace.launches.size());
    }
    return text + trace.device.name;
}

} // namespace

void WebPage::add_run(const Trace& trace, std::size_t columns, const Describe& describe, RunControl* control) {
    session::Playback playback;
    playback.attach(trace);
    const std::uint32_t places = playback.places();
    if (places == 0) {
        throw OptionError(fmt::format("{} has no step to show", trace.options.strategy));
    }
    const CairoMeasure measure;
    const auto tell = [&](const scene::Target& target) { return describe ? describe(trace, target) : std::string(); };
    Run run;
    run.name = trace.options.strategy;
    run.detail = detail_of(trace);
    for (std::uint32_t p = 0; p < places; ++p) {
        playback.go_to_place(p);
        const session::Moment moment = playback.moment();
        const scene::StepSummary summary = scene::summarize(trace, moment);
        Place place{summary.title, summary.sentence, {}, moment.launch, moment.step};
        for (const scene::Fact& f : summary.facts) {
            place.facts.push_back({f.label, f.value, f.note, f.attention});
        }
        run.places.push_back(std::move(place));
    }
    const int column = std::max(kLeastColumn, kWhole / static_cast<int>(columns) - 20);
    for (std::size_t v = 0; v < kPanels.size(); ++v) {
        const Panel& panel = kPanels[v];
        View view{panel.id, panel.title, columns > 1 ? column : panel.width, panel.height, {}};
        for (std::uint32_t p = 0; p < places; ++p) { // a view at a time, as its pictures resemble one another
            check(control, v * places + p, kPanels.size() * places);
            auto& parts = view.frames.emplace_back();
            for (const float phase : kPhases) {
                playback.go_to_place(p, phase);
                const auto draw = [&](ThemeName theme) {
                    return drawn(trace, playback.moment(), theme, measure, view.id, view.width, view.height);
                };
                const auto frame = store_.add(draw(ThemeName::light), draw(ThemeName::dark), measure, tell);
                if (parts.empty() || parts.back() != frame) {
                    parts.push_back(frame);
                }
            }
        }
        run.views.push_back(std::move(view));
    }
    std::size_t nodes = 0;
    for (const Launch& l : trace.launches) {
        nodes += l.nodes.size();
    }
    if (nodes <= kMostNodes) {
        for (const Launch& l : trace.launches) {
            auto& [left, right] = run.operands.emplace_back();
            for (const Node& n : l.nodes) {
                left.push_back(n.left == kNone ? -1 : std::int64_t{n.left});
                right.push_back(n.right() == kNone ? -1 : std::int64_t{n.right()});
            }
        }
    }
    runs_.push_back(std::move(run));
}

void WebPage::add_slides(const std::vector<Slide>& slides, int width, int height, RunControl* control) {
    const CairoMeasure measure;
    Run run;
    View view{"page", "", width, height, {}};
    for (std::size_t i = 0; i < slides.size(); ++i) {
        check(control, i, slides.size());
        run.places.push_back({slides[i].title, slides[i].words, {}});
        view.frames.push_back({store_.add(slides[i].draw(ThemeName::light, measure),
                                          slides[i].draw(ThemeName::dark, measure), measure, {})});
    }
    run.views.push_back(std::move(view));
    runs_.push_back(std::move(run));
}

std::string WebPage::html() const {
    std::vector<DrawingStore::Column> columns;
    const std::string numbers = store_.bytes(columns);
    nlohmann::json about;
    about["title"] = title_;
    about["strings"] = store_.strings();
    for (const auto& column : columns) {
        about["columns"][column.name] = {column.type, column.at, column.count};
    }
    about["palette"] = nlohmann::json::array();
    for (const auto& [light, dark] : store_.palette()) {
        about["palette"].push_back({hex(light), hex(dark)});
    }
    for (const Run& run : runs_) {
        nlohmann::json r;
        r["name"] = run.name;
        r["detail"] = run.detail;
        for (const Place& p : run.places) {
            nlohmann::json facts = nlohmann::json::array();
            for (const Fact& f : p.facts) {
                facts.push_back({f.label, f.value, f.note, f.attention});
            }
            r["places"].push_back({{"title", p.title},
                                   {"sentence", p.sentence},
                                   {"facts", facts},
                                   {"launch", p.launch},
                                   {"step", p.step}});
        }
        for (const View& v : run.views) {
            r["views"].push_back(
                {{"id", v.id}, {"title", v.title}, {"w", v.width}, {"h", v.height}, {"frames", v.frames}});
        }
        r["operands"] = run.operands;
        about["runs"].push_back(std::move(r));
    }
    // Text of a kernel may be in any encoding.
    std::string text = about.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    text.resize((text.size() + 3) / 4 * 4, ' ');
    std::string data;
    for (unsigned b = 0; b < 4; ++b) {
        data += static_cast<char>(text.size() >> (8 * b) & 0xFF);
    }
    const std::string packed = session::deflated(data + text + numbers);
    const auto sum = crc32(0, reinterpret_cast<const Bytef*>(packed.data()), static_cast<uInt>(packed.size()));
    return filled(
        read_text(resource("assets/export/page.html")),
        {{"title", xml_text(title_)}, {"id", fmt::format("warptree-{:08x}", sum)}, {"data", session::base64(packed)}});
}

} // namespace warptree::render
