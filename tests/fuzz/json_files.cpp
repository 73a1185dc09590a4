// Everything recorded as JSON but timings, which have a target of their own: each input goes to each reader.
#include "app/drawing/theme.hpp"
#include "app/features/compare/comparison.hpp"
#include "app/measure/clocks/clocks.hpp"
#include "app/measure/code/recording.hpp"
#include "app/measure/counters/counters.hpp"
#include "app/measure/counters/explanations.hpp"
#include "app/theory/kernel_resources.hpp"
#include "tests/fuzz/input_file.hpp"

using namespace warptree;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string& file = fuzz::file_of(data, size);
    const std::string text = fuzz::text_of(data, size);
    fuzz::refusable([&] { // what is accepted is unchanged by writing and reading
        const std::string written = clocks::to_json(clocks::load(file));
        fuzz::require(clocks::to_json(clocks::load(fuzz::file_of(reinterpret_cast<const std::uint8_t*>(written.data()),
                                                                 written.size()))) == written);
    });
    fuzz::file_of(data, size);
    fuzz::refusable([&] { code::to_json(code::load_recording(file)); });
    fuzz::refusable([&] { counters::load_recording(file); });
    fuzz::refusable([&] { counters::load_explanations(file); });
    fuzz::refusable([&] { theory::parse_resources(text, "fuzz.json"); });
    fuzz::refusable([&] { scene::parse_theme(text, "fuzz.json"); });
    fuzz::refusable([&] { session::parse_presets(text, "fuzz.json"); });
    return 0;
}
