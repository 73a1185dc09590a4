#include "app/run/remedy/copies.hpp"

#include "app/base/identifier.hpp"
#include "app/run/program/host_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

namespace warptree::runs {

namespace {
class CopyChanges {
  public:
    explicit CopyChanges(const Statements& code)
        : code_(code), bare_(code.bare()), allocations_(calls_of(code, "cudaMalloc")),
          copies_(calls_of(code, "cudaMemcpy")), launches_(launches_in(code)) {
        for (const TextCall& call : allocations_) {
            if (!call.words.empty()) {
                device_.insert(variable(call, 0));
            }
        }
    }

    std::vector<Change> all() {
        element_sizes();
        lengths_of_strings();
        elements_of_vectors();
        arrays_of_device();
        other_destinations();
        copies_back();
        later_frees();
        shared_bytes();
        allowed_bytes();
        numbers_in_the_grid();
        return std::move(found_);
    }

  private:
    std::string word(const TextCall& call, std::size_t k) const {
        return k < call.words.size() ? text_of(code_, call.words[k]) : std::string();
    }
    std::string variable(const TextCall& call, std::size_t k) const { return variable_in(word(call, k)); }
    bool goes(const TextCall& copy, std::string_view direction) const {
        return copy.words.size() >= 4 && word(copy, 3) == direction;
    }
    void add(std::string words, std::vector<TextEdit> edits) {
        if (!edits.empty()) {
            found_.push_back({std::move(words), std::move(edits)});
        }
    }
    // Where a word begins and ends without the blanks around it.
    TextRange trimmed(TextRange range) const {
        const std::size_t begin = std::min(bare_.find_first_not_of(kBlanks, range.first), range.second);
        return {begin, begin + text_of(code_, range).size()};
    }
    const Statement* statement(std::size_t at) const {
        const Statement* const s = code_.innermost(at);
        return s != nullptr && s->kind == Statement::Kind::plain ? s : nullptr;
    }
    bool same_function(std::size_t a, std::size_t b) const {
        const auto one = code_.around(a), other = code_.around(b);
        return !one.empty() && !other.empty() && one.front() == other.front();
    }

    // "double" of "double *d"; empty: it is not declared so.
    std::string element_of(const std::string& name) const {
        for (std::size_t at = find_word(bare_, name, 0, bare_.size()); at != std::string::npos;
             at = find_word(bare_, name, at + 1, bare_.size())) {
            const std::size_t star = at == 0 ? std::string::npos : bare_.find_last_not_of(kBlanks, at - 1);
            if (star == std::string::npos || star == 0 || bare_[star] != '*') {
                continue;
            }
            std::size_t end = bare_.find_last_not_of(kBlanks, star - 1) + 1, begin = end;
            while (begin > 0 && in_identifier(bare_[begin - 1])) {
                --begin;
            }
            if (begin < end) {
                return bare_.substr(begin, end - begin);
            }
        }
        return {};
    }

    // n * sizeof(float) of doubles.
    void element_sizes() {
        for (const std::string& name : device_) {
            std::vector<TextEdit> edits;
            const auto look = [&](TextRange range) {
                const std::size_t at = find_word(bare_, "sizeof", range.first, range.second);
                const std::size_t open = at == std::string::npos ? at : bare_.find('(', at);
                if (open < range.second &&
                    trimmed_part(bare_, open + 1, past_bracket(bare_, open) - 1) != element_of(name)) {
                    edits.push_back({open, past_bracket(bare_, open), "(*" + name + ")"});
                }
            };
            for (const TextCall& call : allocations_) {
                if (call.words.size() >= 2 && variable(call, 0) == name) {
                    look(call.words[1]);
                }
            }
            for (const TextCall& call : copies_) {
                if (call.words.size() >= 3 && (variable(call, 0) == name || variable(call, 1) == name)) {
                    look(call.words[2]);
                }
            }
            add("elements of " + name + " as large as they are", std::move(edits));
        }
    }

    // sizeof(text) of a const char*.
    void lengths_of_strings() {
        for (std::size_t at = find_word(bare_, "sizeof", 0, bare_.size()); at != std::string::npos;
             at = find_word(bare_, "sizeof", at + 1, bare_.size())) {
            const std::size_t open = bare_.find('(', at);
            const std::size_t end = open == std::string::npos ? open : past_bracket(bare_, open);
            const std::string name = end == std::string::npos ? "" : trimmed_part(bare_, open + 1, end - 1);
            if (is_name(name) && (bare_.find("char *" + name) != std::string::npos ||
                                  bare_.find("char* " + name) != std::string::npos)) {
                const bool whole = bare_.find_first_not_of(kBlanks, end) == bare_.find(';', end);
                const std::string length = "strlen(" + name + ") + 1";
                add("the length of the text, with the 0 at its end", {{at, end, whole ? length : "(" + length + ")"}});
            }
        }
    }

    // &h of a std::vector.
    void elements_of_vectors() {
        for (const TextCall& copy : copies_) {
            for (std::size_t k = 0; k < std::min<std::size_t>(copy.words.size(), 2); ++k) {
                const std::string text = word(copy, k), name = variable(copy, k);
                const std::size_t declared = bare_.find("vector<");
                const auto [begin, end] = trimmed(copy.words[k]);
                if ((text == "&" + name || text == name) && declared != std::string::npos && device_.count(name) == 0 &&
                    bare_.find("> " + name) != std::string::npos) {
                    add("the elements of the vector", {{begin, end, name + ".data()"}});
                }
            }
        }
    }

    // A kernel is given arrays of the host: those of the device that they are copied to.
    void arrays_of_device() {
        for (const TextLaunch& launch : launches_) {
            std::vector<TextEdit> edits;
            for (const TextRange& range : launch.words) {
                const std::string name = variable_in(text_of(code_, range));
                const auto to_device = [&](const TextCall& c) {
                    return c.words.size() >= 4 && variable(c, 1) == name && device_.count(variable(c, 0)) != 0;
                };
                const auto copy = std::find_if(copies_.begin(), copies_.end(), to_device);
                if (!name.empty() && device_.count(name) == 0 && copy != copies_.end()) {
                    const auto [begin, end] = trimmed(range);
                    edits.push_back({begin, end, variable(*copy, 0)});
                }
            }
            add("the device's arrays for the host's", std::move(edits));
        }
    }

    // Two copies to one array, and none to another.
    void other_destinations() {
        for (std::size_t k = 1; k < copies_.size(); ++k) {
            const std::string to = variable(copies_[k], 0);
            const auto same = [&](const TextCall& c) { return variable(c, 0) == to; };
            if (!goes(copies_[k], "cudaMemcpyHostToDevice") ||
                std::none_of(copies_.begin(), copies_.begin() + static_cast<std::ptrdiff_t>(k), same)) {
                continue;
            }
            for (const std::string& other : device_) {
                const auto is_it = [&](const TextCall& c) { return variable(c, 0) == other; };
                if (std::none_of(copies_.begin(), copies_.end(), is_it)) {
                    const auto [begin, end] = trimmed(copies_[k].words[0]);
                    add("a copy to " + other, {{begin, end, other}});
                }
            }
        }
    }

    // What is copied to the device and back no more.
    void copies_back() {
        for (const TextLaunch& launch : launches_) {
            const Statement* const s = statement(launch.begin);
            for (const TextRange& range : launch.words) {
                const std::string name = text_of(code_, range);
                const auto back = [&](const TextCall& c) {
                    return goes(c, "cudaMemcpyDeviceToHost") && variable(c, 1) == name;
                };
                if (s == nullptr || device_.count(name) == 0 || std::any_of(copies_.begin(), copies_.end(), back)) {
                    continue;
                }
                for (const TextCall& copy : copies_) {
                    if (goes(copy, "cudaMemcpyHostToDevice") && variable(copy, 0) == name) {
                        add("a copy of the results to the host",
                            {line_after(code_, *s,
                                        fmt::format("cudaMemcpy({}, {}, {}, cudaMemcpyDeviceToHost);", word(copy, 1),
                                                    name, word(copy, 2)))});
                    }
                }
            }
        }
    }

    // What is freed before it is used for the last time.
    void later_frees() {
        for (const TextCall& free : calls_of(code_, "cudaFree")) {
            const std::string name = variable(free, 0);
            const Statement* const s = statement(free.begin);
            const Statement* last = nullptr;
            for (const TextCall& copy : copies_) {
                if (!name.empty() && copy.begin > free.end && same_function(copy.begin, free.begin) &&
                    (variable(copy, 0) == name || variable(copy, 1) == name)) {
                    last = statement(copy.begin);
                }
            }
            if (s != nullptr && last != nullptr) {
                add(name + " freed behind its last use",
                    {without(code_, *s), line_after(code_, *last, trimmed_part(code_.text(), s->begin, s->end))});
            }
        }
    }

    // extern __shared__ float s[], and no third value: an element a thread.
    void shared_bytes() {
        const std::size_t declared =
            find_word(bare_, "__shared__", std::min(bare_.find("extern"), bare_.size()), bare_.size());
        if (declared == std::string::npos) {
            return;
        }
        const std::size_t open = bare_.find('[', declared), type = declared + std::string_view("__shared__").size();
        const std::string text = open == std::string::npos ? "" : trimmed_part(bare_, type, open);
        const std::size_t blank = text.find_last_of(" \t");
        if (blank == std::string::npos) {
            return;
        }
        for (const TextLaunch& launch : launches_) {
            if (launch.shape.size() == 2) {
                const std::size_t end = launch.shape[1].second;
                add("shared memory of an element for each thread",
                    {{end, end,
                      fmt::format(", {} * sizeof({})", text_of(code_, launch.shape[1]), text.substr(0, blank))}});
            }
        }
    }

    // More than 48 KB.
    void allowed_bytes() {
        for (const TextLaunch& launch : launches_) {
            std::size_t end = launch.begin, begin = end;
            while (begin > 0 && in_identifier(bare_[begin - 1])) {
                --begin;
            }
            const Statement* const s = statement(launch.begin);
            if (launch.shape.size() >= 3 && s != nullptr && begin < end) {
                add("as much shared memory as it asks for, allowed before",
                    {line_before(
                        code_, s->begin,
                        fmt::format("cudaFuncSetAttribute({}, cudaFuncAttributeMaxDynamicSharedMemorySize, {});",
                                    bare_.substr(begin, end - begin), text_of(code_, launch.shape[2])))});
            }
        }
    }

    // int i = threadIdx.x; of several blocks.
    void numbers_in_the_grid() {
        constexpr std::string_view kOwn = "threadIdx.x";
        for (std::size_t at = bare_.find(kOwn); at != std::string::npos; at = bare_.find(kOwn, at + 1)) {
            const Statement* const s = statement(at);
            const std::size_t end = at + kOwn.size();
            if (s != nullptr && declares(code_, *s) && (bare_[end] == ';' || bare_[end] == ',') &&
                bare_.find_last_not_of(kBlanks, at - 1) == bare_.rfind('=', at)) {
                add("the thread's number in the grid", {{at, end, "blockIdx.x * blockDim.x + threadIdx.x"}});
            }
        }
    }

    const Statements& code_;
    const std::string& bare_;
    const std::vector<TextCall> allocations_, copies_;
    const std::vector<TextLaunch> launches_;
    std::set<std::string> device_;
    std::vector<Change> found_;
};
} // namespace

std::vector<Change> copy_changes(const Statements& code) { return CopyChanges(code).all(); }

} // namespace warptree::runs
