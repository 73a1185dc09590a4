// This room where the GPU's side is left out of the build (WARPTREE_GPU=OFF): every use ends with the reason.
#include "app/base/error.hpp"
#include "app/gpu/driver.hpp"
#include "app/measure/gpu/clocked_run.hpp"
#include "app/measure/gpu/code_listing.hpp"
#include "app/measure/gpu/real_launch.hpp"
#include "app/measure/gpu/timing_device.hpp"
#include "app/measure/gpu/tracing_gpu.hpp"

namespace warptree::runs {

namespace {
[[noreturn]] void missing() { throw MissingDevice(gpu::why_not()); }
} // namespace

void trace_on_this_gpu() {}
clocks::Recording measure_clocks(const RunOptions&) { missing(); }
RealLaunch launch_for_real(const RunOptions&, const Trace&) { missing(); }
void list_by_nvrtc(code::Disassembly&, const KernelSource::Compiled&) { missing(); }

struct TimingDevice::Shared {};
TimingDevice::TimingDevice(TimedFiles, std::uint64_t, GpuOptions) { missing(); }
TimingDevice::~TimingDevice() = default;
timing::Provenance TimingDevice::provenance() const { missing(); }
std::string TimingDevice::refusal(const timing::Configuration&) const { missing(); }
timing::Traffic TimingDevice::traffic(const timing::Configuration&) const { missing(); }
void TimingDevice::prepare(std::uint64_t, ElementType) { missing(); }
std::unique_ptr<timing::Experiment> TimingDevice::open(const timing::Configuration&) { missing(); }
std::vector<std::string> TimingDevice::notes() const { return {}; }

} // namespace warptree::runs
