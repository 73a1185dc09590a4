// The options of a run, a record each. The command line and its help, state strings, columns of Compare, settings and a
// trace's manifest iterate them; an option is a record here, and whoever obeys it.
#pragma once

#include "app/base/options.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::request {

// Where an option may be said, beside the command line, which takes all. A bit each.
enum Place : unsigned {
    kState = 1U << 0,      // a state string of a strategy
    kFileState = 1U << 1,  // one of a kernel file
    kColumn = 1U << 2,     // a column of Compare
    kFileColumn = 1U << 3, // one of a kernel file
    kSettings = 1U << 4,   // what the window begins with
    kManifest = 1U << 5,   // of a trace
};

struct Option {
    std::string id;                    // "host-below": --host-below, ?host-below=4, sequential:host-below=4
    std::string label;                 // in forms and in the palette: "warp schedule"
    std::string help;                  // on the command line
    std::string group;                 // of the help
    std::vector<std::string> choices;  // empty: a count or a text
    std::string works;                 // what is usable: "1 to 1024"
    bool count = false;                // a number in JSON
    bool flag = false;                 // "0" or "1"
    std::uint64_t least = 0, most = 0; // of a count
    unsigned places = 0;               // of Place
    std::function<std::string(const RunOptions&)> get;      // as it is said; empty: nothing
    std::function<bool(RunOptions&, std::string_view)> set; // false: not usable, and nothing has changed
    std::function<bool(const RunOptions&)> said =
        nullptr; // of a file: whether somebody said it; null: it is not as usual
};

// All of them, in the order of forms and help.
const std::vector<Option>& options();
// The one with that id, which must exist.
const Option& option(std::string_view id);
// Its key in JSON: with _ for each -.
std::string json_key(const Option& option);
// "in-order, reverse, random or lockstep".
std::string listed(const std::vector<std::string>& words);

// One more for as long as this lives, for tests.
class AddedOption {
  public:
    explicit AddedOption(Option option);
    AddedOption(const AddedOption&) = delete;
    AddedOption& operator=(const AddedOption&) = delete;
    ~AddedOption();
};

} // namespace warptree::request
