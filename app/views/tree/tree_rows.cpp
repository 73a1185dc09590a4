#include "app/views/tree/tree_rows.hpp"

#include "app/trace/explain/merged_parts.hpp"
#include "app/trace/explain/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace warptree::scene {

namespace {
constexpr float kMostDigits = 20, kLeastDigits = 7.5F; // pixels per em at scale 1
constexpr float kAroundText = 6;                       // of a cell beyond its text, in pixels at scale 1
constexpr float kStaggered = 0.47F;                    // of a row's height, for each of its two lines of cells
constexpr float kBetween = 3;                          // cells that moved apart

std::string_view sign_of(Operation operation) {
    switch (operation) {
    case Operation::add: return "+";
    case Operation::subtract: return "−";
    case Operation::multiply: return "×";
    case Operation::divide: return "÷";
    case Operation::remainder: return "%";
    case Operation::and_: return "&";
    case Operation::or_: return "|";
    case Operation::xor_: return "^";
    case Operation::shift_left: return "<<";
    case Operation::shift_right: return ">>";
    default: return "";
    }
}

Operation operation_of(const Trace& trace, const Launch& launch, const Node& node) {
    if (node.operation != Operation::none) {
        return node.operation;
    }
    if (node.kind == NodeKind::product) {
        return is_product(trace, launch, node) ? Operation::multiply : Operation::none;
    }
    switch (trace.options.op) {
    case Operator::sum: return Operation::add;
    case Operator::product: return Operation::multiply;
    case Operator::min: return Operation::minimum;
    case Operator::max: return Operation::maximum;
    case Operator::xor_: return Operation::xor_;
    default: return Operation::none;
    }
}
} // namespace

std::vector<float> spread(std::span<const float> homes, float apart, float low, float high) {
    // Less what the places before it take, each wants to be where it is, and none before its predecessor: neighbours
    // that want otherwise share the mean of their wishes.
    struct Group {
        double sum = 0;
        std::size_t count = 0;
        double mean() const { return sum / static_cast<double>(count); }
    };
    const auto n = homes.size();
    if (n == 0) {
        return {};
    }
    if (static_cast<float>(n - 1) * apart > high - low) {
        apart = n > 1 ? std::max(0.0F, high - low) / static_cast<float>(n - 1) : 0;
    }
    std::vector<Group> groups;
    for (std::size_t i = 0; i < n; ++i) {
        groups.push_back({static_cast<double>(homes[i]) - static_cast<double>(apart) * static_cast<double>(i), 1});
        while (groups.size() > 1 && groups[groups.size() - 2].mean() > groups.back().mean()) {
            groups[groups.size() - 2].sum += groups.back().sum;
            groups[groups.size() - 2].count += groups.back().count;
            groups.pop_back();
        }
    }
    std::vector<float> places;
    const double last =
        std::max(double{low}, static_cast<double>(high) - static_cast<double>(apart) * static_cast<double>(n - 1));
    for (const Group& g : groups) {
        const double from = std::clamp(g.mean(), static_cast<double>(low), last);
        for (std::size_t i = 0; i < g.count; ++i) {
            places.push_back(
                static_cast<float>(from + static_cast<double>(apart) * static_cast<double>(places.size())));
        }
    }
    return places;
}

std::string cell_text(const TreeView& view, std::uint32_t node, int digits) {
    const Node& it = view.launch->nodes[node];
    const auto text = [&](const Node& value) {
        return digits <= kCompact ? compact(value_text(*view.trace, value, 4)) : value_text(*view.trace, value, digits);
    };
    // Of a record of two values, as a minimum and a maximum, both. What only travels with the other comes second, as its place.
    if (const auto parts = parts_of(*view.launch, node); parts.size() == 2 && digits != kFirstAlone) {
        const auto of = [&](const NodePart& part) {
            Node value = it;
            value.type = part.type;
            value.bits = part.bits;
            return text(value);
        };
        const bool turned = parts[0].operation == Operation::none;
        return of(parts[turned ? 1 : 0]) + "|" + of(parts[turned ? 0 : 1]);
    }
    return text(it);
}

std::string operands_text(const TreeView& view, const Node& node, int digits) {
    const std::size_t nodes = view.launch->nodes.size();
    if (!has_operands(node.kind) || node.left >= nodes || node.right() >= nodes) {
        return {};
    }
    const std::string left = cell_text(view, node.left, digits), right = cell_text(view, node.right(), digits);
    const Operation operation = operation_of(*view.trace, *view.launch, node);
    if (const std::string_view sign = sign_of(operation); !sign.empty()) {
        return fmt::format("{} {} {}", left, sign, right);
    }
    return operation == Operation::minimum || operation == Operation::maximum
               ? fmt::format("{}({}, {})", name(operation), left, right)
               : std::string();
}

TreeRows::TreeRows(const TreeView& view) : view_(view), x_(view.index->cells.size()), lower_(view.index->cells.size()) {
    for (std::uint32_t row = 0; row < view.steps(); ++row) {
        styles_.push_back(style_of(row));
    }
    for (std::uint32_t b = 0; b < view.index->blocks; ++b) {
        for (std::uint32_t row = 0; row < view.steps(); ++row) {
            place(view.index->first_block + b, row);
        }
    }
}

bool TreeRows::in_sight(std::uint32_t block) const {
    const float low = view_.x(block, -0.5F);
    return view_.visible_x(low - view_.px(40),
                           low + view_.pitch * static_cast<float>(view_.index->columns) + view_.px(40));
}

// Of the values in the row, or of their operands, in pixels at one pixel per em.
float TreeRows::widest(std::uint32_t row, int digits, bool operands) const {
    const TreeIndex& index = *view_.index;
    float most = 0;
    for (std::uint32_t b = 0; b < index.blocks; ++b) {
        if (!in_sight(index.first_block + b)) {
            continue;
        }
        const TreeRow& r = index.row(index.first_block + b, row);
        for (std::uint32_t c = r.first_cell; c < r.first_cell + r.cells; ++c) {
            const std::uint32_t node = view_.shown(index.cells[c]);
            const std::string text =
                operands ? operands_text(view_, view_.launch->nodes[node], digits) : cell_text(view_, node, digits);
            // A letter of a monospaced face is as wide as any other.
            const auto letters = std::count_if(text.begin(), text.end(), [](char l) { return (l & 0xC0) != 0x80; });
            most = std::max(most, static_cast<float>(letters));
        }
    }
    return most * view_.measure->width("0", Face::mono, 1);
}

std::uint32_t TreeRows::cells(std::uint32_t row) const {
    std::uint32_t most = 0;
    for (std::uint32_t b = 0; b < view_.index->blocks; ++b) {
        most = std::max(most, view_.index->row(view_.index->first_block + b, row).cells);
    }
    return most;
}

RowStyle TreeRows::style_of(std::uint32_t row) const {
    RowStyle s;
    s.time = row < view_.step ? Time::done : row > view_.step ? Time::to_come : Time::current;
    const TreeIndex& index = *view_.index;
    const std::uint32_t closest = index.closest[row], across = index.across[row];
    const float gap = view_.block_pitch - view_.pitch * static_cast<float>(index.columns);
    // What a cell has at its column, and what it has if the row moves apart.
    float room = closest == kNone ? view_.px(140) : static_cast<float>(closest) * view_.pitch;
    if (across != kNone) {
        room = std::min(room, static_cast<float>(across) * view_.pitch + gap);
    }
    const std::uint32_t cells = this->cells(row);
    const float all = index.blocks > 1 ? view_.block_pitch : view_.pitch * static_cast<float>(index.columns);
    const bool moves = !index.scan && !index.mixed[row] && cells > 1;
    const float slot = all / static_cast<float>(std::max(1U, cells));
    const float most_room = moves ? room + std::max(0.0F, slot - room) * view_.freedom : room;
    s.cell = std::max(std::min(view_.pitch * 0.86F, view_.cell_height * 1.25F), 1.0F);
    // The widest value determines the size for the whole row.
    const float most = std::min(view_.px(kMostDigits), view_.cell_height * 0.72F);
    const float least = view_.px(kLeastDigits);
    const float usable = most_room * 0.94F - view_.px(kAroundText - 2);
    float units = 0;
    if (most >= least && most_room >= view_.px(9)) {
        for (const auto& [digits, wanted] :
             {std::pair{17, 13.0F}, std::pair{7, 13.0F}, std::pair{4, 10.0F}, std::pair{kCompact, 13.0F}}) {
            units = widest(row, digits, false); // smaller before it is shortened to "13k"
            s.digits = digits;
            if (units * std::min(most, view_.px(wanted)) <= usable) {
                break;
            }
        }
        if (units * least > usable) {
            s.digits = kFirstAlone;
            units = widest(row, s.digits, false);
        }
        const float size = units > 0 ? std::min(most, usable / units) : 0;
        const float half = std::min(view_.cell_height * kStaggered * 0.76F, (usable + most_room * 0.94F) / units);
        if (moves && size < view_.px(11) && half >= least && half > size * 1.2F) {
            s.staggered = true;
            s.text = half;
            s.cell = units * half + view_.px(kAroundText - 2);
            s.apart = std::max(room, std::min(most_room, s.cell / 2 + view_.px(1)));
        } else if (size >= least) {
            s.text = size;
            s.cell = std::max(moves ? 0 : s.cell, units * size + view_.px(kAroundText));
            s.apart = moves ? std::min(most_room, s.cell + view_.px(kBetween)) : 0;
        }
    }
    if (s.time == Time::current && s.text > 0 && !s.staggered && row > 0) {
        widen(s, row, cells > 1 ? most_room : std::min(slot, view_.px(400)));
    }
    const float between = view_.row_pitch - view_.cell_height;
    const float digits = static_cast<float>(std::to_string(view_.launch->block - 1).size());
    const float disc =
        std::max(view_.px(15), digits * view_.measure->width("0", Face::mono, view_.px(9.5F)) + view_.px(7));
    const float place = std::max(room, s.apart);
    s.disc =
        row > 0 && s.time != Time::to_come && disc + view_.px(14) <= between && disc <= place * 0.95F && !s.staggered
            ? disc
            : 0;
    return s;
}

// Makes room for the operands of the current step, if that does not make its values smaller.
void TreeRows::widen(RowStyle& s, std::uint32_t row, float room) const {
    const float units = widest(row, s.digits, true);
    if (units <= 0 || view_.index->scan || view_.index->mixed[row] || view_.index->lead > 0) {
        return;
    }
    const float left = room - s.cell - view_.px(14);
    const float size = std::min({view_.px(15), s.text, left / units});
    if (size >= view_.px(9)) {
        s.operands = size;
        s.beside = units * size + view_.px(8);
        s.apart = s.cell + s.beside + view_.px(kBetween);
    }
}

void TreeRows::place(std::uint32_t block, std::uint32_t row) {
    const TreeIndex& index = *view_.index;
    const TreeRow& r = index.row(block, row);
    std::vector<float> homes;
    for (std::uint32_t c = r.first_cell; c < r.first_cell + r.cells; ++c) {
        homes.push_back(view_.x(block, static_cast<float>(index.cells[c].column)));
    }
    const RowStyle& s = styles_[row];
    if (s.apart > 0 && r.cells > 0) {
        const float margin =
            index.blocks > 1 ? (view_.block_pitch - view_.pitch * static_cast<float>(index.columns)) / 2 : 0;
        float low = view_.x(block, -0.5F) - margin + s.cell / 2;
        float high = view_.x(block, static_cast<float>(index.columns) - 0.5F) + margin - s.cell / 2 - s.beside;
        if (high < low) { // a block narrower than a cell
            low = high = (low + high) / 2;
        }
        homes = spread(homes, s.apart, low, high);
    }
    std::copy(homes.begin(), homes.end(), x_.begin() + r.first_cell);
    for (std::uint32_t c = r.first_cell; s.staggered && c < r.first_cell + r.cells; ++c) {
        lower_[c] = static_cast<std::uint8_t>((c - r.first_cell) % 2);
    }
}

Rect TreeRows::rect(std::uint32_t cell, std::uint32_t row) const {
    const RowStyle& s = styles_[row];
    const float height = view_.cell_height * (s.staggered ? kStaggered : 1);
    const float top = view_.y(row) - view_.cell_height / 2 + (lower_[cell] != 0 ? view_.cell_height - height : 0);
    return {x_[cell] - s.cell / 2, top, s.cell, height};
}

float TreeRows::edge(std::uint32_t block, std::uint32_t row, std::uint32_t column) const {
    const TreeIndex& index = *view_.index;
    float x = view_.x(block, static_cast<float>(column) - 0.5F);
    const RowStyle& s = styles_[row];
    if (s.apart <= 0) {
        return x;
    }
    const TreeRow& r = index.row(block, row);
    const auto begin = index.cells.begin() + r.first_cell, end = begin + r.cells;
    const auto at =
        std::lower_bound(begin, end, column, [](const TreeCell& c, std::uint32_t v) { return c.column < v; });
    const auto cell = static_cast<std::uint32_t>(at - index.cells.begin());
    const float half = s.cell / 2 + view_.px(kBetween) / 2;
    x = at == begin ? x : std::max(x, x_[cell - 1] + half + s.beside);
    return at == end ? x : std::min(x, x_[cell] - half);
}

} // namespace warptree::scene
