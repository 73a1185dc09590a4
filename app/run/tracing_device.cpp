#include "app/run/tracing_device.hpp"

#include "app/base/error.hpp"

#include <atomic>

namespace warptree::runs {

namespace {
class NoTracingDevice final : public TracingDevice {
  public:
    bool usable() const override { return false; }
    Device facts() const override { missing(); }
    std::string architecture() const override { missing(); }
    std::unique_ptr<simt::DeviceLog> log(const simt::LaunchSetup&, std::chrono::milliseconds) const override {
        missing();
    }

  private:
    [[noreturn]] static void missing() {
        throw MissingDevice("this program was built without its GPU side; --backend cpu runs it");
    }
};

const NoTracingDevice kNone;
std::atomic<const TracingDevice*> set{&kNone};
} // namespace

const TracingDevice& tracing_device() { return *set; }
void set_tracing_device(const TracingDevice& device) { set = &device; }

} // namespace warptree::runs
