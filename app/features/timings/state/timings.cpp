#include "app/features/timings/state/timings.hpp"

#include "app/base/error.hpp"
#include "app/base/printable.hpp"
#include "app/base/type_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>

namespace warptree::session {

using TimingsField = Timings::Field;
using timing::Point;
using timing::Series;

namespace {
constexpr const char* kFastest = "fastest";

template <class Enum, class Names> std::vector<std::string> names(const Names& all) {
    std::vector<std::string> out;
    for (const Enum value : all) {
        out.emplace_back(name(value));
    }
    return out;
}

std::string listed(const std::vector<std::string>& all) {
    std::string text;
    for (std::size_t i = 0; i < all.size(); ++i) {
        text += (i == 0 ? "" : i + 1 == all.size() ? " or " : ", ") + all[i];
    }
    return text;
}

[[noreturn]] void refuse(TimingsField field, const std::string& text, const std::string& works) {
    throw OptionError(fmt::format("{} '{}' is not usable; take {}", label(field), printable(text), works));
}

template <class T>
T taken(TimingsField field, const std::string& text, std::optional<T> value, const std::string& works) {
    if (!value) {
        refuse(field, text, works);
    }
    return *value;
}

bool contains(const std::string& text, const std::string& part) {
    return std::search(text.begin(), text.end(), part.begin(), part.end(), [](unsigned char a, unsigned char b) {
               return std::tolower(a) == std::tolower(b);
           }) != text.end();
}

constexpr std::array kModes{timing::Mode::cold, timing::Mode::warm};
constexpr std::array kQuantities{timing::Quantity::kernel, timing::Quantity::pipeline, timing::Quantity::launch};
} // namespace

std::string_view id(TimingsField field) {
    constexpr std::string_view kIds[]{"kernels",  "n",  "type",   "block", "mode",
                                      "quantity", "op", "finish", "show",  "figure"};
    return kIds[static_cast<std::size_t>(field)];
}
std::string_view label(TimingsField field) {
    constexpr std::string_view kLabels[]{"kernels",  "elements n", "type",   "block", "cache",
                                         "quantity", "operator",   "finish", "show",  "figure"};
    return kLabels[static_cast<std::size_t>(field)];
}

Timings::Timings(std::vector<Series> series) : all_(std::move(series)) {
    for (const Series& s : all_) {
        shown_.push_back(offers(s));
    }
    pick();
}

bool Timings::offers(const Series& series) const {
    return std::any_of(series.points.begin(), series.points.end(),
                       [&](const Point& p) { return timing::matches(p, conditions_); });
}

std::string Timings::first_conditions(std::size_t index) const {
    const auto& points = all_[index].points;
    const auto first = std::find_if(points.begin(), points.end(), [](const Point& p) { return p.skipped.empty(); });
    return first == points.end() ? std::string()
                                 : fmt::format("{} {}", timing::count_text(first->what.n), c_name(first->what.type));
}

void Timings::add(std::vector<Series> series) {
    for (Series& s : series) {
        const auto same = std::find_if(all_.begin(), all_.end(), [&](const Series& a) { return a.name == s.name; });
        if (same != all_.end()) {
            shown_[static_cast<std::size_t>(same - all_.begin())] = true;
            *same = std::move(s);
        } else {
            all_.push_back(std::move(s));
            shown_.push_back(true);
        }
    }
    pick();
}

void Timings::merge(Series series) {
    const auto before = std::find_if(all_.begin(), all_.end(), [&](const Series& a) { return a.name == series.name; });
    if (before != all_.end()) {
        std::vector<Point> points;
        for (Point& old : before->points) {
            const auto anew = [&](const Point& p) { return p.what == old.what; };
            if (std::none_of(series.points.begin(), series.points.end(), anew)) {
                points.push_back(std::move(old));
            }
        }
        series.points.insert(series.points.begin(), std::make_move_iterator(points.begin()),
                             std::make_move_iterator(points.end()));
    }
    std::vector<Series> one;
    one.push_back(std::move(series));
    add(std::move(one));
}

void Timings::go_to(const std::string& name) {
    const auto s = std::find_if(all_.begin(), all_.end(), [&](const Series& a) { return a.name == name; });
    if (s == all_.end() || offers(*s)) {
        return;
    }
    for (const Point& p : s->points) {
        if (!p.skipped.empty()) {
            continue;
        }
        const timing::Configuration& w = p.what;
        const auto& kinds = timing::kKernels;
        conditions_ = {
            *std::find_if(kinds.begin(), kinds.end(), [&](timing::Kernels k) { return timing::belongs(w.variant, k); }),
            w.n,
            w.type,
            w.op,
            w.block == 0 ? std::nullopt : std::optional(w.block),
            w.mode == timing::Mode::unstated ? timing::Mode::cold : w.mode,
            w.quantity,
            {}};
        break;
    }
    refresh();
}

void Timings::show(std::size_t index, bool on) {
    shown_[index] = on;
    pick();
}

void Timings::show_only(const std::vector<std::string>& texts) {
    std::vector<bool> wanted(all_.size(), false);
    for (const std::string& text : texts) {
        bool any = false;
        for (std::size_t i = 0; i < all_.size(); ++i) {
            if (contains(all_[i].name, text)) {
                wanted[i] = any = true;
            }
        }
        if (!any) {
            std::vector<std::string> all;
            for (const Series& s : all_) {
                all.push_back("'" + s.name + "'");
            }
            throw OptionError(fmt::format("no series is named '{}'; take a part of {}", printable(text), listed(all)));
        }
    }
    shown_ = wanted;
    pick();
}

void Timings::show_fitting() {
    for (std::size_t i = 0; i < all_.size(); ++i) {
        shown_[i] = offers(all_[i]);
    }
    pick();
}

std::string Timings::value(TimingsField field) const {
    switch (field) {
    case TimingsField::kernels: return std::string(name(conditions_.kernels));
    case TimingsField::elements: return timing::count_text(conditions_.n);
    case TimingsField::type: return std::string(name(conditions_.type));
    case TimingsField::block: return conditions_.block ? std::to_string(*conditions_.block) : kFastest;
    case TimingsField::mode: return std::string(name(conditions_.mode));
    case TimingsField::quantity: return std::string(name(conditions_.quantity));
    case TimingsField::op: return std::string(name(conditions_.op));
    case TimingsField::finish: return conditions_.finish ? std::string(name(*conditions_.finish)) : kFastest;
    case TimingsField::show: return std::string(name(show_));
    case TimingsField::figure: break;
    }
    return std::string(name(figure_));
}

std::vector<std::string> Timings::choices(TimingsField field) const {
    // Values in the series shown, of kernels of the chosen kind.
    const auto found = [&](auto of) {
        std::set<decltype(of(std::declval<const Point&>()))> all;
        for (const Series& s : picked_) {
            for (const Point& p : s.points) {
                if (field == TimingsField::kernels || timing::belongs(p.what.variant, conditions_.kernels)) {
                    all.insert(of(p));
                }
            }
        }
        return all;
    };
    std::vector<std::string> out;
    switch (field) {
    case TimingsField::show: return names<scene::TimingShow>(scene::kTimingShows);
    case TimingsField::figure: return names<scene::TimingFigure>(scene::kTimingFigures);
    case TimingsField::kernels: return names<timing::Kernels>(timing::kKernels);
    case TimingsField::mode: return names<timing::Mode>(kModes);
    case TimingsField::quantity: return names<timing::Quantity>(kQuantities);
    case TimingsField::elements: {
        auto all = found([](const Point& p) { return p.what.n; });
        all.insert(conditions_.n);
        for (const auto n : all) {
            out.push_back(timing::count_text(n));
        }
        return out;
    }
    case TimingsField::block: {
        auto all = found([](const Point& p) { return p.what.block; });
        all.insert(conditions_.block.value_or(0));
        all.erase(0);
        out.emplace_back(kFastest);
        for (const auto b : all) {
            out.push_back(std::to_string(b));
        }
        return out;
    }
    case TimingsField::type: {
        auto all = found([](const Point& p) { return p.what.type; });
        all.insert(conditions_.type);
        return names<ElementType>(all);
    }
    case TimingsField::op: {
        auto all = found([](const Point& p) { return p.what.op; });
        all.insert(conditions_.op);
        return names<Operator>(all);
    }
    case TimingsField::finish: {
        auto all = found([](const Point& p) { return p.what.finish; });
        if (conditions_.finish) {
            all.insert(*conditions_.finish);
        }
        out = names<Finish>(all);
        out.insert(out.begin(), kFastest);
        return out;
    }
    }
    return out;
}

namespace {
// For the ladder the block size of the lecture; other kernels are shown at their fastest.
std::optional<std::uint32_t> usual_block(timing::Kernels kernels) {
    return kernels == timing::Kernels::ladder ? timing::Conditions{}.block : std::nullopt;
}
} // namespace

void Timings::set(TimingsField field, const std::string& text) {
    apply(field, text);
    refresh();
}

void Timings::apply(TimingsField field, const std::string& text) {
    switch (field) {
    case TimingsField::kernels: {
        const auto before = usual_block(conditions_.kernels);
        conditions_.kernels = taken(field, text, timing::kernels_from(text), "ladder, reductions, scans or others");
        if (conditions_.block == before) { // no other was chosen
            conditions_.block = usual_block(conditions_.kernels);
        }
        break;
    }
    case TimingsField::elements: {
        const auto n = parse_count(text);
        if (!n || *n == 0) {
            refuse(field, text, "1 or more, as in 1000, 2^22 or 4M");
        }
        conditions_.n = *n;
        break;
    }
    case TimingsField::type:
        conditions_.type = taken(field, text, element_type_from(text), "i32, u32, i64, f32 or f64");
        break;
    case TimingsField::block: {
        const auto b = text == kFastest ? std::optional<std::uint64_t>(0) : parse_count(text);
        if (!b || (text != kFastest && *b == 0) || *b > 1024) {
            refuse(field, text, "1 to 1024, or fastest");
        }
        conditions_.block = *b == 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(*b));
        break;
    }
    case TimingsField::mode: {
        const auto mode = timing::mode_from(text);
        if (!mode || *mode == timing::Mode::unstated) {
            refuse(field, text, "cold or warm");
        }
        conditions_.mode = *mode;
        break;
    }
    case TimingsField::quantity:
        conditions_.quantity = taken(field, text, timing::quantity_from(text), "kernel, pipeline or launch");
        break;
    case TimingsField::op:
        conditions_.op = taken(field, text, operator_from(text), "sum, product, min, max, xor or sum-of-squares");
        break;
    case TimingsField::finish:
        if (text == kFastest) {
            conditions_.finish.reset();
        } else {
            conditions_.finish = taken(field, text, finish_from(text), "host, relaunch, atomic, last-block or fastest");
        }
        break;
    case TimingsField::show:
        show_ = taken(field, text, scene::timing_show_from(text), "time, bandwidth, peak or speed-up");
        break;
    case TimingsField::figure: {
        const auto asked =
            taken(field, text, scene::timing_figure_from(text), "sizes, modes, blocks, samples or limits");
        front = asked == figure_ ? front : 1; // shows the figure asked for, if only one part fits
        figure_ = asked;
        break;
    }
    }
}

void Timings::turn(TimingsField field, int direction) {
    const std::vector<std::string> all = choices(field);
    if (all.empty()) {
        return;
    }
    const auto at = std::find(all.begin(), all.end(), value(field));
    const auto count = std::ssize(all);
    const auto here = at == all.end() ? (direction > 0 ? -1 : count) : at - all.begin();
    set(field, all[static_cast<std::size_t>(((here + direction) % count + count) % count)]);
}

std::optional<std::size_t> Timings::selected() const {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (rows_[i].point->what.variant == selected_variant_ && picked_[rows_[i].series].name == selected_series_) {
            return i;
        }
    }
    return {};
}

void Timings::select(std::size_t row) {
    if (row < rows_.size()) {
        selected_variant_ = rows_[row].point->what.variant;
        selected_series_ = picked_[rows_[row].series].name;
    }
}

void Timings::move(int by) {
    if (rows_.empty()) {
        return;
    }
    const auto count = std::ssize(rows_);
    const auto here = selected();
    const auto to = here ? static_cast<std::ptrdiff_t>(*here) + by : by > 0 ? 0 : count - 1;
    select(static_cast<std::size_t>(((to % count) + count) % count));
}

scene::TimingsView Timings::view() const { return {picked_, colors_, conditions_, show_, figure_, selected(), front}; }

const timing::Row* Timings::row_of(const Point* point) const {
    const auto row = std::find_if(rows_.begin(), rows_.end(), [&](const auto& r) { return r.point == point; });
    return row == rows_.end() ? nullptr : &*row;
}

void Timings::pick() {
    picked_.clear();
    colors_.clear();
    for (std::size_t i = 0; i < all_.size(); ++i) {
        if (shown_[i]) {
            picked_.push_back(all_[i]);
            colors_.push_back(static_cast<int>(i));
        }
    }
    refresh();
}

void Timings::refresh() { rows_ = timing::rows(picked_, conditions_); }

std::map<std::string, std::string> Timings::values() const {
    std::map<std::string, std::string> out;
    for (const TimingsField f : kFields) {
        out.emplace(id(f), value(f));
    }
    for (std::size_t i = 0; i < all_.size(); ++i) {
        out["series " + all_[i].name] = shown_[i] ? "shown" : "hidden";
    }
    return out;
}

void Timings::restore(const std::map<std::string, std::string>& values) {
    for (const TimingsField f : kFields) {
        if (const auto found = values.find(std::string(id(f))); found != values.end()) {
            try {
                apply(f, found->second);
            } catch (const OptionError&) {
                // from another version
            }
        }
    }
    for (std::size_t i = 0; i < all_.size(); ++i) {
        if (const auto found = values.find("series " + all_[i].name); found != values.end()) {
            shown_[i] = found->second == "shown";
        }
    }
    pick();
}

} // namespace warptree::session
