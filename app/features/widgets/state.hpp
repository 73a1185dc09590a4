// State strings of pages: what a page shows, as far as it differs from what it shows at first.
#pragma once

#include "app/document/state_string.hpp"
#include "app/features/screen.hpp"

#include <map>
#include <string>

namespace warptree::pages {

using Values = std::map<std::string, std::string>;

// `at_first`: the page's values before anything was restored or done.
session::StateString state_of(const Page& page, const Values& at_first);
// Throws OptionError, and leaves the page as it was, for what the page does not know or cannot take.
void show_state(Page& page, const Values& at_first, const session::StateString& state);
// Whether some page can show it; needs no window. Throws OptionError.
void check_state(session::StateString state);

} // namespace warptree::pages
