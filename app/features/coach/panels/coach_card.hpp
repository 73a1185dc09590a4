// The coach's card, beside the panel that it explains.
#pragma once

#include "app/features/coach/coach.hpp"
#include "app/features/widgets/context.hpp"

namespace warptree::panels {

enum class CoachClick { none, next, dismiss };
// `at`: the rectangle of the step's panel; empty: the panel is folded.
CoachClick draw_coach(const Context& context, const session::Coach& coach, const scene::Rect& at);

} // namespace warptree::panels
