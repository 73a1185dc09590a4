// Tests run the same kernels again and again, with other n and orders: each is compiled once. None changes a header that a
// kernel includes between two runs.
#include "app/run/kernel_source.hpp"

namespace warptree {
namespace {
const runs::CompileOnce kCompileOnce;
} // namespace
} // namespace warptree
