// The format and the arguments of a kernel's printf: 16 bytes of types, arguments after a null character.
#include "app/simt/device_print.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <algorithm>

using namespace warptree;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string input = fuzz::text_of(data, size);
    const std::size_t types_end = std::min<std::size_t>(input.find('\0'), input.size());
    const std::size_t format_end = std::min(input.find('\0', types_end + 1), input.size());
    const std::string types = input.substr(0, types_end);
    const std::string format = types_end < input.size() ? input.substr(types_end + 1, format_end - types_end - 1) : "";
    const std::string packed = format_end < input.size() ? input.substr(format_end + 1) : "";
    simt::PrintArguments arguments{std::as_bytes(std::span(packed)), types};
    if (types == "?") {
        arguments.types.reset();
    }
    const simt::DevicePrinted printed =
        simt::device_print(format, arguments, [&](std::uint64_t address, std::size_t most) {
            const std::string_view there =
                std::string_view(packed).substr(std::min<std::size_t>(address, packed.size()));
            const std::size_t end = std::min(there.find('\0'), there.size());
            return simt::DeviceText{std::string(there.substr(0, std::min(end, most))),
                                    end < std::min(there.size(), most)};
        });
    // Each conversion prints its text, or at most width or precision, or all of a double.
    fuzz::require(printed.text.size() <= format.size() * (2400 + packed.size()));
    fuzz::require(printed.parsed >= 0 && printed.parsed <= static_cast<std::int32_t>(simt::kMostPrintArguments));
    return 0;
}
