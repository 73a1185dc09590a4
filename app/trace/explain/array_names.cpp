#include "app/trace/explain/array_names.hpp"

#include <algorithm>

namespace warptree {

namespace {
// The kernel's parameter of that array; null: none has it alone.
const KernelArgument* parameter(const Launch& launch, std::string_view array) {
    const auto in_shared = [&](const SharedArray& s) { return s.name == array; }; // which the kernel calls so itself
    if (array.empty() || std::ranges::any_of(launch.shared_arrays, in_shared) ||
        std::ranges::none_of(launch.allocations, [&](const Allocation& a) { return a.name == array; })) {
        return nullptr;
    }
    const KernelArgument* found = nullptr;
    for (const KernelArgument& a : launch.arguments) {
        const std::string_view value = a.value;
        if (value == array && found == nullptr) {
            found = &a;
        } else if (value == array || (value.starts_with(array) && value.substr(array.size()).starts_with(" + "))) {
            return nullptr;
        }
    }
    return found;
}

std::string_view own_name(const Launch& launch, std::uint16_t allocation) {
    return allocation < launch.allocations.size() ? std::string_view(launch.allocations[allocation].name)
                                                  : std::string_view();
}
} // namespace

std::string kernel_name(const Launch& launch, std::string_view array) {
    const KernelArgument* const found = parameter(launch, array);
    return found == nullptr || found->name.empty() ? std::string(array) : found->name;
}
std::string kernel_name(const Launch& launch, std::uint16_t allocation) {
    return kernel_name(launch, own_name(launch, allocation));
}

std::string buffer_note(const Launch& launch, std::string_view array) {
    return kernel_name(launch, array) == array ? "" : " (buffer " + std::string(array) + ")";
}
std::string buffer_note(const Launch& launch, std::uint16_t allocation) {
    return buffer_note(launch, own_name(launch, allocation));
}

std::string kernel_name(const Launch& launch, const ArrayPlace& array) {
    return array.is_shared() ? array.name : kernel_name(launch, array.allocation);
}
std::string buffer_note(const Launch& launch, const ArrayPlace& array) {
    return array.is_shared() ? "" : buffer_note(launch, array.allocation);
}

} // namespace warptree
