// Files of measured timings: an accepted file is unchanged by writing and reading.
#include "app/measure/timing/results_file.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace warptree;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fuzz::refusable([&] {
        const auto series = timing::series_from_json(fuzz::text_of(data, size), "fuzz.json");
        const std::string text = timing::to_json(series);
        fuzz::require(timing::to_json(timing::series_from_json(text, "again.json")) == text);
    });
}
