#include "app/session/recordings.hpp"

#include "app/session/resources.hpp"
#include "kernels/trace/archive.hpp"

#include <bit>
#include <cstdlib>

namespace warptree::session {

namespace {
constexpr const char* kExplanations = "explanations.json";
} // namespace

const std::vector<counters::Recording>& recorded_counters() {
    static const std::vector<counters::Recording> all = [] {
        std::vector<counters::Recording> list;
        for (const auto& file : json_resources("assets/counters")) {
            if (file.filename() != kExplanations) {
                list.push_back(counters::load_recording(file));
            }
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
        for (const auto& file : json_resources("assets/clocks")) {
            list.push_back(clocks::load(file));
        }
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
