#include "app/trace/model/program_story.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

namespace warptree {

std::string_view name(StoryKind kind) {
    constexpr std::array<std::string_view, 9> kNames = {"allocate", "copy",  "set",  "launch", "wait",
                                                        "print",    "error", "free", "exit"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::string_view name(CopyDirection direction) {
    constexpr std::array<std::string_view, 4> kNames = {"host to host", "host to device", "device to host",
                                                        "device to device"};
    return kNames[static_cast<std::size_t>(direction)];
}

bool fails(const ProgramStory& program) {
    if (program.entry.empty() || program.exit != 0) {
        return !program.entry.empty();
    }
    std::string text = program.printed;
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto is_none = [&](std::size_t at, std::size_t end) { // "0 wrong", "no mismatch", "wrong: 0"
        constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789.";
        const std::size_t last = at == 0 ? std::string::npos : text.find_last_not_of(" \t", at - 1);
        const std::size_t before = last == std::string::npos ? last : text.find_last_not_of(kLetters, last);
        const std::string word = last == std::string::npos ? "" : text.substr(before + 1, last - before);
        const std::size_t number = text.find_first_not_of(" \t:=", end);
        const std::size_t past = number == std::string::npos ? number : text.find_first_not_of(kLetters, number);
        const std::string count = number == std::string::npos ? "" : text.substr(number, past - number);
        return word == "0" || word == "no" || word == "not" || word == "none" || count == "0";
    };
    for (const std::string_view word : {"fail", "mismatch", "incorrect", "wrong"}) {
        for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
            std::size_t end = at;
            while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end])) != 0) {
                ++end;
            }
            if (!is_none(at, end)) {
                return true;
            }
        }
    }
    return false;
}

} // namespace warptree
