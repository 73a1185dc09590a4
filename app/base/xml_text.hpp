// Text for XML and HTML.
#pragma once

#include <string>
#include <string_view>

namespace warptree {

// The text as the content or a quoted attribute of an element, of characters that XML 1.0 has: what is not UTF-8 is
// replaced, other control characters than a line's end are blanks.
std::string xml_text(std::string_view text);

} // namespace warptree
