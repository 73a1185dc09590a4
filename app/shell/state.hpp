// The state of the window, for tests and measurements: see window.hpp for the environment variables.
#pragma once

#include "app/features/screen.hpp"
#include "app/features/widgets/context.hpp"
#include "app/render/gl/gl_retained.hpp"
#include "app/shell/dialogs.hpp"
#include "app/shell/lecture.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warptree::window {

class StateFile {
  public:
    std::uint64_t settled = 0; // Clock::number() once it is shown in full

    StateFile();
    bool wanted() const { return !path_.empty(); }
    void place(const std::string& id, const scene::Rect& rect) { places_[id] = rect; }
    void forget_places() { places_.clear(); } // once a frame
    scene::Rect placed(const std::string& id) const {
        const auto found = places_.find(id);
        return found == places_.end() ? scene::Rect{} : found->second;
    }
    // Rewrites the file if anything has changed.
    void write(const session::Explore& explore, const Dialogs& dialogs, const std::string& notice,
               const std::string& keyboard, const render::GlRetained& picture, const pages::Page& page,
               const std::string& state);

    LectureState lecture;
    std::string verdict; // as shown in the top bar, in full

  private:
    std::string path_, last_;
    std::map<std::string, scene::Rect> places_;
};

class FrameTimes {
  public:
    FrameTimes();
    ~FrameTimes(); // writes the file
    FrameTimes(const FrameTimes&) = delete;
    FrameTimes& operator=(const FrameTimes&) = delete;
    void frame(double milliseconds);

  private:
    std::string path_;
    std::chrono::steady_clock::time_point start_;
    double first_ = 0; // milliseconds from start to first frame
    std::vector<double> frames_;
};

} // namespace warptree::window
