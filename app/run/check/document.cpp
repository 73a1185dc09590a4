#include "app/run/check/document.hpp"

#include "app/base/error.hpp"
#include "app/base/json.hpp"
#include "app/base/json_text.hpp"
#include "app/base/xml_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <limits>

namespace warptree::runs {

namespace {
using Json = nlohmann::ordered_json;

Json json_of(const CheckFinding& f) {
    Json one{{"kind", f.kind}, {"severity", f.severity}, {"line", f.line}, {"thread", f.thread}, {"block", f.block}};
    if (f.other) {
        one["other_line"] = f.other->line;
        one["other_thread"] = f.other->thread;
        one["other_block"] = f.other->block;
    }
    if (!f.array.empty()) {
        one["array"] = f.array;
        one["index"] = f.index;
    }
    one["text"] = f.text;
    return one;
}

Json json_of(const CheckRun& run) {
    Json findings = Json::array();
    for (const CheckFinding& f : run.findings) {
        findings.push_back(json_of(f));
    }
    if (!run.name.empty()) {
        return {{"case", run.name},
                {"points", run.points},
                {"hidden", run.hidden},
                {"reason", run.reason},
                {"findings", std::move(findings)}};
    }
    return {{"n", run.n},           {"block", run.block},
            {"type", run.type},     {"order", name(run.order)},
            {"reason", run.reason}, {"findings", std::move(findings)}};
}

Json json_of(const compile::Diagnostic& d) {
    return {{"file", d.file},
            {"line", d.line},
            {"column", d.column},
            {"error", d.severity == compile::Diagnostic::Severity::error},
            {"text", d.message}};
}

Json heading_of(const CheckResult& r) {
    return {{"file", r.file}, {"kernel", r.kernel}, {"expect", r.expect}, {"pass", r.pass}};
}

void add_reasons(Json& file, const CheckResult& r) {
    if (!r.reason.empty()) {
        file["reason"] = r.reason;
    }
    if (r.signal != 0) {
        file["signal"] = r.signal;
    }
    if (!r.diagnostics.empty()) {
        Json list = Json::array();
        for (const compile::Diagnostic& d : r.diagnostics) {
            list.push_back(json_of(d));
        }
        file["diagnostics"] = std::move(list);
    }
}

Json json_of(const CheckResult& r) {
    Json failed = Json::array();
    for (const CheckRun& run : r.runs) {
        if (!run.pass) {
            failed.push_back(json_of(run));
        }
    }
    Json file = heading_of(r);
    file["runs"] = r.runs.size();
    file["failed"] = std::move(failed);
    add_reasons(file, r);
    return file;
}

template <class T> void take_count(const Json& j, const char* key, T& to) {
    const auto count = whole_number(j.at(key), std::numeric_limits<T>::max());
    if (!count) {
        throw OptionError(fmt::format("a line of a submission's process has no count as its \"{}\"", key));
    }
    to = static_cast<T>(*count);
}

CheckFinding finding_from(const Json& j) {
    CheckFinding f;
    j.at("kind").get_to(f.kind);
    j.at("title").get_to(f.title);
    j.at("severity").get_to(f.severity);
    j.at("file").get_to(f.file);
    take_count(j, "line", f.line);
    take_count(j, "thread", f.thread);
    take_count(j, "block", f.block);
    if (j.contains("other_line")) {
        CheckFinding::Other other;
        take_count(j, "other_line", other.line);
        take_count(j, "other_thread", other.thread);
        take_count(j, "other_block", other.block);
        f.other = other;
    }
    if (j.contains("array")) {
        j.at("array").get_to(f.array);
        f.index = j.at("index").is_number_integer() ? j.at("index").get<std::int64_t>() : 0;
    }
    j.at("text").get_to(f.text);
    return f;
}

CheckRun run_from(const Json& j) {
    CheckRun run;
    if (j.contains("case")) {
        j.at("case").get_to(run.name);
        take_count(j, "points", run.points);
        j.at("hidden").get_to(run.hidden);
    } else {
        take_count(j, "n", run.n);
        j.at("block").get_to(run.block);
        j.at("type").get_to(run.type);
        run.order = warp_order_from(j.at("order").get<std::string>()).value_or(WarpOrder::in_order);
    }
    j.at("reason").get_to(run.reason);
    j.at("pass").get_to(run.pass);
    j.at("expected").get_to(run.expected);
    j.at("seconds").get_to(run.seconds);
    for (const Json& finding : j.at("findings")) {
        run.findings.push_back(finding_from(finding));
    }
    return run;
}

compile::Diagnostic diagnostic_from(const Json& j) {
    compile::Diagnostic d;
    j.at("file").get_to(d.file);
    take_count(j, "line", d.line);
    take_count(j, "column", d.column);
    j.at("text").get_to(d.message);
    constexpr auto kLast = compile::Diagnostic::Severity::error;
    d.severity = static_cast<compile::Diagnostic::Severity>(
        whole_number(j.at("severity"), static_cast<std::uint64_t>(kLast)).value_or(static_cast<std::uint64_t>(kLast)));
    return d;
}

void take_heading(const Json& j, CheckResult& r) {
    j.at("kernel").get_to(r.kernel);
    j.at("expect").get_to(r.expect);
    j.at("pass").get_to(r.pass);
    r.reason = j.value("reason", "");
    if (j.contains("diagnostics")) {
        for (const Json& diagnostic : j.at("diagnostics")) {
            r.diagnostics.push_back(diagnostic_from(diagnostic));
        }
    }
    if (j.contains("counter_example") && !r.runs.empty()) {
        if (const auto at = whole_number(j.at("counter_example"), r.runs.size() - 1)) {
            r.counter_example = *at;
            j.at("report").get_to(r.counter_example_report);
        }
    }
}

} // namespace

std::string check_json(const std::vector<CheckResult>& results) {
    Json files = Json::array();
    for (const CheckResult& r : results) {
        files.push_back(json_of(r));
    }
    return json_text(Json{{"format", "warptree.check"}, {"version", 1}, {"files", std::move(files)}}, 2) + "\n";
}

std::string check_json_line(const CheckResult& result) { return json_text(json_of(result)) + "\n"; }

std::string line_of(const CheckRun& run) {
    Json j = json_of(run);
    j["pass"] = run.pass;
    j["expected"] = run.expected;
    j["seconds"] = run.seconds;
    for (std::size_t i = 0; i < run.findings.size(); ++i) {
        j["findings"][i]["title"] = run.findings[i].title;
        j["findings"][i]["file"] = run.findings[i].file;
    }
    return json_text(Json{{"run", std::move(j)}}) + "\n";
}

std::string last_line_of(const CheckResult& result) {
    Json j = heading_of(result);
    add_reasons(j, result);
    for (std::size_t i = 0; i < result.diagnostics.size(); ++i) {
        j["diagnostics"][i]["severity"] = static_cast<int>(result.diagnostics[i].severity);
    }
    if (result.counter_example) {
        j["counter_example"] = *result.counter_example;
        j["report"] = result.counter_example_report;
    }
    return json_text(Json{{"result", std::move(j)}}) + "\n";
}

bool take_line(std::string_view line, CheckResult& result) {
    try {
        const Json j = parse_json(line);
        if (j.contains("run")) {
            result.runs.push_back(run_from(j.at("run")));
            return false;
        }
        take_heading(j.at("result"), result);
        return true;
    } catch (const JsonError&) {
        throw OptionError("a line of a submission's process is not JSON");
    } catch (const Json::exception&) {
        throw OptionError("a line of a submission's process cannot be read");
    }
}

std::string check_junit(const std::vector<CheckResult>& results) {
    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
    for (const CheckResult& r : results) {
        const auto failures = static_cast<std::size_t>(
            std::count_if(r.runs.begin(), r.runs.end(), [](const CheckRun& run) { return !run.pass; }));
        const bool none = !r.reason.empty();
        out += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n", xml_text(r.file),
                           r.runs.size() + (none ? 1 : 0), failures, none ? 1 : 0);
        if (none) {
            out += fmt::format("    <testcase name=\"{}\"><error message=\"{}\"/></testcase>\n",
                               r.runs.empty() && r.signal == 0 ? "compile" : "process", xml_text(r.reason));
        }
        for (const CheckRun& run : r.runs) {
            out += fmt::format("    <testcase name=\"{}\" classname=\"{}\" time=\"{:.3f}\"",
                               run.name.empty()
                                   ? fmt::format("n {} block {} {}", run.n, xml_text(run.block), name(run.order))
                                   : xml_text(run.name),
                               xml_text(r.kernel), run.seconds);
            out += run.pass ? "/>\n" : fmt::format("><failure message=\"{}\"/></testcase>\n", xml_text(run.reason));
        }
        out += "  </testsuite>\n";
    }
    return out + "</testsuites>\n";
}

} // namespace warptree::runs
