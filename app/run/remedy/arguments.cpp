#include "app/run/remedy/arguments.hpp"

#include "app/run/program/host_calls.hpp"

#include <string>
#include <string_view>

namespace warptree::runs {

namespace {
// What stands in a sentence between two pieces of it; empty: they are not there.
std::string between(const std::string& text, std::string_view before, std::string_view behind) {
    const std::size_t at = text.find(before);
    const std::size_t begin = at + before.size(), end = at == std::string::npos ? at : text.find(behind, begin);
    return end == std::string::npos ? std::string() : text.substr(begin, end - begin);
}

std::size_t first_of(const Statements& code, TextRange range) {
    return code.bare().find_first_not_of(kBlanks, range.first);
}
} // namespace

std::vector<Change> arrays_of_device(const Statements& code, const Trace& trace, const Finding& finding) {
    std::vector<Change> found;
    const auto change = [&](TextRange word) {
        const std::string text = text_of(code, word), host = variable_in(text);
        const bool moved = text.starts_with(host + " + "); // h + offset
        const auto add = [&](TextRange device) {
            if (const std::string name = text_of(code, device); is_name(name)) {
                found.push_back(
                    {"the device's array for the host's",
                     {{first_of(code, word), moved ? first_of(code, word) + host.size() : word.second, name}}});
            }
        };
        for (const TextCall& copy : calls_of(code, "cudaMemcpy")) {
            if (copy.words.size() >= 4 && !host.empty()) {
                for (const bool to : {true, false}) {
                    if (variable_in(text_of(code, copy.words[to ? 1 : 0])) == host) {
                        add(copy.words[to ? 0 : 1]);
                    }
                }
            }
        }
    };
    for (const StoryEvent& event : trace.program.events) {
        if (event.kind != StoryKind::launch || event.line != finding.line || event.launch >= trace.launches.size()) {
            continue;
        }
        const auto& arguments = trace.launches[event.launch].arguments;
        for (const TextLaunch& launch : launches_in(code)) {
            for (std::size_t k = 0; k < std::min(arguments.size(), launch.words.size()); ++k) {
                if (arguments[k].name == finding.array && code.line_of(launch.begin) == finding.line.line()) {
                    change(launch.words[k]);
                }
            }
        }
        break;
    }
    return found;
}

std::vector<Change> swapped_arguments(const Statements& code, const Finding& finding) {
    std::vector<Change> found;
    const std::string one = between(finding.text, " reads ", ", to which"),
                      other = between(finding.text, ", and ", ", which has data, as ");
    if (finding.text.find("the two may be swapped") == std::string::npos || one.empty() || other.empty()) {
        return found;
    }
    for (const TextLaunch& launch : launches_in(code)) {
        const TextRange* first = nullptr;
        const TextRange* second = nullptr;
        for (const TextRange& word : launch.words) {
            first = text_of(code, word) == one ? &word : first;
            second = text_of(code, word) == other ? &word : second;
        }
        if (first != nullptr && second != nullptr) {
            found.push_back({"the two arguments the other way round",
                             {{first_of(code, *first), first_of(code, *first) + one.size(), other},
                              {first_of(code, *second), first_of(code, *second) + other.size(), one}}});
        }
    }
    return found;
}

std::vector<Change> swapped_copies(const Statements& code, const Finding& finding) {
    std::vector<Change> found;
    const std::string array = between(finding.text, " stores to ", " is never read");
    constexpr std::string_view kTo = "cudaMemcpyHostToDevice";
    for (const TextCall& copy : calls_of(code, "cudaMemcpy")) {
        if (copy.words.size() < 4 || array.empty() || !finding.line.known() ||
            code.line_of(copy.begin) < finding.line.line() || variable_in(text_of(code, copy.words[0])) != array ||
            text_of(code, copy.words[3]) != kTo) {
            continue;
        }
        const std::size_t direction = first_of(code, copy.words[3]);
        found.push_back({"a copy back to the host",
                         {{copy.words[0].first, copy.words[1].second,
                           text_of(code, copy.words[1]) + ", " + text_of(code, copy.words[0])},
                          {direction, direction + kTo.size(), "cudaMemcpyDeviceToHost"}}});
    }
    return found;
}

} // namespace warptree::runs
