// printf of device code: the format language that CUDA documents (CUDA C++ Programming Guide, "Formatted Output"), not
// the host's. Nothing of a kernel's text reaches the host's printf, and a kernel's memory is read through its bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace warptree::simt {

// Text in a kernel's memory. whole: it ends with a null character within its memory and the limit on its length.
struct DeviceText {
    std::string text;
    bool whole = true;
};
// Reads at most `most` bytes of text at an address.
using ReadDeviceText = std::function<DeviceText(std::uint64_t address, std::size_t most)>;

// The arguments of a call, packed as in the ABI: ints take 4 bytes; doubles, long longs and pointers 8, aligned to 8.
struct PrintArguments {
    std::span<const std::byte> packed;
    // A letter an argument, as compile::kPrintWord and its like. nullopt: not known, so the conversions decide.
    std::optional<std::string_view> types;
};

inline constexpr std::size_t kMostPrintArguments = 32;  // as CUDA: what is beyond is not converted
inline constexpr int kMostPrintWidth = 1000;            // of width and precision
inline constexpr std::size_t kMostPrintText = 1U << 16; // bytes of a format, and of a text that %s prints

struct DevicePrinted {
    std::string text;
    std::int32_t parsed = 0; // arguments used: what printf returns, not a number of characters
    // What is first not as the documentation has it, in words: "'%zu' is no conversion of CUDA's printf". A conversion
    // that is not understood is printed as it stands; an argument of another type than its conversion's is printed by
    // its own type. Empty: nothing.
    std::string doubt;
};

DevicePrinted device_print(std::string_view format, const PrintArguments& arguments, const ReadDeviceText& read);

} // namespace warptree::simt
