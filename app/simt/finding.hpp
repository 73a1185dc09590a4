// What goes wrong while a kernel runs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::simt {

// Stable: reports and trace files name them.
enum class FindingKind : std::uint8_t {
    race_shared,
    race_global,
    barrier_divergence,
    deadlock,
    endless,
    out_of_bounds,
    misaligned,
    uninitialised,
    bad_mask,
    inactive_lane,
    differs_on_gpu,
    assertion,
    trap,
    bad_free
};
std::string_view name(FindingKind kind); // "race-shared", "out-of-bounds", ...
// Nothing that is computed after it means anything.
constexpr bool ends_the_run(FindingKind kind) {
    return kind == FindingKind::deadlock || kind == FindingKind::endless || kind == FindingKind::out_of_bounds ||
           kind == FindingKind::misaligned || kind == FindingKind::assertion || kind == FindingKind::trap ||
           kind == FindingKind::bad_free;
}

inline constexpr std::uint32_t kNobody = 0xFFFFFFFFU;

struct Finding {
    FindingKind kind = FindingKind::trap;
    std::uint32_t block = 0, thread = 0; // thread: in the block
    std::uint32_t location = 0;          // of the program
    std::uint32_t segment = 0;           // of the recorder; the step, once the block has ended
    // The other side of a race; for out of bounds and the like kNobody.
    std::uint32_t other_block = kNobody, other_thread = kNobody, other_location = 0, other_segment = 0;
    bool writes = false, other_writes = false;
    // What it is about: an array of shared memory or an allocation, and the element; empty: none.
    std::string array;
    std::int64_t index = 0;
    std::uint64_t elements = 0; // that the array has; 0: not known
    unsigned bytes = 0;         // of the access
    std::string text;           // what is particular to it: the assertion, the lanes, the loop's variable
    std::uint64_t times = 1;    // met at this place, by this kind
    std::uint32_t mask = 0;     // lanes of the warp it is about
};

// Of one block, or of a launch: the first of each kind and pair of places, and how often each was met.
class Findings {
  public:
    static constexpr std::size_t kMost = 200;
    // Returns whether it is a new one.
    bool add(Finding finding);
    bool ends_the_run() const { return ends_; }
    const std::vector<Finding>& list() const { return list_; }
    std::vector<Finding>& list() { return list_; }
    void clear() {
        list_.clear();
        ends_ = false;
    }
    // Takes over those of a block that came later.
    void append(const Findings& other);

  private:
    std::vector<Finding> list_;
    bool ends_ = false;
};

} // namespace warptree::simt
