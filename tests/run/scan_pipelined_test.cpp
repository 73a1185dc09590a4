// The pipelined scan: tiles published ahead, and what a tile reads of those before it.
#include "tests/run/scan_run.hpp"

namespace warptree {
namespace {

using namespace tests;

TEST(Pipelined, SaysWhichVectorsThereAre) {
    RunOptions o = scan_options("scan-pipelined", 1000);
    o.parameters = {{"vectors", 4}};
    EXPECT_NE(refusal(o).value_or("").find("take 2 or 6"), std::string::npos);
}

} // namespace
} // namespace warptree
