// What the Timings screen shows: which series, under which conditions. Also used by the command line.
#pragma once

#include "app/features/timings/timings.hpp"
#include "app/measure/timing/results_file.hpp"

#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::session {

class Timings {
  public:
    enum class Field { kernels, elements, type, block, mode, quantity, op, finish, show, figure };
    static constexpr std::array kFields{Field::show,  Field::figure, Field::kernels,  Field::elements, Field::type,
                                        Field::block, Field::mode,   Field::quantity, Field::op,       Field::finish};

    explicit Timings(std::vector<timing::Series> series); // shows those with points at the default conditions

    Timings(Timings&&) = default; // rows point into it: no copies
    Timings& operator=(Timings&&) = default;
    Timings(const Timings&) = delete;
    Timings& operator=(const Timings&) = delete;

    // Appends and shows them; replaces a series of the same name.
    void add(std::vector<timing::Series> series);
    // The same for a series that grows: of the series it replaces, points of other configurations are kept.
    void merge(timing::Series series);
    // Goes to conditions at which the series has points, unless it has some at the current ones.
    void go_to(const std::string& series);

    std::size_t count() const { return all_.size(); }
    const timing::Series& series(std::size_t index) const { return all_[index]; }
    bool shown(std::size_t index) const { return shown_[index]; }
    void show(std::size_t index, bool on);
    // Shows exactly those whose names contain one of the texts, in any case. Throws OptionError for a text that no name
    // contains.
    void show_only(const std::vector<std::string>& texts);
    void show_fitting(); // those with points at the conditions

    // Values as text. choices() lists what the shown series have; set() accepts any valid text.
    std::string value(Field field) const;
    std::vector<std::string> choices(Field field) const;
    void set(Field field, const std::string& text); // throws OptionError: what was rejected, and what would work
    void turn(Field field, int direction);

    const timing::Conditions& conditions() const { return conditions_; }
    // The rows of what is shown; the selected one keeps its kernel and series while conditions change.
    const std::vector<timing::Row>& rows() const { return rows_; }
    std::optional<std::size_t> selected() const;
    void select(std::size_t row);
    void move(int by); // the selection
    int front = 0;     // see scene::TimingsView

    // Valid until the next change.
    scene::TimingsView view() const;
    std::span<const timing::Series> shown_series() const { return picked_; }
    const timing::Row* row_of(const timing::Point* point) const; // nullptr: none

    std::map<std::string, std::string> values() const;
    void restore(const std::map<std::string, std::string>& values); // unusable values are ignored

    bool offers(const timing::Series& series) const;       // has a point at the conditions
    std::string first_conditions(std::size_t index) const; // "2^22 int": of the first point, where go_to goes

  private:
    void apply(Field field, const std::string& text); // set() without the rows
    void pick();                                      // after a change of the series or of which are shown
    void refresh();                                   // after a change of the conditions

    std::vector<timing::Series> all_;
    std::vector<bool> shown_;
    timing::Conditions conditions_;
    scene::TimingShow show_ = scene::TimingShow::speedup;
    scene::TimingFigure figure_ = scene::TimingFigure::sizes;
    std::string selected_variant_, selected_series_;
    // Derived from the above.
    std::vector<timing::Series> picked_;
    std::vector<int> colors_;
    std::vector<timing::Row> rows_; // their points lie in picked_
};

std::string_view id(Timings::Field field);    // "n"; stable
std::string_view label(Timings::Field field); // "elements n"

} // namespace warptree::session
