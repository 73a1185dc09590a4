#include "app/trace/io/program_manifest.hpp"

#include "app/trace/io/kernel_manifest.hpp"
#include "app/trace/io/manifest.hpp"

namespace warptree::manifest {

namespace {
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostArguments = 4096, kMostFindings = 1024;

const Json& list_of(const Json& j, const char* name, std::size_t most) {
    const Json& rows = j.at(name);
    if (!rows.is_array() || rows.size() > most) {
        corrupt(fmt::format("manifest.json: {} is not a list, or too long", name));
    }
    return rows;
}
} // namespace

Json of_program_launch(const Launch& l) {
    if (l.kernel.empty()) {
        return {};
    }
    Json arguments = Json::array();
    for (const KernelArgument& a : l.arguments) {
        arguments.push_back({{"name", a.name}, {"type", a.type}, {"value", a.value}, {"count", a.count}});
    }
    return {{"kernel", l.kernel}, {"arguments", std::move(arguments)}};
}

void read_program_launch(const Json& j, Launch& l) {
    l.kernel = text(j.at("kernel"));
    for (const Json& a : list_of(j, "arguments", kMostArguments)) {
        l.arguments.push_back(
            {text(a.at("name")), text(a.at("type")), text(a.at("value")), whole<std::uint64_t>(a.at("count")), false});
    }
}

Json of_program(const Trace& t) {
    const ProgramStory& p = t.program;
    if (p.entry.empty()) {
        return {};
    }
    Json story = Json::array(), findings = Json::array();
    for (const StoryEvent& e : p.events) {
        story.push_back({{"kind", static_cast<unsigned>(e.kind)},
                         {"line", e.line.packed},
                         {"name", e.name},
                         {"other", e.other},
                         {"bytes", e.bytes},
                         {"direction", static_cast<unsigned>(e.direction)},
                         {"launch", e.launch},
                         {"text", e.text}});
    }
    for (const Finding& f : p.findings) {
        findings.push_back(of_finding(f));
    }
    return {{"entry", p.entry},
            {"exit", static_cast<unsigned>(p.exit & 0xFF)},
            {"printed", p.printed},
            {"story", std::move(story)},
            {"left_out", p.events_left_out},
            {"findings", std::move(findings)}};
}

void read_program(const Json& j, Trace& t) {
    ProgramStory& p = t.program;
    p.entry = text(j.at("entry"));
    p.exit = whole<std::uint8_t>(j.at("exit"));
    p.printed = text(j.at("printed"), 4 * kMostPrintedKept); // bytes that are no UTF-8 are three
    p.events_left_out = whole<std::uint64_t>(j.at("left_out"));
    for (const Json& e : list_of(j, "story", kMostStoryEvents)) {
        StoryEvent& event = p.events.emplace_back();
        event.kind = number_of(e.at("kind"), StoryKind::exit);
        event.line = SourceLine::unpack(whole<std::uint32_t>(e.at("line")));
        event.name = text(e.at("name"));
        event.other = text(e.at("other"));
        event.bytes = whole<std::uint64_t>(e.at("bytes"));
        event.direction = number_of(e.at("direction"), CopyDirection::device_to_device);
        event.launch = whole<std::uint32_t>(e.at("launch"));
        event.text = text(e.at("text"), 1U << 16);
        if (event.launch != kNone && event.launch >= t.launches.size()) {
            corrupt("manifest.json: the story tells of a launch that is not there");
        }
    }
    for (const Json& f : list_of(j, "findings", kMostFindings)) {
        p.findings.push_back(read_finding(f));
    }
}

} // namespace warptree::manifest
