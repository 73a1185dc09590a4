// One call of a kernel file, as it was chosen: launched as often as its finish takes, recorded and judged. It may be called again
// in other ways, shown or unseen.
#pragma once

#include "app/base/options.hpp"
#include "app/run/judge/expectation.hpp"
#include "app/run/judge/recognition.hpp"
#include "app/run/kernel_launch.hpp"
#include "app/run/kernel_source.hpp"
#include "app/run/launch_run.hpp"
#include "app/trace/model/trace.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace warptree::runs {

// Limits on warp instructions per block, while the program chooses n.
inline constexpr std::uint64_t kFirstTry = 1ULL << 16, kAside = 1ULL << 18, kFirstTries = 1ULL << 19,
                               kLaterTries = 1ULL << 20, kLastTry = 1ULL << 23;

class KernelAttempt {
  public:
    // Both outlive it. Throws DeviceError where a GPU is asked for and there is none.
    KernelAttempt(const RunOptions& options, RunControl& control);

    // Calls the kernel so, with at most so many instructions if the program chose n. unseen: nothing is recorded.
    Trace attempt(const Adjusted& adjusted, std::uint64_t instructions, bool unseen = false);
    // A launch that is not shown, of at most 2^14 threads if its grid follows from n; nullopt: it does not complete, or
    // its sizes do not fit. launch: receives what was found. n: other than that shown, if not 0.
    std::optional<LaunchRun> run_aside(const Adjusted& adjusted, std::uint64_t instructions, Launch& launch,
                                       std::uint64_t n = 0) {
        return run_aside(options_, adjusted, instructions, launch, n);
    }
    std::optional<LaunchRun> run_aside(RunOptions o, const Adjusted& adjusted, std::uint64_t instructions,
                                       Launch& launch, std::uint64_t n, const Window& traced = {0, 0});
    // How many elements of the launch's output are results.
    std::uint64_t results(const LaunchRun& run) const;
    // The arguments of a launch that the one shown has otherwise: "in = primes".
    std::vector<std::string> other_arguments(const KernelLaunch& launched) const;
    // Whether the name of what the trace shows is that of another run's result, too.
    bool keeps_its_name(const Trace& trace, const LaunchRun& other) const;
    // "sum(const int*, int*, int)".
    std::string signature();
    // What a result is named by; depth: combines on the longest path to it.
    static Observed seen(const LaunchRun& run, Numbers output, std::uint64_t depth);

    // Of the last attempt.
    bool completed() const { return last_->summary().completed; }
    const KernelLaunch& first() const { return first_; } // its first launch as chosen
    const LaunchRun& last() const { return *last_; }     // its last one as run
    const Numbers& output() const { return output_; }    // of that
    bool uses_n() const; // whether a number that is n, as nobody said another one, is used by the kernel
    const Expected& expected() const { return expected_; }
    const Adjusted& adjusted() const { return adjusted_; }
    std::uint64_t instructions() const { return instructions_; }
    const Finding& ending() const { return ending_; }
    const std::set<std::string>& uninitialised() const { return uninitialised_; }
    const RunOptions& options() const { return options_; }

  private:
    static constexpr std::uint64_t kTellingThreads = 1ULL << 14; // of the runs that tell what a kernel computes

    Operator op() const { return source_.has_operator() ? options_.op : expected_.op; }
    // A launch over `partials`, the output of the previous one; null: the first. Each has a fraction of the previous
    // one's work.
    void launch(RunOptions options, const Numbers* partials, const std::vector<std::uint32_t>* depths);
    // Whether lanes see one another's stores late: if the file declares a race between lanes, unless in lockstep.
    bool lanes_part() const { return source_.header().lanes_race && options_.order != WarpOrder::lockstep; }
    // A kernel that goes wrong in the interpreter is not run on the GPU: the trace is the interpreter's and says so.
    void launch_on_gpu(LaunchRun& before, const RunOptions& options, const std::function<void(double)>& progress);
    void note_findings();
    void expect(const KernelLaunch& first);
    // Where one of several blocks ended the run: what the others had stored by then depends on how fast they were.
    bool outputs_are_chance() const;
    void keep_partials();
    void launch_all();
    void conclude();
    void tell();
    // Whether the host gets one value to use as it is, or partial results to combine.
    bool leaves_to_host() const;
    // What the kernel computes, told by two more runs with other contents if it can be told by this one.
    std::string recognised();
    void hold_with_unequal_sizes(Recognition& found);
    // What another kernel of the file stores, called with the same elements and contents.
    std::vector<std::uint64_t> of_another_kernel(const std::string& kernel);
    std::vector<std::uint64_t> of_file(const std::string& path) const;
    // The launch with these contents; nullopt: it does not complete.
    std::optional<LaunchRun> told(const Telling& telling);
    void tell_overflow(std::uint64_t n);
    void judge_outputs();

    const RunOptions& options_;
    RunControl& control_;
    const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
    bool told_ = false;
    simt::ProcessorTime time_{options_.limits.time};
    KernelSource source_;
    Expected expected_;
    KernelLaunch first_;
    std::vector<Numbers> inputs_; // of the first launch
    std::optional<LaunchRun> last_;
    Numbers output_; // of the last launch
    double done_ = 0;
    bool unseen_ = false;                 // nothing of this attempt is recorded
    bool refused_ = false;                // because of a finding in the interpreter
    Adjusted adjusted_;                   // of this attempt
    std::uint64_t instructions_ = 0;      // limit per block, counted by warp, if the program chose n
    Finding ending_;                      // the first that ended the launch, if one did
    std::set<std::string> uninitialised_; // arrays whose uninitialised elements were read
    Trace trace_;
};

} // namespace warptree::runs
