#include "app/features/explore/named_place.hpp"

#include "app/trace/explain/array_contents.hpp"
#include "app/trace/explain/array_names.hpp"
#include "app/trace/explain/findings.hpp"
#include "app/trace/explain/report_kernel.hpp"
#include "app/views/memory/memory.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace warptree::session {

namespace {
using window::Action;

std::string without_spaces(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (std::isspace(static_cast<unsigned char>(c)) == 0) {
            out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
    }
    return out;
}

std::optional<std::uint32_t> number(std::string_view text) {
    std::uint32_t value = 0;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
    return wrong == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// "block 2 thread 5" as block: 2, thread: 5; empty: it is something else.
std::map<std::string, std::uint32_t> numbered(std::string_view typed) {
    std::vector<std::string> parts; // of letters, or of digits
    char before = ' ';
    for (const char c : typed) {
        const auto kind = [](char of) {
            const auto at = static_cast<unsigned char>(of);
            return std::isdigit(at) != 0                ? 'd'
                   : std::isalpha(at) != 0              ? 'a'
                   : std::isspace(at) != 0 || of == ',' ? ' '
                                                        : '?';
        };
        if (kind(c) == '?') {
            return {};
        }
        if (kind(c) != ' ') {
            if (kind(c) != kind(before)) {
                parts.emplace_back();
            }
            parts.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
        before = c;
    }
    std::erase_if(parts, [](const std::string& part) { return part == "of" || part == "in"; });
    std::map<std::string, std::uint32_t> all;
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
        const auto value = number(parts[i + 1]);
        if (!value || !all.emplace(parts[i], *value).second) {
            return {};
        }
    }
    return parts.size() % 2 == 0 ? all : std::map<std::string, std::uint32_t>();
}

// "who wrote s[7]?" as who, of "s[7]"; "what is s[7]" as "s[7]".
struct Question {
    std::string_view of;
    bool who = false;
};
Question question(std::string_view typed) {
    constexpr std::array<std::string_view, 16> kWho{"who wrote",
                                                    "who writes",
                                                    "who stored",
                                                    "who stores",
                                                    "who set",
                                                    "who sets",
                                                    "which thread wrote",
                                                    "which thread stored",
                                                    "who computed",
                                                    "who computes",
                                                    "what wrote",
                                                    "what stored",
                                                    "wrote",
                                                    "writes",
                                                    "stored",
                                                    "stores"};
    constexpr std::array<std::string_view, 9> kWhat{"what is in", "what is",  "what's in", "what's", "where is",
                                                    "where's",    "value of", "show",      "the"};
    Question asked{typed};
    const auto trim = [&] {
        while (!asked.of.empty() && asked.of.front() == ' ') {
            asked.of.remove_prefix(1);
        }
        while (!asked.of.empty() && (asked.of.back() == ' ' || asked.of.back() == '?')) {
            asked.of.remove_suffix(1);
        }
    };
    const auto begins = [&](std::string_view words) {
        const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
        return asked.of.size() > words.size() && asked.of[words.size()] == ' ' &&
               std::equal(words.begin(), words.end(), asked.of.begin(), [&](char b, char a) { return same(a, b); });
    };
    for (bool more = true; more;) {
        more = false;
        trim();
        const auto take = [&](std::string_view words, bool who) {
            if (begins(words)) {
                asked.of.remove_prefix(words.size());
                asked.who = asked.who || who;
                more = true;
                trim();
            }
        };
        for (const std::string_view words : kWho) {
            take(words, true);
        }
        for (const std::string_view words : kWhat) {
            take(words, false);
        }
    }
    return asked;
}

// The numbers in brackets, "[1][2]"; empty: it is something else.
std::vector<std::uint32_t> indices(std::string_view text) {
    std::vector<std::uint32_t> all;
    while (!text.empty()) {
        const std::size_t close = text.find(']');
        const auto value =
            text.front() == '[' && close != std::string_view::npos ? number(text.substr(1, close - 1)) : std::nullopt;
        if (!value) {
            return {};
        }
        all.push_back(*value);
        text.remove_prefix(close + 1);
    }
    return all;
}

// "thread (1, 2) of block (3, 0)": coordinates, of the block only if it is named. No thread: it is something else.
struct NamedThread {
    std::vector<std::uint32_t> thread, block;
};
// The numbers "1,2" that text begins with, which it is then without.
std::vector<std::uint32_t> take_numbers(std::string_view& text) {
    std::vector<std::uint32_t> all;
    for (;;) {
        const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
        const auto value = number(text.substr(0, end));
        if (!value) {
            return {};
        }
        all.push_back(*value);
        text.remove_prefix(end);
        if (!text.starts_with(',')) {
            return all;
        }
        text.remove_prefix(1);
    }
}
NamedThread named_thread(std::string_view typed) {
    std::string text = without_spaces(typed); // findings write "(x 1, y 2)"
    std::erase_if(text, [](char c) { return std::string_view("()xyz").find(c) != std::string_view::npos; });
    std::string_view rest = text;
    const auto skip = [&](std::initializer_list<std::string_view> words) {
        for (const std::string_view word : words) {
            if (rest.starts_with(word)) {
                rest.remove_prefix(word.size());
                return true;
            }
        }
        return false;
    };
    NamedThread named;
    if (!skip({"thread", "t"})) {
        return {};
    }
    named.thread = take_numbers(rest);
    if (rest.empty()) {
        return named;
    }
    skip({"of", "in"});
    if (skip({"block", "b"})) {
        named.block = take_numbers(rest);
    }
    return rest.empty() && !named.block.empty() ? named : NamedThread();
}

// The number that coordinates have in a block or a grid; nullopt: they lie outside, or are of another dimension.
std::optional<std::uint32_t> number_at(const std::array<std::uint32_t, 3>& shape,
                                       const std::vector<std::uint32_t>& at) {
    if (at.size() != (shape[2] > 1 ? 3U : shape[1] > 1 ? 2U : 1U)) {
        return std::nullopt;
    }
    std::uint32_t all = 0;
    for (std::size_t d = at.size(); d-- > 0;) {
        if (at[d] >= shape[d]) {
            return std::nullopt;
        }
        all = all * shape[d] + at[d];
    }
    return all;
}

class Finder {
  public:
    Finder(Explore& explore, std::string_view typed, bool asks_who)
        : explore_(explore), typed_(typed), asks_who_(asks_who) {}

    std::vector<Action> find() {
        launch_ = explore_.playback.moment().launch;
        if (!explore_.trace() || launch_ >= explore_.trace()->launches.size() || explore_.hidden_from != kNone) {
            return {};
        }
        element();
        if (const NamedThread named = named_thread(typed_); named.thread.size() > 1 || named.block.size() > 1) {
            thread_at(named);
        }
        if (const auto pairs = numbered(typed_); !pairs.empty()) {
            numbers(pairs);
        }
        label();
        return std::move(found_);
    }

  private:
    const Launch& launch() const { return explore_.trace()->launches[launch_]; }
    void add(std::string title, std::function<void()> act) {
        found_.push_back({"place", std::move(title), "", 0, 0, std::move(act)});
    }
    void lack(std::string title) {
        add(std::move(title), [] {});
    }

    void element() {
        const std::string text = without_spaces(typed_);
        const std::size_t open = std::min(text.find('['), text.size());
        const std::vector<ArrayPlace> all = arrays_of(launch());
        const auto is = [&](const std::string& name) { return without_spaces(name) == text.substr(0, open); };
        for (const ArrayPlace& a : all) { // what the kernel calls so comes before what the host does
            if (is(kernel_name(launch(), a))) {
                element_of(a, open == text.size() ? "" : text.substr(open));
            }
        }
        for (const ArrayPlace& a : all) {
            if (is(a.name) && !is(kernel_name(launch(), a))) {
                element_of(a, open == text.size() ? "" : text.substr(open));
            }
        }
    }

    // index: "[5]", "[1][2]"; empty: all elements.
    void element_of(const ArrayPlace& array, const std::string& index) {
        const ArrayPlace* const a = &array;
        const std::string name = kernel_name(launch(), array), note = buffer_note(launch(), array);
        if (index.empty()) {
            return add("The elements of " + name + note,
                       [this_ = &explore_, host = a->name] { this_->show_array(host); });
        }
        const std::vector<std::uint32_t> at = indices(index);
        const bool rows = a->row > 1;
        if (at.empty() || at.size() > 2) {
            return;
        }
        if (at.size() == 2 && !rows) {
            return lack(fmt::format("{} has one dimension here, of {} elements", name, scene::grouped(a->elements)));
        }
        const std::uint64_t number = !rows            ? at[0]
                                     : at.size() == 1 ? std::uint64_t{at[0]} * a->row // where the row begins
                                                      : std::uint64_t{at[0]} * a->row + at[1];
        if (number >= a->elements || (at.size() == 2 && at[1] >= a->row)) {
            return lack(rows ? fmt::format("{} has {} x {} elements", name, a->elements / a->row, a->row)
                             : fmt::format("{} has {} elements", name, scene::grouped(a->elements)));
        }
        const std::uint32_t block = launch().in_window(explore_.block) ? explore_.block : launch().window_first;
        const auto held_after = [&](std::uint32_t step) {
            return contents(*explore_.trace(), launch_, array, block, step, number, 1).front();
        };
        const auto words = [&](const ArrayElement& held) {
            std::string text = scene::element_words(*explore_.trace(), launch_, array, number, held);
            for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n')) {
                text.replace(at, 1, at != 0 && text[at - 1] == ',' ? " " : ", ");
            }
            return text;
        };
        const std::uint32_t now = explore_.playback.moment().step;
        if (asks_who_) { // whenever that was
            const ArrayElement last = held_after(static_cast<std::uint32_t>(launch().steps.size()));
            if (const ArrayElement held = held_after(now); held.thread == kNone && last.thread != kNone) {
                return add(words(last), [this_ = &explore_, launch = launch_, place = *a, number, step = last.step] {
                    this_->playback.pause();
                    this_->playback.go_to_launch(launch, step);
                    this_->show_element(place, number);
                });
            }
            if (last.thread == kNone) {
                return add(fmt::format("{}{}{}: no block that is traced stores it", name, index, note),
                           [this_ = &explore_, place = *a, number] { this_->show_element(place, number); });
            }
        }
        add(words(held_after(now)), [this_ = &explore_, place = *a, number] { this_->show_element(place, number); });
    }

    void thread_at(const NamedThread& named) {
        const Launch& l = launch();
        std::map<std::string, std::uint32_t> pairs;
        const auto put = [&](const char* of, const std::vector<std::uint32_t>& at,
                             const std::array<std::uint32_t, 3>& shape) {
            const auto found = at.size() == 1 ? std::optional(at[0]) : number_at(shape, at);
            if (found) {
                pairs[of] = *found;
            }
            return found.has_value();
        };
        if (!put("thread", named.thread, l.block_shape)) {
            return lack(fmt::format("a block has {} threads here", shape_text(l.block_shape)));
        }
        if (!named.block.empty() && !put("block", named.block, l.grid_shape)) {
            return lack(fmt::format("the grid has {} blocks here", shape_text(l.grid_shape)));
        }
        numbers(pairs);
    }

    void numbers(const std::map<std::string, std::uint32_t>& pairs) {
        const auto of = [&](std::initializer_list<const char*> words) -> std::optional<std::uint32_t> {
            for (const char* const word : words) {
                if (const auto at = pairs.find(word); at != pairs.end()) {
                    return at->second;
                }
            }
            return std::nullopt;
        };
        const Launch& l = launch();
        const auto thread = of({"thread", "t", "threads"}), block = of({"block", "b"}), warp = of({"warp", "w"});
        const std::uint32_t shown = l.in_window(explore_.block) ? explore_.block : l.window_first;
        const std::uint32_t in = block.value_or(shown);
        if (const auto line = of({"line", "l"}); line && pairs.size() == 1) {
            add(fmt::format("Source: line {}", *line), [this_ = &explore_, line = *line] {
                this_->line_asked = line;
                this_->front = "source"; // where it is folded
            });
        }
        if (const auto step = of({"step"}); step && pairs.size() == 1) {
            if (*step == 0 || *step > l.steps.size()) {
                return lack(fmt::format("this launch has {}", scene::plural(l.steps.size(), "step")));
            }
            go_to_step(*step - 1);
        }
        if (!thread && !warp && !block) {
            return;
        }
        if (!l.in_window(in)) {
            if (in >= l.grid) {
                return lack(fmt::format("the launch has {}", scene::plural(l.grid, "block")));
            }
            add(fmt::format("Block {}: runs again, to trace it", in),
                [this_ = &explore_, launch = launch_, in] { this_->trace_block(launch, in); });
            return;
        }
        const std::string where = l.grid > 1 ? fmt::format(" of block {}", in) : "";
        if (thread) {
            if (*thread >= l.block) {
                return lack(fmt::format("a block has {} threads here", l.block));
            }
            add(fmt::format("Thread {}{}{}", *thread, coordinates(l.block_shape, *thread), where),
                [this_ = &explore_, launch = launch_, in, t = *thread] {
                    this_->go_to({scene::Target::Kind::thread, launch, in, t});
                });
        } else if (warp) {
            if (*warp >= l.warps()) {
                return lack(fmt::format("a block has {} here", scene::plural(l.warps(), "warp")));
            }
            add(fmt::format("Warp {}{}", *warp, where), [this_ = &explore_, launch = launch_, in, w = *warp] {
                this_->go_to({scene::Target::Kind::warp, launch, in, w});
            });
        } else {
            add(fmt::format("Block {}", in), [this_ = &explore_, launch = launch_, in] {
                this_->go_to({scene::Target::Kind::block, launch, in, in});
            });
        }
    }

    void label() {
        const std::string text = without_spaces(typed_);
        for (std::uint32_t s = 0; text.size() >= 3 && s < launch().steps.size(); ++s) {
            if (without_spaces(launch().steps[s].label) == text) {
                return go_to_step(s);
            }
        }
    }

    void go_to_step(std::uint32_t step) {
        add(fmt::format("Step {}: {}", step + 1, launch().steps[step].label),
            [this_ = &explore_, launch = launch_, step] {
                this_->playback.pause();
                this_->playback.go_to_launch(launch, step);
            });
    }

    Explore& explore_;
    std::string_view typed_;
    bool asks_who_; // stored an element
    std::uint32_t launch_ = 0;
    std::vector<Action> found_;
};
} // namespace

std::vector<Action> named_places(Explore& explore, std::string_view typed) {
    const Question asked = question(typed);
    return Finder(explore, asked.of, asked.who).find();
}

} // namespace warptree::session
