// This room where it is left out of the build (WARPTREE_GPU=OFF): what others ask whether there is a GPU.
#include "app/base/error.hpp"
#include "app/gpu/device.hpp"
#include "app/gpu/nvrtc.hpp"

namespace warptree::gpu {

bool usable() { return false; }
std::string why_not() { return "this program was built without its GPU side"; }
int driver_version() { return 0; }
std::vector<DeviceFacts> devices() { return {}; }
const DeviceFacts& facts() { throw NoDriver(why_not()); }
bool has_nvrtc() { return false; }
std::string nvrtc_version() { return {}; }

} // namespace warptree::gpu
