// Tests run the same kernels many times, with different n and orders: each is compiled once. No test changes a header
// that a kernel includes between two runs.
#include "app/run/kernel_source.hpp"

namespace warptree {
namespace {
const runs::CompileOnce kCompileOnce;
} // namespace
} // namespace warptree
