// What is timed on the GPU: kernels of strategies, peers, and empty kernels.
#pragma once

#include "app/measure/timing/harness.hpp"
#include "kernels/cuda/timing_bench.hpp"

#include <memory>
#include <string>

namespace warptree::cuda {

// What all experiments have in common: the order of a sample.
class OnGpu : public timing::Experiment {
  public:
    OnGpu(Bench& bench, const timing::Configuration& what) : bench_(bench), what_(what) {}

    std::string check() override;

    double sample() override;

  protected:
    virtual void reset() {} // before a run, and not its work
    virtual void enqueue() = 0;
    // How far the result is from what it should be; `exact`: sums of the input are exact in any order.
    virtual std::string compare(bool exact) = 0;
    virtual std::uint64_t results() const = 0; // elements left for the host

    // What the run left, made one by the host.
    Scalar fetch();
    virtual void* result() { return bench_.output().data(); }

    Bench& bench_;
    timing::Configuration what_;

  private:
    std::string run_and_compare(bool exact);
    Scalar total_; // of the last pipeline run
};

// The total `got` against what it should be; empty when it is near enough.
std::string difference(const Scalar& got, const Reference& want);

std::unique_ptr<timing::Experiment> open_peer(Bench& bench, const timing::Configuration& what);
std::unique_ptr<timing::Experiment> open_strategy(Bench& bench, const timing::Configuration& what);
// An empty kernel in the grid of the strategy's launches.
std::unique_ptr<timing::Experiment> open_empty(Bench& bench, const timing::Configuration& what);
// Whether every kernel that open_strategy would launch is there.
bool is_compiled(const timing::Configuration& what);

} // namespace warptree::cuda
