// One launch of a kernel in the interpreter: its memory, its arguments, and its outputs.
#pragma once

#include "app/compile/program/program.hpp"
#include "app/run/judge/expectation.hpp"
#include "app/run/judge/recognition.hpp"
#include "app/run/kernel_launch.hpp"
#include "app/simt/machine.hpp"
#include "app/trace/model/trace.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace warptree::runs {

// The role of a launch in a run of one or more launches.
struct LaunchPart {
    Operator op = Operator::sum;         // its identity fills arrays
    bool one_result = false;             // its output is one value, into which all blocks combine
    const Numbers* partials = nullptr;   // the previous launch's output, now the input; null: it is the first
    simt::ProcessorTime* time = nullptr; // of the run
    const std::vector<std::uint32_t>* depths = nullptr; // of `partials`, as in simt::Allocation::depths
};

class LaunchRun {
  public:
    // Throws Cancelled if `control` says so while arrays are filled.
    LaunchRun(std::shared_ptr<const compile::Program> program, KernelLaunch launch, const RunOptions& options,
              const LaunchPart& part, const RunControl& control);

    void execute(const RunOptions& options, RunControl& control, const std::function<void(double)>& progress,
                 Launch& trace);

    // The same launch, following a GPU's log; `before` interpreted it without errors.
    void execute_on_gpu(const LaunchRun& before, const RunOptions& options, RunControl& control,
                        const std::function<void(double)>& progress, Launch& trace);

    // The next execute() follows this log; or it keeps, by thread, what a GPU would have logged.
    void follow(std::unique_ptr<simt::DeviceLog> log) { log_ = std::move(log); }
    void keep_log(std::vector<std::vector<compile::LoggedEvent>>* to) { own_log_ = to; }

    // apart: lanes of a warp see one another's stores only after the warp synchronises; see simt::LaneStores.
    void part_lanes(bool apart) { lanes_apart_ = apart; }

    const compile::Program& program() const { return *program_; }
    const compile::Kernel& kernel() const { return program_->kernels[launch_.kernel]; }
    const KernelLaunch& launch() const { return launch_; }
    const simt::LaunchSummary& summary() const { return summary_; }
    const std::vector<KernelArgument>& arguments() const { return shown_; }
    // Elements of an array up to the last one accessed, if it grows; 0: it is no such array.
    std::uint64_t reached(std::uint32_t parameter) const;
    const compile::Parameter& parameter(std::uint32_t p) const { return launch_.parameters[p]; }
    // Scalars of an element of a parameter's array: 4 of float4.
    std::uint64_t components(std::uint32_t parameter) const;
    bool is_array(std::uint32_t parameter) const { return allocations_[parameter] != compile::kNone; }
    // The inputs before the launch, which may work in place. At most two; moved out, as they may be large.
    std::vector<Numbers> take_inputs() { return std::exchange(inputs_, {}); }
    // What the launch shows of the kernel, `output` having been its output; without its depth.
    Observed observed(Numbers output) const;
    // The first elements of the output: `most`, or stored() if that is less.
    Numbers output(std::uint64_t most) const;
    // Elements of the output: of the first array that it writes or, if its arguments have none, of the __device__ variable.
    std::uint64_t stored() const;
    // Whether nobody stated the size of the output: what was not stored is zero.
    bool output_grows() const;
    // Of the elements of its output, if an argument is, as in simt::Allocation::depths.
    const std::vector<std::uint32_t>& depths() const { return depths_; }
    // All arrays that the kernel may store to, and __device__ variables of numbers to which it stored what is made of elements; that of
    // the result first.
    std::vector<KernelOutput> outputs() const;

  private:
    simt::LaunchSetup setup_of(const RunOptions& options, RunControl& control,
                               const std::function<void(double)>& progress);
    bool lanes_apart_ = false;
    std::unique_ptr<simt::DeviceLog> log_; // of a GPU, to be followed
    std::vector<std::vector<compile::LoggedEvent>>* own_log_ = nullptr;
    std::uint32_t add_array(std::uint32_t parameter, const ArgumentValue& value, const RunOptions& options,
                            const Numbers* partials, KernelArgument& shown, const RunControl& control);
    void keep_inputs(const RunControl& control);
    void settle_output();
    std::uint32_t output_allocation() const; // kNone: there is no output
    std::vector<std::uint32_t> stored_globals() const;
    std::vector<double> scalars() const; // the arguments that are numbers

    std::shared_ptr<const compile::Program> program_;
    KernelLaunch launch_;
    Operator op_;
    bool one_result_;
    simt::ProcessorTime* time_;
    std::unique_ptr<simt::Memory> memory_;
    std::vector<std::uint32_t> allocations_; // of launch_.parameters; kNone: no array
    std::vector<simt::Argument> arguments_;  // of the kernel's own parameters
    std::vector<KernelArgument> shown_;
    std::vector<Numbers> inputs_;
    std::vector<simt::Allocation::Fill> fills_; // by parameter; of arrays with contents
    std::vector<std::uint32_t> depths_;
    simt::LaunchSummary summary_;
};

} // namespace warptree::runs
