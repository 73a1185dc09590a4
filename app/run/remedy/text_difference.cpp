#include "app/run/remedy/text_difference.hpp"

#include <algorithm>

namespace warptree::runs {

std::vector<DifferenceLine> difference(const std::string& before, const std::string& after) {
    const auto lines_of = [](const std::string& text) {
        std::vector<std::string> lines;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find('\n', at), text.size());
            lines.push_back(text.substr(at, end - at));
            at = end + 1;
        }
        return lines;
    };
    const std::vector<std::string> a = lines_of(before), b = lines_of(after);
    std::size_t first = 0, last = 0; // equal lines at the beginning and at the end
    while (first < std::min(a.size(), b.size()) && a[first] == b[first]) {
        ++first;
    }
    while (last < std::min(a.size(), b.size()) - first && a[a.size() - 1 - last] == b[b.size() - 1 - last]) {
        ++last;
    }
    using Kind = DifferenceLine::Kind;
    std::vector<DifferenceLine> out;
    const auto number = [](std::size_t index) { return static_cast<std::uint32_t>(index + 1); };
    if (first > 0) {
        out.push_back({Kind::same, number(first - 1), a[first - 1]});
    }
    // In between as few as go and come: by the longest common subsequence, of its rest at each place.
    const std::size_t rows = a.size() - last - first, columns = b.size() - last - first;
    std::vector<std::uint32_t> common((rows + 1) * (columns + 1), 0);
    const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& { return common[i * (columns + 1) + j]; };
    for (std::size_t i = rows; i-- > 0;) {
        for (std::size_t j = columns; j-- > 0;) {
            at(i, j) = a[first + i] == b[first + j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
        }
    }
    for (std::size_t i = 0, j = 0; i < rows || j < columns;) {
        if (i < rows && j < columns && a[first + i] == b[first + j]) {
            out.push_back({Kind::same, number(first + i), a[first + i]});
            ++i;
            ++j;
        } else if (i < rows && (j == columns || at(i + 1, j) >= at(i, j + 1))) {
            out.push_back({Kind::goes, number(first + i), a[first + i]});
            ++i;
        } else {
            out.push_back({Kind::comes, number(first + j), b[first + j]});
            ++j;
        }
    }
    if (last > 0) {
        out.push_back({Kind::same, number(a.size() - last), a[a.size() - last]});
    }
    return out;
}

} // namespace warptree::runs
