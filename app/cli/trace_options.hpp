// The options that say what to trace, for every command that runs something.
#pragma once

#include "app/base/options.hpp"
#include "app/base/printable.hpp"
#include "app/trace/model/trace.hpp"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace warptree::commands {

using warptree::printable;

// The options as typed; parsed when the command runs, so that every error is one line.
class TraceOptions {
  public:
    static std::shared_ptr<TraceOptions> add_to(CLI::App& app);
    // Throws OptionError naming the option, its value and what would work.
    RunOptions parse(const std::string& strategy) const;
    // The same for a CUDA file.
    RunOptions parse_file(const std::string& path) const;
    // Whether any of the options was given.
    bool given() const;

  private:
    void add_parameters(CLI::App& app, const std::string& group);
    void take_matrix(RunOptions& options) const;
    void take(RunOptions& options) const;
    const std::string& word(const std::string& option) const { return words_.at(option); }

    std::map<std::string, std::string> words_;      // of request::options(), by id; empty: not given
    std::string shape_, tile_;                      // of a matrix product
    std::string expect_file_;                       // of a kernel file
    std::vector<std::string> arguments_;            // NAME=VALUE
    std::map<std::string, std::string> parameters_; // of any strategy, by name
};

// Runs a strategy or a CUDA file, with progress on a terminal; loads any other file, or a name that ends in .wtrace.
// may_be_empty: also of a program whose launches were all refused.
Trace trace_of(const std::string& named, const TraceOptions& options, bool may_be_empty = false);

} // namespace warptree::commands
