// What `warptree bench` should measure, as typed and as a plan.
#pragma once

#include "app/measure/gpu/file_timing.hpp"
#include "app/measure/gpu/gpu_options.hpp"
#include "app/measure/timing/plan.hpp"
#include "app/measure/timing/sampler.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace warptree::commands {

// The options as typed; parsed when the command runs, so that every error is one line.
class BenchOptions {
  public:
    static std::shared_ptr<BenchOptions> add_to(CLI::App& command);

    // All throw OptionError naming the option, its value and what would work.
    std::vector<timing::Axes> axes() const;
    timing::StopRule rule() const;
    // The points of `axes`; peers that were added by default are left out silently where they cannot run.
    std::vector<timing::Planned> plan(std::uint32_t multiprocessors) const;
    std::uint64_t seed() const;
    // The kernel files to measure, by the name of their rows.
    runs::TimedFiles files() const;
    runs::GpuOptions gpu_options() const;

    std::vector<std::string> what; // strategies, peers and presets; empty: the preset "ladder"
    std::string json, csv, markdown;
    bool resume = false, only_plan = false;

  private:
    void override(timing::Axes& axes) const;

    std::vector<std::string> sizes_, types_, blocks_, grids_, ops_, finishes_, quantities_;
    std::map<std::string, std::vector<std::string>> parameters_;
    std::string mode_, min_time_, time_limit_, seed_;
    std::vector<std::string> compiler_options_;
    std::string limit_;
    bool alone_ = false, insist_ = false;
};

} // namespace warptree::commands
