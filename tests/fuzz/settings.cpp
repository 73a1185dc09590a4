// The program's own settings, which anything may have written: they never stop it from starting.
#include "app/shell/settings.hpp"
#include "tests/fuzz/input_file.hpp"

using namespace warptree;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string note;
    const session::Settings settings = session::load_settings(fuzz::file_of(data, size), note);
    fuzz::require(settings.width >= 640 && settings.width <= 16384 && settings.looks.scale >= 0.75F &&
                  settings.looks.scale <= 3 && settings.options.n >= 1);
    return 0;
}
