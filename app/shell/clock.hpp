// The time that the window goes by: the machine's, or what a test tells it, so that nothing moves unless the test wants it.
//
// WARPTREE_CLOCK=FILE: the file holds a number and a time in seconds, "7 1.5", and is replaced as a whole. Time then goes
// on to what the file says, in steps of a frame, and stands still there. StateFile repeats the number once what was asked
// for until then is shown.
#pragma once

#include <cstdint>
#include <string>

namespace warptree::window {

class Clock {
  public:
    Clock();
    bool told() const { return !path_.empty(); } // by a test
    double now() const;                          // seconds
    // Reads the file. Once a frame, before events are taken: whatever was done before it was written is then among them.
    void tick();
    bool behind() const { return now_ < until_; }    // of what the file says
    std::uint64_t number() const { return number_; } // in the file

  private:
    std::string path_;
    std::uint64_t number_ = 0;
    double now_ = 0, until_ = 0;
    bool begun_ = false;
};

} // namespace warptree::window
