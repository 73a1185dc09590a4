#include "app/measure/code/listing.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

namespace warptree::code {

namespace {
std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

template <class Visit> void each_line(std::string_view text, Visit visit) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        visit(trimmed(text.substr(0, end)));
        text.remove_prefix(std::min(text.size(), end + 1));
    }
}

// Takes a number from the front, after white space.
std::optional<std::uint32_t> number(std::string_view& text) {
    text = trimmed(text);
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

// The text between the first two quotes; advances `text` past them.
std::string_view quoted(std::string_view& text) {
    const std::size_t first = text.find('"');
    const std::size_t last = first == std::string_view::npos ? first : text.find('"', first + 1);
    if (last == std::string_view::npos) {
        return {};
    }
    const std::string_view found = text.substr(first + 1, last - first - 1);
    text.remove_prefix(last + 1);
    return found;
}

// Runs of white space become one blank; comments are removed.
std::string one_line(std::string_view text) {
    std::string out;
    for (const char c : trimmed(text.substr(0, text.find("//")))) {
        const char put = c == '\t' ? ' ' : c;
        if (put != ' ' || out.empty() || out.back() != ' ') {
            out += put;
        }
    }
    return std::string(trimmed(out));
}

void add_place(std::vector<Place>& places, Place place) {
    if (place.line != 0 && (places.empty() || places.back() != place)) {
        places.push_back(place);
    }
}

std::uint32_t file_number(Listing& listing, std::string_view path) {
    const auto found = std::find(listing.files.begin(), listing.files.end(), path);
    if (found == listing.files.end()) {
        listing.files.emplace_back(path);
        return static_cast<std::uint32_t>(listing.files.size() - 1);
    }
    return static_cast<std::uint32_t>(found - listing.files.begin());
}

// Parses ".loc 1 36 9, function_name $L__info_string1, inlined_at 1 89 9"; files are numbered as in the text.
std::vector<Place> ptx_places(std::string_view rest) {
    std::vector<Place> places;
    const auto take = [&] {
        const auto file = number(rest), line = number(rest);
        if (file && line) {
            add_place(places, {*file, *line});
        }
    };
    take();
    for (std::size_t at; (at = rest.find("inlined_at")) != std::string_view::npos;) {
        rest.remove_prefix(at + std::string_view("inlined_at").size());
        take();
    }
    return places;
}

// Lists only the files that lines refer to, and renumbers them.
void keep_used_files(Listing& listing, const std::map<std::uint32_t, std::string>& names) {
    for (Line& line : listing.lines) {
        for (Place& place : line.places) {
            const auto name = names.find(place.file);
            place.file = file_number(listing, name == names.end() ? std::string_view("?") : name->second);
        }
    }
}
} // namespace

std::string_view name(Language language) { return language == Language::ptx ? "PTX" : "SASS"; }

std::uint64_t source_key(std::string_view text) {
    std::uint64_t key = 0xCBF29CE484222325ULL; // FNV-1a
    for (const char c : text) {
        key = (key ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    }
    return key;
}

Listing read_ptx(std::string_view text, std::string_view symbol) {
    Listing listing;
    std::map<std::uint32_t, std::string> names;
    std::vector<Place> places;
    enum { before, head, body, behind } at = before;
    unsigned open = 0; // braces
    const std::string entry = ".entry " + std::string(symbol);
    each_line(text, [&](std::string_view line) {
        if (line.starts_with(".file")) {
            std::string_view rest = line.substr(5);
            const auto file = number(rest);
            if (const std::string_view path = quoted(rest); file && !path.empty()) {
                names[*file] = std::string(path);
            }
            return;
        }
        if (at == before) {
            const std::size_t found = line.find(entry);
            const std::size_t end = found + entry.size();
            const bool whole =
                found != std::string_view::npos && (end == line.size() || line[end] == '(' || line[end] == ' ');
            if (!whole) {
                return;
            }
            at = head;
        }
        if (at == behind || line.empty() || line.starts_with("//")) {
            return;
        }
        if (line.starts_with(".loc")) {
            std::vector<Place> next = ptx_places(line.substr(4));
            // Empty for line 0, the compiler's "no source line".
            places = std::move(next);
            return;
        }
        if (line.starts_with("$L__tmp") || line.starts_with("$L__func")) { // for debuggers
            return;
        }
        const std::string shown = one_line(line);
        if (at == head && shown == "{") {
            at = body;
        }
        const bool plain =
            at == body && shown != "{" && shown != "}" && !shown.starts_with('.') && !shown.ends_with(':');
        listing.lines.push_back({shown, plain ? places : std::vector<Place>()});
        open += static_cast<unsigned>(std::count(shown.begin(), shown.end(), '{'));
        const auto closed = static_cast<unsigned>(std::count(shown.begin(), shown.end(), '}'));
        open -= std::min(open, closed);
        if (at == body && closed != 0 && open == 0) {
            at = behind;
        }
    });
    keep_used_files(listing, names);
    return listing;
}

Listing read_sass(std::string_view text, std::string_view symbol) {
    Listing listing;
    std::vector<Place> places;
    bool within = false, goes_on = false;
    const std::string section = ".text." + std::string(symbol);
    each_line(text, [&](std::string_view line) {
        if (line.starts_with(".section")) {
            const std::string_view rest = trimmed(line.substr(8));
            within = rest.starts_with(section) && rest.size() > section.size() && rest[section.size()] == ',';
            return;
        }
        if (!within || line.empty()) {
            return;
        }
        if (line.starts_with("//##")) { // File "a.cu", line 3 inlined at "b.cu", line 9; continuation lines repeat it
            if (!goes_on) {
                places.clear();
            }
            std::string_view rest = line;
            for (std::string_view path; !(path = quoted(rest)).empty();) {
                const std::size_t word = rest.find("line");
                rest.remove_prefix(word == std::string_view::npos ? rest.size() : word + 4);
                if (const auto found = number(rest)) {
                    add_place(places, {file_number(listing, path), *found});
                }
            }
            goes_on = true;
            return;
        }
        goes_on = false;
        if (line.starts_with("/*")) { // /*00d0*/  @!P0 LDG.E R0, desc[UR8][R2.64] ;
            const std::size_t end = line.find("*/");
            std::string_view shown = end == std::string_view::npos ? std::string_view() : trimmed(line.substr(end + 2));
            if (const std::size_t behind = shown.find(';'); behind != std::string_view::npos) {
                shown = shown.substr(0, behind);
            }
            if (!trimmed(shown).empty()) {
                listing.lines.push_back({one_line(shown), places});
            }
        } else if (line.starts_with(".L_")) {
            listing.lines.push_back({std::string(line), {}});
        }
    });
    // Removes the padding at the end: NOPs, and labels that nothing refers to.
    const auto is_filling = [](const Line& line) { return line.text == "NOP" || line.text.starts_with(".L_x"); };
    while (!listing.lines.empty() && is_filling(listing.lines.back()) &&
           (listing.lines.back().text == "NOP" ||
            std::none_of(listing.lines.begin(), listing.lines.end() - 1, [&](const Line& line) {
                std::string label = listing.lines.back().text;
                label.pop_back(); // the colon
                return line.text.find("(" + label + ")") != std::string::npos;
            }))) {
        listing.lines.pop_back();
    }
    // Files referred to only by labels or padding are kept: they are few.
    return listing;
}

} // namespace warptree::code
