#include "app/session/recorded_timings.hpp"

#include "app/session/resources.hpp"
#include "kernels/timing/results_file.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace warptree::session {

namespace {
// By name; none when nothing ships.
std::vector<std::filesystem::path> timing_files() {
    std::vector<std::filesystem::path> found;
    try {
        for (const auto& entry : std::filesystem::directory_iterator(resource("assets/timings"))) {
            if (entry.path().extension() == ".json") {
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

const std::vector<timing::Series>& recorded_timings() {
    static const std::vector<timing::Series> all = [] {
        std::vector<timing::Series> list;
        for (const auto& file : timing_files()) {
            try {
                for (timing::Series& series : timing::load_results(file)) {
                    list.push_back(std::move(series));
                }
            } catch (const FileError&) {
                continue;
            }
        }
        std::stable_partition(list.begin(), list.end(),
                              [](const timing::Series& s) { return s.provenance.source.empty(); }); // measured first
        return list;
    }();
    return all;
}

} // namespace warptree::session
