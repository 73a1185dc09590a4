// Whether what a program's kernels store is ever brought to the host.
#pragma once

#include "app/trace/model/source_line.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace warptree::runs {

class UnreadResults {
  public:
    // A kernel that is launched in a line may store to an array. uses: it may load from it as well, or get from
    // its atomics what was there.
    // one: the array is a single number.
    void stored(std::uint32_t array, const std::string& kernel, const std::string& name, SourceLine line, bool uses,
                bool one);
    void loaded(std::uint32_t array) { used_.insert(array); }
    // The host copies to an array, or sets it.
    void set(std::uint32_t array) { just_set_.insert(array); }
    // Within the device.
    void copied(std::uint32_t from, std::uint32_t to);
    void read(std::uint32_t array);
    // Results are, or may be, seen in a way that is not followed.
    void may_be_seen() { seen_ = true; }

    struct Unread {
        std::string text;
        SourceLine line;
    };
    // What is told where nothing was read at all: of the last that was stored.
    std::optional<Unread> nothing_read() const;
    // Where other results are read: of an array that the host sets before each launch of a loop, and that nobody ever looks at, as
    // at a flag that ends the loop; of a single number also before one launch, as the loop then ends with the first.
    std::vector<Unread> flags() const;

  private:
    struct Stored {
        std::string kernel, name;
        SourceLine line;
        bool one = false;
    };
    std::map<std::uint32_t, Stored> stored_; // by array
    std::set<std::uint32_t> results_;        // stored to, or copied from what was
    std::set<std::uint32_t> used_, read_, just_set_;
    std::map<std::uint32_t, unsigned> rounds_; // by array: launches that store to it after the host has set it
    Stored last_;
    bool seen_ = false, any_read_ = false;
};

} // namespace warptree::runs
