#include "app/document/recordings.hpp"

#include "app/base/resources.hpp"
#include "app/base/whole_file.hpp"
#include "app/measure/timing/results_file.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <utility>

namespace warptree::session {

namespace {
constexpr const char* kExplanations = "explanations.json";

// The JSON files of a directory of assets, by name; none when there is no such directory.
std::vector<std::filesystem::path> files(const char* directory) {
    std::vector<std::filesystem::path> found;
    try {
        for (const auto& entry : std::filesystem::directory_iterator(resource(directory))) {
            if (entry.path().extension() == ".json" && entry.path().filename() != kExplanations) {
                found.push_back(entry.path());
            }
        }
    } catch (const MissingResource&) {
        return {};
    }
    std::sort(found.begin(), found.end());
    return found;
}
} // namespace

const std::vector<counters::Recording>& recorded_counters() {
    static const std::vector<counters::Recording> all = [] {
        std::vector<counters::Recording> list;
        for (const auto& file : files("assets/counters")) {
            list.push_back(counters::load_recording(file));
        }
        return list;
    }();
    return all;
}

const std::vector<counters::Explanation>& explanations() {
    static const std::vector<counters::Explanation> all = [] {
        try {
            return counters::load_explanations(resource(std::string("assets/counters/") + kExplanations));
        } catch (const MissingResource&) {
            return std::vector<counters::Explanation>{};
        }
    }();
    return all;
}

const std::vector<clocks::Recording>& recorded_clocks() {
    static const std::vector<clocks::Recording> all = [] {
        std::vector<clocks::Recording> list;
        for (const auto& file : files("assets/clocks")) {
            list.push_back(clocks::load(file));
        }
        return list;
    }();
    return all;
}

const code::Recording* recorded_code(std::string_view strategy) {
    static std::mutex mutex;
    static std::map<std::string, std::optional<code::Recording>, std::less<>> all;
    const std::lock_guard lock(mutex);
    auto at = all.find(strategy);
    if (at == all.end()) {
        at = all.emplace(std::string(strategy), std::nullopt).first;
        try {
            at->second = code::load_recording(resource("assets/code/" + at->first + ".json"));
        } catch (const FileError&) {
            return nullptr;
        }
    }
    return at->second ? &*at->second : nullptr;
}

const std::vector<timing::Series>& recorded_timings() {
    static const std::vector<timing::Series> all = [] {
        std::vector<timing::Series> list;
        for (const auto& file : files("assets/timings")) {
            try {
                for (timing::Series& series : timing::load_results(file)) {
                    list.push_back(std::move(series));
                }
            } catch (const FileError&) {
                continue;
            }
        }
        std::stable_partition(list.begin(), list.end(),
                              [](const timing::Series& s) { return s.provenance.source.empty(); });
        return list;
    }();
    return all;
}

const clocks::Recording* nearest_clocks(std::string_view strategy, std::uint32_t block, ElementType type) {
    const clocks::Recording* best = nullptr;
    int least = 0;
    for (const clocks::Recording& r : recorded_clocks()) {
        if (r.strategy != strategy) {
            continue;
        }
        const int away = (r.type == type ? 0 : 100) +
                         std::abs(static_cast<int>(std::bit_width(r.block)) - static_cast<int>(std::bit_width(block)));
        if (best == nullptr || away < least) {
            best = &r;
            least = away;
        }
    }
    return best;
}

const theory::ResourceTable* recorded_kernels() {
    static const std::optional<theory::ResourceTable> table = []() -> std::optional<theory::ResourceTable> {
        try {
            const auto path = resource("assets/kernels/resources-sm_90.json");
            return theory::parse_resources(read_whole(path), path.string());
        } catch (const FileError&) {
            return std::nullopt;
        }
    }();
    return table ? &*table : nullptr;
}

} // namespace warptree::session
