// Pictures of a trace as PNG, SVG or PDF, without a display.
#pragma once

#include "app/document/moment.hpp"
#include "app/drawing/draw.hpp"
#include "app/drawing/theme.hpp"
#include "app/trace/model/trace.hpp"
#include "app/views/tree/tree_frame.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::render {

enum class View : std::uint8_t { tree, warps, banks, source };
std::optional<View> view_from(std::string_view text); // "tree", "warps", "banks", "source"

struct PictureRequest {
    const Trace* trace = nullptr;
    View view = View::tree;
    session::Moment moment;
    scene::ThemeName theme = scene::ThemeName::light;
    int width = 1280, height = 720; // pixels (PNG), points (PDF) or user units (SVG)
    float scale = 1;                // of text and drawing
    // What of the tree fills the picture, and the block and warp that it refers to; the block is that of the warps, too.
    scene::Frame frame = scene::Frame::all;
    std::uint32_t block = 0, warp = kNone;
    std::filesystem::path path;    // .png, .svg or .pdf
    RunControl* control = nullptr; // cancel: nothing is written
};

// Throws OptionError for a name that a picture cannot have.
void require_picture_name(const std::filesystem::path& path);

// Writes to a temporary name and renames when complete. Throws OptionError when the extension or the size cannot be
// used, FileError when the file cannot be written, Cancelled when `control` says so.
void render_picture(const PictureRequest& request);

// The same for any drawing, made with the pictures' own fonts.
struct DrawingFile {
    int width = 1280, height = 720; // as in PictureRequest
    std::filesystem::path path;     // .png, .svg or .pdf
    std::string title;              // of a PDF
    RunControl* control = nullptr;  // cancel: nothing is written
};
void write_drawing(const std::function<scene::Drawing(const scene::TextMeasure&)>& draw, const DrawingFile& file);

// A PDF with one drawing per page. Throws as above, and OptionError for a name that does not end in .pdf.
void write_pages(const std::vector<scene::Drawing>& pages, const DrawingFile& file);
// Pixels as RGBA, first line on top, into a .png. Throws OptionError for another name, FileError.
void write_pixels(const std::vector<std::uint8_t>& rgba, int width, int height, const std::filesystem::path& path);

// The most telling moment: for the tree the first launch complete; for warps and banks the complete step with the most
// divergent warps or excess wavefronts; for the source the second step of the first launch, complete. Of a program: in the
// launch with the most combines.
session::Moment default_moment(const Trace& trace, View view);
// The same within a launch, from 0. Throws OptionError past the end.
session::Moment default_moment_in(const Trace& trace, View view, std::uint32_t launch);

// The K-th place over all launches, 0-based, the host's combine last; complete. Throws OptionError past the end.
session::Moment moment_of_place(const Trace& trace, std::uint32_t place);

} // namespace warptree::render
