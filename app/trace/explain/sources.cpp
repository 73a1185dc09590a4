#include "app/trace/explain/sources.hpp"

#include "kernels/source_text.hpp"
#include "kernels/strategy.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace warptree {

namespace {
// Which files the lines of a trace are in, by SourceLine::file().
class Files {
  public:
    explicit Files(const Trace& trace) {
        for (const Launch& l : trace.launches) {
            note(l.requests);
            note(l.nodes);
            note(l.shuffles);
            note(l.outputs);
            note(l.barriers);
            note(l.stalls);
            for (const Hazard& h : l.hazards) {
                note(h.first_line);
                note(h.second_line);
            }
        }
    }
    bool has(unsigned file) const { return met_[file]; }

  private:
    template <class Row> void note(const std::vector<Row>& rows) {
        for (const Row& row : rows) {
            note(row.line);
        }
    }
    void note(SourceLine line) {
        if (line.known() && line.file() <= kSharedSourceCount) {
            met_[line.file()] = true;
        }
    }
    std::array<bool, kSharedSourceCount + 1> met_{};
};

// The file of this build and, behind it, those it includes.
void add(std::vector<SourceView>& files, std::string_view path) {
    const bool known = std::any_of(files.begin(), files.end(), [&](const SourceView& f) { return f.path == path; });
    const std::string_view text = strategy_source(path);
    if (known || text.empty()) {
        return;
    }
    files.push_back({path, text, SourceOrigin::build});
    constexpr std::string_view kInclude = "#include \"kernels/";
    for (std::size_t at = text.find(kInclude); at != std::string_view::npos; at = text.find(kInclude, at)) {
        at += kInclude.size();
        if (at == kInclude.size() || text[at - kInclude.size() - 1] == '\n') {
            add(files, text.substr(at, text.find('"', at) - at));
        }
    }
}

std::vector<SourceView> built_sources(const Trace& trace) {
    const StrategyInfo* info = find_strategy(trace.options.strategy);
    std::vector<SourceView> files;
    if (info == nullptr) {
        return files;
    }
    add(files, info->source);
    const Files met(trace);
    for (unsigned k = 1; k <= kSharedSourceCount; ++k) {
        if (met.has(k)) {
            add(files, kSharedSources[k - 1]);
        }
    }
    return files;
}
} // namespace

std::vector<SourceView> sources(const Trace& trace) {
    if (trace.sources.empty()) {
        return built_sources(trace);
    }
    std::vector<SourceView> files;
    if (!trace.kernel.empty()) { // nothing of this build: what ran is what is shown
        for (const SourceFile& file : trace.sources) {
            files.push_back({file.path, file.text, SourceOrigin::recorded});
        }
        return files;
    }
    for (const SourceFile& file : trace.sources) {
        const bool same = file.text == strategy_source(file.path);
        files.push_back({file.path, file.text, same ? SourceOrigin::recorded : SourceOrigin::differs});
    }
    return files;
}

std::string_view own_source(const Trace& trace) {
    if (!trace.sources.empty()) {
        return trace.sources.front().path;
    }
    const StrategyInfo* info = find_strategy(trace.options.strategy);
    return info != nullptr ? info->source : std::string_view();
}

std::string_view file_of(const Trace& trace, SourceLine line) {
    if (!trace.kernel.empty()) {
        return line.file() < trace.sources.size() ? std::string_view(trace.sources[line.file()].path) : "";
    }
    return source_file(line, own_source(trace));
}

std::vector<SourceFile> kept_sources(const Trace& trace) {
    std::vector<SourceFile> files;
    for (const SourceView& file : built_sources(trace)) {
        files.push_back({std::string(file.path), std::string(file.text)});
    }
    return files;
}

} // namespace warptree
