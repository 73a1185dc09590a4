// The views of a trace as pure functions: same arguments, same drawing.
#pragma once

#include "app/document/moment.hpp"
#include "app/drawing/draw.hpp"
#include "app/drawing/theme.hpp"
#include "app/trace/model/trace.hpp"

#include <string>
#include <vector>

namespace warptree::scene {

// Row heights grow with the zoom only up to this factor, so that a row stays near its operands.
inline constexpr float kMostRowZoom = 3;
// The view of the tree. zoom 1 and pan 0 fit the whole content into the area.
struct Camera {
    float zoom = 1;
    float pan_x = 0, pan_y = 0; // pixels, after zoom
    float rows = kMostRowZoom;  // limit on the zoom of row heights
    friend bool operator==(const Camera&, const Camera&) = default;
};
inline float row_zoom(const Camera& camera) { return camera.zoom < camera.rows ? camera.zoom : camera.rows; }
// Zooms by `factor`, clamped to `least` … `most`; the content at `fixed` stays there.
void zoom_about(Camera& camera, const Rect& area, Point fixed, float factor, float least, float most);

// Arguments of every view.
struct ViewContext {
    const Trace* trace = nullptr;
    session::Moment moment;
    Target hover;    // highlighted: node with its subtree, thread, warp
    Target selected; // likewise, kept by a click
    const Theme* theme = nullptr;
    const TextMeasure* measure = nullptr;
    float scale = 1; // of text and drawing, 0.75 … 3
    // The user has yet to predict the last launch's steps from here on: the trace lacks them (explore/seen.hpp), and
    // the views show them as unknown. kNone: none.
    std::uint32_t hidden_from = kNone;
    Target partner{}; // the other thread of a finding, highlighted like `selected`
};

// The reduction tree (or, for several launches, the launch tree with the current launch's blocks below it).
// Zoomed out it becomes per-warp and per-block bars; text appears only where it fits.
Drawing draw_tree(const ViewContext& context, Rect area, const Camera& camera);
// One block of the window: rows are steps, columns are threads in warps of 32.
Drawing draw_warps(const ViewContext& context, Rect area, std::uint32_t block);
// One exchange of a warp (see `exchanges`; kNone: default_exchange at the moment): lanes against banks for a shared
// access, lane to lane for a shuffle, lanes against 32-byte sectors for a global request.
Drawing draw_banks(const ViewContext& context, Rect area, std::uint32_t request = kNone);
// Rows of source_rows() that draw_source() highlights besides the running line, and where it drew rows.
struct SourceMarks {
    std::vector<std::uint32_t> lit;                     // rows, in order
    std::uint32_t chosen = kNone;                       // framed
    std::uint32_t shown = kNone;                        // scrolled into view instead of the running line
    std::vector<std::pair<Rect, std::uint32_t>> places; // output: rows on screen
};
// The strategy's source with the running line marked; `scroll` in pixels.
Drawing draw_source(const ViewContext& context, Rect area, float scroll = 0, SourceMarks* marks = nullptr);

// One or two computed sentences on the current step, and figures beside them.
struct Fact {
    std::string label, value, note;
    bool attention = false; // marked by shape as well as colour
};
struct StepSummary {
    std::string title;    // "s = 4"
    std::string sentence; // "64 of 256 threads combine; all 8 warps have inactive lanes. ..."
    std::vector<Fact> facts;
};
StepSummary summarize(const Trace& trace, const session::Moment& moment);

// The step's shared access with the most excess wavefronts, preferably in the block and warp of `preferred`; kNone if
// the step has none.
std::uint32_t default_request(const Trace& trace, const session::Moment& moment, const Target& preferred);

// Shared accesses of one warp in the step, in order of issue: indices into the current launch's requests.
std::vector<std::uint32_t> shared_requests(const Trace& trace, const session::Moment& moment, std::uint32_t block,
                                           std::uint32_t warp);

// All exchanges of one warp in the step: shared accesses, then shuffles, then global requests, each in order of
// issue. Exchange numbers: the requests of a launch, then its shuffles.
std::vector<std::uint32_t> exchanges(const Trace& trace, const session::Moment& moment, std::uint32_t block,
                                     std::uint32_t warp);
struct ExchangePlace {
    std::uint32_t block = 0, warp = 0;
};
ExchangePlace place_of_exchange(const Launch& launch, std::uint32_t exchange); // both kNone past the end
// The exchange that draw_banks shows when none is chosen: default_request, or else the first of the preferred warp, or
// of the first warp that has any; kNone if none has.
std::uint32_t default_exchange(const Trace& trace, const session::Moment& moment, const Target& preferred);

} // namespace warptree::scene
