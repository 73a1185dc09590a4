// Races on shared memory: two threads touch one word in one barrier interval, one writes, and no warp barrier lies
// between. A shuffle between them orders nothing (CUDA C++ Programming Guide, "Warp Shuffle Functions"). One hazard is reported for each word and each step in which a later access of the pair happens.
#pragma once

#include "app/trace/model/trace.hpp"
#include "kernels/trace/steps.hpp"

#include <cstdint>
#include <vector>

namespace warptree {

struct SharedAccess {
    std::uint32_t word;
    std::uint16_t thread, step; // step: id in the table
    std::uint16_t warp_epoch;   // warp barriers the thread has passed
    std::uint16_t shuffles;     // and shuffles
    SourceLine line;
    bool writes;
};

class HazardFinder {
  public:
    explicit HazardFinder(std::uint32_t words) : shadow_(words) {}
    void note(const SharedAccess& access) { log_.push_back(access); }
    // Appends the hazards of the accesses noted since the last call, by (word, later step).
    void end_interval(std::uint32_t block, const StepTable& steps, std::vector<Hazard>& found);

  private:
    struct Shadow {
        std::uint32_t generation = 0;
        std::uint16_t thread = 0;
        bool several = false, written = false;
    };
    void check_word(std::uint32_t block, std::vector<SharedAccess>::const_iterator begin,
                    std::vector<SharedAccess>::const_iterator end, const std::vector<std::uint16_t>& rank,
                    std::vector<Hazard>& found) const;

    std::vector<SharedAccess> log_, suspects_;
    std::vector<Shadow> shadow_; // by word
    std::uint32_t generation_ = 0;
};

} // namespace warptree
