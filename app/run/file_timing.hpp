// Kernel files as rows of a table of timings: what is planned of them, and the device that runs them.
#pragma once

#include "app/measure/timing/harness.hpp"
#include "app/run/real_kernel.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace warptree::runs {

// Files by the name that stands in their rows: "mine.cu", or the id of one that ships.
using TimedFiles = std::map<std::string, std::string, std::less<>>;

// The combinations of these axes that concern the file; what a file leaves no choice of (its element type, where it has
// none of reduction.cuh) is what it is. Impossible ones stay, with the reason. Throws FileError.
std::vector<timing::Planned> plan_file(const std::string& variant, const std::string& path, const timing::Axes& axes);

class FileDevice final : public timing::Device {
  public:
    // Throws MissingDevice.
    FileDevice(TimedFiles files, std::uint64_t seed, GpuWishes wishes);
    ~FileDevice() override;

    timing::Provenance provenance() const override;
    // The interpreter runs it first, on few elements: what goes wrong there is not run on the GPU, unless insisted on.
    std::string refusal(const timing::Configuration& what) const override;
    timing::Traffic traffic(const timing::Configuration& what) const override;
    void prepare(std::uint64_t n, ElementType type) override;
    std::unique_ptr<timing::Experiment> open(const timing::Configuration& what) override;

    // "sequential.cu: NVRTC 13.0 took 62 ms", of what was compiled so far.
    std::vector<std::string> notes() const;

  private:
    struct Shared;
    std::unique_ptr<Shared> shared_;
};

} // namespace warptree::runs
