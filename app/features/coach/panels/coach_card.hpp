// The card of the coach, beside the panel that it is about.
#pragma once

#include "app/features/coach/coach.hpp"
#include "app/features/explore/panels/panel.hpp"

namespace warptree::panels {

enum class CoachClick { none, next, dismiss };
// `at`: where the panel of the step lies; empty: it is folded away.
CoachClick draw_coach(const Context& context, const session::Coach& coach, const scene::Rect& at);

} // namespace warptree::panels
