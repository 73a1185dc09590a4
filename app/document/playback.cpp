#include "app/document/playback.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace warptree::session {

namespace {
constexpr std::array kSpeeds{0.1F, 0.25F, 0.5F, 1.0F, 2.0F, 5.0F, 10.0F};
constexpr float kThird = 1.0F / 3;
} // namespace

void Playback::attach(const Trace& trace) {
    std::vector<std::vector<std::string>> all;
    std::vector<std::vector<bool>> barriers;
    for (const Launch& l : trace.launches) {
        auto& labels = all.emplace_back();
        auto& ends = barriers.emplace_back();
        for (const Step& s : l.steps) {
            labels.push_back(s.label);
            ends.push_back(s.counters.barriers != 0);
        }
        for (const Stall& s : l.stalls) {
            if (s.kind == StallKind::barrier && s.step < ends.size()) {
                ends[s.step] = true;
            }
        }
    }
    if (trace.host_partials > 1 || all.empty()) { // a program that launches nothing is all host
        all.push_back({"host"});
    }
    attach(std::move(all), std::move(barriers));
}

void Playback::attach(std::vector<std::vector<std::string>> all, std::vector<std::vector<bool>> barriers) {
    end_glide();
    std::string label;
    if (moment_.launch < labels_.size() && moment_.step < labels_[moment_.launch].size()) {
        label = labels_[moment_.launch][moment_.step];
    }
    labels_ = std::move(all);
    barriers_ = std::move(barriers);
    steps_.clear();
    places_ = 0;
    for (const auto& labels : labels_) {
        steps_.push_back(static_cast<std::uint32_t>(labels.size()));
    }
    for (const std::uint32_t n : steps_) {
        places_ += n;
    }
    moment_.launch = std::min<std::uint32_t>(moment_.launch, static_cast<std::uint32_t>(steps_.size()) - 1);
    const auto& labels = labels_[moment_.launch];
    const auto found = std::find(labels.begin(), labels.end(), label);
    moment_.step = found != labels.end()
                       ? static_cast<std::uint32_t>(found - labels.begin())
                       : std::min<std::uint32_t>(moment_.step, static_cast<std::uint32_t>(labels.size()) - 1);
}

std::uint32_t Playback::first_place(std::uint32_t launch) const {
    std::uint32_t before = 0;
    for (std::uint32_t l = 0; l < launch && l < steps_.size(); ++l) {
        before += steps_[l];
    }
    return before;
}

std::uint32_t Playback::places_of(std::uint32_t launch) const { return launch < steps_.size() ? steps_[launch] : 0; }

std::uint32_t Playback::place() const { return first_place(moment_.launch) + moment_.step; }

void Playback::go_to_launch(std::uint32_t launch, std::uint32_t step) {
    if (!steps_.empty()) {
        launch = std::min(launch, static_cast<std::uint32_t>(steps_.size()) - 1);
        go_to_place(first_place(launch) + std::min(step, std::max(1U, steps_[launch]) - 1));
    }
}

void Playback::go_to_place(std::uint32_t place, float phase) {
    gliding_ = 0;
    if (places_ == 0) {
        return;
    }
    place = std::min(place, places_ - 1);
    moment_.launch = 0;
    while (place >= steps_[moment_.launch]) {
        place -= steps_[moment_.launch++];
    }
    moment_.step = place;
    moment_.phase = std::clamp(phase, 0.0F, 1.0F);
    moment_.barrier = 1;
}

bool Playback::at_barrier_step() const {
    return moment_.launch < barriers_.size() && moment_.step < barriers_[moment_.launch].size() &&
           barriers_[moment_.launch][moment_.step];
}

void Playback::wait_at_barrier() {
    moment_.phase = 1;
    moment_.barrier = at_barrier_step() ? kAllArrived : 1.0F;
}

namespace {
constexpr float kBehindBarrier = 0.75F; // where the barrier begins in a step that ends at one
}

float Playback::fraction() const {
    return !at_barrier_step()     ? moment_.phase
           : moment_.phase < 1.0F ? moment_.phase * kBehindBarrier
                                  : kBehindBarrier + moment_.barrier * (1 - kBehindBarrier);
}

void Playback::go_to_fraction(std::uint32_t place, float fraction) {
    go_to_place(place, fraction);
    if (at_barrier_step() && fraction < 1) {
        moment_.phase = std::clamp(fraction / kBehindBarrier, 0.0F, 1.0F);
        moment_.barrier =
            moment_.phase < 1 ? 1.0F : std::clamp((fraction - kBehindBarrier) / (1 - kBehindBarrier), 0.0F, 1.0F);
    }
}

void Playback::first() {
    const std::uint32_t begin = first_place(moment_.launch);
    go_to_place(place() > begin || moment_.phase > 0 ? begin : 0);
}

void Playback::last() {
    const std::uint32_t end = first_place(moment_.launch) + std::max(1U, places_of(moment_.launch)) - 1;
    go_to_place(place() < end ? end : places_ - 1);
}

void Playback::end_glide() {
    if (const int glided = std::exchange(gliding_, 0); glided < 0 && place() > 0) {
        go_to_place(place() - 1);
    } else if (glided != 0) {
        moment_.phase = moment_.barrier = 1;
    }
}

void Playback::step(int direction) {
    if (gliding()) {
        end_glide();
        return;
    }
    const bool more = direction > 0 ? !moment_.complete() || place() + 1 < places_ : place() > 0;
    if (!glides || !more) {
        direction > 0 ? forward() : back();
        return;
    }
    playing_ = false;
    if (direction > 0 && moment_.complete()) {
        go_to_fraction(place() + 1, 0);
    }
    gliding_ = direction > 0 ? 1 : -1;
}

void Playback::forward() {
    end_glide();
    playing_ = false;
    if (!moment_.complete()) {
        moment_.phase = moment_.barrier = 1;
    } else if (place() + 1 < places_) {
        go_to_place(place() + 1);
    }
}

void Playback::back() {
    end_glide();
    playing_ = false;
    if (place() > 0) {
        go_to_place(place() - 1);
    } else {
        moment_.phase = moment_.barrier = 1;
    }
}

// Sub-steps end at one third, two thirds and the whole of a step's work, and after its barrier.
void Playback::sub_forward() {
    end_glide();
    playing_ = false;
    const float thirds = std::floor(moment_.phase * 3 + 0.01F);
    if (moment_.phase >= 1 && moment_.barrier < 1) {
        moment_.barrier = 1;
    } else if (thirds >= 3) {
        if (place() + 1 < places_) {
            go_to_place(place() + 1, kThird);
        }
    } else if (thirds >= 2) {
        wait_at_barrier();
    } else {
        moment_.phase = (thirds + 1) * kThird;
    }
}

void Playback::sub_back() {
    end_glide();
    playing_ = false;
    const float thirds = std::ceil(moment_.phase * 3 - 0.01F);
    if (thirds >= 3 && moment_.barrier > kAllArrived && at_barrier_step()) {
        wait_at_barrier();
    } else if (thirds <= 1) {
        if (place() > 0) {
            go_to_place(place() - 1);
        }
    } else {
        moment_.phase = (thirds - 1) * kThird;
        moment_.barrier = 1;
    }
}

void Playback::toggle() {
    gliding_ = 0;
    playing_ = !playing_;
    if (playing_ && place() + 1 == places_ && moment_.complete()) {
        go_to_place(0, 0);
    }
}

void Playback::faster() {
    const auto* next = std::find_if(kSpeeds.begin(), kSpeeds.end(), [&](float s) { return s > speed_ * 1.01F; });
    speed_ = next == kSpeeds.end() ? kSpeeds.back() : *next;
}

void Playback::slower() {
    float slower = kSpeeds.front();
    for (const float s : kSpeeds) {
        slower = s < speed_ * 0.99F ? s : slower;
    }
    speed_ = slower;
}

std::span<const float> Playback::speeds() { return kSpeeds; }

void Playback::set_speed(float speed) { speed_ = std::clamp(speed, kSpeeds.front(), kSpeeds.back()); }

bool Playback::advance(double seconds) {
    if (const int glides_to = gliding_; glides_to != 0 && places_ != 0) {
        const double takes = std::min(kGlide, 1 / static_cast<double>(speed_));
        const double to = static_cast<double>(fraction()) + glides_to * seconds / takes;
        if (glides_to > 0 ? to >= 1 : to <= 0) {
            end_glide();
        } else {
            go_to_fraction(place(), static_cast<float>(to));
            gliding_ = glides_to;
        }
        return true;
    }
    if (!playing_ || places_ == 0) {
        return false;
    }
    double position = place() + static_cast<double>(fraction()) + seconds * static_cast<double>(speed_);
    if (position >= places_) {
        if (!loop) {
            playing_ = false;
            last();
            return true;
        }
        position = std::fmod(position, places_);
    }
    const auto step = static_cast<std::uint32_t>(position);
    go_to_fraction(step, static_cast<float>(position - step));
    return true;
}

} // namespace warptree::session
