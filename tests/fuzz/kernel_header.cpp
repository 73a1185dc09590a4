// The comment at the top of a kernel file.
#include "app/catalogue/kernel_header.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace warptree;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fuzz::refusable([&] {
        const catalogue::KernelHeader header = catalogue::read_header(fuzz::text_of(data, size));
        fuzz::require(!header.blocks || (header.blocks->least >= 1 && header.blocks->most <= 1024));
    });
}
