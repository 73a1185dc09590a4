#include "app/run/past_the_end.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warptree::runs {

std::vector<PastTheEnd> past_the_end(const LaunchRun& run) {
    std::vector<PastTheEnd> found;
    const KernelLaunch& launch = run.launch();
    const auto is_n = [](const ArgumentValue& a) { return a.text == "n"; };
    if (launch.block[1] != 1 || std::count_if(launch.arguments.begin(), launch.arguments.end(), is_n) !=
                                    1) { // of several an array has the product
        return found;
    }
    const std::uint64_t grid = simt::volume(launch.grid), threads = grid * simt::volume(launch.block);
    for (std::uint32_t p = 0; p < launch.parameters.size(); ++p) {
        const compile::Parameter& array = launch.parameters[p];
        if (run.components(p) != 1) { // of a float4, say: n may count these or their parts
            continue;
        }
        const std::uint64_t n = launch.n, reached = run.reached(p);
        const bool loaded = array.loads && !array.updates && (!array.stores || launch.arguments[p].guessed);
        // As many elements a block, and n ends within the last one's.
        const bool by_all = loaded && reached > n && reached % threads == 0 && reached - reached / grid < n;
        if (by_all || (array.stores && reached == n + 1)) {
            found.push_back({p, reached - 1});
        }
    }
    return found;
}

std::string past_the_end_text(const LaunchRun& run, const PastTheEnd& found) {
    const std::uint64_t n = run.launch().n;
    const compile::Parameter& array = run.launch().parameters[found.parameter];
    const std::string with = fmt::format("with n = {}: out of bounds (risk) if {} has n elements", n, array.name);
    return array.stores && found.last == n
               ? fmt::format("{}: the kernel stores to {}[{}], one past the last", with, array.name, n)
               : fmt::format("{}: threads beyond n load {}[{}] to {}[{}]; a guard as if (i < n) keeps them "
                             "out",
                             with, array.name, n, array.name, found.last);
}

} // namespace warptree::runs
