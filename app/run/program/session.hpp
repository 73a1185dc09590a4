// The device that a running program sees, and what it did: answers its calls of the runtime API. Knows no process; what it
// is asked may be forged, and every number is checked.
#pragma once

#include "app/base/error.hpp"
#include "app/base/options.hpp"
#include "app/compile/program/program.hpp"
#include "app/host/protocol.hpp"
#include "app/run/program/devices.hpp"
#include "app/run/program/launch_repeats.hpp"
#include "app/run/program/stream_order.hpp"
#include "app/run/program/uncovered_elements.hpp"
#include "app/run/program/unread_results.hpp"
#include "app/simt/launch_setup.hpp"
#include "app/simt/memory.hpp"
#include "app/trace/model/trace.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace warptree::runs {

// A message that warptree-host does not send.
struct ForgedMessage : Error {
    using Error::Error;
};

// What the program asks for is not part of warptree: it ends there.
struct NotSupported : Error {
    using Error::Error;
};

// A CUDA error code: those that the session answers with.
enum class CudaError : std::int32_t {
    none = 0,
    invalid_value = 1,
    out_of_memory = 2,
    invalid_configuration = 9,
    invalid_pitch = 12,
    invalid_symbol = 13,
    invalid_direction = 21,
    invalid_device_function = 98,
    invalid_device = 101,
    invalid_handle = 400,
    peer_enabled = 704,
    peer_not_enabled = 705,
    not_ready = 600,
    illegal_address = 700,
    out_of_resources = 701,
    timeout = 702,
    device_assertion = 710,
    misaligned_address = 716,
    launch_failure = 719,
    too_large_together = 720,
    not_supported = 801,
    invalid_cluster = 912
};

struct SessionOptions {
    RunOptions run;                    // order, seed, banks, window, workers; backend: cuda, or else the interpreter
    std::uint64_t memory = 8ULL << 30; // of a device, bytes
    std::uint32_t devices = 1;
    // The first ones, whose windows are traced; of later ones only the counts. 0: of all only what is found.
    std::uint32_t launches_in_full = 64;
    std::uint32_t launches_kept = 4096; // in the trace
    // When the program is stopped, and who is told, once a launch, that it will not be done by then: one line.
    std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();
    std::function<void(const std::string&)> warn;
};

class ProgramSession {
  public:
    // `stage`: the first bytes of the file that both processes map; `shared_file`: its descriptor. What a kernel prints
    // goes to `print`.
    ProgramSession(std::shared_ptr<const compile::Program> program, const SessionOptions& options, RunControl& control,
                   std::byte* stage, int shared_file, std::function<void(std::string_view)> print);
    ~ProgramSession();

    struct Reply {
        host::Answer answer;
        std::vector<std::byte> bytes;
    };
    // Throws ForgedMessage, NotSupported, Cancelled.
    Reply answer(const host::Ask& ask, std::span<const std::byte> bytes);

    // The program wrote to its standard output.
    void printed(std::string_view text);
    // It ended; `exit`: the exit code of the whole; `itself`: nothing stopped it, else `why` is a line of what did. Writes the
    // end of the story, and what was never freed.
    void ended(int exit, bool itself, const std::string& why = {});
    // Something about the program that is wrong, in the host's half.
    // Returns it, or null if there are too many.
    Finding* find(FindingKind kind, SourceLine line, std::string text, std::string array = {});

    bool loaded() const { return loaded_; }             // its object was
    bool began() const { return began_; }               // some call of its own was answered
    bool timed() const { return timed_; }               // it asked how long something took
    std::uint64_t repeats() const { return repeated_; } // launches that did not have to run
    // The launch that was cut short: "sum<<<2048, 256>>> in line 9"; empty: none was.
    const std::string& running() const { return running_; }
    struct Crash {
        int signal = 0;
        std::string text; // "line 12 of lab.cu: the host reads d_in[0], which is memory of the device"
    };
    const std::optional<Crash>& crash() const { return crash_; }
    Trace take_trace() { return std::move(trace_); }
    const Trace& trace() const { return trace_; }

  private:
    friend struct ProgramCalls;
    using Words = std::array<std::uint64_t, 7>;
    // Where and what a pointer points to.
    struct Place {
        simt::Allocation* allocation = nullptr;
        std::uint32_t index = 0;
        std::int64_t offset = 0;
    };
    // Rows of bytes at one end of a copy or a set.
    struct Rows {
        std::uint64_t address = 0, pitch = 0, width = 0, height = 1;
    };

    std::uint64_t memory_left() const; // of the current device, bytes
    // As StreamOrder has it: the default ones are those of the current device.
    StreamOrder::Stream stream(std::uint64_t number) const;
    Place find_place(std::uint64_t address);
    // The place of all rows, or the error and its finding. `what`: "cudaMemcpy writes".
    std::optional<Place> place_of(const Rows& rows, const std::string& what, const std::string& variable);
    std::uint64_t span_of(const Rows& rows) const; // bytes from the first to the last; throws ForgedMessage
    CudaError fail(CudaError error);               // becomes the last error
    StoryEvent& tell(StoryKind kind);
    SourceLine here() const { return line_; }
    SourceLine line_of(const std::string& file, std::uint32_t line) const; // none: not a file of the program
    std::string_view text_in(SourceLine line) const;                       // of this line alone
    bool is_variable(std::uint32_t allocation) const; // of the device, which is neither allocated nor freed
    std::string argument(unsigned number) const;      // of the call that is answered, as the text names it
    std::string argument_text(unsigned number) const; // and as it is written
    std::string named(std::uint32_t allocation) const;
    // Of the last event of that kind and name; none: there is none.
    SourceLine line_of_last(StoryKind kind, const std::string& name) const;
    // " (line 7)", with `before` in front of the line; empty: not known. Of several of that name the one freed last.
    std::string where_freed(const std::string& name, std::string_view before = {}) const;
    std::string unique_name(std::string name);
    std::uint64_t add(std::uint64_t bytes, std::uint32_t element, std::string name);
    void locate(const host::Ask& ask);
    void locate(std::uint32_t section, std::uint64_t address);
    void locate_before(std::uint32_t section, std::uint64_t address);
    // A launch as it was asked for; program_launch.cpp.
    struct Wanted;
    static std::string extent(const simt::Extent& e);       // "256", "(16, 16)"
    static std::string configuration(const Wanted& wanted); // "<<<2048, 256, 1024>>>"
    // What an operation reads or writes of an array; a finding where nothing orders it after what conflicts with it.
    void note_access(const StreamOrder::Operation& now, std::uint32_t array, StreamOrder::Spans spans, bool writes,
                     bool atomic = false);
    // Of the launch of this kernel that has just run; used: by parameter, its allocation.
    void note_accesses(const StreamOrder::Operation& now, const compile::Kernel& kernel,
                       const std::vector<std::uint32_t>& used);
    bool polls() const;     // whether a kernel may speak with the host while it runs
    std::uint32_t guards(); // brings them up to date, and counts their changes
    CudaError launch(const host::Ask& ask, std::span<const std::byte> arguments);
    [[noreturn]] void refuse_absent(const std::string& symbol);
    std::string why_not(const Wanted& wanted, CudaError& error) const;
    std::string why_no_clusters(const Wanted& wanted) const;
    CudaError refuse_launch(const Wanted& wanted, CudaError error, const std::string& why);
    // Tells of a launch that will not be done in time, by the blocks that are done.
    std::function<void(double)> watch_time(const Wanted& wanted) const;
    std::string out_of_reach(const Wanted& wanted, const std::vector<std::uint32_t>& used) const;
    // What kernels print is seen once the host has waited for them, or if it is too much to keep.
    void show_printed();
    // What a GPU does of it, to be followed; null: it is interpreted. Throws NotSupported.
    std::unique_ptr<simt::DeviceLog> log_of(const simt::LaunchSetup& setup);
    CudaError run(const Wanted& wanted, std::span<const std::byte> arguments);
    // After a launch, before its stores become what was there before the next one.
    void note_repeat(LaunchRepeats::Asked asked, const simt::LaunchSummary& summary, const Launch& launch,
                     bool found_nothing, std::chrono::steady_clock::duration took);
    void name_host_pointers(const Wanted& wanted, const std::vector<simt::Argument>& arguments, Launch& launch);
    std::string why_too_short(const Wanted& wanted, const std::vector<simt::Argument>& arguments, std::uint32_t array,
                              std::uint32_t size);
    void tell_counted_bytes(const Wanted& wanted, const std::vector<simt::Argument>& arguments, Launch& launch);
    std::string swapped(const Wanted& wanted, const std::vector<std::uint32_t>& used,
                        const std::vector<std::uint32_t>& unwritten, std::uint32_t array) const;
    void tell_unwritten(const Wanted& wanted, const std::vector<std::uint32_t>& used,
                        const std::vector<std::uint32_t>& unwritten, Launch& launch);
    // Where the host has left a part of an array, or lines lie between its rows, an element without a value says so.
    void tell_left_parts(Launch& launch) const;
    void note_written(std::uint32_t allocation, std::uint64_t bytes);
    void name_null_pointer(const Wanted& wanted, const std::vector<simt::Argument>& arguments, Launch& launch);
    std::string stated_count(const Wanted& wanted, const std::vector<simt::Argument>& arguments,
                             std::uint64_t count) const;
    std::vector<std::size_t> stated_sizes(const Wanted& wanted, const std::vector<simt::Argument>& arguments,
                                          std::uint64_t count) const;
    struct Rectangle {
        std::uint32_t array = 0;                         // of memory
        std::uint64_t columns = 0, rows = 0, layers = 1; // its own
        std::uint64_t wide = 0, high = 0, deep = 1;      // threads of the grid in x, y and z
    };
    std::vector<Rectangle> watch_rectangles(const Wanted& wanted, const std::vector<simt::Argument>& arguments,
                                            const std::vector<std::uint32_t>& used);
    bool tell_left_part(const Wanted& wanted, const UncoveredElements::Asked& asked,
                        const std::vector<Rectangle>& rectangles); // whether there is one
    void tell_swapped_names();
    void tell_uncovered(const Wanted& wanted, const UncoveredElements::Asked& asked,
                        const std::vector<simt::Argument>& arguments);
    void suspect_uncovered(const UncoveredElements::Asked& asked, std::uint32_t array, std::vector<std::uint64_t> ends,
                           std::string text);

    std::shared_ptr<const compile::Program> program_;
    SessionOptions options_;
    simt::ProcessorTime time_{options_.run.limits.time}; // of all launches
    std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
    RunControl& control_;
    std::byte* stage_;
    int shared_file_;
    std::uint64_t shared_end_ = host::kStageBytes; // of the part of the file in use
    std::function<void(std::string_view)> print_;
    std::unique_ptr<simt::Memory> memory_;
    ProgramDevices devices_;
    std::vector<std::uint32_t> attempts_; // by kernel: launches that were attempted in vain
    static constexpr std::uint32_t kMostDoubted = 3;
    LaunchRepeats repeats_;
    std::uint64_t repeated_ = 0, found_ = 0;       // found_: calls of find()
    std::chrono::steady_clock::duration spared_{}; // the time that those that were repeated had taken
    std::vector<std::uint32_t> shared_allowed_;    // by kernel: dynamic shared bytes that a block may have
    std::vector<bool> large_clusters_;             // by kernel: whether one may have more blocks than every GPU takes
    struct HostMemory {
        std::uint64_t bytes = 0; // of the file
        bool managed = false;
    };
    std::vector<HostMemory> host_memory_; // by allocation that both see
    struct ByTheHost {
        std::uint32_t writes = 0;
        std::uint64_t bytes = 0; // of the last one
        SourceLine line;
        std::uint64_t pitch = 0, width = 0; // bytes from row to row, and of a row; 0: not allocated so
        std::string size;                   // as the call that allocated it has it, "n * sizeof(float)"
    };
    std::map<std::uint32_t, ByTheHost> by_the_host_; // by allocation
    std::string not_allocated_;                      // what is said of the last allocation that there was no memory for
    std::vector<std::uint32_t> variables_;           // by number given out: an allocation
    std::vector<std::string> absent_; // symbols of kernels that were not compiled; their numbers follow the others'
    std::uint64_t streams_ = 0;
    std::vector<std::int32_t> priorities_; // of those that were created
    StreamOrder order_;
    std::vector<host::Guard> guards_;
    std::uint32_t guard_changes_ = 0;
    std::uint64_t guards_at_ = 0;                                 // as StreamOrder::changes()
    std::vector<std::chrono::steady_clock::time_point> recorded_; // by event
    std::vector<bool> timeless_;                                  // by event: created so
    CudaError last_ = CudaError::none, sticky_ = CudaError::none;
    std::size_t unseen_ = SIZE_MAX; // the finding of a launch that was refused, until the program asks for errors
    SourceLine line_ = SourceLine::none();
    std::uint32_t column_ = 0;
    bool loaded_ = false, began_ = false, timed_ = false, reset_ = false;
    struct Unseen {
        StreamOrder::Operation by;
        std::string kernel, text;
    };
    std::deque<Unseen> printed_; // by kernels that the host has not waited for
    std::size_t printed_bytes_ = 0;
    UnreadResults results_;
    UncoveredElements uncovered_;
    std::uint64_t launches_ = 0;
    std::string running_;
    std::optional<Crash> crash_;
    Trace trace_;
};

} // namespace warptree::runs
