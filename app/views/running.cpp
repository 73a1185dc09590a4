#include "app/views/running.hpp"

#include "app/trace/explain/sources.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warptree::scene {

namespace {

bool is_store(AccessKind kind) {
    return kind != AccessKind::shared_load && kind != AccessKind::global_load && kind != AccessKind::remote_load;
}

// The first line of each kind of work in one step, in the order of the trace's tables, or none.
class StepLines {
  public:
    StepLines(const Launch& launch, std::uint32_t step) : launch_(launch), step_(step) {}

    SourceLine combine() const {
        return first(launch_.nodes, [](const Node& it) { return it.kind == NodeKind::combine; });
    }
    SourceLine request(bool store) const {
        return first(launch_.requests, [&](const Request& it) { return is_store(it.kind) == store; });
    }
    SourceLine output() const {
        return first(launch_.outputs, [](const Output&) { return true; });
    }
    SourceLine fault() const { // at which the run ended
        return first(launch_.findings, [](const Finding& it) { return ends_the_run(it); });
    }
    SourceLine barrier() const {
        return first(launch_.barriers, [](const Barrier&) { return true; });
    }

  private:
    template <class Table, class Wanted> SourceLine first(const Table& table, Wanted wanted) const {
        for (const auto& it : table) {
            if (it.step == step_ && it.line.known() && wanted(it)) {
                return it.line;
            }
        }
        return SourceLine::none();
    }

    const Launch& launch_;
    std::uint32_t step_;
};

void append_file(std::vector<SourceRow>& rows, const SourceView& file) {
    if (!rows.empty()) {
        rows.push_back({file.path, std::string(file.path), 0});
    }
    std::string_view text = file.text;
    for (std::uint32_t line = 1; !text.empty(); ++line) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        rows.push_back({file.path, std::string(text.substr(0, end)), line});
        text.remove_prefix(std::min(text.size(), end + 1));
    }
}

} // namespace

SourceLine running_line(const Trace& trace, const session::Moment& moment) {
    const Launch* launch = shown_launch(trace, moment);
    if (launch == nullptr || launch->steps.empty() || is_host(trace, moment)) {
        return SourceLine::none();
    }
    const std::uint32_t step = current_step(trace, moment);
    const StepLines lines(*launch, step);
    const auto sub = moment.sub_step();
    const bool storing = sub == session::SubStep::store && moment.phase < 1;
    SourceLine found = sub == session::SubStep::barrier ? lines.barrier() : SourceLine::none();
    const auto attempt = [&](SourceLine next) { found = found.known() ? found : next; };
    switch (launch->steps[step].kind) {
    case StepKind::stage:
        if (sub == session::SubStep::combine || moment.phase >= 1) {
            attempt(lines.combine());
        }
        attempt(lines.request(storing));
        attempt(lines.combine());
        attempt(lines.request(true));
        break;
    case StepKind::load:
    case StepKind::other:
        attempt(lines.fault());
        attempt(lines.request(storing));
        attempt(lines.request(!storing));
        break;
    case StepKind::store:
        attempt(lines.output());
        attempt(lines.request(true));
        break;
    }
    attempt(lines.barrier());
    if (!launch->stalls.empty()) { // stalled: use the line where its threads wait
        attempt(launch->stalls.front().line);
    }
    if (!found.known() && step > 0) { // nothing happens in it: use the end of the step before
        session::Moment before = moment;
        before.step = step - 1;
        before.phase = 1;
        return running_line(trace, before);
    }
    return found;
}

std::vector<SourceRow> source_rows(const Trace& trace) {
    std::vector<SourceRow> rows;
    for (const SourceView& file : sources(trace)) {
        append_file(rows, file);
    }
    return rows;
}

std::string source_note(const Trace& trace, SourceLine line) {
    const std::vector<SourceView> files = sources(trace);
    const std::string_view path = file_of(trace, line);
    const auto found = std::find_if(files.begin(), files.end(), [&](const SourceView& f) { return f.path == path; });
    switch (found == files.end() ? SourceOrigin::recorded : found->origin) {
    case SourceOrigin::recorded: break;
    case SourceOrigin::differs: return "As recorded: this program's text differs.";
    }
    return {};
}

std::uint32_t row_of(const std::vector<SourceRow>& rows, const Trace& trace, SourceLine line) {
    if (!line.known()) {
        return kNone;
    }
    const std::string_view file = file_of(trace, line);
    const auto found = std::find_if(rows.begin(), rows.end(),
                                    [&](const SourceRow& r) { return r.line == line.line() && r.file == file; });
    return found == rows.end() ? kNone : static_cast<std::uint32_t>(found - rows.begin());
}

std::string written_at(const Trace& trace, SourceLine line) {
    const std::string_view file = line.file() == 0 ? std::string_view() : file_of(trace, line);
    return file.empty() ? fmt::format("line {}", line.line())
                        : fmt::format("line {} of {}", line.line(), file.substr(file.rfind('/') + 1));
}

} // namespace warptree::scene
