// What makes a kernel cheaper that is right.
#include "app/run/remedy/costs.hpp"
#include "app/run/remedy/remedy.hpp"
#include "app/run/remedy/trial.hpp"

#include "app/trace/explain/costs.hpp"
#include "app/trace/model/metrics.hpp"

namespace warptree::runs {

std::optional<Remedy> cheaper_remedy(const RunOptions& options, const Trace& trace, RunControl& control) {
    const std::size_t told = costs(trace).size();
    if (told == 0 || trace.sources.empty() || !trace.completed() || !finding_places(trace).empty()) {
        return std::nullopt;
    }
    const auto work = [](const Trace& run) {
        const Metrics m = metrics(run);
        return m.shared_wavefronts() + m.sectors() + m.totals.active_warps + m.totals.barriers;
    };
    const bool program = !trace.program.entry.empty();
    std::optional<SameLaunch> same;
    if (!program && !same.emplace(options, trace, control).known()) {
        return std::nullopt;
    }
    const Statements code(trace.sources.front().text);
    for (Change& change : cheaper_changes(code)) {
        Remedy remedy{change.words, edited(code.text(), std::move(change.edits))};
        const auto run = program ? run_with(options, remedy.text, true, control) : same->run(remedy.text);
        if (run && run->completed() && finding_places(*run).empty() && run->outputs == trace.outputs &&
            run->program.exit == trace.program.exit && run->program.printed == trace.program.printed &&
            costs(*run).size() < told && work(*run) < work(trace)) {
            return remedy;
        }
    }
    return std::nullopt;
}

} // namespace warptree::runs
