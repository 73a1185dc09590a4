// What compilers made of a kernel, as text whose lines know the lines of the source that they came from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::code {

enum class Language : std::uint8_t { ptx, sass };
std::string_view name(Language language); // "PTX"

struct Place {
    std::uint32_t file = 0; // of Listing::files
    std::uint32_t line = 0; // 1-based
    friend bool operator==(const Place&, const Place&) = default;
};

struct Line {
    std::string text;
    // Where it stands in the source; then, of what was inlined, where that was called, and so outwards. Empty: a label, or
    // what the compiler added.
    std::vector<Place> places;
    friend bool operator==(const Line&, const Line&) = default;
};

struct Listing {
    std::string compiler; // "NVRTC 13.0"
    std::vector<std::string> files;
    std::vector<Line> lines;
    bool empty() const { return lines.empty(); }
    friend bool operator==(const Listing&, const Listing&) = default;
};

// Of one kernel. A listing may be empty: `ptx_missing`, `sass_missing` say why.
struct Disassembly {
    std::string kernel;       // as C++ names it: "scan<false, 4>"
    std::string architecture; // "sm_90"
    std::string what;         // of a recording, what it was made for: "i32, B = 256"
    std::uint64_t source = 0; // source_key() of the text that it was made of
    Listing ptx, sass;
    std::string ptx_missing, sass_missing;
    const Listing& of(Language language) const { return language == Language::ptx ? ptx : sass; }
    friend bool operator==(const Disassembly&, const Disassembly&) = default;
};

// The instructions and labels of kernel `symbol` in PTX with .loc records; comments and tables are left out. Empty: the
// text has no such kernel.
Listing read_ptx(std::string_view text, std::string_view symbol);
// The same of what `nvdisasm -gi -c` prints.
Listing read_sass(std::string_view text, std::string_view symbol);

// Tells one text of a kernel file from another.
std::uint64_t source_key(std::string_view text);

} // namespace warptree::code
