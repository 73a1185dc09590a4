#include "app/cli/timing_options.hpp"

#include "app/base/error.hpp"
#include "app/base/printable.hpp"
#include "app/document/recordings.hpp"
#include "app/render/cairo/cairo_picture.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace warptree::commands {

using TimingsField = session::Timings::Field;

namespace {
constexpr std::array kOfTraces{TimingsField::elements, TimingsField::type, TimingsField::block, TimingsField::op,
                               TimingsField::finish};

const char* help(TimingsField field) {
    switch (field) {
    case TimingsField::kernels: return "ladder, reductions, scans or others";
    case TimingsField::elements: return "Elements, also 2^20 or 4M (default 2^22)";
    case TimingsField::type: return "Element type (default i32)";
    case TimingsField::block: return "Threads per block, or fastest (default 128 for the ladder, else fastest)";
    case TimingsField::mode: return "L2 cache before each sample: cold or warm";
    case TimingsField::quantity: return "kernel, pipeline or launch";
    case TimingsField::op: return "Operator (default sum)";
    case TimingsField::finish: return "host, relaunch, atomic, last-block or fastest";
    case TimingsField::show: return "time, bandwidth, peak or speed-up";
    case TimingsField::figure: break;
    }
    return "Beside the bars: sizes, modes, blocks, samples or limits";
}
} // namespace

std::string TimingWords::option(TimingsField field) {
    const std::string name(session::id(field));
    return (name.size() == 1 ? "-" : "--") + name;
}

bool TimingWords::takes(std::string_view name) {
    return name == "series" || std::any_of(session::Timings::kFields.begin(), session::Timings::kFields.end(),
                                           [&](TimingsField f) { return session::id(f) == name; });
}

void TimingWords::add_own_to(CLI::App& command) {
    command.add_option("--series", series, "Timings: series to show, each by a part of its name")
        ->expected(1)
        ->take_all();
    for (const TimingsField f : session::Timings::kFields) {
        if (std::find(kOfTraces.begin(), kOfTraces.end(), f) == kOfTraces.end()) {
            command.add_option(option(f), fields[f], std::string("Timings: ") + help(f));
        }
    }
}

void TimingWords::add_to(CLI::App& command) {
    add_own_to(command);
    for (const TimingsField f : kOfTraces) {
        command.add_option(option(f), fields[f], help(f));
    }
}

bool TimingWords::given() const {
    return !series.empty() ||
           std::any_of(fields.begin(), fields.end(), [](const auto& f) { return !f.second.empty(); });
}

bool TimingWords::set_in(session::Timings& t) const {
    bool conditions = false;
    for (const auto& [field, text] : fields) {
        if (text.empty()) {
            continue;
        }
        try {
            t.set(field, text);
        } catch (const OptionError& e) {
            const std::string what = e.what();
            throw OptionError(fmt::format("{} {}", option(field), what.substr(what.find('\''))));
        }
        conditions = conditions || (field != TimingsField::show && field != TimingsField::figure);
    }
    return conditions;
}

session::Timings TimingWords::make() const {
    session::Timings none({});
    set_in(none); // a wrong option is told before files are read
    session::Timings t(session::recorded_timings());
    std::string first; // of the files
    for (const std::string& file : files) {
        std::vector<timing::Series> all = timing::load_results(file);
        first = first.empty() ? all.front().name : first;
        t.add(std::move(all));
    }
    const bool conditions = set_in(t);
    if (!conditions && !first.empty()) {
        t.go_to(first);
    }
    if (series.empty()) {
        t.show_fitting();
    } else {
        t.show_only(series);
        if (!conditions && t.rows().empty() && !t.shown_series().empty()) {
            t.go_to(t.shown_series().front().name);
        }
    }
    return t;
}

void render_timings(TimingWords words, const CLI::App& command, const Picture& picture, const std::string& out) {
    constexpr std::array kOwn{"view", "size", "scale", "theme", "o", "id"};
    for (const CLI::Option* option : command.get_options()) {
        const std::string name = option->get_name();
        const std::string bare = name.substr(std::min(name.find_first_not_of('-'), name.size()));
        const bool own = std::find(kOwn.begin(), kOwn.end(), bare) != kOwn.end();
        if (option->count() > 0 && !own && !TimingWords::takes(bare)) {
            throw OptionError(fmt::format("{} does not apply to --view timings; leave it out", name));
        }
    }
    for (const TimingsField field : kOfTraces) {
        if (const CLI::Option* given = command.get_option_no_throw(TimingWords::option(field));
            given != nullptr && given->count() > 0) {
            words.fields[field] = given->as<std::string>();
        }
    }
    const session::Timings shown = words.make();
    render::write_drawing(
        [&](const scene::TextMeasure& measure) {
            return scene::compose_timings({&scene::theme(picture.theme), &measure, picture.scale},
                                          static_cast<float>(picture.width), static_cast<float>(picture.height),
                                          shown.view());
        },
        {picture.width, picture.height, out, "timings"});
}

} // namespace warptree::commands
