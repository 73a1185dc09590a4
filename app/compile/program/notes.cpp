#include "app/compile/program/notes.hpp"

#include <optional>
#include <string_view>

namespace warptree::compile {

namespace {
constexpr std::size_t kLongestName = 24, kLongestSentence = 240;

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r";
    const std::size_t first = text.find_first_not_of(kBlank);
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(kBlank) + 1 - first);
}

std::optional<StepNote> note_in(std::string_view comment) {
    for (const auto& [key, whole] : {std::pair<std::string_view, bool>{"step:", false}, {"one step:", true}}) {
        if (!comment.starts_with(key)) continue;
        const std::string_view text = trimmed(comment.substr(key.size()));
        const std::size_t colon = text.find(':');
        StepNote note{std::string(trimmed(text.substr(0, colon)).substr(0, kLongestName)), "", whole};
        if (colon != std::string_view::npos)
            note.sentence = trimmed(text.substr(colon + 1)).substr(0, kLongestSentence);
        if (!note.name.empty()) return note;
    }
    return std::nullopt;
}
} // namespace

StepNotes::StepNotes(std::span<const SourceText> files) {
    for (std::uint32_t file = 0; file < files.size(); ++file) {
        if (files[file].ours) continue;
        std::string_view rest = files[file].text;
        std::optional<StepNote> above;
        for (std::uint32_t line = 1; !rest.empty(); ++line) {
            const std::size_t end = rest.find('\n');
            const std::string_view text = trimmed(rest.substr(0, end));
            rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
            const std::size_t comment = text.find("//");
            if (comment != std::string_view::npos) {
                if (auto note = note_in(trimmed(text.substr(comment + 2)))) {
                    if (comment == 0)
                        above = std::move(note);
                    else
                        notes_.insert_or_assign({file, line}, *std::move(note));
                }
            }
            if (text.empty() || comment == 0 || !above) continue;
            notes_.try_emplace({file, line}, *std::move(above));
            above.reset();
        }
    }
}

const StepNote* StepNotes::on_line_of(std::span<const Location> locations, std::uint32_t location) const {
    if (location == 0 || location >= locations.size()) return nullptr;
    const auto found = notes_.find({locations[location].file, locations[location].line});
    return found == notes_.end() ? nullptr : &found->second;
}

const StepNote* StepNotes::at(std::span<const Location> locations, std::uint32_t location) const {
    while (!notes_.empty() && location != 0 && location < locations.size()) {
        if (const StepNote* const note = on_line_of(locations, location)) return note;
        location = locations[location].inlined_at;
    }
    return nullptr;
}

} // namespace warptree::compile
