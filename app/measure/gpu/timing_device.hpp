// This machine's GPU, for the timing harness: strategies and files compiled from source, peers, empty kernels.
#pragma once

#include "app/measure/gpu/file_timing.hpp"
#include "app/measure/gpu/gpu_options.hpp"
#include "app/measure/timing/harness.hpp"

#include <memory>
#include <string>
#include <vector>

namespace warptree::runs {

class TimingDevice final : public timing::Device {
  public:
    // A row that is neither a peer nor in `files` belongs to the strategy of that name. Throws MissingDevice.
    TimingDevice(TimedFiles files, std::uint64_t seed, GpuOptions gpu_options);
    ~TimingDevice() override;

    timing::Provenance provenance() const override;
    // The interpreter runs a file first, on few elements: if it goes wrong, only GpuOptions::insist runs it on the GPU.
    std::string refusal(const timing::Configuration& what) const override;
    timing::Traffic traffic(const timing::Configuration& what) const override;
    void prepare(std::uint64_t n, ElementType type) override;
    std::unique_ptr<timing::Experiment> open(const timing::Configuration& what) override;

    // "sequential.cu, reduce: NVRTC 13.0 took 62 ms", for each code compiled so far.
    std::vector<std::string> notes() const;

  private:
    struct Shared;
    std::unique_ptr<Shared> shared_;
};

} // namespace warptree::runs
