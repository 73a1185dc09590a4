// Moving through the steps of a trace: play, step, scrub, loop.
#pragma once

#include "app/document/moment.hpp"
#include "app/trace/model/trace.hpp"

#include <span>
#include <string>
#include <vector>

namespace warptree::session {

class Playback {
  public:
    // Keeps the position if the new trace has it (same launch, same step label), else the same indices as far as they
    // exist.
    void attach(const Trace& trace);
    // Labels of the steps, by launch; at least one. `barriers`: which steps end at one; empty: none.
    void attach(std::vector<std::vector<std::string>> labels, std::vector<std::vector<bool>> barriers = {});

    const Moment& moment() const { return moment_; }
    // Places in order over all launches, the host's combine last. A place is one step, complete.
    std::uint32_t places() const { return places_; }
    std::uint32_t place() const;
    void go_to_place(std::uint32_t place, float phase = 1);
    void go_to_launch(std::uint32_t launch, std::uint32_t step = 0); // complete; past the end: the last one
    std::uint32_t first_place(std::uint32_t launch) const;           // of that launch
    std::uint32_t places_of(std::uint32_t launch) const;             // its steps
    // A fraction of a step, divided evenly among its three parts and the barrier that ends it, if any.
    void go_to_fraction(std::uint32_t place, float fraction);
    float fraction() const;
    bool at_barrier_step() const; // the current step ends at one
    void wait_at_barrier();       // the current step is complete except for its barrier

    void first();   // of the launch; where it is there already, of all
    void last();    // likewise
    void forward(); // completes the current step, or goes to the next one, complete
    void back();    // goes to the previous step, complete
    // forward() or back() as play shows it, in kGlide seconds, if `glides`; again before its end: goes to its end.
    void step(int direction);
    bool glides = false;
    bool gliding() const { return gliding_ != 0; }
    static constexpr double kGlide = 0.4;
    void sub_forward(); // by a part of a step
    void sub_back();

    bool playing() const { return playing_; }
    void toggle();
    void pause() { playing_ = false; }
    bool loop = false;
    float speed() const { return speed_; } // steps a second, 0.1 … 10
    void faster();
    void slower();
    void set_speed(float speed);
    static std::span<const float> speeds(); // those offered, slowest first
    bool moves() const { return playing_ || gliding(); }
    // Advances by wall-clock time while it moves. True when something changed.
    bool advance(double seconds);

  private:
    void end_glide();

    Moment moment_;
    std::vector<std::uint32_t> steps_; // of each launch (and 1 for the host)
    std::vector<std::vector<std::string>> labels_;
    std::vector<std::vector<bool>> barriers_; // as labels_, or empty
    std::uint32_t places_ = 0;
    bool playing_ = false;
    int gliding_ = 0; // 1: to the end of the current step, -1: to its beginning
    float speed_ = 1;
};

} // namespace warptree::session
