// What the window shows, for tests and measurements: see window.hpp for the environment variables.
#pragma once

#include "app/panels/panel.hpp"

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace warptree::window {

class StateFile {
  public:
    StateFile();
    bool wanted() const { return !path_.empty(); }
    void place(const std::string& id, const scene::Rect& rect) { places_[id] = rect; }
    // Rewrites the file when anything differs from the last time.
    void write(const session::Explore& explore, const std::string& dialog, const std::string& notice);

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
