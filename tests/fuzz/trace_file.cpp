// Trace files: every accepted trace can be reported.
#include "app/trace/explain/report.hpp"
#include "app/trace/io/file.hpp"
#include "tests/fuzz/input_file.hpp"

using namespace warptree;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fuzz::refusable([&] { fuzz::require(!report_text(load(fuzz::file_of(data, size))).empty()); });
}
