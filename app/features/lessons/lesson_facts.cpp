#include "app/features/lessons/lesson_facts.hpp"

#include "app/base/error.hpp"
#include "app/base/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

namespace warptree::session {

namespace {
using Arguments = std::span<const std::int64_t>;

[[noreturn]] void lacks(const std::string& what) { throw OptionError("no answer: " + what); }

const Launch& launch_at(const FactPlace& p, Arguments a, std::size_t which) {
    const auto count = std::ssize(p.trace->launches);
    const std::int64_t launch = which < a.size() ? a[which] : p.launch;
    if (launch < 0 || launch >= count) {
        lacks(fmt::format("there is no launch {} among {}", launch, count));
    }
    return p.trace->launches[static_cast<std::size_t>(launch)];
}

std::uint32_t step_at(const FactPlace& p, const Launch& l, Arguments a, std::size_t which) {
    const std::int64_t step = which < a.size() ? a[which] : p.step;
    if (step < 0 || step >= std::ssize(l.steps)) {
        lacks(fmt::format("there is no step {} among {}", step, l.steps.size()));
    }
    return static_cast<std::uint32_t>(step);
}

std::uint32_t block_at(const Launch& l, std::int64_t block) {
    if (block < 0 || block >= std::int64_t{l.grid} || !l.in_window(static_cast<std::uint32_t>(block))) {
        lacks(fmt::format("block {} is not traced in full", block));
    }
    return static_cast<std::uint32_t>(block);
}

std::uint32_t below(const char* what, std::int64_t value, std::uint32_t count) {
    if (value < 0 || value >= std::int64_t{count}) {
        lacks(fmt::format("there is no {} {} among {}", what, value, count));
    }
    return static_cast<std::uint32_t>(value);
}

std::int64_t whole(const Scalar& value) {
    switch (value.type) {
    case ElementType::i32: return value.as<std::int32_t>();
    case ElementType::u32: return value.as<std::uint32_t>();
    case ElementType::i64: return value.as<std::int64_t>();
    case ElementType::f32:
    case ElementType::f64: break;
    }
    lacks("the values are not whole numbers");
}

std::int64_t narrowed(std::uint64_t value) {
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        lacks("a number beyond 64 bits");
    }
    return static_cast<std::int64_t>(value);
}

std::int64_t first_step(const Launch& l, StepKind kind, bool last) {
    std::int64_t found = -1;
    for (std::size_t i = 0; i < l.steps.size(); ++i) {
        found = l.steps[i].kind == kind && (found < 0 || last) ? static_cast<std::int64_t>(i) : found;
    }
    if (found < 0) {
        lacks("there is no such step");
    }
    return found;
}

// The most wavefronts of any one shared access in a step of the first traced block; 0 if there is none.
std::int64_t most_wavefronts(const FactPlace& p, Arguments a, AccessKind kind) {
    const Launch& l = launch_at(p, {}, 0);
    const std::uint32_t step = step_at(p, l, a, 0);
    std::int64_t most = 0;
    for (const Request& r : l.requests) {
        if (r.block == l.window_first && r.step == step && r.kind == kind && (a.size() < 2 || r.warp == a[1])) {
            most = std::max<std::int64_t>(most, r.wavefronts);
        }
    }
    return most;
}

// A shared load in the first traced block; arguments: step, warp, and which of the warp's loads.
const Request& shared_load(const FactPlace& p, Arguments a) {
    const Launch& l = launch_at(p, {}, 0);
    const std::uint32_t step = step_at(p, l, a, 0);
    std::int64_t left = a[2];
    for (const Request& r : l.requests) {
        if (r.block == l.window_first && r.step == step && r.warp == a[1] && r.kind == AccessKind::shared_load &&
            left-- == 0) {
            return r;
        }
    }
    lacks(fmt::format("warp {} has no shared load {} in that step", a[1], a[2]));
}

void add_sizes(std::vector<LessonFact>& all) {
    all.push_back({"n", 0, 0, "", "elements of the input",
                   [](const FactPlace& p, Arguments) { return narrowed(p.trace->launches.front().elements); }});
    all.push_back({"block", 0, 1, "[LAUNCH]", "threads per block",
                   [](const FactPlace& p, Arguments a) { return std::int64_t{launch_at(p, a, 0).block}; }});
    all.push_back({"warps", 0, 1, "[LAUNCH]", "warps per block",
                   [](const FactPlace& p, Arguments a) { return std::int64_t{launch_at(p, a, 0).warps()}; }});
    all.push_back({"grid", 0, 1, "[LAUNCH]", "blocks of the launch",
                   [](const FactPlace& p, Arguments a) { return std::int64_t{launch_at(p, a, 0).grid}; }});
    all.push_back({"elements", 0, 1, "[LAUNCH]", "elements of the launch's input",
                   [](const FactPlace& p, Arguments a) { return narrowed(launch_at(p, a, 0).elements); }});
    all.push_back({"shared_bytes", 0, 1, "[LAUNCH]", "shared memory per block",
                   [](const FactPlace& p, Arguments a) { return std::int64_t{launch_at(p, a, 0).shared_bytes}; }});
    all.push_back({"launches", 0, 0, "", "launches of the run",
                   [](const FactPlace& p, Arguments) { return std::int64_t(std::ssize(p.trace->launches)); }});
    all.push_back({"host_partials", 0, 0, "", "partial results that the host combines",
                   [](const FactPlace& p, Arguments) { return std::int64_t{p.trace->host_partials}; }});
}

void add_steps(std::vector<LessonFact>& all) {
    all.push_back({"steps", 0, 1, "[LAUNCH]", "steps of the launch: load, stages, store",
                   [](const FactPlace& p, Arguments a) { return std::int64_t(std::ssize(launch_at(p, a, 0).steps)); }});
    all.push_back({"stages", 0, 1, "[LAUNCH]", "steps of the launch that combine", [](const FactPlace& p, Arguments a) {
                       const Launch& l = launch_at(p, a, 0);
                       return std::int64_t(std::count_if(l.steps.begin(), l.steps.end(),
                                                         [](const Step& s) { return s.kind == StepKind::stage; }));
                   }});
    all.push_back({"here", 0, 0, "", "the number of the shown step",
                   [](const FactPlace& p, Arguments) { return std::int64_t{p.step}; }});
    all.push_back({"load", 0, 0, "", "the number of the load step", [](const FactPlace& p, Arguments) {
                       return first_step(launch_at(p, {}, 0), StepKind::load, false);
                   }});
    all.push_back({"store", 0, 0, "", "the number of the store step", [](const FactPlace& p, Arguments) {
                       return first_step(launch_at(p, {}, 0), StepKind::store, false);
                   }});
    all.push_back({"first_stage", 0, 0, "", "the number of the first stage", [](const FactPlace& p, Arguments) {
                       return first_step(launch_at(p, {}, 0), StepKind::stage, false);
                   }});
    all.push_back({"last_stage", 0, 0, "", "the number of the last stage", [](const FactPlace& p, Arguments) {
                       return first_step(launch_at(p, {}, 0), StepKind::stage, true);
                   }});
    all.push_back({"stage", 1, 1, "STRIDE", "the number of the first stage with that stride",
                   [](const FactPlace& p, Arguments a) -> std::int64_t {
                       const Launch& l = launch_at(p, {}, 0);
                       for (std::size_t i = 0; i < l.steps.size(); ++i) {
                           if (l.steps[i].kind == StepKind::stage && l.steps[i].stride == a[0]) {
                               return static_cast<std::int64_t>(i);
                           }
                       }
                       lacks(fmt::format("no stage has stride {}", a[0]));
                   }});
    all.push_back(
        {"has_stage", 1, 1, "STRIDE", "1 when there is a stage with that stride", [](const FactPlace& p, Arguments a) {
             const Launch& l = launch_at(p, {}, 0);
             return std::int64_t{std::any_of(l.steps.begin(), l.steps.end(), [&](const Step& s) {
                 return s.kind == StepKind::stage && s.stride == a[0];
             })};
         }});
    all.push_back({"stride", 0, 1, "[STEP]", "the stride of a stage", [](const FactPlace& p, Arguments a) {
                       const Launch& l = launch_at(p, {}, 0);
                       return std::int64_t{l.steps[step_at(p, l, a, 0)].stride};
                   }});
    all.push_back({"is_stage", 0, 1, "[STEP]", "1 when the step combines", [](const FactPlace& p, Arguments a) {
                       const Launch& l = launch_at(p, {}, 0);
                       return std::int64_t{l.steps[step_at(p, l, a, 0)].kind == StepKind::stage};
                   }});
}

void add_counters(std::vector<LessonFact>& all) {
    for (const CounterField& field : counter_fields()) {
        const auto member = field.member;
        const std::string name = field.name;
        all.push_back({name, 0, 2, "[STEP [, LAUNCH]]", "as in `warptree report`, over all blocks of the launch",
                       [member](const FactPlace& p, Arguments a) {
                           const Launch& l = launch_at(p, a, 1);
                           return narrowed(l.steps[step_at(p, l, a, 0)].counters.*member);
                       }});
        all.push_back(
            {"total_" + name, 0, 1, "[LAUNCH]", "the same over all steps of the launch",
             [member](const FactPlace& p, Arguments a) { return narrowed(launch_at(p, a, 0).totals().*member); }});
        all.push_back({"all_" + name, 0, 0, "", "the same over all launches", [member](const FactPlace& p, Arguments) {
                           std::uint64_t sum = 0;
                           for (const Launch& l : p.trace->launches) {
                               sum += l.totals().*member;
                           }
                           return narrowed(sum);
                       }});
    }
}

void add_details(std::vector<LessonFact>& all) {
    all.push_back({"lanes", 3, 3, "STEP, BLOCK, WARP", "active lanes of a warp of a traced block",
                   [](const FactPlace& p, Arguments a) {
                       const Launch& l = launch_at(p, {}, 0);
                       const WarpStep& w =
                           l.warp_step(block_at(l, a[1]), step_at(p, l, a, 0), below("warp", a[2], l.warps()));
                       return std::int64_t{std::popcount(w.active)};
                   }});
    all.push_back({"active", 3, 3, "STEP, BLOCK, THREAD", "1 when a thread of a traced block is active",
                   [](const FactPlace& p, Arguments a) {
                       const Launch& l = launch_at(p, {}, 0);
                       const std::uint32_t thread = below("thread", a[2], l.block);
                       const WarpStep& w = l.warp_step(block_at(l, a[1]), step_at(p, l, a, 0), thread / kWarpSize);
                       return std::int64_t{w.active >> thread % kWarpSize & 1U};
                   }});
    all.push_back({"load_wavefronts", 0, 2, "[STEP [, WARP]]",
                   "the most wavefronts that one shared load takes, of all warps or one, in the first traced block",
                   [](const FactPlace& p, Arguments a) { return most_wavefronts(p, a, AccessKind::shared_load); }});
    all.push_back({"store_wavefronts", 0, 2, "[STEP [, WARP]]", "the same of shared stores",
                   [](const FactPlace& p, Arguments a) { return most_wavefronts(p, a, AccessKind::shared_store); }});
    all.push_back({"word", 4, 4, "STEP, WARP, ACCESS, LANE",
                   "the shared word that a lane asks for in a load of its warp, loads counted from 0",
                   [](const FactPlace& p, Arguments a) {
                       const Request& r = shared_load(p, a);
                       const std::uint32_t lane = below("lane", a[3], kWarpSize);
                       if ((r.mask >> lane & 1U) == 0) {
                           lacks(fmt::format("lane {} is inactive", lane));
                       }
                       return std::int64_t{launch_at(p, {}, 0).index_of(r, lane)};
                   }});
    all.push_back({"load_sectors", 0, 1, "[STEP]",
                   "the most 32-byte sectors that one global load of a warp touches, of the traced blocks",
                   [](const FactPlace& p, Arguments a) {
                       const Launch& l = launch_at(p, {}, 0);
                       const std::uint32_t step = step_at(p, l, a, 0);
                       std::int64_t most = 0;
                       for (const Request& r : l.requests) {
                           most = r.step == step && r.kind == AccessKind::global_load
                                      ? std::max<std::int64_t>(most, r.sectors)
                                      : most;
                       }
                       return most;
                   }});
    all.push_back(
        {"output", 1, 2, "INDEX [, LAUNCH]", "an element of the launch's output", [](const FactPlace& p, Arguments a) {
             const Launch& l = launch_at(p, a, 1);
             return whole(l.partials[below("output", a[0], static_cast<std::uint32_t>(l.partials.size()))]);
         }});
    all.push_back({"stalled_blocks", 0, 0, "", "blocks that wait forever", [](const FactPlace& p, Arguments) {
                       return std::int64_t{p.trace->launches.back().stalled_blocks};
                   }});
    all.push_back(
        {"stalled_threads", 0, 1, "[WARP]", "threads of the first traced block that wait forever at a barrier",
         [](const FactPlace& p, Arguments a) {
             const Launch& l = launch_at(p, {}, 0);
             std::int64_t count = 0;
             for (const Stall& s : l.stalls) {
                 count += s.block == l.window_first && (a.empty() || s.warp == a[0]) ? std::popcount(s.mask) : 0;
             }
             return count;
         }});
}

void add_results(std::vector<LessonFact>& all) {
    all.push_back({"result", 0, 0, "", "the result of the run",
                   [](const FactPlace& p, Arguments) { return whole(p.trace->result); }});
    all.push_back({"reference", 0, 0, "", "the expected result",
                   [](const FactPlace& p, Arguments) { return whole(p.trace->reference); }});
    all.push_back({"pass", 0, 0, "", "1 when the result is right",
                   [](const FactPlace& p, Arguments) { return std::int64_t{p.trace->pass}; }});
    all.push_back({"completed", 0, 0, "", "0 when a launch waits forever",
                   [](const FactPlace& p, Arguments) { return std::int64_t{p.trace->completed()}; }});
    all.push_back({"tree_leaves", 0, 0, "", "elements that the result depends on, of all launches and the host",
                   [](const FactPlace& p, Arguments) { return narrowed(p.trace->tree.leaves); }});
    all.push_back({"tree_combines", 0, 0, "", "combines of all launches and the host",
                   [](const FactPlace& p, Arguments) { return narrowed(p.trace->tree.combines); }});
    all.push_back({"tree_useful", 0, 0, "", "those that the result depends on",
                   [](const FactPlace& p, Arguments) { return narrowed(p.trace->tree.useful_combines); }});
    all.push_back({"tree_padding", 0, 0, "", "those that only fold in the identity",
                   [](const FactPlace& p, Arguments) { return narrowed(p.trace->tree.padding_combines); }});
    all.push_back({"depth", 0, 0, "", "combines on the longest path to the result",
                   [](const FactPlace& p, Arguments) { return narrowed(p.trace->tree.depth); }});
    all.push_back({"log2", 1, 1, "X", "the logarithm to base 2, rounded up", [](const FactPlace&, Arguments a) {
                       if (a[0] < 1) {
                           lacks("the logarithm of less than 1");
                       }
                       return static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(a[0]) - 1));
                   }});
    all.push_back({"most", 2, 2, "A, B", "the greater of two",
                   [](const FactPlace&, Arguments a) { return std::max(a[0], a[1]); }});
    all.push_back({"least", 2, 2, "A, B", "the lesser of two",
                   [](const FactPlace&, Arguments a) { return std::min(a[0], a[1]); }});
}
} // namespace

const std::vector<LessonFact>& lesson_facts() {
    static const std::vector<LessonFact> all = [] {
        std::vector<LessonFact> list;
        add_sizes(list);
        add_steps(list);
        add_counters(list);
        add_details(list);
        add_results(list);
        return list;
    }();
    return all;
}

const LessonFact* find_lesson_fact(std::string_view name) {
    const auto& all = lesson_facts();
    const auto found = std::find_if(all.begin(), all.end(), [&](const LessonFact& f) { return f.name == name; });
    return found == all.end() ? nullptr : &*found;
}

FactPlace LessonFacts::at(const std::string& trace) const {
    const auto here = traces.find(shown), there = trace.empty() ? here : traces.find(trace);
    if (there == traces.end() || there->second == nullptr || there->second->launches.empty()) {
        lacks(fmt::format("there is no trace '{}'", printable(trace)));
    }
    FactPlace place{there->second, launch, step};
    if (there == here || here == traces.end() || launch >= here->second->launches.size()) {
        return place;
    }
    const auto& mine = here->second->launches[launch].steps;
    place.launch = 0;
    place.step = 0;
    const auto& theirs = there->second->launches.front().steps;
    if (step < mine.size()) {
        const auto same = std::find_if(theirs.begin(), theirs.end(), [&](const Step& s) {
            return s.kind == mine[step].kind && s.stride == mine[step].stride;
        });
        place.step = same == theirs.end() ? kNone : static_cast<std::uint32_t>(same - theirs.begin());
    }
    return place;
}

} // namespace warptree::session
