// A text small enough to stand in a link: deflated, and the bytes as letters, digits, "-" and "_".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warptree::session {

inline constexpr std::size_t kMostPacked = 6144;          // characters of a packed text that a link should carry
inline constexpr std::size_t kMostUnpacked = 1U << 18;    // bytes that a packed text may grow to
inline constexpr std::size_t kMostRead = 4 * kMostPacked; // characters of a packed text that is read

std::string packed_text(std::string_view text);
// Throws OptionError for what packed_text() has not made, for what is no text, and beyond the limits above.
std::string unpacked_text(std::string_view packed);

std::string deflated(std::string_view bytes); // with zlib's header. Throws FileError without memory
enum class Letters { plain, of_links };       // the last two of the 64, and whether the end is padded
std::string base64(std::string_view bytes, Letters letters = Letters::plain);

} // namespace warptree::session
