#include "app/run/remedy/frees.hpp"

#include "app/base/identifier.hpp"
#include "app/run/program/host_calls.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace warptree::runs {

namespace {
struct Unfreed {
    std::string name;
    std::size_t at = 0; // in the text, where it is allocated
};

std::vector<Unfreed> unfreed(const Statements& code, const Trace& trace) {
    std::set<std::string> done;
    for (const StoryEvent& event : trace.program.events) {
        if (event.kind == StoryKind::free) {
            done.insert(event.name);
        }
    }
    std::vector<Unfreed> found;
    for (const StoryEvent& event : trace.program.events) {
        if (event.kind == StoryKind::allocate && is_name(event.name) && event.line.known() && event.line.file() == 0 &&
            done.insert(event.name).second) {
            const std::size_t begin = code.line_begin(event.line.line()), end = code.line_begin(event.line.line() + 1);
            const std::size_t named = find_word(code.bare(), event.name, begin, end);
            found.push_back({event.name, named != std::string::npos ? named : begin});
        }
    }
    return found;
}

// As the others in the text: cudaFree(d); or CHECK(cudaFree(d));
std::string free_of(const Statements& code, const Unfreed& what) {
    const std::string& bare = code.bare();
    const auto call = code.innermost(what.at);
    const bool pinned = call != nullptr && (bare.compare(call->begin, 14, "cudaMallocHost") == 0 ||
                                            bare.compare(call->begin, 13, "cudaHostAlloc") == 0);
    const std::string one = (pinned ? "cudaFreeHost(" : "cudaFree(") + what.name + ")";
    for (const TextCall& other : calls_of(code, "cudaFree")) {
        if (other.begin > 0 && bare[other.begin - 1] == '(') {
            std::size_t macro = other.begin - 1;
            while (macro > 0 && in_identifier(bare[macro - 1])) {
                --macro;
            }
            if (macro < other.begin - 1) {
                return bare.substr(macro, other.begin - macro) + one + ");";
            }
        }
    }
    return one + ";";
}

// Behind the last free of a block, else before its last return, or at its end.
TextEdit at_end_of(const Statements& code, const Statement& block, const std::string& lines) {
    for (std::size_t k = block.parts.size(); k-- > 0;) {
        const Statement& part = block.parts[k];
        if (part.kind == Statement::Kind::plain &&
            code.bare().substr(part.begin, part.end - part.begin).find("cudaFree(") != std::string::npos) {
            return line_after(code, part, lines);
        }
    }
    const Statement& last = block.parts.back();
    return code.bare().compare(last.begin, 6, "return") == 0 ? line_before(code, last.begin, lines)
                                                             : line_after(code, last, lines);
}
} // namespace

std::vector<Change> frees_of_all(const Statements& code, const Trace& trace) {
    const std::vector<Unfreed> all = unfreed(code, trace);
    std::vector<Change> found;
    for (const bool in_loops : {true, false}) {
        std::vector<std::pair<const Statement*, std::string>> places; // what is freed at the end of each
        for (const Unfreed& one : all) {
            const auto around = code.around(one.at);
            if (around.empty()) {
                return found;
            }
            const Statement* block = around.front();
            for (std::size_t k = 1; k < around.size() && in_loops; ++k) {
                if (around[k]->kind == Statement::Kind::block && around[k - 1]->kind == Statement::Kind::loop) {
                    block = around[k];
                }
            }
            if (block->parts.empty()) {
                return found;
            }
            auto place = std::find_if(places.begin(), places.end(), [&](const auto& p) { return p.first == block; });
            if (place == places.end()) {
                place = places.insert(places.end(), {block, ""});
            }
            place->second +=
                (place->second.empty() ? "" : "\n" + code.indent_at(block->parts.back().begin)) + free_of(code, one);
        }
        std::vector<TextEdit> edits;
        for (const auto& place : places) {
            edits.push_back(at_end_of(code, *place.first, place.second));
        }
        if (!edits.empty()) {
            found.push_back({"each is freed", std::move(edits)});
        }
    }
    return found;
}

std::vector<Change> frees_of_another(const Statements& code, const Trace& trace, const Finding& finding) {
    std::vector<Change> found;
    if (finding.text.find("is freed a second time") == std::string::npos || !finding.line.known() ||
        finding.line.file() != 0) {
        return found;
    }
    const std::string freed = finding.text.substr(0, finding.text.find(' '));
    std::vector<TextCall> calls = calls_of(code, "cudaFree");
    std::erase_if(calls, [&](const TextCall& call) {
        return code.line_of(call.begin) != finding.line.line() || call.words.size() != 1 ||
               trimmed_part(code.text(), call.words[0].first, call.words[0].second) != freed;
    });
    if (calls.empty()) {
        return found;
    }
    const TextCall& second = calls.back();
    for (const Unfreed& other : unfreed(code, trace)) {
        found.push_back(
            {"what is not freed yet is meant", {{second.words[0].first, second.words[0].second, other.name}}});
    }
    const Statement* const s = code.innermost(second.begin);
    if (s != nullptr && s->kind == Statement::Kind::plain) {
        std::size_t begin = s->begin, end = s->end;
        const std::size_t from = code.line_begin(code.line_of(begin)), to = code.line_begin(code.line_of(begin) + 1);
        if (trimmed_part(code.text(), from, to) == trimmed_part(code.text(), begin, end)) { // the line goes
            begin = from;
            end = to;
        } else {
            begin = code.bare().find_last_not_of(' ', begin - 1) + 1;
        }
        found.push_back({"it is freed once", {{begin, end, ""}}});
    }
    return found;
}

} // namespace warptree::runs
