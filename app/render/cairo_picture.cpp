#include "app/render/cairo_picture.hpp"

#include "app/render/cairo_text.hpp"
#include "app/render/svg.hpp"
#include "app/scene/parts.hpp"
#include "kernels/error.hpp"
#include "kernels/trace/archive.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <memory>
#include <string>

#include <cairo-pdf.h>

namespace warptree::render {

namespace {

namespace fs = std::filesystem;
using session::Moment;

std::uint32_t places(const Trace& trace) {
    std::size_t count = trace.host_partials > 1 ? 1 : 0;
    for (const Launch& launch : trace.launches) {
        count += launch.steps.size();
    }
    return static_cast<std::uint32_t>(count);
}

std::string lower_extension(const fs::path& path) {
    std::string text = path.extension().string();
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

struct SurfaceDestroy {
    void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
struct CairoDestroy {
    void operator()(cairo_t* cairo) const { cairo_destroy(cairo); }
};
using Surface = std::unique_ptr<cairo_surface_t, SurfaceDestroy>;

void require_good(cairo_status_t status, const fs::path& path) {
    if (status != CAIRO_STATUS_SUCCESS) {
        throw FileError(path.string() + ": cannot be written: " + cairo_status_to_string(status));
    }
}

// What Cairo calls with the bytes of a file.
cairo_status_t take_bytes(void* into, const unsigned char* bytes, unsigned count) {
    static_cast<std::string*>(into)->append(reinterpret_cast<const char*>(bytes), count);
    return CAIRO_STATUS_SUCCESS;
}

// At most `most` lines of `room` pixels.
std::vector<std::string> wrapped(const scene::TextMeasure& measure, const std::string& text, float size, float room,
                                 std::size_t most) {
    std::vector<std::string> lines;
    std::string line;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        const std::string word = text.substr(at, end - at);
        const std::string longer = line.empty() ? word : line + " " + word;
        if (line.empty() || measure.width(longer, scene::Face::sans, size) <= room) {
            line = longer;
        } else if (lines.size() + 1 == most) {
            line += " " + text.substr(at);
            break;
        } else {
            lines.push_back(line);
            line = word;
        }
        at = end + 1;
    }
    if (!line.empty()) {
        lines.push_back(scene::fitted(measure, line, scene::Face::sans, size, room));
    }
    return lines;
}

// As many of the run's facts as fit, the first ones first.
std::string subtitle(const Trace& trace, const scene::TextMeasure& measure, float size, float room) {
    const RunOptions& o = trace.options;
    std::vector<std::string> parts{"n = " + std::to_string(o.n), "B = " + std::to_string(trace.block()),
                                   std::string(name(o.type)), std::string(name(o.op))};
    if (trace.launches.size() == 1 && trace.launches.front().grid > 1) {
        parts.push_back(std::to_string(trace.launches.front().grid) + " blocks");
    }
    parts.push_back(trace.device.name);
    std::string text;
    for (const std::string& part : parts) {
        const std::string longer = text.empty() ? part : text + "  ·  " + part;
        if (measure.width(longer, scene::Face::sans, size) > room) {
            break;
        }
        text = longer;
    }
    return text;
}

// Title line, the view, caption line.
scene::Drawing compose(const PictureRequest& request, const scene::TextMeasure& measure) {
    using scene::Align;
    using scene::Face;
    const scene::Theme& theme = scene::theme(request.theme);
    const auto width = static_cast<float>(request.width);
    const auto height = static_cast<float>(request.height);
    const float s = request.scale;
    const float margin = std::min(20 * s, width / 24);
    const float room = width - 2 * margin;

    scene::ViewContext context;
    context.trace = request.trace;
    context.moment = request.moment;
    context.theme = &theme;
    context.measure = &measure;
    context.scale = s;

    scene::Layer frame;
    frame.boxes.push_back({.rect = {0, 0, width, height}, .fill = theme.background});
    float top = margin;
    float bottom = height - margin;
    if (height >= 220 * s && width >= 240 * s) {
        const Trace& trace = *request.trace;
        const float title_size = 19 * s;
        const float title_y = top + title_size * 0.6F;
        const std::string title = scene::fitted(measure, trace.options.strategy, Face::sans_bold, title_size, room);
        frame.texts.push_back({{margin, title_y}, Align::left, Face::sans_bold, title_size, theme.text, title});
        const float used = measure.width(title, Face::sans_bold, title_size) + 16 * s;
        const std::string detail = subtitle(trace, measure, 14 * s, room - used);
        frame.texts.push_back({{width - margin, title_y}, Align::right, Face::sans, 14 * s, theme.muted, detail});
        top += title_size * 1.2F + 10 * s;

        const scene::StepSummary summary = scene::summarize(trace, request.moment);
        const float label_width = measure.width(summary.title, Face::sans_bold, 15 * s);
        const float indent = label_width + 14 * s;
        const float line_height = 21 * s;
        const std::size_t most = bottom - top > 12 * line_height ? 4 : 2;
        const auto lines = wrapped(measure, summary.sentence, 15 * s, room - indent, most);
        const auto count = static_cast<float>(std::max<std::size_t>(1, lines.size()));
        float y = bottom - line_height * (count - 0.5F);
        frame.texts.push_back({{margin, y}, Align::left, Face::sans_bold, 15 * s, theme.text, summary.title});
        for (const std::string& line : lines) {
            frame.texts.push_back({{margin + indent, y}, Align::left, Face::sans, 15 * s, theme.text, line});
            y += line_height;
        }
        bottom -= line_height * count + 10 * s;
    }
    const scene::Rect panel{margin, top, room, std::max(1.0F, bottom - top)};
    frame.boxes.push_back(
        {.rect = panel, .radius = 4 * s, .fill = theme.panel, .stroke = theme.line, .stroke_width = s});
    const float pad = std::min(10 * s, std::min(panel.w, panel.h) / 10);
    const scene::Rect area{panel.x + pad, panel.y + pad, panel.w - 2 * pad, panel.h - 2 * pad};

    const auto& launches = request.trace->launches;
    const Launch* launch = request.moment.launch < launches.size() ? &launches[request.moment.launch] : nullptr;
    scene::Drawing view;
    switch (request.view) {
    case View::tree: view = scene::draw_tree(context, area, {}); break;
    case View::warps: view = scene::draw_warps(context, area, launch != nullptr ? launch->window_first : 0); break;
    case View::banks: view = scene::draw_banks(context, area); break;
    case View::source: view = scene::draw_source(context, area); break;
    }
    scene::Drawing whole{.clip = {0, 0, width, height}, .layers = {std::move(frame)}, .hits = std::move(view.hits)};
    for (scene::Layer& layer : view.layers) {
        whole.layers.push_back(std::move(layer));
    }
    return whole;
}

void paint_and_check(cairo_surface_t* surface, const scene::Drawing& drawing, const fs::path& path) {
    require_good(cairo_surface_status(surface), path);
    const std::unique_ptr<cairo_t, CairoDestroy> cairo(cairo_create(surface));
    paint(cairo.get(), drawing);
    require_good(cairo_status(cairo.get()), path);
}

} // namespace

std::optional<View> view_from(std::string_view text) {
    constexpr std::string_view names[]{"tree", "warps", "banks", "source"};
    for (std::size_t i = 0; i < std::size(names); ++i) {
        if (names[i] == text) {
            return static_cast<View>(i);
        }
    }
    return std::nullopt;
}

Moment default_moment(const Trace& trace, View view) {
    const std::uint32_t count = places(trace);
    Moment best = count == 0 ? Moment{} : moment_of_place(trace, count - 1);
    if (view == View::tree || view == View::source || trace.launches.empty()) {
        if (view == View::tree && best.launch > 0) { // launches hide one another: the first one done
            best = {0, static_cast<std::uint32_t>(trace.launches[0].steps.size() - 1), 1};
        }
        if (view == View::source && !trace.launches.empty()) {
            best = {0, trace.launches[0].steps.size() > 1 ? 1U : 0U, 1};
        }
        return best;
    }
    std::uint64_t most = 0;
    bool found = false;
    for (std::uint32_t l = 0; l < trace.launches.size(); ++l) {
        const auto& steps = trace.launches[l].steps;
        for (std::uint32_t i = 0; i < steps.size(); ++i) {
            const Counters& c = steps[i].counters;
            const std::uint64_t wavefronts = c.shared_load_wavefronts + c.shared_store_wavefronts;
            // One more, so that a step of the right kind wins over none.
            const std::uint64_t score =
                view == View::warps
                    ? (steps[i].kind == StepKind::stage ? 1 + c.divergent_warps : 0)
                    : (wavefronts != 0 ? 1 + wavefronts - c.shared_load_ideal - c.shared_store_ideal : 0);
            if (score > most || !found) {
                most = score;
                best = {l, i, 1};
                found = true;
            }
        }
    }
    return best;
}

Moment moment_of_place(const Trace& trace, std::uint32_t place) {
    const std::uint32_t count = places(trace);
    if (place >= count) {
        throw OptionError("step " + std::to_string(place) + " is past the end; this trace has steps 0 to " +
                          std::to_string(count == 0 ? 0 : count - 1));
    }
    std::uint32_t left = place;
    for (std::uint32_t l = 0; l < trace.launches.size(); ++l) {
        const auto steps = static_cast<std::uint32_t>(trace.launches[l].steps.size());
        if (left < steps) {
            return {l, left, 1};
        }
        left -= steps;
    }
    return {static_cast<std::uint32_t>(trace.launches.size()), 0, 1};
}

void require_picture_name(const fs::path& path) {
    const std::string extension = lower_extension(path);
    if (extension != ".png" && extension != ".svg" && extension != ".pdf") {
        throw OptionError(path.string() + ": a picture's name ends in .png, .svg or .pdf");
    }
}

void write_drawing(const std::function<scene::Drawing(const scene::TextMeasure&)>& draw, const DrawingFile& it) {
    require_picture_name(it.path);
    const std::string extension = lower_extension(it.path);
    if (it.width < 64 || it.height < 64 || it.width > 16384 || it.height > 16384) {
        throw OptionError("a picture is 64 to 16384 wide and high, not " + std::to_string(it.width) + "x" +
                          std::to_string(it.height));
    }
    const CairoMeasure measure;
    const scene::Drawing drawing = draw(measure);
    const auto stop_if_cancelled = [&] {
        if (it.control != nullptr && it.control->cancel) {
            throw Cancelled();
        }
    };
    stop_if_cancelled();
    std::string bytes; // of the file, which is written when they are complete
    if (extension == ".png") {
        const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, it.width, it.height));
        paint_and_check(surface.get(), drawing, it.path);
        require_good(cairo_surface_write_to_png_stream(surface.get(), take_bytes, &bytes), it.path);
    } else if (extension == ".svg") {
        bytes = svg_of(drawing, it.width, it.height, measure);
    } else {
        const Surface surface(cairo_pdf_surface_create_for_stream(take_bytes, &bytes, it.width, it.height));
        // A fixed date: equal pictures are equal files.
        cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
        cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_TITLE, it.title.c_str());
        paint_and_check(surface.get(), drawing, it.path);
        cairo_surface_finish(surface.get());
        require_good(cairo_surface_status(surface.get()), it.path);
    }
    stop_if_cancelled();
    write_whole(it.path, bytes);
}

void render_picture(const PictureRequest& request) {
    if (request.trace == nullptr || !(request.scale > 0)) {
        throw OptionError("a picture needs a trace and a scale above 0");
    }
    write_drawing([&](const scene::TextMeasure& measure) { return compose(request, measure); },
                  {request.width, request.height, request.path, request.trace->options.strategy, request.control});
}

} // namespace warptree::render
