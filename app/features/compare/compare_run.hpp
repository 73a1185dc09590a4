// A self-contained comparison: all that a picture or a movie of it needs, on any thread.
#pragma once

#include "app/features/compare/compare.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace warptree::scene {

struct CompareRun {
    struct Column {
        std::shared_ptr<const Trace> trace; // never null
        std::string title, note;
    };
    std::vector<Column> columns;
    std::vector<session::AlignedStep> aligned_steps; // of these traces, not empty
    std::vector<bool> name_threads;                  // by column: another one builds the same tree with other threads
    CompareTable table;                              // of the whole run; the rows of a step are computed per picture

    std::vector<ComparedTrace> compared() const;
};
CompareRun make_compare_run(std::vector<CompareRun::Column> columns, session::Alignment alignment,
                            const theory::ResourceTable* kernels, const timing::Series* times);

// The whole picture of an aligned step; `phase`, 0 … 1: the fraction of the step that has happened.
Drawing compose_compare(const CompareLook& look, float width, float height, const CompareRun& run,
                        std::uint32_t aligned_step, float phase);

// The aligned step with the most diverging warps and excess wavefronts, added up.
std::uint32_t telling_step(const CompareRun& run);

} // namespace warptree::scene
