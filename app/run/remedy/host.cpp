#include "app/run/remedy/host.hpp"

#include "app/base/identifier.hpp"
#include "app/run/program/host_calls.hpp"
#include "app/run/remedy/arguments.hpp"
#include "app/run/remedy/frees.hpp"
#include "app/run/remedy/grid.hpp"
#include "app/run/remedy/guards.hpp"
#include "app/run/remedy/index.hpp"
#include "app/run/remedy/numbers.hpp"
#include "app/run/remedy/sizes.hpp"
#include "app/run/remedy/text_edit.hpp"
#include "app/run/remedy/waits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace warptree::runs {

namespace {
class HostChanges {
  public:
    HostChanges(const Trace& trace, const Finding& f) : trace_(trace), f_(f), code_(trace.sources.front().text) {}

    std::vector<Remedy> all() {
        switch (f_.kind) {
        case FindingKind::race_global:
            if (in_file(f_.line)) {
                add_all(waits_before(code_, f_));
            }
            break;
        case FindingKind::copy_direction: directions(); break;
        case FindingKind::crash:
        case FindingKind::device_pointer: frees_of_device(); break;
        case FindingKind::counted_copy:
        case FindingKind::copy_out_of_bounds:
        case FindingKind::out_of_bounds:
            add_all(as_large_as_the_hosts(code_, f_.array));
            bytes();
            bytes_of_shared();
            break;
        case FindingKind::uninitialised_copy:
            bytes();
            add_all(rounded_up(code_));
            break;
        case FindingKind::uncovered:
            add_all(index_changes(code_));
            add_all(swapped_sides(code_, f_));
            add_all(blocks_in_z(code_, trace_, f_));
            add_all(rounded_up(code_));
            add_all(rounded_up_and_guarded());
            break;
        case FindingKind::uninitialised:
            add_all(swapped_arguments(code_, f_));
            copied_before();
            bytes();
            zeros();
            break;
        case FindingKind::failed_launch: add_all(rounded_up(code_)); break;
        case FindingKind::doubtful_code:
            swapped_launch();
            address_of_pointer();
            if (in_file(f_.line) && f_.text.find("is the size of a pointer") != std::string::npos) {
                add_all(sizes_of_arrays(code_, f_.line.line()));
            } else if (in_file(f_.line) && f_.text.find("the quotient of two integers") != std::string::npos) {
                add_all(quotients_with_fraction(code_, f_.line.line()));
            }
            break;
        case FindingKind::leak: add_all(frees_of_all(code_, trace_)); break;
        case FindingKind::bad_free: add_all(frees_of_another(code_, trace_, f_)); break;
        case FindingKind::host_pointer: add_all(arrays_of_device(code_, trace_, f_)); break;
        case FindingKind::unread_results: add_all(swapped_copies(code_, f_)); break;
        case FindingKind::unseen_print:
            if (in_file(f_.line)) {
                add_all(waits_behind(code_, f_));
            }
            break;
        default: break;
        }
        return std::move(found_);
    }

  private:
    void add(const std::string& words, std::vector<TextEdit> edits) {
        std::string text = edited(code_.text(), std::move(edits));
        if (text != code_.text() &&
            std::none_of(found_.begin(), found_.end(), [&](const Remedy& r) { return r.text == text; })) {
            found_.push_back({words, std::move(text)});
        }
    }

    void add_all(std::vector<Change> changes) {
        for (Change& change : changes) {
            add(change.words, std::move(change.edits));
        }
    }

    bool in_file(SourceLine line) const { return line.known() && line.file() == 0; }
    // Where the code of a line begins.
    std::size_t code_of(SourceLine line) const {
        const std::size_t begin = code_.line_begin(line.line()), first = code_.bare().find_first_not_of(" \t", begin);
        return std::min(first, code_.bare().size());
    }
    std::string part(std::pair<std::size_t, std::size_t> range) const {
        return trimmed_part(code_.text(), range.first, range.second);
    }

    // cudaMalloc((void **)d, …) for &d.
    void address_of_pointer() {
        const auto call = in_file(f_.line) && f_.text.find(" for the address of it") != std::string::npos
                              ? call_in(code_, f_.line.line(), "cudaMalloc")
                              : std::nullopt;
        if (call && !call->words.empty()) {
            const std::string name = variable_in(part(call->words[0]));
            const auto [begin, end] = call->words[0];
            if (const std::size_t at = code_.bare().rfind(name, end); !name.empty() && at >= begin && at < end) {
                add("the address of the pointer", {{at, at, "&"}});
            }
        }
    }

    // A copy to the device that stands behind the launch that reads what it brings.
    void copied_before() {
        const std::vector<TextLaunch> launches = launches_in(code_);
        for (const TextCall& copy : calls_of(code_, "cudaMemcpy")) {
            const Statement* const whole = code_.innermost(copy.begin);
            const std::string line = fmt::format("line {} writes it only then", code_.line_of(copy.begin));
            if (whole == nullptr || whole->kind != Statement::Kind::plain || copy.words.empty() ||
                f_.text.find(line) == std::string::npos || variable_in(part(copy.words[0])) != f_.array) {
                continue;
            }
            const Statement* first = nullptr;
            for (const TextLaunch& launch : launches) {
                const Statement* const s = code_.innermost(launch.begin);
                const bool passes = std::ranges::any_of(
                    launch.words, [&](TextRange word) { return variable_in(part(word)) == f_.array; });
                const auto around = code_.around(launch.begin), other = code_.around(copy.begin);
                if (first == nullptr && passes && s != nullptr && launch.begin < copy.begin && !around.empty() &&
                    !other.empty() && around.front() == other.front()) {
                    first = s;
                }
            }
            if (first != nullptr) {
                const std::string text = trimmed_part(code_.text(), whole->begin, whole->end);
                add("the copy before the launch that reads it",
                    {line_before(code_, first->begin, text), without(code_, *whole)});
            }
        }
    }

    // free(d), of memory of the device.
    void frees_of_device() {
        if (!in_file(f_.line)) {
            return;
        }
        const std::size_t begin = code_.line_begin(f_.line.line()), end = code_.line_begin(f_.line.line() + 1);
        if (const std::size_t at = find_word(code_.bare(), "free", begin, end); at != std::string::npos) {
            add("the device's memory is freed", {{at, at + 4, "cudaFree"}});
        }
    }

    // Destination and source of the wrong copy change places: the likelier where the direction that is said is what is wanted there,
    // to the device before a launch and back behind one.
    // Of all copies of which the same is said, as one mistake is made several times, and of this one alone.
    void swapped_pointers() {
        std::vector<TextEdit> all;
        for (const Finding& other : trace_.program.findings) {
            const auto call = other.kind == FindingKind::copy_direction && in_file(other.line) &&
                                      other.text.find("the two pointers are swapped") != std::string::npos
                                  ? call_in(code_, other.line.line(), "cudaMemcpy")
                                  : std::nullopt;
            if (!call || call->words.size() < 4) {
                continue;
            }
            const TextEdit edit{call->words[0].first, call->words[1].second,
                                part(call->words[1]) + ", " + part(call->words[0])};
            if (std::ranges::none_of(all, [&](const TextEdit& e) { return e.begin == edit.begin; })) {
                all.push_back(edit);
            }
            if (other.line == f_.line) {
                add("destination and source the other way round", {edit});
            }
        }
        if (all.size() > 1) {
            add("destination and source the other way round", std::move(all));
        }
    }

    void directions() {
        if (!in_file(f_.line)) {
            return;
        }
        const bool behind_a_launch = std::ranges::any_of(trace_.program.events, [&](const StoryEvent& e) {
            return e.kind == StoryKind::launch && in_file(e.line) && e.line.line() < f_.line.line();
        });
        const bool back = f_.text.starts_with("cudaMemcpyDeviceToHost");
        if (back == behind_a_launch) {
            swapped_pointers();
        }
        for (const bool to : {true, false}) { // a variable of the device
            const std::string symbol = to ? "cudaMemcpyToSymbol" : "cudaMemcpyFromSymbol";
            if (f_.text.find(symbol) == std::string::npos) {
                continue;
            }
            const auto call = call_in(code_, f_.line.line(), "cudaMemcpy(");
            if (call && call->words.size() == 4) {
                const auto [begin, end] = call->words[to ? 0 : 1];
                const std::string name = part({begin, end});
                add("the copy of a variable of the device",
                    {{call->begin, call->begin + std::string_view("cudaMemcpy").size(), symbol},
                     {begin, end, (to ? "" : " ") + (name.starts_with('&') ? name.substr(1) : name)},
                     {call->words[3].first - 1, call->words[3].second, ""}});
            }
            return;
        }
        constexpr std::array<std::string_view, 4> kDirections = {"cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost",
                                                                 "cudaMemcpyDeviceToDevice", "cudaMemcpyHostToHost"};
        const std::size_t begin = code_.line_begin(f_.line.line());
        const std::size_t end = code_.bare().find(';', begin);
        for (const std::string_view said : kDirections) {
            const std::size_t at = find_word(code_.bare(), said, begin, end);
            for (const std::string_view other : kDirections) {
                if (at != std::string::npos && other != said) {
                    add("the other direction", {{at, at + said.size(), std::string(other)}});
                }
            }
        }
        swapped_pointers();
    }

    // size_t bytes = n * sizeof(int);
    bool is_set_to_bytes(const std::string& name) const {
        const std::string& bare = code_.bare();
        for (std::size_t at = is_name(name) ? find_word(bare, name, 0, bare.size()) : std::string::npos;
             at != std::string::npos; at = find_word(bare, name, at + 1, bare.size())) {
            const std::size_t next = bare.find_first_not_of(" \t", at + name.size());
            if (next != std::string::npos && bare[next] == '=' &&
                find_word(bare, "sizeof", next, bare.find(';', next)) != std::string::npos) {
                return true;
            }
        }
        return false;
    }

    // A number of elements where bytes are asked for: where the array is allocated, or copied, or both.
    void bytes() {
        if (!is_name(f_.array)) {
            return;
        }
        std::vector<TextEdit> allocated, copied;
        std::set<std::size_t> seen;
        for (const StoryEvent& event : trace_.program.events) {
            const bool copies = event.kind == StoryKind::copy || event.kind == StoryKind::set;
            if (!in_file(event.line) || (event.name != f_.array && event.other != f_.array) ||
                (!copies && event.kind != StoryKind::allocate)) {
                continue;
            }
            const auto call =
                call_in(code_, event.line.line(),
                        copies ? event.kind == StoryKind::copy ? "cudaMemcpy" : "cudaMemset" : "cudaMalloc");
            const std::size_t which = copies ? 2 : 1;
            if (!call || call->words.size() <= which || !seen.insert(call->begin).second) {
                continue;
            }
            const std::string size = part(call->words[which]);
            if (size.find("sizeof") == std::string::npos && !is_set_to_bytes(size)) {
                (copies ? copied : allocated)
                    .push_back({call->words[which].first, call->words[which].second,
                                " " + (is_one_term(size) ? size : "(" + size + ")") + " * sizeof(*" + f_.array + ")"});
            }
        }
        if (!allocated.empty()) {
            add("as many bytes as its elements have", allocated);
        }
        if (!copied.empty()) {
            add("as many bytes as its elements have", copied);
            allocated.insert(allocated.end(), copied.begin(), copied.end());
            add("as many bytes as its elements have", allocated);
        }
    }

    // Of a kernel that lets every thread work: more blocks alone would reach past the array.
    std::vector<Change> rounded_up_and_guarded() const {
        const std::string& bare = code_.bare();
        std::vector<Change> found;
        for (const Launch& launch : trace_.launches) {
            const auto array = std::ranges::find(launch.arguments, f_.array, &KernelArgument::value);
            const std::size_t kernel = bare.find("__global__");
            const std::size_t name =
                kernel == std::string::npos ? kernel : find_word(bare, launch.kernel, kernel, bare.size());
            const std::size_t body = name == std::string::npos ? name : bare.find('{', name);
            if (array == launch.arguments.end() || body == std::string::npos) {
                continue;
            }
            const std::size_t at = find_word(bare, array->name, body, bare.size());
            if (at == std::string::npos || code_.innermost(at) == nullptr) {
                continue;
            }
            for (const Change& guard :
                 guard_changes({code_, launch.arguments, array->name, array->count, at, true, false})) {
                for (const Change& grid : rounded_up(code_)) {
                    std::vector<TextEdit> edits = grid.edits;
                    edits.insert(edits.end(), guard.edits.begin(), guard.edits.end());
                    found.push_back({fmt::format("{}, and {}", grid.words, guard.words), std::move(edits)});
                }
            }
            break;
        }
        return found;
    }

    // A number of elements as the third value in <<< >>>.
    void bytes_of_shared() {
        const std::string& bare = code_.bare();
        const std::size_t name = f_.array.empty() ? std::string::npos : find_word(bare, f_.array, 0, bare.size());
        const std::size_t head = name == std::string::npos ? name : bare.rfind("__shared__", name);
        if (head == std::string::npos || bare.rfind("extern", head) == std::string::npos) {
            return;
        }
        const std::string type = part({head + std::string_view("__shared__").size(), name});
        for (std::size_t open = bare.find("<<<"); open != std::string::npos; open = bare.find("<<<", open + 3)) {
            const std::size_t close = bare.find(">>>", open);
            std::size_t at = open + 3, third = 0;
            for (int commas = 0; at < close && commas < 3; ++at) {
                if (bare[at] == '(') {
                    at = past_bracket(bare, at) - 1;
                } else if (bare[at] == ',' && ++commas == 2) {
                    third = at + 1;
                } else if (commas == 3) {
                    break;
                }
            }
            const std::size_t end = at < close ? at - 1 : close;
            const std::string count = third == 0 || third >= close ? "" : part({third, end});
            if (!count.empty() && type.find(';') == std::string::npos && count.find("sizeof") == std::string::npos) {
                add("as many bytes as its elements have",
                    {{third, end, " " + (is_one_term(count) ? count : "(" + count + ")") + " * sizeof(" + type + ")"}});
            }
        }
    }

    // kernel<<<threads, blocks>>>.
    void swapped_launch() {
        if (!in_file(f_.line) || f_.text.find("<<<") == std::string::npos) {
            return;
        }
        const std::string& bare = code_.bare();
        const std::size_t open = bare.find("<<<", code_.line_begin(f_.line.line()));
        const std::size_t comma = open == std::string::npos ? open : outside_brackets(bare, ',', open + 3);
        if (comma == std::string::npos) {
            return;
        }
        const std::size_t end =
            std::min(outside_brackets(bare, ',', comma + 1), outside_brackets(bare, '>', comma + 1));
        if (end != std::string::npos) {
            add("the number of blocks first",
                {{open + 3, end, part({comma + 1, end}) + ", " + part({open + 3, comma})}});
        }
    }

    // What a kernel adds to begins with 0.
    void zeros() {
        if (!in_file(f_.line)) {
            return;
        }
        const std::string used = code_.bare().substr(
            code_.line_begin(f_.line.line()), code_.line_begin(f_.line.line() + 1) - code_.line_begin(f_.line.line()));
        if (used.find("atomic") == std::string::npos && used.find("+=") == std::string::npos) {
            return;
        }
        for (const StoryEvent& event : trace_.program.events) {
            if (event.kind != StoryKind::allocate || event.name != f_.array || !in_file(event.line)) {
                continue;
            }
            for (const TextCall& call : calls_of(code_, "cudaMalloc")) { // of which a line may have several
                const auto around = code_.around(call.begin);
                if (code_.line_of(call.begin) == event.line.line() && call.words.size() > 1 &&
                    variable_in(part(call.words[0])) == f_.array && around.size() > 1 &&
                    around[around.size() - 2]->kind == Statement::Kind::block) {
                    add("zeros before anything is added",
                        {line_after(code_, *around.back(),
                                    "cudaMemset(" + f_.array + ", 0, " + part(call.words[1]) + ");")});
                }
            }
        }
    }

    const Trace& trace_;
    const Finding& f_;
    Statements code_;
    std::vector<Remedy> found_;
};
} // namespace

std::vector<Remedy> possible_host_remedies(const Trace& trace, const Finding& finding) {
    return trace.sources.empty() ? std::vector<Remedy>() : HostChanges(trace, finding).all();
}

} // namespace warptree::runs
