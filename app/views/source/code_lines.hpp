// Which lines of PTX and SASS belong to which source lines, and drawing a listing with some of them highlighted.
#pragma once

#include "app/drawing/draw.hpp"
#include "app/drawing/theme.hpp"
#include "app/measure/code/listing.hpp"
#include "app/views/running.hpp"

#include <array>
#include <optional>
#include <vector>

namespace warptree::scene {

enum class CodeColumn : std::uint8_t { cuda, ptx, sass };
inline constexpr std::size_t kCodeColumns = 3;

// A row of source_rows(), or a line of a listing.
struct CodePlace {
    CodeColumn column = CodeColumn::cuda;
    std::uint32_t row = 0;
    friend bool operator==(const CodePlace&, const CodePlace&) = default;
};

// Per column the rows that belong to a place, in order and including its own. For a source line: the code compiled from
// it, called from it or inlined into it; if nothing was compiled from it (the compiler attributes a predicated
// statement to its condition), that of the enclosing statement, which is then lit too. For a line of a listing: the
// source line it was compiled from with its callers, and all other code from that line.
struct LitLines {
    std::array<std::vector<std::uint32_t>, kCodeColumns> rows;
    const std::vector<std::uint32_t>& of(CodeColumn column) const { return rows[static_cast<std::size_t>(column)]; }
    friend bool operator==(const LitLines&, const LitLines&) = default;
};
// Files are identified by their names without folders.
LitLines lit_by(const std::vector<SourceRow>& source, const code::Disassembly& code, CodePlace place);

// A drawn column and the positions of its rows, as scrolled.
struct ListingDrawing {
    Drawing drawing;
    std::vector<Rect> rows; // by line of the listing; some lie outside the area
    float furthest = 0;     // maximum scroll
    std::optional<std::uint32_t> at(Point point) const;
};
// `heading` is drawn above the lines; `lit` is sorted; `chosen` is framed.
ListingDrawing draw_listing(const Theme& theme, const TextMeasure& measure, float scale, Rect area,
                            const code::Listing& listing, const std::string& heading,
                            const std::vector<std::uint32_t>& lit, std::optional<std::uint32_t> chosen, float scroll);

} // namespace warptree::scene
