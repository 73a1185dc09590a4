// One launch of a kernel in the interpreter: its memory, its arguments, and what it leaves.
#pragma once

#include "app/compile/program.hpp"
#include "app/run/expectation.hpp"
#include "app/run/kernel_launch.hpp"
#include "app/simt/machine.hpp"
#include "app/trace/model/trace.hpp"

#include <memory>
#include <vector>

namespace warptree::runs {

class LaunchRun {
  public:
    // partials: what the launch before it left, which is its input; depths: what that stands for; null: the first. op: whose identity arrays are filled
    // with. one_result: its output is one value, to which blocks combine.
    LaunchRun(std::shared_ptr<const compile::Program> program, KernelLaunch launch, const RunOptions& options,
              const Numbers* partials, const std::vector<std::uint32_t>* depths, Operator op, bool one_result);

    void execute(const RunOptions& options, RunControl& control, const std::function<void(double)>& progress,
                 Launch& trace);

    // The same after what a GPU did, as an interpreted run `before` of the same launch found that it goes well.
    void execute_on_gpu(const LaunchRun& before, const RunOptions& options, RunControl& control,
                        const std::function<void(double)>& progress, Launch& trace);

    // The next execute() follows the log, or keeps what a GPU would have logged of it, by thread.
    void follow(std::unique_ptr<simt::DeviceLog> log) { log_ = std::move(log); }
    void keep_log(std::vector<std::vector<compile::LoggedEvent>>* to) { own_log_ = to; }

    // Lanes of a warp do not see each other's stores before the warp meets: see simt::LaneStores.
    void part_lanes(bool apart) { lanes_apart_ = apart; }

    const compile::Program& program() const { return *program_; }
    const compile::Kernel& kernel() const { return program_->kernels[launch_.kernel]; }
    const KernelLaunch& launch() const { return launch_; }
    const simt::LaunchSummary& summary() const { return summary_; }
    const std::vector<KernelArgument>& arguments() const { return shown_; }
    // Scalars of an element of a parameter's array: 4 of float4.
    std::uint64_t components(std::uint32_t parameter) const;
    bool is_array(std::uint32_t parameter) const { return allocations_[parameter] != compile::kNone; }
    // As they were before it ran: it may work in place. At most two.
    const std::vector<Numbers>& inputs() const { return inputs_; }
    // The first `most` elements of the output that the kernel has stored to.
    Numbers output(std::uint64_t most) const;
    // Elements of the output.
    std::uint64_t stored() const;
    // What its output's elements stand for, as in simt::Allocation::depths.
    const std::vector<std::uint32_t>& depths() const { return depths_; }
    // All arrays that it may have stored to.
    std::vector<KernelOutput> outputs() const;

  private:
    simt::LaunchSetup setup_of(const RunOptions& options, RunControl& control,
                               const std::function<void(double)>& progress);
    bool lanes_apart_ = false;
    std::unique_ptr<simt::DeviceLog> log_; // of a GPU that is followed
    std::vector<std::vector<compile::LoggedEvent>>* own_log_ = nullptr;
    std::uint32_t add_array(std::uint32_t parameter, const ArgumentValue& value, const RunOptions& options,
                            const Numbers* partials, KernelArgument& shown);
    void keep_inputs();

    std::shared_ptr<const compile::Program> program_;
    KernelLaunch launch_;
    Operator op_;
    bool one_result_;
    std::unique_ptr<simt::Memory> memory_;
    std::vector<std::uint32_t> allocations_; // by parameter; kNone: no array
    std::vector<simt::Argument> arguments_;
    std::vector<KernelArgument> shown_;
    std::vector<Numbers> inputs_;
    std::vector<std::uint32_t> depths_;
    simt::LaunchSummary summary_;
};

} // namespace warptree::runs
