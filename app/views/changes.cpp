#include "app/views/changes.hpp"

#include "app/trace/explain/findings.hpp"
#include "app/trace/explain/values.hpp"
#include "app/views/parts.hpp"
#include "app/views/totals.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace warptree::scene {

namespace {
constexpr std::size_t kMost = 5;
constexpr const char* kRacing = "racing accesses";

// By title, how often each finding is there; of a race, how many accesses of two threads meet. Of a program that fails leaks are
// not told, so that `leaks` of one that does not would say nothing of the edit.
std::map<std::string, std::uint64_t> findings(const Trace& trace, bool leaks) {
    std::map<std::string, std::uint64_t> all;
    const auto add = [&](const Finding& f) {
        if (f.kind != FindingKind::leak || leaks) {
            all[is_race(f.kind) ? std::string(kRacing) : title(f)] += std::max<std::uint64_t>(1, f.times);
        }
    };
    std::for_each(trace.program.findings.begin(), trace.program.findings.end(), add);
    for (const Launch& l : trace.launches) {
        std::for_each(l.findings.begin(), l.findings.end(), add);
    }
    return all;
}

std::string times(const std::string& kind, std::uint64_t count) {
    return count == 0 ? "none" : kind == kRacing ? grouped(count) : count == 1 ? "once" : grouped(count) + " times";
}
} // namespace

std::string what_changed(const Trace& before, const Trace& now) {
    std::vector<std::string> all;
    const auto add = [&](const std::string& what, const std::string& was, const std::string& is) {
        if (was != is) {
            all.push_back(fmt::format("{}: {}, now {}", what, was, is));
        }
    };
    const bool leaks = before.program.exit == 0 && now.program.exit == 0;
    std::map<std::string, std::uint64_t> was = findings(before, leaks), is = findings(now, leaks);
    for (const auto& [kind, count] : was) {
        add(kind, times(kind, count), times(kind, is[kind]));
    }
    for (const auto& [kind, count] : is) {
        if (!was.contains(kind)) {
            add(kind, "none", times(kind, count));
        }
    }
    for (const KernelOutput& output : now.outputs) { // the first element that differs
        const auto old = std::ranges::find(before.outputs, output.name, &KernelOutput::name);
        if (old == before.outputs.end() || old->type != output.type) {
            continue;
        }
        const auto [x, y] =
            std::mismatch(old->values.begin(), old->values.end(), output.values.begin(), output.values.end());
        if (x != old->values.end() && y != output.values.end()) {
            add(fmt::format("{}[{}]", output.name, x - old->values.begin()), value_text(old->type, *x),
                value_text(output.type, *y));
        }
    }
    if (before.program.printed != now.program.printed) {
        all.emplace_back("what it prints");
    }
    add("exit code", fmt::format("{}", before.program.exit), fmt::format("{}", now.program.exit));
    const RunTotals old = totals(before), totals_now = totals(now);
    for (const Fact& fact : totals_now.facts) {
        const auto it = std::ranges::find(old.facts, fact.label, &Fact::label);
        add(fact.label, it == old.facts.end() ? "none" : it->value, fact.value);
    }
    for (const Fact& fact : old.facts) {
        if (std::ranges::find(totals_now.facts, fact.label, &Fact::label) == totals_now.facts.end()) {
            add(fact.label, fact.value, "none");
        }
    }
    const std::size_t more = all.size() > kMost ? all.size() - kMost : 0;
    all.resize(std::min(all.size(), kMost));
    return all.empty() ? "nothing that is counted"
                       : fmt::format("{}{}", fmt::join(all, " · "), more == 0 ? "" : fmt::format(" · {} more", more));
}

} // namespace warptree::scene
