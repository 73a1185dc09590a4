// Runs of a changed text, by which a change is judged.
#pragma once

#include "app/base/options.hpp"
#include "app/run/kernel_run.hpp"
#include "app/trace/model/trace.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace warptree::runs {

// For what is tried against one finding, in units of effort(). Not a time: the same text is offered the same change however busy
// the machine is.
constexpr std::uint64_t kPatience = 64;

// A run that compiles and is small takes one, some 0.2 s; as many warp-level accesses to memory take as long again.
std::uint64_t effort(const std::optional<Trace>& run);
constexpr std::uint64_t kHostEffort = 3; // the host's half of a program takes so much longer to compile

// The file with another text; a program runs whole. nullopt: it does not compile, or cannot be called so. Throws Cancelled.
std::optional<Trace> run_with(RunOptions options, const std::string& text, bool program, RunControl& control);

// The launch that a trace of a kernel file shows, again: another choice of the program's would hide what is still wrong.
class SameLaunch {
  public:
    SameLaunch(const RunOptions& options, const Trace& trace, RunControl& control);
    bool known() const { return guess_.has_value(); }
    std::optional<Trace> run(const std::string& text) { return with(options_, guess_, text); }
    // With more elements.
    std::optional<Trace> run_larger(const std::string& text);
    const std::optional<Trace>& unchanged_larger();

  private:
    std::optional<Trace> with(RunOptions o, std::optional<Guess> guess, const std::string& text);

    RunOptions options_;
    RunControl& control_;
    std::optional<Guess> guess_;
    std::string unchanged_;
    std::uint64_t larger_ = 0;
    std::optional<Trace> unchanged_larger_;
};

} // namespace warptree::runs
