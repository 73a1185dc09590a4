// The cases of tests/field, for the tests that run them.
#pragma once

#include "app/base/whole_file.hpp"
#include "app/run/kernel_run.hpp"
#include "app/run/program/run.hpp"
#include "app/trace/model/trace.hpp"
#include "tests/support/paths.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace warptree::field {

using Json = nlohmann::ordered_json;

inline std::vector<std::string> cases() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(tests::source_dir() / "tests/field")) {
        if (entry.path().extension() == ".cu") {
            names.push_back(entry.path().stem().string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

inline RunOptions options_of(const std::string& name, const Json& run, WarpOrder order) {
    RunOptions o;
    o.kernel.file = (tests::source_dir() / "tests/field" / (name + ".cu")).string();
    o.strategy = name + ".cu";
    o.backend = Backend::cpu;
    o.order = order;
    o.kernel.n_given = run.contains("n");
    o.n = run.value("n", o.n);
    o.kernel.grid = run.value("grid", "");
    o.kernel.block = run.value("block", "");
    o.kernel.shared = run.value("shared", "");
    o.kernel.kernel = run.value("kernel", "");
    o.kernel.expect = run.value("expect", "");
    if (run.contains("input")) {
        o.input = run.at("input") == "ones"   ? InputKind::ones
                  : run.at("input") == "iota" ? InputKind::iota
                                              : InputKind::random;
        o.kernel.input_given = true;
    }
    const Json arguments = run.value("arguments", Json::object()); // items() refers to it
    for (const auto& [argument, value] : arguments.items()) {
        o.kernel.arguments[argument] = value.get<std::string>();
    }
    return o;
}

inline std::string finding_text(const std::string& kind, const std::string& severity,
                                const std::set<std::uint32_t>& lines) {
    return fmt::format("{} ({}) in {}", kind, severity, fmt::join(lines, ", "));
}

inline std::set<std::string> findings_of(const Trace& t) {
    std::set<std::string> out;
    for (const Launch& l : t.launches) {
        for (const Finding& f : l.findings) {
            std::set<std::uint32_t> lines{f.line.line()};
            if (f.kind == FindingKind::limit) { // where the time is over is chance
                lines.clear();
            }
            if (is_race(f.kind)) {
                lines.insert(f.other_line.line());
            }
            out.insert(finding_text(std::string(name(f.kind)), std::string(name(f.severity)), lines));
        }
    }
    return out;
}

// A case with `run` says how its kernel is called; another one's file does, where it launches.
inline Trace trace_of(const std::string& name, const Json& right, WarpOrder order) {
    RunControl control;
    RunOptions options = options_of(name, right.value("run", Json::object()), order);
    options.limits.time = std::chrono::seconds(right.value("seconds", 0));
    if (!right.contains("run")) {
        if (runs::OwnLaunches own = runs::run_own_launches(options, control); own.trace) {
            return std::move(*own.trace);
        }
    }
    return runs::run_kernel_file(options, control);
}

// What is right of a case.
inline Json right_of(const std::string& name) {
    return Json::parse(read_whole((tests::source_dir() / "tests/field" / (name + ".json")).string()));
}

} // namespace warptree::field
