#include "app/render/cairo/cairo_picture.hpp"

#include "app/base/error.hpp"
#include "app/base/whole_file.hpp"
#include "app/render/cairo/cairo_text.hpp"
#include "app/render/cairo/composition.hpp"
#include "app/render/cairo/svg.hpp"
#include "app/render/gl/frame_buffer.hpp"
#include "app/trace/explain/report_program.hpp"
#include "app/views/story.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>

#include <cairo-pdf.h>

namespace warptree::render {

struct SurfaceDestroy {
    void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
using Surface = std::unique_ptr<cairo_surface_t, SurfaceDestroy>;

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

struct CairoDestroy {
    void operator()(cairo_t* cairo) const { cairo_destroy(cairo); }
};

void require_good(cairo_status_t status, const fs::path& path) {
    if (status != CAIRO_STATUS_SUCCESS) {
        throw FileError(path.string() + ": cannot be written: " + cairo_status_to_string(status));
    }
}

// Cairo's callback for the bytes of a file.
cairo_status_t take_bytes(void* into, const unsigned char* bytes, unsigned count) {
    static_cast<std::string*>(into)->append(reinterpret_cast<const char*>(bytes), count);
    return CAIRO_STATUS_SUCCESS;
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

namespace {
// How much a step has to show in warps or banks.
std::uint64_t telling(const Step& step, View view) {
    const Counters& c = step.counters;
    const std::uint64_t wavefronts = c.shared_load_wavefronts + c.shared_store_wavefronts;
    // Plus one, so that a step of the right kind beats none.
    return view == View::warps ? (step.kind == StepKind::stage ? 1 + c.divergent_warps : 0)
                               : (wavefronts != 0 ? 1 + wavefronts - c.shared_load_ideal - c.shared_store_ideal : 0);
}
} // namespace

Moment default_moment_in(const Trace& trace, View view, std::uint32_t launch) {
    if (launch >= trace.launches.size()) {
        throw OptionError("launch " + std::to_string(launch + 1) + " is past the end; this trace has launches 1 to " +
                          std::to_string(trace.launches.size()));
    }
    const auto& steps = trace.launches[launch].steps;
    const auto last = static_cast<std::uint32_t>(steps.empty() ? 0 : steps.size() - 1);
    if (view == View::tree || view == View::source) {
        return {launch, view == View::tree ? last : std::min(last, 1U), 1};
    }
    std::uint32_t best = 0;
    for (std::uint32_t i = 1; i <= last; ++i) {
        best = telling(steps[i], view) > telling(steps[best], view) ? i : best;
    }
    return {launch, best, 1};
}

Moment default_moment(const Trace& trace, View view) {
    if (is_program(trace) && !trace.launches.empty()) {
        return default_moment_in(trace, view, scene::telling_launch(trace));
    }
    const std::uint32_t count = places(trace);
    Moment best = count == 0 ? Moment{} : moment_of_place(trace, count - 1);
    if (view == View::tree || view == View::source || trace.launches.empty()) {
        if (view == View::tree && best.launch > 0) { // launches hide one another: take the first, complete
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
            if (const std::uint64_t score = telling(steps[i], view); score > most || !found) {
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

namespace {
// With a fixed date, so that equal pictures give equal files, and in a version that every reader supports.
Surface pdf_surface(const DrawingFile& it, std::string& bytes) {
    Surface surface(cairo_pdf_surface_create_for_stream(take_bytes, &bytes, it.width, it.height));
    cairo_pdf_surface_restrict_to_version(surface.get(), CAIRO_PDF_VERSION_1_4);
    cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
    cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_TITLE, it.title.c_str());
    return surface;
}
} // namespace

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
    std::string bytes; // the file's contents, written once complete
    if (extension == ".png") {
        const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, it.width, it.height));
        paint_and_check(surface.get(), drawing, it.path);
        require_good(cairo_surface_write_to_png_stream(surface.get(), take_bytes, &bytes), it.path);
    } else if (extension == ".svg") {
        bytes = svg_of(drawing, it.width, it.height, measure);
    } else {
        const Surface surface = pdf_surface(it, bytes);
        paint_and_check(surface.get(), drawing, it.path);
        cairo_surface_finish(surface.get());
        require_good(cairo_surface_status(surface.get()), it.path);
    }
    stop_if_cancelled();
    write_whole(it.path, bytes);
}

void write_pages(const std::vector<scene::Drawing>& pages, const DrawingFile& it) {
    if (lower_extension(it.path) != ".pdf") {
        throw OptionError(it.path.string() + ": pages are written as a PDF; take a name that ends in .pdf");
    }
    std::string bytes;
    const Surface surface = pdf_surface(it, bytes);
    for (const scene::Drawing& page : pages) {
        if (it.control != nullptr && it.control->cancel) {
            throw Cancelled();
        }
        paint_and_check(surface.get(), page, it.path);
        cairo_surface_show_page(surface.get());
    }
    cairo_surface_finish(surface.get());
    require_good(cairo_surface_status(surface.get()), it.path);
    write_whole(it.path, bytes);
}

void write_pixels(const std::vector<std::uint8_t>& rgba, int width, int height, const fs::path& path) {
    if (lower_extension(path) != ".png") {
        throw OptionError(path.string() + ": the window is written as .png");
    }
    const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height));
    require_good(cairo_surface_status(surface.get()), path);
    cairo_surface_flush(surface.get());
    const auto w = static_cast<std::size_t>(width), h = static_cast<std::size_t>(height);
    if (rgba.size() < w * h * 4) {
        throw FileError(path.string() + ": nothing is drawn yet");
    }
    unsigned char* rows = cairo_image_surface_get_data(surface.get());
    const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(surface.get()));
    for (std::size_t y = 0; y < h; ++y) {
        for (std::size_t x = 0; x < w; ++x) {
            const std::uint8_t* from = &rgba[(y * w + x) * 4];
            const std::uint32_t pixel =
                std::uint32_t{from[0]} << 16U | std::uint32_t{from[1]} << 8U | std::uint32_t{from[2]};
            std::memcpy(rows + y * stride + x * 4, &pixel, 4);
        }
    }
    cairo_surface_mark_dirty(surface.get());
    std::string bytes;
    require_good(cairo_surface_write_to_png_stream(surface.get(), take_bytes, &bytes), path);
    write_whole(path, bytes);
}

struct FrameBuffer::Pixels {
    Surface surface;
};

FrameBuffer::FrameBuffer(int width, int height)
    : pixels_(new Pixels{Surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height))}) {
    require_good(cairo_surface_status(pixels_->surface.get()), "frame");
}
FrameBuffer::~FrameBuffer() = default;

void FrameBuffer::paint(const scene::Drawing& drawing) {
    paint_and_check(pixels_->surface.get(), drawing, "frame");
    cairo_surface_flush(pixels_->surface.get());
}

std::span<const unsigned char> FrameBuffer::pixels() const {
    cairo_surface_t* s = pixels_->surface.get();
    // The stride of RGB24 is four times the width.
    return {cairo_image_surface_get_data(s), static_cast<std::size_t>(cairo_image_surface_get_stride(s)) *
                                                 static_cast<std::size_t>(cairo_image_surface_get_height(s))};
}

void FrameBuffer::write_png(const fs::path& path) const {
    require_good(cairo_surface_write_to_png(pixels_->surface.get(), path.string().c_str()), path);
}

void render_picture(const PictureRequest& request) {
    if (request.trace == nullptr || !(request.scale > 0)) {
        throw OptionError("a picture needs a trace and a scale above 0");
    }
    write_drawing([&](const scene::TextMeasure& measure) { return compose(request, measure); },
                  {request.width, request.height, request.path, request.trace->options.strategy, request.control});
}

} // namespace warptree::render
