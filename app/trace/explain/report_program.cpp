#include "app/trace/explain/report_program.hpp"

#include "app/trace/explain/findings.hpp"
#include "app/trace/explain/told_findings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace warptree {

namespace {
using Json = nlohmann::ordered_json;

const std::string& file_of_line(const Trace& t, SourceLine line) {
    static const std::string none;
    return line.file() < t.sources.size() ? t.sources[line.file()].path : none;
}

Json event_json(const Trace& t, const StoryEvent& e) {
    Json out{{"kind", name(e.kind)}};
    if (e.line.known()) {
        out["line"] = e.line.line();
        if (e.line.file() != 0) {
            out["file"] = file_of_line(t, e.line);
        }
    }
    switch (e.kind) {
    case StoryKind::copy:
        out["to"] = e.name;
        out["from"] = e.other;
        out["direction"] = name(e.direction);
        out["bytes"] = e.bytes;
        if (!e.text.empty()) {
            out["values"] = e.text;
        }
        break;
    case StoryKind::allocate:
    case StoryKind::free:
    case StoryKind::set:
        out["name"] = e.name;
        out["bytes"] = e.bytes;
        break;
    case StoryKind::launch:
        out["kernel"] = e.name;
        out["configuration"] = e.text;
        if (e.launch != kNone) {
            out["launch"] = e.launch;
        }
        break;
    case StoryKind::wait: out["name"] = e.name; break;
    case StoryKind::print:
    case StoryKind::error: out["text"] = e.text; break;
    case StoryKind::exit:
        out["code"] = e.bytes;
        if (!e.text.empty()) {
            out["why"] = e.text;
        }
        break;
    }
    return out;
}
} // namespace

Json program_json(const Trace& t) {
    const ProgramStory& p = t.program;
    Json story = Json::array(), findings = Json::array();
    for (const StoryEvent& e : p.events) {
        story.push_back(event_json(t, e));
    }
    for (const Finding& f : p.findings) {
        Json one{{"kind", name(f.kind)}, {"severity", name(f.severity)}, {"line", f.line.line()}};
        if (f.line.file() != 0) {
            one["file"] = file_of_line(t, f.line);
        }
        if (!f.array.empty()) {
            one["array"] = f.array;
        }
        one["times"] = f.times;
        one["text"] = sentence(t, f);
        findings.push_back(std::move(one));
    }
    Json out{{"entry", p.entry}, {"exit", p.exit}, {"printed", p.printed}, {"story", std::move(story)}};
    if (!t.chosen.empty()) { // of a host function's call
        out["chosen"] = t.chosen;
        out["tried"] = sentences(t.tried);
    }
    if (p.events_left_out != 0) {
        out["left_out"] = p.events_left_out;
    }
    out["findings"] = std::move(findings);
    return out;
}

std::string event_text(const Trace& t, const StoryEvent& e, const std::map<const Finding*, std::size_t>& told) {
    const auto named = [](const std::string& text) { return text.empty() ? std::string("memory") : text; };
    switch (e.kind) {
    case StoryKind::allocate:
        return fmt::format("allocate {}, {} bytes{}", named(e.name), e.bytes, e.text.empty() ? "" : ", " + e.text);
    case StoryKind::free: return fmt::format("free {}", named(e.name));
    case StoryKind::copy:
        return fmt::format("copy {} to {}, {} bytes, {}{}", named(e.other), named(e.name), e.bytes, name(e.direction),
                           e.text.empty() ? "" : ": " + e.text);
    case StoryKind::set:
        return fmt::format("set {}{} to {}, {} bytes", e.text == "0" ? "" : "each byte of ", named(e.name), e.text,
                           e.bytes);
    case StoryKind::launch: {
        std::string out = e.launch == kNone ? "launch " : fmt::format("launch {}: ", e.launch + 1);
        out += e.name + e.text;
        if (e.launch != kNone && e.launch < t.launches.size() && !t.launches[e.launch].findings.empty()) {
            const Launch& l = t.launches[e.launch];
            const auto worst =
                std::min_element(l.findings.begin(), l.findings.end(),
                                 [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
            const auto at = told.find(&*worst);
            const std::size_t first = at == told.end() ? e.launch : at->second;
            out += first == e.launch ? ": " + sentence(t, l, *worst)
                                     : fmt::format(": {} as in launch {}", title(*worst), first + 1);
        }
        return out;
    }
    case StoryKind::wait: return fmt::format("wait for {}", e.name);
    case StoryKind::print: {
        const std::string_view line = std::string_view(e.text).substr(0, e.text.find('\n'));
        return fmt::format("print \"{}\"{}", line, line.size() + 1 < e.bytes ? " …" : "");
    }
    case StoryKind::error: return e.text;
    case StoryKind::exit: return fmt::format("exit {}{}", e.bytes, e.text.empty() ? "" : ": " + e.text);
    }
    return {};
}

std::string story_text(const Trace& t) {
    std::string out;
    const auto told = told_in(told_findings(t));
    if (!t.chosen.empty()) {
        out += fmt::format("chosen by the program: {}\n", fmt::join(t.chosen, ", "));
    }
    for (const OtherLaunch& tried : t.tried) {
        out += fmt::format("called differently at first: {}\n", sentence(tried));
    }
    for (const StoryEvent& e : t.program.events) {
        const std::string at = !e.line.known()      ? std::string()
                               : e.line.file() == 0 ? fmt::format("line {}: ", e.line.line())
                                                    : fmt::format("{}:{}: ", file_of_line(t, e.line), e.line.line());
        out += at + event_text(t, e, told) + '\n';
    }
    if (t.program.events_left_out != 0) {
        out += fmt::format("and {} more\n", t.program.events_left_out);
    }
    for (const Finding& f : t.program.findings) {
        out += fmt::format("{}: {}{}\n", title(f), sentence(t, f),
                           f.times == 1 ? "" : fmt::format(" ({} times)", f.times));
    }
    return out;
}

} // namespace warptree
