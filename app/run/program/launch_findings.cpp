// What is told of a program's launch, beside what the machine finds in it.
#include "app/base/identifier.hpp"
#include "app/run/choice/block_shape.hpp"
#include "app/run/program/launch.hpp"
#include "app/run/program/text.hpp"
#include "app/trace/explain/findings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace warptree::runs {

using compile::kNone;
using compile::Parameter;

std::function<void(double)> ProgramSession::watch_time(const Wanted& wanted) const {
    using Clock = std::chrono::steady_clock;
    using Seconds = std::chrono::duration<double>;
    if (!options_.warn) {
        return {};
    }
    struct Past {
        Clock::time_point at{};
        double done =
            -1; // what takes no part in the judgement: the first blocks are traced, and memory is made for all
    };
    return [this, &wanted, begin = Clock::now(), first = Past(), told = false](double done) mutable {
        constexpr double kEnough = 1.5; // s, to judge by
        const Clock::time_point now = Clock::now();
        if (first.done < 0) {
            first = {now, done};
        }
        const double passed = Seconds(now - first.at).count();
        if (told || passed < kEnough || done <= first.done) {
            return;
        }
        const double all = Seconds(now - begin).count() + (1 - done) * passed / (done - first.done);
        const double left = Seconds(options_.until - begin).count();
        if (all <= left) {
            return;
        }
        told = true;
        const auto rounded = [](double seconds) {
            return seconds < 120 ? fmt::format("{:.0f} s", seconds) : fmt::format("{:.0f} min", seconds / 60);
        };
        options_.warn(fmt::format(
            "launch {}, {}: {:.2g} threads take about {} here, and {} are left; --time {:.0f} allows "
            "for that, smaller sizes take less",
            launches_ + 1, running_, static_cast<double>(simt::volume(wanted.grid) * simt::volume(wanted.block)),
            rounded(all), rounded(std::max(left, 0.0)),
            std::ceil((Seconds(begin - started_).count() + all * 1.5) / 10 + 1) * 10));
    };
}

// Memory of another device, to which this one was not given access.
std::string ProgramSession::out_of_reach(const Wanted& wanted, const std::vector<std::uint32_t>& used) const {
    const std::uint32_t device = devices_.current();
    for (const std::uint32_t i : used) {
        if (i == kNone || is_variable(i) || compile::is_host_address((*memory_)[i].address) ||
            devices_.reaches(device, devices_.owner(i))) {
            continue;
        }
        return fmt::format("{}{} on device {} is given {}, memory of device {}, which it may not use: "
                           "cudaDeviceEnablePeerAccess({}, 0) allows it",
                           wanted.code->name, configuration(wanted), device, named(i), devices_.owner(i),
                           devices_.owner(i));
    }
    return {};
}

// Where the kernel only reads an unwritten array and only stores to one that has data: "; line 7 gives …: the two may be swapped".
std::string ProgramSession::swapped(const Wanted& wanted, const std::vector<std::uint32_t>& used,
                                    const std::vector<std::uint32_t>& unwritten, std::uint32_t array) const {
    std::size_t in = used.size(), out = used.size();
    for (std::size_t p = 0; p < used.size(); ++p) {
        const Parameter& parameter = wanted.code->parameters[p];
        const bool stores = parameter.stores || parameter.updates;
        if (used[p] == array && !stores) {
            in = p;
        } else if (used[p] != kNone && stores && !parameter.loads &&
                   std::find(unwritten.begin(), unwritten.end(), used[p]) == unwritten.end()) {
            out = p;
        }
    }
    return in == used.size() || out == used.size() || !here().known()
               ? std::string()
               : fmt::format("; line {} gives it as {}, and {}, which has data, as {}: the two may be swapped",
                             here().line(), wanted.code->parameters[in].name, named(used[out]),
                             wanted.code->parameters[out].name);
}

// Arrays to which nothing was ever written, not even in part: one finding of the program instead of many of the launch.
void ProgramSession::tell_unwritten(const Wanted& wanted, const std::vector<std::uint32_t>& used,
                                    const std::vector<std::uint32_t>& unwritten, Launch& launch) {
    for (const std::uint32_t i : unwritten) {
        simt::Allocation& a = (*memory_)[i];
        const auto of_it = [&](const Finding& f) {
            return f.kind == FindingKind::uninitialised && f.array == a.shape().name;
        };
        const auto first = std::find_if(launch.findings.begin(), launch.findings.end(), of_it);
        if (first == launch.findings.end()) {
            continue;
        }
        const SourceLine line = first->line;
        std::erase_if(launch.findings, of_it);
        Finding* const told =
            find(FindingKind::uninitialised, line,
                 fmt::format("{} reads {}, {}", wanted.code->name, a.shape().name,
                             a.shape().read_only
                                 ? "constant memory that the program has not set: it is zeros"
                                 : "to which nothing was ever written" + swapped(wanted, used, unwritten, i)),
                 a.shape().name);
        if (told != nullptr && a.shape().read_only) {
            told->severity = Severity::risk;
        }
        a.initialise(0, a.bytes());
    }
}

void ProgramSession::note_written(std::uint32_t allocation, std::uint64_t bytes) {
    ByTheHost& by = by_the_host_[allocation];
    ++by.writes;
    by.bytes = bytes;
    by.line = here();
    constexpr std::string_view kNever = "to which nothing was ever written";
    for (Finding& f : trace_.program.findings) { // it had not been, when it was read
        if (const std::size_t at = f.text.find(kNever); f.kind == FindingKind::uninitialised && here().known() &&
                                                        f.array == (*memory_)[allocation].shape().name &&
                                                        at != std::string::npos) {
            f.text = f.text.substr(0, at) +
                     fmt::format("to which nothing was written before: line {} writes it only then", here().line());
        }
    }
}

void ProgramSession::tell_left_parts(Launch& launch) const {
    for (const auto& [index, by] : by_the_host_) {
        const simt::Allocation& a = (*memory_)[index];
        if (a.shape().read_only) { // constant memory is zeros
            continue;
        }
        for (Finding& f : launch.findings) {
            if (f.kind != FindingKind::uninitialised || f.array.empty() || f.array != a.shape().name || f.index < 0) {
                continue;
            }
            const std::uint64_t at = static_cast<std::uint64_t>(f.index) * a.shape().element_bytes;
            std::string left;
            if (by.pitch != 0 && at % by.pitch >= by.width) {
                left = fmt::format("rows of {} begin {} bytes apart, as cudaMallocPitch says, and have {}", f.array,
                                   by.pitch, by.width);
            } else if (by.writes == 1 && by.bytes < a.bytes() && by.line.known()) {
                left = fmt::format("line {} has written {} of its {} bytes", by.line.line(), by.bytes, a.bytes());
            } else {
                continue;
            }
            f.other_thread = kNobody;
            f.text = "which nothing has written before: " + left;
        }
    }
}

// The arguments that say that number, one, or of a launch in two dimensions also two that it is the product of; none: they do not.
std::vector<std::size_t> ProgramSession::stated_sizes(const Wanted& wanted,
                                                      const std::vector<simt::Argument>& arguments,
                                                      std::uint64_t count) const {
    std::vector<std::size_t> numbers;
    for (std::size_t p = 0; p < arguments.size(); ++p) {
        const Parameter& parameter = wanted.code->parameters[p];
        if (parameter.kind == Parameter::Kind::value && !is_floating(parameter.element)) {
            numbers.push_back(p);
        }
    }
    for (const std::size_t p : numbers) {
        if (arguments[p].bits == count) {
            return {p};
        }
    }
    constexpr std::size_t kMost = 3; // more may say which part is meant
    const bool flat = wanted.grid[1] * wanted.block[1] == 1 && thread_dimensions(*program_, *wanted.code) < 2;
    if (flat || numbers.size() > kMost) {
        return {};
    }
    for (const bool square : {false, true}) {
        for (const std::size_t p : numbers) {
            for (const std::size_t q : numbers) {
                const std::uint64_t one = arguments[p].bits, other = arguments[q].bits;
                if ((square ? p == q : p < q) && one != 0 && one <= count && count % one == 0 && count / one == other) {
                    return {p, q};
                }
            }
        }
    }
    return {};
}

// How the arguments say that number: "n", "w * h"; empty: they do not.
std::string ProgramSession::stated_count(const Wanted& wanted, const std::vector<simt::Argument>& arguments,
                                         std::uint64_t count) const {
    std::string text;
    for (const std::size_t p : stated_sizes(wanted, arguments, count)) {
        text += (text.empty() ? "" : " * ") + wanted.code->parameters[p].name;
    }
    return text;
}

// Arrays of rows of which the grid leaves a part: they are watched. A kernel may ask for rows that its launch does not have.
std::vector<ProgramSession::Rectangle> ProgramSession::watch_rectangles(const Wanted& wanted,
                                                                        const std::vector<simt::Argument>& arguments,
                                                                        const std::vector<std::uint32_t>& used) {
    std::vector<Rectangle> found;
    const auto threads = [&](std::size_t side) { return std::uint64_t{wanted.grid[side]} * wanted.block[side]; };
    const std::uint64_t wide = threads(0), high = threads(1), deep = threads(2);
    const bool asks_for_rows = thread_dimensions(*program_, *wanted.code) == 2U;
    for (std::size_t p = 0; p < used.size() && (wanted.grid[1] > 1 || deep > 1 || asks_for_rows); ++p) {
        if (used[p] == kNone || !wanted.code->parameters[p].stores) {
            continue;
        }
        simt::Allocation& a = (*memory_)[used[p]];
        const std::uint64_t elements = a.shape().elements;
        std::vector<std::uint64_t> numbers; // that divide them
        for (std::size_t q = 0; q < arguments.size(); ++q) {
            const Parameter& number = wanted.code->parameters[q];
            const std::uint64_t value = arguments[q].bits;
            if (number.kind == Parameter::Kind::value && !is_floating(number.element) && value >= 2 &&
                value <= elements && elements % value == 0) {
                numbers.push_back(value);
            }
        }
        const auto leaves = [&](std::uint64_t columns, std::uint64_t rows, std::uint64_t layers) {
            if (wide < columns || high < rows || deep < layers) {
                a.watch();
                found.push_back({used[p], columns, rows, layers, wide, high, deep});
            }
        };
        for (std::size_t x = 0; x < numbers.size(); ++x) {
            const std::uint64_t rest = elements / numbers[x];
            if (deep == 1 && !stated_count(wanted, arguments, elements).empty()) {
                leaves(numbers[x], rest, 1);
            }
            for (std::size_t y = 0; y < numbers.size() && deep > 1; ++y) {
                for (std::size_t z = 0; z < numbers.size(); ++z) {
                    if (x != y && x != z && y != z && rest % numbers[y] == 0 && rest / numbers[y] == numbers[z]) {
                        leaves(numbers[x], numbers[y], numbers[z]);
                    }
                }
            }
        }
    }
    return found;
}

// Less than a block is left where the number of blocks is rounded down; more of it may be meant. Whole blocks beyond the rows in
// one dimension, where a part is left in the other, are of a grid of (rows, columns) where (columns, rows) is meant. One block in z
// whose threads have layers, and more layers than these, is of a grid that leaves z out.
bool ProgramSession::tell_left_part(const Wanted& wanted, const UncoveredElements::Asked& asked,
                                    const std::vector<Rectangle>& rectangles) {
    for (const Rectangle& r : rectangles) {
        const simt::Allocation& a = (*memory_)[r.array];
        const std::uint64_t size = a.shape().element_bytes;
        std::uint64_t stored = 0;
        bool within = true; // of what the grid covers
        for (const auto& [first, end] : a.seen_stores()) {
            for (std::uint64_t i = first / size; i < (end + size - 1) / size && within; ++i) {
                ++stored;
                within = i % r.columns < r.wide && i / r.columns % r.rows < r.high && i / r.columns / r.rows < r.deep;
            }
        }
        const std::uint64_t covered =
            std::min(r.wide, r.columns) * std::min(r.high, r.rows) * std::min(r.deep, r.layers);
        const bool flat = r.deep == 1, swapped = flat && ((r.wide < r.columns && r.high >= r.rows + wanted.block[1]) ||
                                                          (r.high < r.rows && r.wide >= r.columns + wanted.block[0]));
        const bool rounded = r.columns < r.wide + wanted.block[0] && r.rows < r.high + wanted.block[1] &&
                             (r.layers < r.deep + wanted.block[2] || wanted.grid[2] == 1);
        // A grid and blocks of one dimension, of a kernel that asks for two.
        const bool one_row = flat && r.high == 1 && r.rows > 1;
        if (within &&
            ((one_row && stored == covered) || (swapped ? stored * 4 >= covered * 3 : rounded && stored == covered))) {
            suspect_uncovered(
                asked, r.array, {r.wide, r.high},
                fmt::format("{}<<<{}, {}>>> has {}, and {} is {}: {} of its {} elements are not written; {}",
                            wanted.code->name, extent(wanted.grid), extent(wanted.block),
                            flat ? fmt::format("{} threads in x and {} in y", r.wide, r.high)
                                 : fmt::format("{} threads in x, {} in y and {} in z", r.wide, r.high, r.deep),
                            a.shape().name,
                            flat ? fmt::format("{} wide and {} high", r.columns, r.rows)
                                 : fmt::format("{} wide, {} high and {} deep", r.columns, r.rows, r.layers),
                            a.shape().elements - stored, a.shape().elements,
                            one_row   ? "with a grid and blocks of two dimensions, dim3, there are threads in y"
                            : swapped ? "x and y of the grid may be swapped"
                                      : "the number of blocks must be rounded up, as by (n + block - 1) / block"));
            return true;
        }
    }
    return false;
}

// A launch is given the number of an array's elements, which alone guards its threads, has fewer of them, and does not reach the
// array's end.
void ProgramSession::tell_uncovered(const Wanted& wanted, const UncoveredElements::Asked& asked,
                                    const std::vector<simt::Argument>& arguments) {
    const std::uint64_t threads = simt::volume(wanted.grid) * simt::volume(wanted.block);
    for (std::size_t p = 0; p < asked.used.size(); ++p) {
        if (asked.used[p] == kNone || !wanted.code->parameters[p].loads) {
            continue;
        }
        const simt::Allocation& a = (*memory_)[asked.used[p]];
        const std::uint64_t elements = a.shape().elements, reached = a.loaded() / a.shape().element_bytes;
        const bool strided =
            elements - std::min(reached, elements) < (reached + threads - 1) / threads; // ends within a stride
        // Its blocks take the same elements. Fewer are left by a neighbour that must be inside, too: i + 1 < n.
        const std::uint64_t block = simt::volume(wanted.block), left = elements - std::min(reached, elements);
        const bool again =
            threads >= elements && simt::volume(wanted.grid) > 1 && (reached <= block || 2 * left >= block);
        if ((threads >= elements && !again) || reached >= elements || a.loaded() == 0 || strided) {
            continue;
        }
        const std::vector<std::size_t> sizes = stated_sizes(wanted, arguments, elements);
        const auto& blocks = program_->functions[wanted.code->function].blocks;
        const bool loops = std::any_of(blocks.begin(), blocks.end(), [](const auto& b) { return b.loop != kNone; });
        const bool an_element_each = reached == threads && threads == std::uint64_t{wanted.grid[0]} * wanted.block[0] &&
                                     ignores_numbers(*program_, *wanted.code);
        if (!sizes.empty() && (an_element_each || alone_bound_threads(*program_, *wanted.code, sizes))) {
            suspect_uncovered(
                asked, asked.used[p], {threads, reached},
                fmt::format("{}<<<{}, {}>>> reads {}[0] to [{}], but {} is {}: {} {}", wanted.code->name,
                            extent(wanted.grid), extent(wanted.block), a.shape().name, reached - 1,
                            stated_count(wanted, arguments, elements), elements,
                            !again  ? "the grid does not cover the last"
                            : loops ? "there are threads enough, but a loop ends before them, or an index leaves out "
                                      "blockIdx, so that several take the same elements; none takes the last"
                                    : "there are threads enough, but several take the same elements, as where an index "
                                      "leaves out blockIdx; none takes the last",
                            elements - reached));
            return;
        }
    }
}

namespace {
// The first two values in <<< >>>, in small letters.
std::pair<std::string, std::string> first_values(std::string_view line) {
    std::pair<std::string, std::string> values;
    const std::size_t open = line.find("<<<");
    int depth = 0, which = 0;
    for (std::size_t at = open == std::string_view::npos ? line.size() : open + 3; at < line.size() && which < 2;
         ++at) {
        const char c = line[at];
        depth += c == '(' || c == '{' ? 1 : c == ')' || c == '}' ? -1 : 0;
        if (c == '>' || (c == ',' && depth == 0)) {
            ++which;
        } else if (c != ' ') {
            (which == 0 ? values.first : values.second) +=
                static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
    }
    return values;
}
} // namespace

// kernel<<<threads, blocks>>>, as far as the two names say so.
void ProgramSession::tell_swapped_names() {
    const auto [first, second] = first_values(text_in(here()));
    const auto has = [](const std::string& name, std::initializer_list<std::string_view> words) {
        return std::ranges::all_of(name, in_identifier) &&
               std::ranges::any_of(words, [&](std::string_view word) { return name.find(word) != std::string::npos; });
    };
    const auto of_threads = [&](const std::string& name) {
        return has(name, {"thread", "tpb", "blocksize", "block_size", "blockdim", "dimblock"});
    };
    if (of_threads(first) && has(second, {"block", "grid"}) && !of_threads(second)) {
        find(
            FindingKind::doubtful_code, here(),
            "the first value in <<< >>> is the number of blocks and the second that of a block's threads, but by their "
            "names they are threads and blocks: they may be swapped");
    }
}

void ProgramSession::suspect_uncovered(const UncoveredElements::Asked& asked, std::uint32_t array,
                                       std::vector<std::uint64_t> ends, std::string text) {
    ++found_; // a launch like it is no repeat
    uncovered_.suspect(*program_,
                       {asked, array, std::move(ends), here(), std::move(text), (*memory_)[array].shape().name});
}

// Why an array is too short: its size in bytes is the number of elements that the kernel is told, cudaMalloc(&a, n); it is counted in
// elements of another type; the kernel takes its number of bytes, or its pitch, for one of elements.
std::string ProgramSession::why_too_short(const Wanted& wanted, const std::vector<simt::Argument>& arguments,
                                          std::uint32_t array, std::uint32_t size) {
    const simt::Allocation& a = (*memory_)[array];
    const std::string& name = a.shape().name;
    const auto known = by_the_host_.find(array);
    const ByTheHost by = known == by_the_host_.end() ? ByTheHost() : known->second;
    if (by.pitch != 0) {
        const std::string pitch = stated_count(wanted, arguments, by.pitch);
        return pitch.empty() ? ""
                             : fmt::format("{} = {} counts the bytes of a row of {}, not its elements: row y begins at "
                                           "(char*){} + y * {}",
                                           pitch, by.pitch, name, name, pitch);
    }
    const std::uint64_t elements = a.bytes() / size;
    const std::string count = stated_count(wanted, arguments, a.bytes());
    if (by.size.find("sizeof") != std::string::npos) {
        const std::uint32_t said = said_bytes(by.size);
        return said == 0 || said >= size
                   ? ""
                   : fmt::format("{} has {} elements: it was allocated with {}, {} bytes, and each "
                                 "of its elements takes {}",
                                 name, elements, by.size, a.bytes(), size);
    }
    const bool of_bytes = by.size.find("byte") != std::string::npos || by.size.find("size") != std::string::npos;
    if (count.empty()) {
        return {};
    }
    return of_bytes
               ? fmt::format("{} has {} elements, and {} = {} is the number of their bytes", name, elements, count,
                             a.bytes())
               : fmt::format("{} has {} elements: it was allocated with {} bytes, which is {}, and {} elements take "
                             "{} * {}",
                             name, elements, a.bytes(), count, count, count, size);
}

// Says so beside what goes past its end.
void ProgramSession::tell_counted_bytes(const Wanted& wanted, const std::vector<simt::Argument>& arguments,
                                        Launch& launch) {
    for (Finding& f : launch.findings) {
        if (f.kind != FindingKind::out_of_bounds || f.array.empty() || !f.text.empty()) {
            continue;
        }
        for (std::uint32_t i = 0; i < memory_->count(); ++i) {
            const simt::Allocation& a = (*memory_)[i];
            if (a.freed() || is_variable(i) || a.shape().name != f.array) {
                continue;
            }
            std::uint32_t size = a.shape().element_bytes;
            if (size == 1 && f.bytes > 1 && f.index % f.bytes == 0) { // no whole number of elements
                size = f.bytes;
                f.index /= size;
                f.elements = a.bytes() / size;
                f.text = fmt::format("{} has {} bytes", f.array, a.bytes());
            }
            if (const std::string why = size == 1 ? "" : why_too_short(wanted, arguments, i, size); !why.empty()) {
                f.text = why;
            }
        }
    }
}

// The argument that is a null pointer, where a kernel went through one, and why it is one.
void ProgramSession::name_null_pointer(const Wanted& wanted, const std::vector<simt::Argument>& arguments,
                                       Launch& launch) {
    const auto through = std::find_if(launch.findings.begin(), launch.findings.end(), [](const Finding& f) {
        return f.kind == FindingKind::out_of_bounds && f.array.empty() && f.text.ends_with("a null pointer");
    });
    std::vector<std::string> names;
    for (std::size_t p = 0; p < arguments.size(); ++p) {
        if (wanted.code->parameters[p].kind == Parameter::Kind::array && arguments[p].bits == 0) {
            names.push_back(wanted.code->parameters[p].name);
        }
    }
    if (through == launch.findings.end() || names.empty()) {
        return;
    }
    through->text += fmt::format(", as {} {}", fmt::join(names, " and "), names.size() == 1 ? "is" : "are");
    if (!not_allocated_.empty()) {
        through->text += ": " + not_allocated_;
    }
}

// A pointer of the host that a kernel goes through: the finding says what it is.
void ProgramSession::name_host_pointers(const Wanted& wanted, const std::vector<simt::Argument>& arguments,
                                        Launch& launch) {
    constexpr const char* kOfHost = "it is memory of the host"; // where it is differs from run to run
    const auto outside = std::find_if(launch.findings.begin(), launch.findings.end(), [](const Finding& f) {
        return f.kind == FindingKind::out_of_bounds && f.array.empty();
    });
    if (outside == launch.findings.end()) {
        return;
    }
    for (std::size_t p = 0; p < arguments.size(); ++p) {
        const Parameter& parameter = wanted.code->parameters[p];
        if (parameter.kind != Parameter::Kind::array || arguments[p].bits == 0 ||
            find_place(arguments[p].bits).allocation != nullptr) {
            continue;
        }
        const std::string text =
            fmt::format("{} is given a pointer to memory of the host for {}, which it {} in line {}", wanted.code->name,
                        parameter.name, outside->writes ? "writes" : "reads", outside->line.line());
        find(FindingKind::host_pointer, here(), text, parameter.name);
        outside->text = kOfHost;
        return;
    }
    // No argument: it read the pointer from memory, as a member of a structure.
    constexpr std::string_view kAddress = "address 0x";
    const std::size_t at = outside->text.find(kAddress);
    std::uint64_t address = 0;
    if (at == std::string::npos) {
        return;
    }
    const char* const digits = outside->text.data() + at + kAddress.size();
    std::from_chars(digits, outside->text.data() + outside->text.size(), address, 16);
    constexpr std::uint64_t kLowest = 1ULL << 16, kHighest = 1ULL << 47; // where a process's memory lies
    if (address >= kLowest && address < kHighest && !compile::is_host_address(address)) {
        find(FindingKind::host_pointer, here(),
             fmt::format(
                 "{} goes through an address of the host, which it read from memory, in line {}: what the pointer "
                 "points to has to be on the device, too",
                 wanted.code->name, outside->line.line()));
        outside->text = kOfHost;
    }
}

} // namespace warptree::runs
