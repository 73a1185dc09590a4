// Compiler output for a kernel as text, with the source lines that each line came from.
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
    // Its source line; if inlined, followed by the line of the call, and so on outwards. Empty: a label, or
    // code added by the compiler.
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

// The code of one kernel. A listing may be empty: `ptx_missing`, `sass_missing` say why.
struct Disassembly {
    std::string kernel;       // as C++ names it: "scan<false, 4>"
    std::string architecture; // "sm_90"
    std::string what;         // for a recording, its conditions: "i32, B = 256"
    std::uint64_t source = 0; // source_key() of the text it was compiled from
    Listing ptx, sass;
    std::string ptx_missing, sass_missing;
    const Listing& of(Language language) const { return language == Language::ptx ? ptx : sass; }
    friend bool operator==(const Disassembly&, const Disassembly&) = default;
};

// The instructions and labels of kernel `symbol` in PTX with .loc records; comments and tables are left out. Empty: the
// text has no such kernel.
Listing read_ptx(std::string_view text, std::string_view symbol);
// The same for the output of `nvdisasm -gi -c`.
Listing read_sass(std::string_view text, std::string_view symbol);

// A hash that identifies the text of a kernel file.
std::uint64_t source_key(std::string_view text);

} // namespace warptree::code
