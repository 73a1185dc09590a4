#include "app/run/program/session.hpp"
#include "app/run/program/looped_launches.hpp"

#include "app/base/build_info.hpp"
#include "app/run/compiler_warnings.hpp"
#include "app/run/program/looped_launches.hpp"
#include "app/run/program/text.hpp"
#include "app/run/tracing_device.hpp"
#include "app/trace/explain/findings.hpp"
#include "app/trace/explain/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>

namespace warptree::runs {

using compile::kNone;

ProgramSession::ProgramSession(std::shared_ptr<const compile::Program> program, const SessionOptions& options,
                               RunControl& control, std::byte* stage, int shared_file,
                               std::function<void(std::string_view)> print)
    : program_(std::move(program)), options_(options), control_(control), stage_(stage), shared_file_(shared_file),
      print_(std::move(print)),
      memory_(std::make_unique<simt::Memory>(*program_, options.memory * options.devices + RunLimits().memory,
                                             simt::Memory::Constants::unset)),
      devices_(options.devices) {
    trace_.program.entry = "main";
    trace_.producer = std::string("warptree ") + std::string(build_info().version);
    trace_.options = options_.run;
    if (options_.run.backend == Backend::cuda) {
        trace_.device = tracing_device().facts();
    } else {
        trace_.device = {"CPU interpreter", 0, 0};
        trace_.options.backend = Backend::cpu;
    }
    trace_.options.finish = Finish::host;
    trace_.options.block = 0;
    trace_.expected = "none";
    for (const compile::SourceText& file : program_->files) {
        trace_.sources.push_back({file.path, file.text});
    }
    for (const compile::Kernel& kernel : program_->kernels) {
        trace_.kernels.push_back(kernel.name);
    }
    for (const compile::HostTouch& t : program_->host.touches) {
        find(FindingKind::device_pointer, line_of(t.file, t.line),
             fmt::format("the host {} {}, a {} variable: it {} something of its own, not what kernels use; "
                         "{} copies that",
                         t.writes ? "writes" : "reads", t.name, t.constant ? "__constant__" : "__device__",
                         t.writes ? "changes" : "gets", t.writes ? "cudaMemcpyToSymbol" : "cudaMemcpyFromSymbol"),
             t.name);
    }
    std::vector<compile::Diagnostic> warnings = program_->host.warnings;
    std::ranges::stable_sort(warnings, {}, &compile::Diagnostic::line);
    for (const compile::Diagnostic& d : warnings) {
        std::string words = in_words(d);
        if (const SourceLine line = line_of(d.file, d.line); line.known() && !words.empty()) {
            find(FindingKind::doubtful_code, line, std::move(words));
        }
    }
    // Without cudaFuncSetAttribute a block may have 48 KB.
    constexpr std::uint32_t kUsual = 48U * 1024U;
    shared_allowed_.assign(program_->kernels.size(), kUsual);
    large_clusters_.assign(program_->kernels.size(), false);
    attempts_.assign(program_->kernels.size(), 0);
}

ProgramSession::~ProgramSession() = default;

// Where its instruction is, or else the innermost caller whose line is known.
void ProgramSession::locate(const host::Ask& ask) {
    locate(ask.section, ask.address);
    const auto call = static_cast<host::Call>(ask.call);
    if (call != host::Call::crashed && call != host::Call::early) {
        return;
    }
    for (std::size_t i = 0; i < host::kCallers && !line_.known(); ++i) {
        const std::uint64_t caller = ask.words[host::kFirstCaller + i];
        locate(static_cast<std::uint32_t>(caller >> host::kSectionShift), caller & ((1ULL << host::kSectionShift) - 1));
    }
    if (!line_.known()) {
        locate_before(ask.section, ask.address);
    }
}

// Of an instruction of what a header had inlined: the last line before it that is the program's own.
void ProgramSession::locate_before(std::uint32_t section, std::uint64_t address) {
    constexpr std::uint64_t kMost = 256; // bytes
    const std::vector<compile::HostLine>& lines = program_->host.lines;
    auto at = std::upper_bound(
        lines.begin(), lines.end(), std::pair(section, address),
        [](const auto& place, const compile::HostLine& l) { return place < std::pair(l.section, l.address); });
    while (section != 0 && !line_.known() && at != lines.begin()) {
        --at;
        if (at->section != section || at->address + kMost < address) {
            return;
        }
        if (at->line != 0 && at->file < program_->host.files.size()) {
            line_ = line_of(program_->host.files[at->file], at->line);
            column_ = line_.known() ? at->column : 0;
        }
    }
}

void ProgramSession::locate(std::uint32_t section, std::uint64_t address) {
    line_ = SourceLine::none();
    column_ = 0;
    const std::vector<compile::HostLine>& lines = program_->host.lines;
    if (section == 0) {
        return;
    }
    const auto after = std::upper_bound(
        lines.begin(), lines.end(), std::pair(section, address),
        [](const auto& place, const compile::HostLine& l) { return place < std::pair(l.section, l.address); });
    if (after == lines.begin()) {
        return;
    }
    const auto own = [&](const compile::HostLine& l) {
        return l.section == section && l.file < program_->host.files.size();
    };
    auto at = after - 1;
    while (own(*at) && at->line == 0 && at + 1 != lines.end()) { // what it was moved to follows
        ++at;
    }
    if (!own(*at) || at->line == 0) {
        return;
    }
    line_ = line_of(program_->host.files[at->file], at->line);
    column_ = line_.known() ? at->column : 0;
}

std::string_view ProgramSession::text_in(SourceLine line) const {
    std::string_view text = warptree::text_of(trace_, line);
    for (std::uint32_t l = 1; l < line.line() && !text.empty(); ++l) {
        text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    }
    return text.substr(0, text.find('\n'));
}

SourceLine ProgramSession::line_of(const std::string& name, std::uint32_t line) const {
    const auto file =
        std::find_if(trace_.sources.begin(), trace_.sources.end(), [&](const SourceFile& f) { return f.path == name; });
    return file == trace_.sources.end() ? SourceLine::none()
                                        : SourceLine::of(static_cast<unsigned>(file - trace_.sources.begin()), line);
}

std::string ProgramSession::argument(unsigned number) const {
    return line_.known() ? argument_at(trace_.sources[line_.file()].text, line_.line(), column_, number)
                         : std::string();
}

std::string ProgramSession::argument_text(unsigned number) const {
    return line_.known() ? argument_text_at(trace_.sources[line_.file()].text, line_.line(), column_, number)
                         : std::string();
}

std::uint64_t ProgramSession::memory_left() const {
    return options_.memory - std::min(devices_.used(devices_.current()), options_.memory);
}

StreamOrder::Stream ProgramSession::stream(std::uint64_t number) const {
    return number <= StreamOrder::kOfAThread ? StreamOrder::default_of(devices_.current()) | number : number;
}

bool ProgramSession::is_variable(std::uint32_t allocation) const {
    return allocation < program_->globals.size() ||
           std::find(variables_.begin(), variables_.end(), allocation) != variables_.end();
}

std::string ProgramSession::named(std::uint32_t allocation) const { return (*memory_)[allocation].shape().name; }

SourceLine ProgramSession::line_of_last(StoryKind kind, const std::string& name) const {
    const auto& events = trace_.program.events;
    const auto last = std::find_if(events.rbegin(), events.rend(),
                                   [&](const StoryEvent& e) { return e.kind == kind && e.name == name; });
    return last == events.rend() ? SourceLine::none() : last->line;
}

std::string ProgramSession::where_freed(const std::string& name, std::string_view before) const {
    const SourceLine line = line_of_last(StoryKind::free, name);
    return line.known() ? fmt::format(" ({}{})", before, place(trace_, line)) : std::string();
}

// Two arrays of one name are told apart.
std::string ProgramSession::unique_name(std::string name) {
    if (name.empty()) {
        name = "array";
    }
    const auto taken = [&](const std::string& candidate) {
        for (std::uint32_t i = 0; i < memory_->count(); ++i) {
            if (!(*memory_)[i].freed() && (*memory_)[i].shape().name == candidate) {
                return true;
            }
        }
        return false;
    };
    std::string result = name;
    for (unsigned i = 2; i < 100 && taken(result); ++i) {
        result = fmt::format("{} ({})", name, i);
    }
    return result;
}

StoryEvent& ProgramSession::tell(StoryKind kind) {
    static StoryEvent nowhere;
    ProgramStory& story = trace_.program;
    if (story.events.size() == kMostStoryEvents) {
        ++story.events_left_out;
        return nowhere = {};
    }
    StoryEvent& event = story.events.emplace_back();
    event.kind = kind;
    event.line = line_;
    return event;
}

Finding* ProgramSession::find(FindingKind kind, SourceLine line, std::string text, std::string array) {
    constexpr std::size_t kMost = 100;
    ++found_;
    std::vector<Finding>& all = trace_.program.findings;
    const auto same = std::find_if(all.begin(), all.end(), [&](const Finding& f) {
        return f.kind == kind && f.line == line && line.known() && f.array == array &&
               (kind != FindingKind::doubtful_code || f.text == text);
    });
    if (same != all.end()) {
        ++same->times;
        return &*same;
    }
    if (all.size() == kMost) {
        return nullptr;
    }
    Finding& finding = all.emplace_back();
    finding.kind = kind;
    finding.severity = record_of(kind).severity;
    finding.line = line;
    finding.text = std::move(text);
    finding.array = std::move(array);
    return &finding;
}

CudaError ProgramSession::fail(CudaError error) {
    if (error != CudaError::none) {
        last_ = error;
    }
    return error;
}

ProgramSession::Place ProgramSession::find_place(std::uint64_t address) {
    Place place;
    place.allocation = memory_->find(address, place.offset, place.index);
    return place;
}

std::uint64_t ProgramSession::span_of(const Rows& rows) const {
    constexpr std::uint64_t kMost = 1ULL << 40;
    if (rows.width > kMost || rows.pitch > kMost || rows.height > kMost ||
        (rows.height > 1 && rows.pitch > kMost / rows.height)) {
        return kMost; // more than any array has
    }
    return rows.height == 0 || rows.width == 0 ? 0 : (rows.height - 1) * rows.pitch + rows.width;
}

std::optional<ProgramSession::Place> ProgramSession::place_of(const Rows& rows, const std::string& what,
                                                              const std::string& variable) {
    const Place place = find_place(rows.address);
    const std::string name = variable.empty() ? "its pointer" : variable;
    if (place.allocation == nullptr) {
        find(FindingKind::copy_out_of_bounds, here(),
             rows.address == 0 ? fmt::format("{} through {}, which is a null pointer", what, name)
                               : fmt::format("{} through {}, which points to no memory of the device", what, name),
             variable);
        return std::nullopt;
    }
    const simt::Allocation& a = *place.allocation;
    if (a.freed()) {
        find(FindingKind::use_after_free, here(),
             fmt::format("{} {}, which has been freed{}", what, a.shape().name, where_freed(a.shape().name)),
             a.shape().name);
        return std::nullopt;
    }
    const std::uint64_t bytes = span_of(rows);
    if (place.offset < 0 || static_cast<std::uint64_t>(place.offset) > a.bytes() ||
        bytes > a.bytes() - static_cast<std::uint64_t>(place.offset)) {
        find(FindingKind::copy_out_of_bounds, here(),
             place.offset == 0 ? fmt::format("{} {} bytes of {}, which has {}", what, bytes, a.shape().name, a.bytes())
                               : fmt::format("{} {} bytes of {} from byte {} on, but it has {}", what, bytes,
                                             a.shape().name, place.offset, a.bytes()),
             a.shape().name);
        return std::nullopt;
    }
    return place;
}

void ProgramSession::printed(std::string_view text) {
    ProgramStory& story = trace_.program;
    story.printed += text.substr(0, kMostPrintedKept - std::min(kMostPrintedKept, story.printed.size()));
    // Prints in a row are one event.
    constexpr std::size_t kMostText = 4096;
    if (story.events.empty() || story.events.back().kind != StoryKind::print) {
        line_ = SourceLine::none();
        tell(StoryKind::print);
    }
    if (!story.events.empty() && story.events.back().kind == StoryKind::print) {
        StoryEvent& event = story.events.back();
        event.bytes += text.size();
        event.text += text.substr(0, kMostText - std::min(kMostText, event.text.size()));
    }
}

// On an H100 (CUDA 13.0) waits, copies that the host waits for, cudaFree and cudaDeviceReset show what was printed; the next
// launch, cudaMalloc, cudaMemset and the program's end do not.
void ProgramSession::show_printed() {
    constexpr std::size_t kMost = 16U << 20;
    while (!printed_.empty() && (printed_bytes_ > kMost || order_.waited_for(printed_.front().by))) {
        const std::string text = std::move(printed_.front().text);
        printed_.pop_front();
        printed_bytes_ -= text.size();
        print_(text);
        printed(text);
    }
}

void ProgramSession::ended(int exit, bool itself, const std::string& why) {
    ProgramStory& story = trace_.program;
    line_ = SourceLine::none();
    for (const UncoveredElements::Suspect& s : uncovered_.left()) {
        find(FindingKind::uncovered, s.line, s.text, s.name);
    }
    const auto faulty = [](const std::vector<Finding>& all) {
        return std::ranges::find(all, Severity::fault, &Finding::severity) != all.end();
    };
    // One that gives up where something went wrong leaves its memory so.
    const bool gives_up =
        exit != 0 && (faulty(story.findings) ||
                      std::ranges::any_of(trace_.launches, [&](const Launch& l) { return faulty(l.findings); }));
    if (began_ && itself && !reset_ && !crash_ && !gives_up) {
        // Of one name, as in a loop, once with its line.
        struct Left {
            std::string name;
            SourceLine line = SourceLine::none();
            unsigned times = 0;
        };
        constexpr std::size_t kNamed = 8;
        std::vector<Left> all;
        std::uint64_t bytes = 0;
        for (std::uint32_t i = static_cast<std::uint32_t>(program_->globals.size()); i < memory_->count(); ++i) {
            const simt::Allocation& a = (*memory_)[i];
            if (a.freed() || is_variable(i) || a.shape().name == "malloc") {
                continue;
            }
            const std::string name = a.shape().name.substr(0, a.shape().name.find(" ("));
            const SourceLine line = line_of_last(StoryKind::allocate, a.shape().name);
            auto one = std::ranges::find_if(all, [&](const Left& l) { return l.name == name && l.line == line; });
            if (one == all.end()) {
                all.push_back({name, line, 0});
                one = all.end() - 1;
            }
            ++one->times;
            bytes += a.bytes();
        }
        std::string left;
        for (std::size_t k = 0; k < std::min(all.size(), kNamed); ++k) {
            left += (k == 0 ? "" : ", ") + all[k].name;
            if (all[k].times > 1 && all[k].line.known()) {
                left += fmt::format(" ({} times, {})", all[k].times, place(trace_, all[k].line));
            }
        }
        if (all.size() > kNamed) {
            left += fmt::format(" and {} more", all.size() - kNamed);
        }
        if (!all.empty()) {
            find(FindingKind::leak, SourceLine::none(),
                 fmt::format("{} {} never freed ({} bytes)", left, all.size() == 1 ? "is" : "are", bytes));
        }
    }
    for (const Unseen& unseen : printed_) {
        if (itself && !crash_) {
            const auto lines = std::count(unseen.text.begin(), unseen.text.end(), '\n');
            find(FindingKind::unseen_print, unseen.by.line,
                 fmt::format("what {} prints{} is not seen: the program ends without waiting for it; "
                             "cudaDeviceSynchronize() waits",
                             unseen.kernel, lines > 1 ? fmt::format(" ({} lines)", lines) : ""));
        }
    }
    // One that says nothing, or only how long it took or what failed, needs no results; one that brings data in does.
    const bool prints =
        std::ranges::any_of(story.events, [](const StoryEvent& e) { return e.kind == StoryKind::print; }) &&
        std::ranges::any_of(story.events, [](const StoryEvent& e) {
            return e.kind == StoryKind::copy && e.direction == CopyDirection::host_to_device;
        });
    if (itself && !crash_ && !timed_ && trace_.completed() && prints && !faulty(story.findings)) {
        if (const auto unread = results_.nothing_read()) {
            find(FindingKind::unread_results, unread->line, unread->text);
        }
    }
    if (itself && !crash_ && trace_.completed()) {
        for (const UnreadResults::Unread& unread : results_.flags()) {
            find(FindingKind::unread_results, unread.line, unread.text);
        }
    }
    const auto finds = [](const Launch& launch) { return !launch.findings.empty(); };
    if (itself && !crash_ && exit != 0 && trace_.completed() && !faulty(story.findings) &&
        std::ranges::none_of(trace_.launches, finds)) {
        if (const auto once = set_once(trace_)) {
            find(FindingKind::doubtful_code, once->line, once->text, once->array);
        } else if (const auto again = same_again(trace_)) {
            find(FindingKind::doubtful_code, again->line, again->text);
        }
    }
    if (unseen_ < story.findings.size()) {
        story.findings[unseen_].text += ", and the program never asks whether it succeeded (cudaGetLastError)";
    }
    story.exit = exit;
    line_ = SourceLine::none();
    StoryEvent& end = tell(StoryKind::exit);
    end.bytes = static_cast<std::uint64_t>(exit);
    end.text = why;
    for (const Launch& launch : trace_.launches) {
        const Counters totals = launch.totals();
        trace_.tree.combines += totals.combines;
        trace_.tree.useful_combines += totals.useful_combines;
        trace_.tree.padding_combines += totals.padding_combines;
    }
    if (!trace_.launches.empty()) {
        trace_.kernel = trace_.launches.front().kernel;
        trace_.arguments = trace_.launches.front().arguments;
        trace_.options.block = trace_.launches.front().block;
    }
    trace_.pass = exit == 0 && trace_.completed();
}

} // namespace warptree::runs
