// Past accesses to one word, kept to detect whether the next one races.
#pragma once

#include "app/simt/clocks.hpp"

#include <cstdint>

namespace warptree::simt {

// A past access.
struct Past {
    std::uint32_t clock = 0, location = 0, segment = 0;
    std::uint16_t thread = 0, sync = 0;
    std::uint32_t shuffles = 0; // executed by the warp until then
};

struct History {
    Past write, read,
        other_read; // the latest of each; other_read: by another thread than `read`, if possible of another warp
    std::uint32_t reported_segment = 0; // segment + 1 in which a race on the word was reported
    std::uint32_t reported_block = 0;   // and in which block
};

enum class Race : std::uint8_t { none, with_write, with_read };

// Records `now` and returns whether it races with an earlier access, which it then puts into `met`. `same_value`: a
// store of the value already there, so that the order of the stores makes no difference.
inline Race note_access(History& h, const Clocks& clocks, const Past& now, bool writes, bool same_value, Past& met) {
    // The usual case: every earlier access is ordered before this one.
    const std::uint32_t settled = clocks.settled();
    if (h.write.clock < settled && h.read.clock < settled && h.other_read.clock < settled) {
        (writes ? h.write : h.read) = now;
        return Race::none;
    }
    const auto fresh = [&](const Past& p) { return p.clock >= clocks.start(); };
    const auto races = [&](const Past& p) {
        return fresh(p) && p.thread != now.thread && !clocks.ordered(p.thread, p.clock, p.sync, now.thread);
    };
    Race race = Race::none;
    if (!(writes && same_value) && races(h.write)) {
        met = h.write;
        race = Race::with_write;
    }
    if (writes) {
        for (const Past* read : {&h.read, &h.other_read}) {
            if (race == Race::none && races(*read)) {
                met = *read;
                race = Race::with_read;
            }
        }
        h.write = now;
        return race;
    }
    if (fresh(h.read) && h.read.thread != now.thread) {
        const bool elsewhere = fresh(h.other_read) && h.other_read.thread / kLanes != now.thread / kLanes;
        if (h.read.thread / kLanes != now.thread / kLanes || !elsewhere) {
            h.other_read = h.read;
        }
    }
    h.read = now;
    return race;
}

} // namespace warptree::simt
