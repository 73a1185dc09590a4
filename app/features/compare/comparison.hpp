// Two to four traces side by side, stepped as one.
#pragma once

#include "app/document/playback.hpp"
#include "app/document/runner.hpp"
#include "app/drawing/draw.hpp"
#include "app/features/compare/alignment.hpp"
#include "app/trace/model/element_sets.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warptree::session {

// Comparisons that ship with the program, in assets/comparisons/presets.json.
struct Preset {
    std::string id, title;
    std::uint64_t n = 0;
    std::vector<std::string> columns; // in the form of parse_column
    Alignment alignment = Alignment::stage;
};
// `file` is for messages. Throws FileError "file: reason".
std::vector<Preset> parse_presets(const std::string& text, const std::string& file);
const std::vector<Preset>& presets(); // read once; throws FileError

class Comparison {
  public:
    static constexpr std::size_t kLeast = 2, kMost = 4;

    struct Column {
        RunOptions options;         // n, operator and input are shared by all columns
        std::filesystem::path file; // the trace was read from this file; empty: live
        // Of a program, from 1: the trace is that launch, which its host has called, until an option is chosen; else 0.
        std::uint32_t launch = 0;
        bool saved = false; // of a kernel file whose text in the editor differs: as it is on disk
        std::shared_ptr<const Trace> trace;
        std::string
            error; // why the options do not run or the file did not open; `trace` is then an earlier one or null
    };

    explicit Comparison(std::function<void()> wake);

    std::size_t size() const { return columns_.size(); }
    const Column& operator[](std::size_t column) const { return columns_[column]; }
    bool busy() const;                                        // a trace is being made
    std::optional<double> progress(std::size_t column) const; // 0 … 1 of its trace; nullopt when none is being made
    bool ready() const;                                       // every column has a trace
    std::size_t front = 0;                                    // the column being changed

    std::uint64_t n() const { return n_; }
    // Whether a column is run with so many elements: not a file's trace, nor a program, which says itself how many there are.
    bool takes_elements() const;
    Operator op() const { return op_; }
    InputKind input() const { return input_; }
    // Whether the columns are given that input: files alone have what is chosen for each, as when they are opened, until one is
    // asked for.
    bool gives_input() const;
    // Each reruns the columns it changes. Throw OptionError for an invalid value.
    void set_shared(std::string_view id, std::string_view value); // "n", "op", "input"
    void set(std::size_t column, std::string_view option, std::string_view value);
    // The front column beside that strategy, with as many elements as the launch of a program has, else as are set. False: there is
    // none or it refuses them, and the front column stands alone.
    bool begin_beside(const std::string& strategy, const Trace& explored, std::uint32_t launch);
    void set_columns(const std::vector<std::string>& columns); // kLeast to kMost, in the form of parse_column
    void add();                                                // a copy of the front column after it
    void remove();                                             // the front column, while more than kLeast are left
    void scale_elements(bool up);
    void show_file(std::size_t column, const std::filesystem::path& path, std::shared_ptr<const Trace> trace);
    void show_launch(std::size_t column, const RunOptions& options, const Trace& program, std::uint32_t launch);
    void take_options(std::size_t column, const RunOptions& options); // n, operator and input stay
    void take_saved(std::size_t column, const RunOptions& options);   // of a kernel file, with its text on disk
    void take(const Preset& preset);
    // Compares the explored strategy, with its options. Columns: the current ones if one has that strategy, else those
    // of a preset that has it, else it and the next one of its family (or the one before it in the list). The others
    // get its block and type if they support them.
    void begin_with(const RunOptions& explored);

    Alignment alignment() const { return alignment_; }
    void set_alignment(Alignment alignment);
    Playback playback;                                                         // over the aligned steps
    const std::vector<AlignedStep>& aligned_steps() const { return aligned_; } // empty unless ready
    ColumnMoment moment(std::size_t column) const;                             // needs ready()
    std::uint32_t
    first_difference() const; // the first of them in which columns count differently; 0: none. Needs ready()
    std::uint64_t version() const { return version_; } // differs after each change of traces or alignment

    // The counterpart in column `to` of a target in column `from`. Block, warp, thread, lane or word: the one with the
    // same index, if any; step: that of the same aligned step; node: the one made of the same elements (see
    // ElementSets), or, where the trees differ, the last one that the same thread of the same block has made by the
    // column's step, so that threads can be followed. Requests, and targets without a counterpart: kind none.
    scene::Target counterpart(std::size_t from, const scene::Target& target, std::size_t to) const;
    Trees trees(std::size_t a, std::size_t b) const; // needs ready()

    void start(); // runs what was restored; until then nothing runs
    bool poll();  // takes finished runs; true when something changed
    void cancel();

    std::map<std::string, std::string> values() const;
    void restore(const std::map<std::string, std::string>& values); // unusable values are ignored

  private:
    void run(std::size_t column); // and files whose usual block it changes
    void run_alone(std::size_t column);
    std::uint32_t usual_block() const; // of a file that says none
    void run_all();
    void changed(); // traces or alignment

    std::function<void()> wake_;
    std::uint64_t n_ = 64;
    Operator op_ = Operator::sum;
    InputKind input_ = InputKind::ones;
    bool input_said_ = false; // by the user
    Alignment alignment_ = Alignment::stage;
    bool started_ = false;
    std::uint64_t version_ = 0;
    std::vector<Column> columns_;
    std::vector<std::unique_ptr<Runner>> runners_; // kMost of them, made by start()
    std::vector<std::vector<ElementSets>> sets_;   // by column and launch, when ready
    std::vector<Trees> trees_;                     // [a * size + b], when ready
    std::vector<AlignedStep> aligned_;
};

} // namespace warptree::session
