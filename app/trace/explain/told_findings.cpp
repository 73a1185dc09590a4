#include "app/trace/explain/told_findings.hpp"

#include "app/trace/explain/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace warptree {

namespace {
constexpr std::size_t kMostAlike = 3; // races on one array that are told each

bool within_warp(const Finding& f) {
    return f.block == f.other_block && f.thread / kWarpSize == f.other_thread / kWarpSize;
}

// The same for one mistake in several launches: of a race whichever threads meet at whichever element.
using Mistake = std::tuple<std::string, FindingKind, Severity, std::string, std::uint64_t, std::uint64_t>;
Mistake mistake(const Trace& trace, const Launch& launch, const Finding& f) {
    if (!is_race(f.kind)) {
        return {launch.kernel, f.kind, f.severity, sentence(trace, launch, f), 0, 0};
    }
    const auto side = [](SourceLine line, bool writes) { return std::uint64_t{line.packed} << 1 | (writes ? 1U : 0U); };
    const auto [one, other] = std::minmax({side(f.line, f.writes), side(f.other_line, f.other_writes)});
    return {launch.kernel, f.kind, f.severity, f.array, one, other};
}

// Whether a barrier is what it lacks.
bool lacks_order(const Finding& f) {
    return !f.updates && !f.guess && !f.compares && !(f.writes && f.other_writes && f.line == f.other_line);
}

// What would mend it.
enum class Remedy : std::uint8_t { warp_barrier, barrier, fence, atomic };
Remedy remedy(const Finding& f) {
    return !lacks_order(f)            ? Remedy::atomic
           : f.block != f.other_block ? Remedy::fence
           : within_warp(f)           ? Remedy::warp_barrier
                                      : Remedy::barrier;
}

bool share_a_line(const Finding& a, const Finding& b) {
    return a.line == b.line || a.line == b.other_line || a.other_line == b.line || a.other_line == b.other_line;
}

// What is harmless by itself is not told beside a fault of the same lines and array.
void leave_harmless_to_faults(const Trace& trace, std::vector<ToldFinding>& all) {
    for (std::size_t k = 0; k < all.size();) {
        const Finding& f = *all[k].finding;
        const auto fault = std::ranges::find_if(all, [&](const ToldFinding& other) {
            const Finding& g = *other.finding;
            return is_race(f.kind) && f.severity == Severity::risk && g.kind == f.kind &&
                   g.severity == Severity::fault && g.array == f.array && share_a_line(f, g) &&
                   trace.launches[other.launch].kernel == trace.launches[all[k].launch].kernel;
        });
        if (fault == all.end()) {
            ++k;
            continue;
        }
        fault->repeats.push_back(&f);
        for (const auto* more : {&all[k].repeats, &all[k].alike}) {
            fault->repeats.insert(fault->repeats.end(), more->begin(), more->end());
        }
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(k));
    }
}

// What goes past an array's row or end before the races on the array that come of it.
void put_outside_first(std::vector<ToldFinding>& all) {
    for (std::size_t k = 1; k < all.size(); ++k) {
        const Finding& f = *all[k].finding;
        const auto races = [&](const ToldFinding& other) {
            return other.launch == all[k].launch && is_race(other.finding->kind) && other.finding->array == f.array;
        };
        const auto here = all.begin() + static_cast<std::ptrdiff_t>(k);
        const auto first = std::find_if(all.begin(), here, races);
        if (f.kind == FindingKind::out_of_bounds && !f.array.empty() && first != here) {
            std::rotate(first, here, std::next(here));
        }
    }
}

// That a kernel was given a pointer of the host is told of the host.
void leave_to_the_host(const Trace& trace, std::vector<ToldFinding>& all) {
    if (std::ranges::find(trace.program.findings, FindingKind::host_pointer, &Finding::kind) !=
        trace.program.findings.end()) {
        std::erase_if(all, [](const ToldFinding& told) {
            return told.finding->kind == FindingKind::out_of_bounds && told.finding->array.empty() &&
                   told.finding->text.find("memory of the host") != std::string::npos;
        });
    }
}
} // namespace

std::vector<ToldFinding> told_findings(const Trace& trace) {
    std::vector<ToldFinding> all;
    std::map<Mistake, std::size_t> known; // index into all
    std::map<std::tuple<std::string, FindingKind, Severity, std::string>, std::vector<std::size_t>> on_array;
    for (std::size_t l = 0; l < trace.launches.size(); ++l) {
        const Launch& launch = trace.launches[l];
        std::set<std::size_t> here; // told of an earlier launch
        for (const Finding& f : launch.findings) {
            const auto [at, first] = known.emplace(mistake(trace, launch, f), all.size());
            if (!first) {
                here.insert(at->second);
                all[at->second].repeats.push_back(&f);
                continue;
            }
            if (is_race(f.kind)) {
                auto& told = on_array[{launch.kernel, f.kind, f.severity, f.array}];
                // What threads of one warp do is told where no others do it there.
                const auto others = std::ranges::find_if(told, [&](std::size_t k) {
                    const auto shares = [&](const Finding* other) { return share_a_line(f, *other); };
                    return remedy(f) == Remedy::warp_barrier && !within_warp(*all[k].finding) &&
                           (shares(all[k].finding) || std::ranges::any_of(all[k].alike, shares));
                });
                const auto same = [&](std::size_t k) { return remedy(*all[k].finding) == remedy(f); };
                const bool many =
                    std::count_if(told.begin(), told.end(), same) >= static_cast<std::ptrdiff_t>(kMostAlike);
                if (others != told.end() || many) {
                    at->second = others != told.end() ? *others : *std::find_if(told.rbegin(), told.rend(), same);
                    all[at->second].alike.push_back(&f);
                    continue;
                }
                told.push_back(all.size());
            }
            all.push_back({l, &f, 0, {}, {}});
        }
        for (const std::size_t k : here) {
            all[k].again += all[k].launch == l ? 0 : 1;
        }
    }
    leave_harmless_to_faults(trace, all);
    leave_to_the_host(trace, all);
    put_outside_first(all);
    return all;
}

std::map<const Finding*, std::size_t> told_in(const std::vector<ToldFinding>& all) {
    std::map<const Finding*, std::size_t> launches;
    for (const ToldFinding& told : all) {
        launches.emplace(told.finding, told.launch);
        for (const auto* more : {&told.repeats, &told.alike}) {
            for (const Finding* const f : *more) {
                launches.emplace(f, told.launch);
            }
        }
    }
    return launches;
}

std::string said_besides(const Trace& trace, const ToldFinding& told) {
    std::string text;
    if (told.again != 0) {
        text =
            told.again == 1 ? "and again in a later launch" : fmt::format("and again in {} later launches", told.again);
    }
    if (!told.alike.empty()) {
        std::set<std::uint32_t> lines;
        for (const Finding* const f : told.alike) {
            lines.insert({f->line.packed, f->other_line.packed});
        }
        const SourceLine first = SourceLine::unpack(*lines.begin()), last = SourceLine::unpack(*lines.rbegin());
        text += fmt::format("{}and {} more race{} on {} in {}", text.empty() ? "" : "; ", told.alike.size(),
                            told.alike.size() == 1 ? "" : "s", told.finding->array,
                            first == last                 ? place(trace, first)
                            : first.file() == last.file() ? fmt::format("lines {} to {}", first.line(), last.line())
                                                          : place(trace, first) + " to " + place(trace, last));
    }
    return text.empty() ? text : " (" + text + ")";
}

} // namespace warptree
