// Trace files: every accepted trace can be reported.
#include "app/trace/explain/report.hpp"
#include "tests/fuzz/trace_input.hpp"

using namespace warptree;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fuzz::refusable([&] { fuzz::require(!report_text(fuzz::trace_of(data, size)).empty()); });
}
