#include "app/trace/explain/sources.hpp"

#include "app/catalogue/kernel_text.hpp"
#include "app/catalogue/strategy.hpp"

#include <algorithm>

namespace warptree {

namespace {
// Whether this program would run the same text with the trace's options. Never for a trace recorded before kernels were
// plain CUDA.
bool is_of_this_program(const Trace& trace, const StrategyInfo& info) {
    if (trace.kernel.empty()) {
        return false;
    }
    std::string text = catalogue::finished_text(info.text, trace.options.finish.value_or(info.finishes.front()));
    if (trace.options.op == Operator::sum_of_squares) {
        text = catalogue::mapped_text(text);
    }
    return text == trace.sources.front().text;
}
} // namespace

std::vector<SourceView> sources(const Trace& trace) {
    std::vector<SourceView> files;
    for (const SourceFile& file : trace.sources) {
        files.push_back({file.path, file.text, SourceOrigin::recorded});
    }
    const StrategyInfo* info = find_strategy(trace.options.strategy);
    if (!files.empty() && info != nullptr && !is_of_this_program(trace, *info)) {
        for (SourceView& file : files) {
            file.origin = SourceOrigin::differs;
        }
    }
    return files;
}

std::string_view own_source(const Trace& trace) {
    return trace.sources.empty() ? std::string_view() : std::string_view(trace.sources.front().path);
}

std::string_view file_of(const Trace& trace, SourceLine line) {
    return line.file() < trace.sources.size() ? std::string_view(trace.sources[line.file()].path) : "";
}

std::string_view text_of(const Trace& trace, SourceLine line) {
    return line.file() < trace.sources.size() ? std::string_view(trace.sources[line.file()].text) : "";
}

} // namespace warptree
