// Race detection in shared and in global memory.
#include "app/simt/block_run.hpp"

#include <utility>

namespace warptree::simt {

// Checks shared accesses by these lanes for races. `same`: lanes that store the value already there.
void BlockRun::note_shared(const Instruction& i, const std::uint64_t* offsets, std::uint32_t group, unsigned size,
                           bool writes, std::uint32_t same) {
    const unsigned granule = 1U << shared_.shift();
    const unsigned warp = warp_->number;
    Past now{clocks_.now(warp),       i.location,
             recorder_.segment(warp), static_cast<std::uint16_t>(warp * kLanes),
             clocks_.syncs(warp),     clocks_.shuffles(warp)};
    const auto first = static_cast<std::uint16_t>(warp * kLanes);
    each_active(group, [&](unsigned l) {
        now.thread = static_cast<std::uint16_t>(first + l);
        for (auto at = static_cast<std::uint32_t>(offsets[l]), end = at + size; at < end; at += granule) {
            Past met;
            const Race race = note_access(shared_.history(at), clocks_, now, writes, (same >> l & 1U) != 0, met);
            if (race != Race::none) {
                report_shared_race(i, l, {at, end, now, met, race, writes});
            }
        }
    });
}

void BlockRun::report_shared_race(const Instruction& i, unsigned lane, const SharedRace& shared_race) {
    const auto& [at, end, now, met, race, writes] = shared_race;
    if (const History& h = shared_.history(at); h.reported_segment == now.segment + 1 && h.reported_block == block_) {
        return;
    }
    for (std::uint32_t rest = at; rest < end; rest += 1U << shared_.shift()) { // report once per element
        shared_.history(rest).reported_segment = now.segment + 1;
        shared_.history(rest).reported_block = block_;
    }
    const compile::SharedArray* const array = shared_array_at(at);
    recorder_.hazard(warp_->number,
                     {.thread = now.thread,
                      .location = i.location,
                      .word = at / (array == nullptr ? 4 : array->element_bytes),
                      .writes = writes,
                      .other_segment = met.segment,
                      .other_thread = met.thread,
                      .other_location = met.location,
                      .other_writes = race == Race::with_write,
                      .across_shuffle = met.thread / kLanes == now.thread / kLanes && met.shuffles != now.shuffles});
    Finding f;
    f.kind = FindingKind::race_shared;
    f.writes = writes;
    f.other_thread = met.thread;
    f.other_block = block_;
    f.other_line = line_at(program_, met.location);
    f.other_step = met.segment;
    f.other_writes = race == Race::with_write;
    f.array = array_at(at, f.index, f.elements);
    find(std::move(f), i, lane);
}

// The same for global memory, within the block and between blocks.
void BlockRun::note_global(const Instruction& i, unsigned lane, Stored& s, std::uint32_t allocation,
                           std::uint64_t element, bool writes, bool same_value, bool is_volatile) {
    const unsigned warp = warp_->number;
    const auto report = [&](std::uint32_t other_block, const Past& met, bool other_writes) {
        recorder_.hazard(warp);
        Finding f;
        f.kind = FindingKind::race_global;
        f.writes = writes;
        f.other_writes = other_writes;
        f.other_block = other_block;
        f.other_thread = met.thread;
        f.other_line = line_at(program_, met.location);
        f.other_step = met.segment;
        f.array = memory_[allocation].shape().name;
        f.index = static_cast<std::int64_t>(element);
        f.elements = memory_[allocation].shape().elements;
        find(std::move(f), i, lane);
    };
    const Past now{clocks_.now(warp),       i.location,
                   recorder_.segment(warp), static_cast<std::uint16_t>(thread(lane)),
                   clocks_.syncs(warp),     clocks_.shuffles(warp)};
    const bool others = s.block != block_ && s.block != Stored::kNobodyStored;
    if (others) {
        if (!is_volatile && !s.atomic && !(writes && same_value) && !stores_.ordered(s.block, s.sequence, block_)) {
            report(s.block, s.history.write, true);
        }
        if (writes) {
            s.history = {};
            s.history.write = now;
        }
        return;
    }
    if (s.block == Stored::kNobodyStored && s.reader != block_) { // forget another block's reads
        s.history = {};
        s.reader = block_;
    }
    Past met;
    const Race race = note_access(s.history, clocks_, now, writes, same_value, met);
    if (race != Race::none && !is_volatile && !s.atomic && s.history.reported_segment != now.segment + 1) {
        s.history.reported_segment = now.segment + 1;
        report(block_, met, race == Race::with_write);
    }
}

} // namespace warptree::simt
