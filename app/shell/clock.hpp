// The clock of the window: the machine's, or controlled by a test, so that nothing moves unless the test wants it to.
//
// WARPTREE_CLOCK=FILE: the file holds a number and a time in seconds, "7 1.5", and is replaced as a whole. Time then
// advances frame by frame to the time in the file and stops there. StateFile repeats the number once everything
// requested until then is shown.
#pragma once

#include <cstdint>
#include <string>

namespace warptree::window {

class Clock {
  public:
    Clock();
    bool told() const { return !path_.empty(); } // controlled by a test
    double now() const;                          // seconds
    // Reads the file. Once per frame, before events are taken, so that they include all sent before it was written.
    void tick();
    bool behind() const { return now_ < until_; }    // now() has not reached the time in the file
    std::uint64_t number() const { return number_; } // the one in the file

  private:
    std::string path_;
    std::uint64_t number_ = 0;
    double now_ = 0, until_ = 0;
    bool begun_ = false;
};

} // namespace warptree::window
