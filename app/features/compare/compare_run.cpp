#include "app/features/compare/compare_run.hpp"

#include <utility>

namespace warptree::scene {

std::vector<ComparedTrace> CompareRun::compared() const {
    std::vector<ComparedTrace> all;
    for (const Column& column : columns) {
        all.push_back({column.trace.get(), column.title, column.note});
    }
    return all;
}

CompareRun make_compare_run(std::vector<CompareRun::Column> columns, session::Alignment alignment,
                            const theory::ResourceTable* kernels, const timing::Series* times) {
    CompareRun run{std::move(columns), {}, {}, {}};
    std::vector<const Trace*> traces;
    for (const CompareRun::Column& column : run.columns) {
        traces.push_back(column.trace.get());
    }
    run.aligned_steps = session::align(traces, alignment);
    run.name_threads.assign(traces.size(), false);
    for (std::size_t a = 0; a < traces.size(); ++a) {
        for (std::size_t b = a + 1; b < traces.size(); ++b) {
            if (compare_trees(*traces[a], *traces[b]) == Trees::same) {
                run.name_threads[a] = run.name_threads[b] = true;
            }
        }
    }
    run.table = make_compare_table(run.compared(), {}, kernels, times);
    return run;
}

Drawing compose_compare(const CompareLook& look, float width, float height, const CompareRun& run,
                        std::uint32_t aligned_step, float phase) {
    std::vector<session::ColumnMoment> at;
    std::vector<CompareColumn> columns;
    for (std::size_t c = 0; c < run.columns.size(); ++c) {
        const CompareRun::Column& column = run.columns[c];
        at.push_back(session::column_moment(*column.trace, run.aligned_steps, c, aligned_step, phase));
        columns.push_back(
            {column.trace.get(), at.back(), column.title, column.note, "", {}, {}, run.name_threads[c], false});
    }
    CompareTable table = run.table;
    table.step = compare_step_rows(run.compared(), at);
    return compose_compare(look, width, height, columns, table);
}

std::uint32_t telling_step(const CompareRun& run) {
    std::uint32_t best = 0;
    std::uint64_t most = 0;
    for (std::uint32_t b = 0; b < run.aligned_steps.size(); ++b) {
        std::uint64_t cost = 0;
        for (std::size_t c = 0; c < run.columns.size(); ++c) {
            const Trace& trace = *run.columns[c].trace;
            const session::ColumnMoment at = session::column_moment(trace, run.aligned_steps, c, b, 1);
            if (!at.waits && at.moment.launch < trace.launches.size()) {
                const Counters& s = trace.launches[at.moment.launch].steps[at.moment.step].counters;
                cost += s.divergent_warps + s.shared_load_wavefronts - s.shared_load_ideal + s.shared_store_wavefronts -
                        s.shared_store_ideal;
            }
        }
        if (cost > most) {
            most = cost;
            best = b;
        }
    }
    return best;
}

} // namespace warptree::scene
