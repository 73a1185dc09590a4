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

// The options as typed; parsed when the command runs, so that every error is one line.
struct TimingWords {
    std::vector<std::string> files, series;
    std::map<session::Timings::Field, std::string> fields;

    void add_to(CLI::App& command);                           // all
    void add_own_to(CLI::App& command);                       // those that TraceOptions does not have
    bool given() const;                                       // whether any was given, apart from files
    static std::string option(session::Timings::Field field); // "-n", "--block"
    static bool takes(std::string_view name);                 // "n", "block", "series"
    // The shipped series and the files, at these conditions. If no series is named: those with data there, or
    // those of the files. Throws OptionError naming the option, its value and what would work.
    session::Timings make() const;

  private:
    bool set_in(session::Timings& t) const; // whether a condition was given
};

// The Timings screen as a picture. `command` also has the options of traces: those that timings lack are refused.
void render_timings(TimingWords words, const CLI::App& command, const Picture& picture, const std::string& out);

} // namespace warptree::commands
