// Stands in for the GPU side where the build has none.
#if !WARPTREE_HAS_CUDA

#include "app/base/error.hpp"
#include "kernels/cuda/backend.hpp"
#include "kernels/cuda/clocks.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/timing.hpp"

namespace warptree::cuda {

bool usable() { return false; }
std::string why_not() {
    return "this warptree was built without CUDA; build it where nvcc is installed, or take --backend cpu";
}
Device device() { throw MissingDevice(why_not()); }
Elements run_real(const LaunchRequest&) { throw MissingDevice(why_not()); }
clocks::Recording measure_clocks(const LaunchRequest&) {
    throw MissingDevice("reading clocks inside a kernel needs a GPU: " + why_not());
}
std::unique_ptr<timing::Device> timing_device(std::uint64_t) {
    throw MissingDevice("timing kernels needs a GPU: " + why_not());
}
std::vector<Gpu> gpus() { return {}; }
int driver_version() { return 0; }
int runtime_version() { return 0; }

} // namespace warptree::cuda

#endif
