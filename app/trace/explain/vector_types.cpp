#include "app/trace/explain/vector_types.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace warptree {

std::uint32_t parts_of_type(std::string_view type) {
    constexpr std::array<std::string_view, 12> kNames{"char", "uchar", "short",    "ushort",    "int",   "uint",
                                                      "long", "ulong", "longlong", "ulonglong", "float", "double"};
    for (const std::string_view word : {"const ", "volatile "}) {
        type.remove_prefix(type.starts_with(word) ? word.size() : 0);
    }
    const std::size_t digit = type.find_first_of("0123456789");
    if (digit == std::string_view::npos || std::ranges::find(kNames, type.substr(0, digit)) == kNames.end()) {
        return 1;
    }
    const std::string_view rest = type.substr(digit + 1);
    const bool ends = rest.empty() || rest.front() == ' ' || rest.front() == '*';
    return ends && type[digit] >= '2' && type[digit] <= '4' ? static_cast<std::uint32_t>(type[digit] - '0') : 1;
}

std::uint32_t parts_of_array(const Trace& trace, const Launch& launch, std::string_view array) {
    const bool program = !trace.program.entry.empty();
    for (const KernelArgument& a : program ? launch.arguments : trace.arguments) {
        if ((program ? a.value : a.name) == array) {
            return parts_of_type(a.type);
        }
    }
    return 1;
}

} // namespace warptree
