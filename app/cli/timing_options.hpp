// The options that say which recorded timings to show.
#pragma once

#include "app/cli/picture_options.hpp"
#include "app/features/timings/state/timings.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace warptree::commands {

// The words as given; parsed when the command runs, so that every complaint is one line.
struct TimingWords {
    std::vector<std::string> files, series;
    std::map<session::Timings::Field, std::string> fields;

    void add_to(CLI::App& command);                           // all
    void add_own_to(CLI::App& command);                       // those that no trace has: beside TraceOptions
    bool given() const;                                       // any of them, files aside
    static std::string option(session::Timings::Field field); // "-n", "--block"
    static bool takes(std::string_view name);                 // "n", "block", "series"
    // What ships and the files, at the conditions. Without named series those that have something there, or what the
    // files hold. Throws OptionError naming the option, its value and what would work.
    session::Timings make() const;
};

// The Timings screen as a picture. `command` has the options of traces, too: those that timings do not share are refused.
void render_timings(TimingWords words, const CLI::App& command, const Picture& picture, const std::string& out);

} // namespace warptree::commands
