#include "app/run/past_the_end.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace warptree::runs {

std::vector<std::string> past_the_end(const KernelLaunch& shown, const LaunchRun& run) {
    std::vector<std::string> found;
    const auto is_n = [](const ArgumentValue& a) { return a.text == "n"; };
    if (std::none_of(shown.arguments.begin(), shown.arguments.end(), is_n)) {
        return found;
    }
    const std::uint64_t n = run.launch().n;
    for (std::uint32_t p = 0; p < run.launch().parameters.size(); ++p) {
        const compile::Parameter& array = run.launch().parameters[p];
        const bool loaded = array.loads && !array.stores && !array.updates;
        const std::string with = fmt::format("with n = {}: out of bounds (risk) if {} has n elements", n, array.name);
        if (array.stores && run.reached(p) == n + 1) {
            found.push_back(fmt::format("{}: the kernel stores to {}[{}], one past the last", with, array.name, n));
        } else if (loaded && run.reached(p) == shown.n) {
            found.push_back(fmt::format("{}: threads beyond n load {}[{}] to {}[{}]; a guard as if (i < n) keeps them "
                                        "out",
                                        with, array.name, n, array.name, shown.n - 1));
        }
    }
    return found;
}

} // namespace warptree::runs
