// A single shared-memory request as a trace that the bank view can show.
#pragma once

#include "app/drawing/draw.hpp"
#include "app/drawing/theme.hpp"
#include "app/theory/banks/analyze.hpp"
#include "app/trace/model/trace.hpp"

namespace warptree::scene {

// One block with one step, in which the warp (0 … 31) issues the request; no request if no lane is active.
Trace trace_of(const banks::BankRequest& request, unsigned warp);

// The bank view of such a trace as a whole picture on its background.
Drawing compose_request(const Trace& trace, const Theme& theme, const TextMeasure& measure, float scale, float width,
                        float height);

} // namespace warptree::scene
