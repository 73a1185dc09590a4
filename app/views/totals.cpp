#include "app/views/totals.hpp"

#include "app/views/atomic_words.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

namespace warptree::scene {

namespace {
struct Excess {
    double times = 1; // what is done, over what would do
    std::string text;
};

double over(std::uint64_t done, std::uint64_t ideal) {
    return ideal == 0 ? 1 : static_cast<double>(done) / static_cast<double>(ideal);
}

// What nothing, or next to nothing, is lost by; where no combine is useful, that as well.
std::string ideal_in(bool banks, bool lanes, std::uint64_t useful, std::uint64_t useless) {
    std::string text = banks ? "No bank conflicts" : "Hardly a bank conflict";
    text += lanes ? ", no inactive lanes where threads combine" : "";
    return text + (useful == 0    ? "; but no combine reaches the result."
                   : useless == 0 ? ", no useless combines."
                                  : ", hardly a useless combine.");
}
} // namespace

std::string sectors_note(const SectorUse& use, bool whole, std::uint64_t requests) {
    if (use.touched <= use.fewest) {
        return plural(requests, "request");
    }
    return whole ? "ideal " + grouped(use.fewest)
                 : fmt::format("{:.2g} times the ideal", over(use.touched, use.fewest)); // where it is traced
}

RunTotals totals(const Trace& trace) {
    Counters all;
    std::uint64_t issued = 0, combining = 0; // lanes of steps that combine
    bool elsewhere = false;                  // some combine in steps that load or store, whose lanes are not known
    bool split = false;                      // by an if, a warp that was traced
    AtomicWords atomics;
    SectorUse loaded, stored;
    bool whole = true; // all blocks are traced
    for (const Launch& l : trace.launches) {
        const AtomicWords of = atomic_words(l);
        atomics.updates += of.updates;
        atomics.apart += of.apart;
        for (auto& [kind, sum] :
             {std::pair(AccessKind::global_load, &loaded), std::pair(AccessKind::global_store, &stored)}) {
            const SectorUse its = sector_use(l, kind);
            sum->touched += its.touched;
            sum->fewest += its.fewest;
        }
        whole = whole && l.window_count == l.grid;
        split =
            split || std::ranges::any_of(l.branches, [](const Branch& b) { return b.taken != 0 && b.not_taken != 0; });
        for (const Step& s : l.steps) {
            all += s.counters;
            if (s.kind == StepKind::stage && s.counters.combines != 0) {
                issued += std::min(s.counters.active_warps * kWarpSize, std::uint64_t{l.grid} * l.block);
                combining += s.counters.active_threads;
            }
            elsewhere = elsewhere || (s.kind != StepKind::stage && s.counters.combines != 0);
        }
    }
    RunTotals t;
    const auto add = [&](const char* label, std::uint64_t value, const std::string& note, bool attention) {
        if (value != 0) {
            t.facts.push_back({label, grouped(value), note, attention});
        }
    };
    const std::uint64_t wavefronts = all.shared_load_wavefronts + all.shared_store_wavefronts;
    const std::uint64_t ideal = all.shared_load_ideal + all.shared_store_ideal;
    const std::uint64_t useless = all.combines - all.useful_combines;
    const SectorUse global{loaded.touched + stored.touched, loaded.fewest + stored.fewest};
    add("combines", all.combines, useless == 0 ? "all useful" : grouped(all.useful_combines) + " useful", useless != 0);
    add("wavefronts", wavefronts, "ideal " + grouped(ideal), wavefronts > ideal);
    add("sectors loaded", all.global_load_sectors, sectors_note(loaded, whole, all.global_load_requests),
        loaded.touched > loaded.fewest);
    add("sectors stored", all.global_store_sectors, sectors_note(stored, whole, all.global_store_requests),
        stored.touched > stored.fewest);
    add("shuffles", all.shuffles, "", false);
    add("atomics", all.atomics, "", atomics.apart < atomics.updates);
    add("barriers", all.barriers, "", false);
    const Excess found[] = {
        {over(wavefronts, ideal),
         fmt::format("bank conflicts: {} wavefronts where {} would do", grouped(wavefronts), grouped(ideal))},
        {over(issued, combining),
         fmt::format("inactive lanes: warps issue {} lanes in steps that combine, and {} combine", grouped(issued),
                     grouped(combining))},
        {over(all.combines, all.useful_combines),
         fmt::format("{}: {} of {}",
                     useless == all.padding_combines ? "combines that change nothing"
                                                     : "combines that change nothing or do not reach the result",
                     grouped(useless), grouped(all.combines))},
        {over(global.touched, global.fewest),
         fmt::format("sectors of global memory{}: {} where {} would hold what is used",
                     whole ? "" : ", in the blocks traced", grouped(global.touched), grouped(global.fewest))},
        {over(atomics.updates, atomics.apart),
         fmt::format("atomics: {} updates where {} would do if each warp first combined those of one word",
                     grouped(atomics.updates), grouped(atomics.apart))}};
    const Excess& most = *std::max_element(std::begin(found), std::end(found),
                                           [](const Excess& a, const Excess& b) { return a.times < b.times; });
    t.limit =
        most.times > 1.05 ? fmt::format("Most beyond its ideal are {}, {:.2g} times as many.", most.text, most.times)
        : all.combines == 0 || global.touched > global.fewest
            ? ""
            : ideal_in(wavefronts == ideal, !elsewhere && !split && issued == combining, all.useful_combines, useless);
    return t;
}

} // namespace warptree::scene
