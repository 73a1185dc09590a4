#include "app/run/tries/smallest_failure.hpp"

#include "app/base/error.hpp"
#include "app/run/check/check.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <vector>

namespace warptree::runs {

namespace {
// All of a warp, and those around the sizes of warps and blocks; tried in groups, as a small one mostly fails.
constexpr std::uint64_t kAllUpTo = 33;
constexpr std::array kLarger{48,  63,  64,  65,  96,  100,  127,  128,  129,  200,  255,  256,
                             257, 500, 511, 512, 513, 1000, 1023, 1024, 1025, 2000, 4095, 4097};
std::vector<std::uint64_t> sizes_to_try() {
    std::vector<std::uint64_t> sizes(kAllUpTo);
    std::iota(sizes.begin(), sizes.end(), 1);
    sizes.insert(sizes.end(), kLarger.begin(), kLarger.end());
    return sizes;
}

CheckResult tried(const CheckRequest& request, RunControl& control) {
    CheckResult result = check(request, control, {});
    if (!result.reason.empty()) {
        throw OptionError(result.reason);
    }
    return result;
}

// The finding that makes a run fail; null: its result alone does, as where a finding says what that leaves out or counts twice.
const CheckFinding* cause(const CheckRun& run) {
    const auto found = std::find_if(run.findings.begin(), run.findings.end(), [](const CheckFinding& f) {
        return std::ranges::none_of(kFindingRecords,
                                    [&](const FindingRecord& r) { return explains(r.kind) && f.kind == r.id; });
    });
    return found == run.findings.end() ? nullptr : &*found;
}

// Both for a finding of the same kind in the same line, or both for the result alone.
bool fails_alike(const CheckRun& a, const CheckRun& b) {
    const CheckFinding *one = cause(a), *other = cause(b);
    return one == nullptr || other == nullptr ? one == other : one->kind == other->kind && one->line == other->line;
}
} // namespace

SmallestFailure smallest_failure(const RunOptions& options, const std::string& block, RunControl& control) {
    SmallestFailure found;
    const std::vector<std::uint64_t> sizes = sizes_to_try();
    CheckRequest request;
    request.options = options;
    request.orders = {options.order};
    request.blocks = {block};
    const auto search = [&]() -> std::optional<CheckRun> {
        constexpr std::size_t kGroup = 8;
        for (std::size_t at = 0; at < sizes.size(); at += kGroup) {
            request.n.assign(sizes.begin() + at, sizes.begin() + std::min(at + kGroup, sizes.size()));
            const CheckResult result = tried(request, control);
            found.most_n = std::max(found.most_n, request.n.back());
            found.compared = found.compared || std::any_of(result.runs.begin(), result.runs.end(),
                                                           [](const CheckRun& run) { return run.expected; });
            if (result.counter_example) {
                return result.runs[*result.counter_example];
            }
        }
        return std::nullopt;
    };
    std::optional<CheckRun> failing = search();
    if (!failing && !found.compared) { // nothing says how large its arrays are, so that going past them is a risk
        request.no_findings = true;
        failing = search();
    }
    if (!failing) {
        return found;
    }
    // Fewer threads, the smallest first. A block that goes wrong for every n is one that the kernel is not written for.
    const auto ever_passes = [&](const std::string& threads) {
        request.blocks = {threads};
        request.n = {1, 2, std::stoul(threads), 2 * std::stoul(threads)};
        const CheckResult result = tried(request, control);
        return std::any_of(result.runs.begin(), result.runs.end(), [](const CheckRun& run) { return run.pass; });
    };
    if (block.find_first_not_of("0123456789") == std::string::npos) {
        const CheckRun first = *failing;
        const bool passes = ever_passes(block);
        const auto fails_so = [&](const std::string& threads) -> std::optional<CheckRun> {
            request.n = {first.n};
            request.blocks = {threads};
            try {
                const CheckResult result = tried(request, control);
                if (result.counter_example && fails_alike(result.runs[*result.counter_example], first) &&
                    (!passes || ever_passes(threads))) {
                    return result.runs[*result.counter_example];
                }
            } catch (const OptionError&) { // as of a block of whole warps
            }
            return std::nullopt;
        };
        for (std::uint32_t b = 1; b < std::stoul(block) && failing->block == first.block; b *= 2) {
            if (const auto so = fails_so(std::to_string(b))) {
                failing = so;
            }
        }
        if (failing->block != first.block) { // fewer elements may do for fewer threads
            request.blocks = {failing->block};
            if (const auto fewer = search(); fewer && fewer->n < failing->n && fails_alike(*fewer, first)) {
                failing = fewer;
            }
        }
    }
    // Between the sizes that were tried.
    request.blocks = {failing->block.empty() ? block : failing->block};
    const auto above = std::lower_bound(sizes.begin(), sizes.end(), failing->n);
    std::uint64_t passes = above == sizes.begin() ? 0 : *(above - 1);
    while (failing->n - passes > 1) {
        const std::uint64_t half = passes + (failing->n - passes) / 2;
        request.n = {half};
        const CheckResult result = tried(request, control);
        if (result.counter_example && fails_alike(result.runs[*result.counter_example], *failing)) {
            failing = result.runs[*result.counter_example];
        } else {
            passes = half;
        }
    }
    found.n = failing->n;
    found.of_all = found.n <= kAllUpTo;
    found.block = failing->block.empty() ? block : failing->block;
    found.reason = failing->reason;
    return found;
}

} // namespace warptree::runs
