#include "app/trace/explain/accesses.hpp"

#include <algorithm>

namespace warptree {

std::vector<Accessed> accesses_of(const Launch& launch, std::string_view name, std::uint32_t line, std::uint32_t block,
                                  std::uint32_t thread, std::uint32_t step) {
    const std::vector<ArrayPlace> arrays = arrays_of(launch);
    const unsigned lane = thread % kWarpSize;
    std::vector<Accessed> found;
    for (const Request& r : launch.requests) {
        if (r.block != block || r.warp != thread / kWarpSize || (r.mask >> lane & 1) == 0 || r.step > step ||
            r.line.file() != 0 || r.line.line() != line || is_remote(r.kind)) {
            continue;
        }
        const std::uint64_t byte = std::uint64_t{launch.index_of(r, lane)} * r.bytes;
        const auto array = std::ranges::find_if(arrays, [&](const ArrayPlace& a) {
            return a.allocation == r.allocation && byte >= a.offset && (byte - a.offset) / a.element_bytes < a.elements;
        });
        if (array != arrays.end()) {
            found.push_back({*array, (byte - array->offset) / array->element_bytes, r.step});
        }
    }
    // Of a program's launch the array is the host's, under the host's name.
    const auto argument = std::ranges::find(launch.arguments, name, &KernelArgument::name);
    const std::string_view called = argument == launch.arguments.end() ? name : argument->value;
    const bool named = std::ranges::any_of(found, [&](const Accessed& a) { return a.array.name == called; });
    const bool several = std::ranges::any_of(found, [&](const Accessed& a) { return a.array != found.front().array; });
    std::uint32_t last = 0;
    for (const Accessed& a : found) {
        last = std::max(last, a.step);
    }
    std::vector<Accessed> all;
    for (Accessed& a : found) {
        if (a.step == last && (named ? a.array.name == called : !several) && std::ranges::find(all, a) == all.end()) {
            all.push_back(std::move(a));
        }
    }
    return all;
}

} // namespace warptree
