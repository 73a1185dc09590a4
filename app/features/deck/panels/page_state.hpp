// State strings of pages: a page's values that differ from its initial ones.
#pragma once

#include "app/document/state_string.hpp"
#include "app/features/screen.hpp"

#include <map>
#include <string>

namespace warptree::pages {

using Values = std::map<std::string, std::string>;

// `at_first`: the page's initial values, before anything was restored or changed.
session::StateString state_of(const Page& page, const Values& at_first);
// Throws OptionError, and leaves the page as it was, for keys or values that the page does not accept.
void show_state(Page& page, const Values& at_first, const session::StateString& state);
// Whether some page can show it; needs no window. Throws OptionError.
void check_state(session::StateString state);

} // namespace warptree::pages
