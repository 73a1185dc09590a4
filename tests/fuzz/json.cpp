// JSON: what is accepted is the same after writing and reading.
#include "app/base/json.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <nlohmann/json.hpp>

using namespace warptree;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fuzz::refusable([&] {
        const auto json = parse_json(fuzz::text_of(data, size));
        const std::string text = json.dump();
        fuzz::require(parse_json(text).dump() == text);
    });
}
