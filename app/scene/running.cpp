#include "app/scene/running.hpp"

#include "app/scene/parts.hpp"
#include "kernels/source_text.hpp"
#include "kernels/strategy.hpp"

#include <algorithm>

namespace warptree::scene {

namespace {

Deed deed_of(AccessKind kind) {
    switch (kind) {
    case AccessKind::shared_load:
    case AccessKind::shared_store: return Deed::shared_access;
    case AccessKind::global_load: return Deed::load;
    case AccessKind::global_store:
    case AccessKind::atomic: break;
    }
    return Deed::emit;
}

bool is_store(AccessKind kind) { return kind != AccessKind::shared_load && kind != AccessKind::global_load; }

// The first line of each kind of work in one step, in the order of the trace's tables; line 0 when there is none.
class StepLines {
  public:
    StepLines(const Launch& launch, std::uint32_t step) : launch_(launch), step_(step) {}

    Running combine() const {
        return first(launch_.nodes, Deed::combine, [](const Node& it) { return it.kind == NodeKind::combine; });
    }
    Running request(bool store) const {
        for (const Request& it : launch_.requests) {
            if (it.step == step_ && is_store(it.kind) == store && it.line != 0) {
                return {it.line, deed_of(it.kind)};
            }
        }
        return {};
    }
    Running output() const {
        return first(launch_.outputs, Deed::emit, [](const Output&) { return true; });
    }
    Running barrier() const {
        return first(launch_.barriers, Deed::barrier, [](const Barrier&) { return true; });
    }

  private:
    template <class Table, class Wanted> Running first(const Table& table, Deed deed, Wanted wanted) const {
        for (const auto& it : table) {
            if (it.step == step_ && it.line != 0 && wanted(it)) {
                return {it.line, deed};
            }
        }
        return {};
    }

    const Launch& launch_;
    std::uint32_t step_;
};

void append_file(std::vector<SourceRow>& rows, std::string_view path) {
    const bool known = std::any_of(rows.begin(), rows.end(), [&](const SourceRow& r) { return r.file == path; });
    std::string_view text = strategy_source(path);
    if (known || text.empty()) {
        return;
    }
    if (!rows.empty()) {
        rows.push_back({path, path, 0});
    }
    std::vector<std::string_view> included;
    for (std::uint32_t line = 1; !text.empty(); ++line) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view row = text.substr(0, end);
        rows.push_back({path, row, line});
        constexpr std::string_view include = "#include \"kernels/";
        if (row.starts_with(include)) {
            const std::string_view rest = row.substr(include.size());
            included.push_back(rest.substr(0, rest.find('"')));
        }
        text.remove_prefix(std::min(text.size(), end + 1));
    }
    for (const std::string_view header : included) {
        append_file(rows, header);
    }
}

} // namespace

Running running(const Trace& trace, const session::Moment& moment) {
    const Launch* launch = shown_launch(trace, moment);
    if (launch == nullptr || launch->steps.empty() || is_host(trace, moment)) {
        return {};
    }
    const std::uint32_t step = current_step(trace, moment);
    const StepLines lines(*launch, step);
    const auto sub = moment.sub_step();
    const bool storing = sub == session::SubStep::store && moment.phase < 1;
    Running found;
    const auto attempt = [&](Running next) { found = found.line == 0 ? next : found; };
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
        attempt(lines.request(storing));
        attempt(lines.request(false));
        break;
    case StepKind::store:
        attempt(lines.output());
        attempt(lines.request(true));
        break;
    }
    attempt(lines.barrier());
    return found;
}

std::uint32_t running_line(const Trace& trace, const session::Moment& moment) { return running(trace, moment).line; }

std::vector<SourceRow> source_rows(std::string_view strategy) {
    std::vector<SourceRow> rows;
    if (const StrategyInfo* info = find_strategy(strategy)) {
        append_file(rows, info->source);
    }
    return rows;
}

bool fits(const SourceRow& row, const Running& running) {
    if (row.line == 0 || row.line != running.line) {
        return false;
    }
    const std::string_view code = row.text.substr(0, row.text.find("//"));
    const auto has = [&](std::string_view word) { return code.find(word) != std::string_view::npos; };
    switch (running.deed) {
    case Deed::load: return has("load(") || has("identity(");
    case Deed::combine: return has("combine(");
    case Deed::shared_access: return has("[");
    case Deed::emit: return has("emit(") || has("atomic(");
    case Deed::barrier: break;
    }
    return has("barrier(");
}

std::uint32_t row_of(const std::vector<SourceRow>& rows, const Running& running) {
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const SourceRow& r) { return fits(r, running); });
    return found == rows.end() ? kNone : static_cast<std::uint32_t>(found - rows.begin());
}

} // namespace warptree::scene
