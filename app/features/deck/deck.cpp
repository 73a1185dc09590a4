#include "app/features/deck/deck.hpp"

#include "app/base/error.hpp"
#include "app/base/options.hpp"
#include "app/base/printable.hpp"
#include "app/base/trimmed.hpp"
#include "app/base/utf8.hpp"
#include "app/base/whole_file.hpp"
#include "app/run/kernel_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warptree::session {

namespace {
constexpr std::size_t kMostDeckBytes = 1U << 18, kMostLine = 8192; // a state may carry a source

// Well-formed UTF-8 without control characters, except tabs.
bool is_text(std::string_view line) {
    while (!line.empty()) {
        const std::size_t length = utf8_length(line);
        const auto first = static_cast<unsigned char>(line.front());
        if (length == 0 || (first < 0x20 && first != '\t') || first == 0x7F) {
            return false;
        }
        line.remove_prefix(length);
    }
    return true;
}

class DeckReader {
  public:
    explicit DeckReader(const std::string& file) : file_(printable(file)) {}

    Deck read(std::string_view text) {
        if (text.size() > kMostDeckBytes) {
            fail("is larger than a deck can be; take less than 256 KiB");
        }
        text.remove_prefix(text.starts_with("\xEF\xBB\xBF") ? 3 : 0); // a byte order mark
        bool begun = false;
        for (; !text.empty(); ++line_) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            std::string_view line = text.substr(0, end);
            text.remove_prefix(std::min(text.size(), end + 1));
            line.remove_suffix(line.ends_with('\r') ? 1 : 0);
            if (line.size() > kMostLine || !is_text(line)) {
                fail(line.size() > kMostLine ? "is longer than a line can be; take less than 8192 bytes"
                                             : "is not UTF-8 text");
            }
            line = trimmed(line);
            if (line.starts_with('#') || (line.empty() && (!begun || deck_.states.empty()))) {
                continue;
            }
            if (!begun) {
                if (!take(line, "deck", deck_.title)) {
                    fail("does not begin with 'deck: TITLE', so it is not a deck");
                }
                begun = true;
                continue;
            }
            add(line);
        }
        if (!begun || deck_.states.empty()) {
            fail(begun ? "has no state; a line 'state: explore/sequential?n=64' begins one"
                       : "is empty; a deck begins with 'deck: TITLE'");
        }
        for (DeckState& s : deck_.states) {
            s.note.erase(s.note.find_last_not_of('\n') + 1);
            s.title = s.title.empty() ? s.state : s.title;
        }
        return std::move(deck_);
    }

  private:
    [[noreturn]] void fail(const std::string& why) const {
        throw FileError(fmt::format("{}:{}: {}", file_, line_, why));
    }

    static bool take(std::string_view line, std::string_view key, std::string& value) {
        if (!line.starts_with(key) || !line.substr(key.size()).starts_with(':')) {
            return false;
        }
        value = trimmed(line.substr(key.size() + 1));
        return true;
    }

    void add(std::string_view line) {
        std::string value;
        if (take(line, "state", value)) {
            if (deck_.states.size() == kMostDeckStates) {
                fail(fmt::format("is one state too many: a deck may have {}", kMostDeckStates));
            }
            try {
                parse_state(value);
            } catch (const Error& e) {
                fail(e.what());
            }
            deck_.states.push_back({value, "", "", line_});
            titled_ = false;
            return;
        }
        if (deck_.states.empty()) {
            fail("comes before the first state; a line 'state: explore/sequential?n=64' begins one");
        }
        DeckState& now = deck_.states.back();
        if (take(line, "title", value)) {
            if (titled_) {
                fail("is a second title for the same state");
            }
            titled_ = true;
            now.title = value;
        } else if (line.empty()) {
            now.note += now.note.empty() || now.note.ends_with('\n') ? "" : "\n";
        } else {
            now.note += (now.note.empty() || now.note.ends_with('\n') ? "" : " ") + std::string(line);
        }
    }

    std::string file_;
    int line_ = 1;
    bool titled_ = false;
    Deck deck_;
};

bool is_fill(std::string_view input) {
    return input == name(InputKind::ones) || input == name(InputKind::iota) || input == name(InputKind::random) ||
           input == name(InputKind::alternating);
}

// The state with every file that it names put by `place`.
std::string with_files(const std::string& text, const std::function<std::string(const std::string& file)>& place) {
    StateString state = parse_state(text);
    bool names_files = false;
    for (auto& [key, value] : state.values) {
        const bool column = key.starts_with("column-"); // WHAT, or WHAT:OPTION=VALUE,…
        const std::size_t end = column && !value.ends_with(".wtrace") ? value.find(':') : std::string::npos;
        const std::string what = value.substr(0, end);
        if ((key == "file" && !state.values.contains("source")) || (key == "input" && !is_fill(value)) ||
            (key.starts_with("arg.") && what.ends_with(".npy")) ||
            (column &&
             (what.ends_with(".wtrace") || runs::is_kernel_path(what) || what.find('/') != std::string::npos))) {
            value = place(what) + (end == std::string::npos ? "" : value.substr(end));
            names_files = true;
        }
    }
    return names_files ? to_string(state) : text;
}

// A state whose files lie in the deck's folder or below: whoever opens a deck has not chosen them. Throws FileError.
std::string beside(const std::string& text, const std::filesystem::path& folder) {
    return with_files(text, [&](const std::string& file) { return path_below(folder, file).string(); });
}

// The reverse. Throws FileError for a file that lies elsewhere.
std::string below(const std::string& text, const std::filesystem::path& folder) {
    namespace fs = std::filesystem;
    return with_files(text, [&](const std::string& file) {
        const fs::path named =
            fs::weakly_canonical(file).lexically_relative(fs::weakly_canonical(fs::absolute(folder)));
        if (named.empty() || *named.begin() == "..") {
            throw FileError(
                fmt::format("{} lies outside of the deck's folder, {}; save it there, and add it from there",
                            printable(file), printable(fs::absolute(folder).string())));
        }
        return named.string();
    });
}
} // namespace

std::string shown_title(const DeckState& s) {
    if (s.title != s.state) {
        return s.title;
    }
    const StateString state = parse_state(s.state);
    const auto value = [&](const char* key) {
        const auto found = state.values.find(key);
        return found == state.values.end() ? std::string() : found->second;
    };
    std::string title = std::filesystem::path(value("file")).filename().string();
    title = !title.empty()              ? title
            : state.screen == "explore" ? state.subject
            : state.subject.empty()     ? state.screen
                                        : state.screen + ", " + state.subject;
    const auto launch = parse_count(value("launch"));
    const auto step = parse_count(value("step")); // counted from 0, the window's from 1
    return title + (launch ? fmt::format(", launch {}", *launch) : "") +
           (step ? fmt::format(", step {}", *step + 1) : "");
}

bool is_deck_path(const std::filesystem::path& path) { return path.extension() == ".deck"; }

Deck parse_deck(std::string_view text, const std::string& file) { return DeckReader(file).read(text); }

Deck load_deck(const std::filesystem::path& path, const std::function<void(const StateString&)>& check) {
    Deck deck = parse_deck(read_whole(path, kMostDeckBytes), path.string());
    for (DeckState& s : deck.states) {
        try {
            const bool titled = s.title != s.state;
            s.state = beside(s.state, path.parent_path());
            s.title = titled ? s.title : s.state;
            check(parse_state(s.state));
        } catch (const Error& e) {
            throw FileError(fmt::format("{}:{}: {}", printable(path.string()), s.line, e.what()));
        }
    }
    return deck;
}

void save_deck(const Deck& deck, const std::filesystem::path& path) {
    Deck written = deck;
    for (DeckState& s : written.states) {
        const bool titled = s.title != s.state;
        s.state = below(s.state, path.parent_path());
        s.title = titled ? s.title : s.state;
    }
    const std::string text = to_text(written);
    Deck read = parse_deck(text, path.string());
    for (std::size_t i = 0; i < std::min(read.states.size(), written.states.size()); ++i) {
        read.states[i].line = written.states[i].line;
    }
    if (read != written) {
        throw OptionError("a title is one line, and no line of a note begins with 'state:', 'title:' or '#'");
    }
    write_whole(path, text);
}

std::string to_text(const Deck& deck) {
    std::string text = "deck: " + deck.title + "\n";
    for (const DeckState& s : deck.states) {
        text += fmt::format("\nstate: {}\n", s.state);
        text += s.title == s.state ? "" : fmt::format("title: {}\n", s.title);
        std::string note = s.note;
        for (std::size_t at = note.find('\n'); at != std::string::npos; at = note.find('\n', at + 2)) {
            note.insert(at, 1, '\n'); // an empty line
        }
        text += note.empty() ? "" : note + "\n";
    }
    return text;
}

} // namespace warptree::session
