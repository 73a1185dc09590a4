// Runs know of a GPU only what they are told.
#include "app/run/tracing_device.hpp"

#include "app/base/error.hpp"
#include "app/run/run.hpp"

#include <gtest/gtest.h>

namespace warptree {
namespace {

RunOptions one_block(Backend backend) {
    RunOptions o;
    o.strategy = "sequential";
    o.n = 64;
    o.block = 64;
    o.backend = backend;
    return o;
}

// Unless told otherwise there is none: who insists is told so, and others are interpreted.
TEST(TracingDevice, IsNoneUntilOneIsSet) {
    EXPECT_FALSE(runs::tracing_device().usable());
    EXPECT_THROW(runs::run_any(one_block(Backend::cuda)), MissingDevice);
    const Trace trace = runs::run_any(one_block(Backend::automatic));
    EXPECT_EQ(trace.device.name, "CPU interpreter");
    EXPECT_TRUE(trace.pass);
}

// One that has no code to run, as of a kernel that cannot be logged: it is asked, and what it says decides.
class Refusing final : public runs::TracingDevice {
  public:
    bool usable() const override { return true; }
    Device facts() const override { return {"a pretended one", 9, 0}; }
    std::string architecture() const override { return "sm_90"; }
    std::unique_ptr<simt::DeviceLog> log(const simt::LaunchSetup&, std::chrono::milliseconds) const override {
        ++asked;
        throw OptionError("it logs nothing");
    }
    mutable int asked = 0;
};

TEST(TracingDevice, IsAskedForALog) {
    static const Refusing refusing; // outlives every run
    const runs::TracingDevice& before = runs::tracing_device();
    runs::set_tracing_device(refusing);
    EXPECT_THROW(runs::run_any(one_block(Backend::cuda)), OptionError);
    EXPECT_EQ(refusing.asked, 1);
    const Trace trace = runs::run_any(one_block(Backend::automatic));
    EXPECT_EQ(refusing.asked, 2) << "which is tried first";
    EXPECT_EQ(trace.device.name, "CPU interpreter") << "as it does not do";
    EXPECT_TRUE(trace.pass);
    runs::set_tracing_device(before);
}

} // namespace
} // namespace warptree
