#include "app/features/compare/comparison.hpp"

#include "app/base/json.hpp"
#include "app/base/resources.hpp"
#include "app/base/whole_file.hpp"
#include "app/features/compare/column_options.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <limits>

namespace warptree::session {

std::vector<Preset> parse_presets(const std::string& text, const std::string& file) {
    const auto refuse = [&](const std::string& why) { throw FileError(fmt::format("{}: {}", file, why)); };
    std::vector<Preset> all;
    try {
        const auto j = parse_json(text);
        if (j.value("format", "") != "warptree.comparisons" ||
            whole_number(j.value("version", nlohmann::ordered_json()), 1) != 1U) {
            refuse("not a list of comparisons (format warptree.comparisons, version 1)");
        }
        for (const auto& it : j.at("comparisons")) {
            Preset p{it.at("id"), it.at("title"), 0, it.at("columns"), Alignment::stage};
            const auto n = whole_number(it.at("n"), std::numeric_limits<std::uint64_t>::max());
            if (!n) {
                refuse(fmt::format("comparison {}: n is no number of elements", p.id));
            }
            p.n = *n;
            const auto alignment = alignment_from(it.value("align", "stage"));
            if (!alignment) {
                refuse(fmt::format("comparison {}: align is stage, stride or combines", p.id));
            }
            p.alignment = *alignment;
            if (p.columns.size() < Comparison::kLeast || p.columns.size() > Comparison::kMost) {
                refuse(fmt::format("comparison {}: has {} columns; {} to {} work", p.id, p.columns.size(),
                                   Comparison::kLeast, Comparison::kMost));
            }
            for (const std::string& column : p.columns) {
                try {
                    apply(parse_column(column), {});
                } catch (const OptionError& e) {
                    refuse(fmt::format("comparison {}: {}", p.id, e.what()));
                }
            }
            all.push_back(std::move(p));
        }
    } catch (const JsonError& e) {
        refuse(e.what());
    } catch (const nlohmann::json::exception& e) {
        refuse(e.what());
    }
    return all;
}

const std::vector<Preset>& presets() {
    static const std::vector<Preset> all = [] {
        const auto path = resource("assets/comparisons/presets.json");
        return parse_presets(read_whole(path), path.string());
    }();
    return all;
}

} // namespace warptree::session
