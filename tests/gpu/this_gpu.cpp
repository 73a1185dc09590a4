// Runs of these tests are traced on this machine's GPU, as those of the program are.
#include "app/measure/gpu/tracing_gpu.hpp"

#include <gtest/gtest.h>

namespace {
class ThisGpu : public ::testing::Environment {
  public:
    void SetUp() override { warptree::runs::trace_on_this_gpu(); }
};
[[maybe_unused]] const auto* const kThisGpu = ::testing::AddGlobalTestEnvironment(new ThisGpu);
} // namespace
