// Rows of timings as groups of bars.
#include "app/features/timings/timings.hpp"

#include "app/base/type_words.hpp"

#include <algorithm>

namespace warptree::scene {

using timing::Row;

std::string spelled(const timing::Conditions& conditions) {
    std::string text = timing::to_string(conditions);
    const std::string id = " " + std::string(name(conditions.type)) + " ";
    if (const auto at = text.find(id); at != std::string::npos) {
        text.replace(at, id.size(), " " + std::string(c_name(conditions.type)) + " ");
    }
    return text;
}

RowGroups group_rows(const TimingsView& view, std::span<const std::string> kernels, std::size_t columns,
                     const std::function<const Row*(const std::string& kernel, std::size_t column)>& row_of,
                     const char* missing) {
    RowGroups out;
    std::vector<double> values;
    for (const std::string& kernel : kernels) {
        Group group{kernel, {}};
        std::vector<const Row*> found;
        for (std::size_t c = 0; c < columns; ++c) {
            found.push_back(row_of(kernel, c));
            const Shown shown =
                found.back() == nullptr ? Shown{{}, {}, {}, missing} : shown_value(*found.back(), view.show);
            if (shown.value) {
                values.push_back(*shown.value);
            }
            group.cells.push_back({shown.value, shown.text, shown.low, shown.high});
        }
        if (std::any_of(found.begin(), found.end(), [](const Row* r) { return r != nullptr; })) {
            out.groups.groups.push_back(std::move(group));
            out.rows.push_back(std::move(found));
        }
    }
    const ShownAxis axis = shown_axis(view.show, values, true);
    out.groups.axis = axis.axis;
    for (Group& g : out.groups.groups) {
        for (GroupCell& c : g.cells) {
            for (std::optional<double>* value : {&c.value, &c.low, &c.high}) {
                if (*value) {
                    **value /= axis.unit;
                }
            }
        }
    }
    return out;
}

} // namespace warptree::scene
