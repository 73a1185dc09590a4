#include "app/run/program/run.hpp"

#include "app/base/error.hpp"
#include "app/base/printable.hpp"
#include "app/catalogue/catalogue.hpp"
#include "app/catalogue/kernel_header.hpp"
#include "app/confine/policy.hpp"
#include "app/run/kernel_source.hpp"
#include "app/run/program/entry.hpp"
#include "app/run/program/headers.hpp"
#include "app/run/program/process.hpp"
#include "app/run/program/session.hpp"
#include "app/run/program/text.hpp"
#include "app/run/run.hpp"
#include "app/run/time_limit.hpp"
#include "app/run/tracing_device.hpp"
#include "app/trace/explain/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include <sys/wait.h>

namespace warptree::runs {

namespace {

// Several files are compiled as one that includes each.
compile::Request compile_request(const ProgramRequest& request) {
    compile::Request asked;
    const std::filesystem::path first = request.files.front();
    asked.name = first.filename().string();
    asked.folder = std::filesystem::absolute(first).parent_path().string();
    asked.shipped = catalogue::shipped_folder().string();
    asked.defines = request.defines;
    asked.host = true;
    if (request.run.backend == Backend::cuda) { // throws if there is none
        asked.code = compile::Code::traced;
        asked.architecture = tracing_device().architecture();
    }
    for (const std::string& folder : request.folders) {
        asked.folders.push_back(std::filesystem::absolute(folder).string());
    }
    const std::optional<std::string>& edited = request.run.kernel.text;
    asked.text = edited ? *edited : read_source(first.string());
    if (const std::string up = request.reaches_up ? folder_above(asked.text, asked.folder) : ""; !up.empty()) {
        asked.folders.insert(asked.folders.begin(), up);
    }
    for (std::size_t i = 1; i < request.files.size(); ++i) {
        const std::filesystem::path file = request.files[i];
        const std::string folder = std::filesystem::absolute(file).parent_path().string();
        if (folder != asked.folder) {
            throw OptionError(fmt::format("{}: the files of a program lie in one folder, and {} is elsewhere",
                                          printable(request.files.front()), printable(request.files[i])));
        }
        read_source(file.string()); // that it can be
        asked.text += fmt::format("{}#include \"{}\"\n", i == 1 ? "\n" : "", file.filename().string());
    }
    return asked;
}

std::shared_ptr<const compile::Program> compiled_program(const compile::Request& asked) {
    auto program = std::make_shared<compile::Program>(compiler().compile(asked));
    const auto is_error = [](const compile::Diagnostic& d) {
        return d.severity == compile::Diagnostic::Severity::error;
    };
    for (std::vector<compile::Diagnostic>* const list : {&program->diagnostics, &program->host.diagnostics}) {
        const auto first = std::find_if(list->begin(), list->end(), is_error);
        if (first != list->end()) {
            std::string text = diagnostics_text({*first});
            text.pop_back();
            throw SourceError(std::move(*list), text);
        }
    }
    if (!program->host.problem.empty()) {
        throw OptionError(asked.name + ": " + program->host.problem);
    }
    return program;
}

std::string signal_name(int signal) {
    const char* const name = sigabbrev_np(signal);
    return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("SIG{}", name);
}

// A run of what is compiled.
ProgramResult run_compiled(const ProgramRequest& request, const compile::Request& asked,
                           const std::shared_ptr<const compile::Program>& program, RunControl& control,
                           const std::function<void(std::string_view)>& out,
                           const std::function<void(std::string_view)>& err) {
    const std::string host_program = find_host();
    if (host_program.empty()) {
        throw FileError("the program warptree-host is not beside this one: install it, or set WARPTREE_HOST to it");
    }
    ProgramResult result;
    SharedFile shared;
    SessionOptions options;
    options.run = request.run;
    options.run.kernel.file = request.files.front();
    options.run.strategy = asked.name;
    options.memory = request.memory;
    options.devices = request.devices;
    options.launches_in_full = request.in_full ? options.launches_in_full : 0;
    const auto until = std::chrono::steady_clock::now() + request.time;
    TimeLimit limit(control, until);
    options.until = until;
    options.warn = request.warn;
    ProgramSession session(program, options, limit.control(), shared.stage(), shared.descriptor(), out);

    std::string words = request.files.front() + '\0';
    for (const std::string& argument : request.arguments) {
        words += argument + '\0';
    }
    host::Start start;
    start.object = program->host.object.size();
    start.arguments = words.size();
    start.memory = request.memory;
    start.seconds = static_cast<std::uint64_t>(request.time.count() + 999) / 1000;
    start.files = request.data.empty() ? 0 : 1;

    ProgramProcess process(host_program, shared, request.data);
    std::uint64_t printed = 0;
    bool refused = false; // a system call
    std::string complaint, forged, unsupported;
    const auto within = [&](std::string_view text) {
        printed += text.size();
        return printed <= request.output;
    };
    ProgramProcess::Heard heard;
    heard.out = [&](std::string_view text) {
        session.printed(text);
        out(text);
        return within(text);
    };
    heard.err = [&](std::string_view text) {
        refused = refused || text.find(confine::kRefusedCall) != std::string_view::npos;
        if (!session.loaded()) {
            complaint += text.substr(0, 4096 - std::min<std::size_t>(4096, complaint.size()));
        } else {
            err(text);
        }
        return within(text);
    };
    heard.call = [&](const host::Ask& ask, std::span<const std::byte> bytes, host::Answer& answer,
                     std::vector<std::byte>& more) {
        try {
            ProgramSession::Reply reply = session.answer(ask, bytes);
            answer = reply.answer;
            more = std::move(reply.bytes);
            return true;
        } catch (const ForgedMessage& error) {
            forged = error.what();
        } catch (const NotSupported& error) {
            unsupported = error.what();
        } catch (const Cancelled&) { // the time is up, or the whole is cancelled
        }
        return false;
    };
    heard.stop = [&] { return limit.control().cancel.load(); };
    const ProgramProcess::Outcome outcome = process.serve(start, program->host.object, words, until, heard);
    if (control.cancel) {
        throw Cancelled();
    }
    if (outcome == ProgramProcess::Outcome::late || limit.is_up()) {
        result.end = ProgramEnd::timed_out;
        result.exit = 124;
        result.said = fmt::format("the program was still running after {} s{} and was stopped; --time allows more",
                                  static_cast<double>(request.time.count()) / 1000,
                                  session.running().empty() ? "" : ", at " + session.running() + ',');
    } else if (!unsupported.empty()) {
        result.end = ProgramEnd::unsupported;
        result.exit = 2;
        result.said = "the program was stopped: " + unsupported;
    } else if (!forged.empty()) {
        result.end = ProgramEnd::forbidden;
        result.exit = 126;
        result.said = "the program was stopped: it sent a message that none of its calls sends (" + forged + ")";
    } else if (outcome == ProgramProcess::Outcome::stopped) {
        result.end = ProgramEnd::over_limit;
        result.exit = 125;
        result.said = printed > request.output
                          ? fmt::format("the program was stopped: it printed more than {} MB", request.output >> 20)
                          : "the program was stopped: it spoke to its server in a way that none of its calls does";
    } else {
        const int status = process.wait();
        if (!session.loaded()) {
            while (!complaint.empty() && complaint.back() == '\n') {
                complaint.pop_back();
            }
            throw OptionError(asked.name + ": " + (complaint.empty() ? "its host code cannot be loaded" : complaint));
        }
        if (WIFSIGNALED(status)) {
            const int signal = WTERMSIG(status);
            result.end = signal == SIGSYS    ? ProgramEnd::forbidden
                         : signal == SIGXCPU ? ProgramEnd::timed_out
                                             : ProgramEnd::crashed;
            result.exit = signal == SIGSYS ? 126 : signal == SIGXCPU ? 124 : 128 + signal;
            result.said = signal == SIGXCPU ? std::string("the program used up its processor time; --time allows more")
                          : signal == SIGSYS
                              ? std::string("the program was stopped: it made a system call that is not allowed")
                              : fmt::format("the program ended by {}", signal_name(signal));
        } else {
            result.exit = WEXITSTATUS(status);
            if (result.exit == confine::kRefusedCode && refused) {
                result.end = ProgramEnd::forbidden;
                result.said = "the program was stopped: it may not open, write or start anything, nor reach a network";
            }
        }
    }
    session.ended(result.exit, result.end == ProgramEnd::exited, result.said);
    if (result.end == ProgramEnd::crashed || (result.end == ProgramEnd::exited && result.exit != 0)) {
        if (const std::string lacks = may_lack(asked.text, !request.arguments.empty(), !request.data.empty());
            !lacks.empty()) {
            result.said += (result.said.empty() ? "" : "; ") + lacks;
        }
    }
    result.timed = session.timed();
    result.repeats = session.repeats();
    result.trace = session.take_trace();
    return result;
}

template <class Which> bool finds(const Trace& trace, const Which& which) {
    return std::any_of(trace.launches.begin(), trace.launches.end(), [&](const Launch& l) {
        return std::any_of(l.findings.begin(), l.findings.end(), [&](const Finding& f) { return which(f.kind); });
    });
}
bool reaches_outside(const Trace& trace) {
    return finds(trace, [](FindingKind kind) { return kind == FindingKind::out_of_bounds; });
}
bool races(const Trace& trace) { return finds(trace, is_race); }

struct EntryRun {
    ProgramResult result;
    std::string printed, said;
};

EntryRun call_entry(const ProgramRequest& request, const compile::Request& asked, const compile::HostEntry& entry,
                    const RunOptions& options, bool squared, RunControl& control) {
    const EntryCall call = runs::call_of(entry, options, squared);
    compile::Request with_main = asked;
    with_main.text += call.text;
    EntryRun run;
    run.result = run_compiled(
        request, with_main, compiled_program(with_main), control, [&](std::string_view text) { run.printed += text; },
        [&](std::string_view text) { run.said += text; });
    Trace& trace = run.result.trace;
    trace.program.entry = entry.name;
    trace.chosen.push_back("entry " + entry.name);
    trace.chosen.insert(trace.chosen.end(), call.chosen.begin(), call.chosen.end());
    for (SourceFile& source : trace.sources) { // as it is on disk
        if (source.text == with_main.text) {
            source.text = asked.text;
        }
    }
    const auto lines = static_cast<unsigned>(std::count(asked.text.begin(), asked.text.end(), '\n')) + 1;
    for (StoryEvent& event : trace.program.events) { // the call that was added has no line
        if (event.line.file() == 0 && event.line.line() > lines) {
            event.line = SourceLine::none();
        }
    }
    // Its sizes were chosen here: that one equals another says nothing about the launch.
    std::erase_if(trace.program.findings, [](const Finding& f) { return f.kind == FindingKind::uncovered; });
    // Its data, too: what that makes of a sum or a root says nothing of the kernel.
    for (Launch& launch : trace.launches) {
        std::erase_if(launch.findings, [](const Finding& f) {
            return f.kind == FindingKind::overflow || (f.kind == FindingKind::not_a_number && !f.writes);
        });
    }
    return run;
}

// A file without a main: a function that launches is called, with arrays of as many elements as its sizes say; if it
// reaches further, with n times as many; if threads race, with distinct numbers in its arrays, which may be indices.
EntryRun best_call(const ProgramRequest& request, const compile::Request& asked, const compile::HostEntry& entry,
                   RunControl& control) {
    EntryRun first = call_entry(request, asked, entry, request.run, false, control);
    const bool squared = reaches_outside(first.result.trace);
    if (squared) {
        EntryRun larger = call_entry(request, asked, entry, request.run, true, control);
        if (reaches_outside(larger.result.trace)) {
            return first;
        }
        first = std::move(larger);
    }
    const bool chosen = std::any_of(entry.parameters.begin(), entry.parameters.end(), [&](const auto& p) {
        return p.pointer && !p.floating && !request.run.kernel.arguments.contains(p.name);
    });
    if (!races(first.result.trace) || !chosen || request.run.kernel.input_given) {
        return first;
    }
    RunOptions distinct = request.run;
    distinct.input = InputKind::iota;
    distinct.kernel.input_given = true;
    EntryRun other = call_entry(request, asked, entry, distinct, squared, control);
    if (!squared && reaches_outside(other.result.trace)) {
        other = call_entry(request, asked, entry, distinct, true, control);
    }
    if (races(other.result.trace) || reaches_outside(other.result.trace) || other.result.end != ProgramEnd::exited) {
        return first;
    }
    for (const Launch& launch : first.result.trace.launches) {
        for (const Finding& f : launch.findings) {
            if (is_race(f.kind)) {
                other.result.trace.tried.push_back(
                    launched_with("random numbers in its arrays", first.result.trace, launch, f));
            }
        }
    }
    return other;
}

ProgramResult run_entry(const ProgramRequest& request, const compile::Request& asked, const compile::HostEntry& entry,
                        RunControl& control, const std::function<void(std::string_view)>& out,
                        const std::function<void(std::string_view)>& err) {
    EntryRun best = best_call(request, asked, entry, control);
    out(best.printed);
    err(best.said);
    return std::move(best.result);
}

} // namespace

std::string OwnLaunches::alone() const {
    if (ran) {
        return fmt::format("{}launches nothing without arguments{}", kKernelAlone,
                           why.empty() ? "" : fmt::format(": it says \"{}\"", printable(why)));
    }
    return why.empty() ? why : fmt::format("{}does not run: {}", kKernelAlone, why);
}

OwnLaunches run_own_launches(const RunOptions& options, RunControl& control) {
    OwnLaunches own;
    const std::string text = options.kernel.text ? *options.kernel.text : read_source(options.kernel.file);
    const catalogue::KernelHeader header = catalogue::read_header(text);
    const auto has = [&](std::string_view part) { return text.find(part) != std::string::npos; };
    if ((!has("<<<") && !has("<< <") && !has("cudaLaunch")) || header.launch.has_value()) {
        return own;
    }
    ProgramRequest request;
    request.files = {options.kernel.file};
    request.run = options;
    using std::chrono::milliseconds;
    if (const milliseconds most = options.limits.time; most.count() == 0) {
        request.time = std::chrono::hours(1);
    } else { // of the clock, for a program that waits
        request.time = std::max(request.time, 6 * most);
    }
    std::string said; // the first line
    const auto hear = [&](std::string_view text) {
        constexpr std::size_t kMost = 80;
        if (const std::size_t ended = said.find('\n'); ended == std::string::npos && said.size() < kMost) {
            said += text.substr(0, kMost - said.size());
        }
    };
    try {
        ProgramResult result = run_program(request, control, hear, hear);
        if (result.trace.launches.empty() && result.trace.program.findings.empty() &&
            result.end == ProgramEnd::exited) {
            own.ran = true;
            own.why = said.substr(0, said.find('\n'));
        } else {
            own.trace = std::move(result.trace);
        }
    } catch (const Cancelled&) {
        throw;
    } catch (const SourceError& error) {
        own.why = error.what();
        own.diagnostics = error.diagnostics;
    } catch (const Error& error) { // it does not compile for the host, or may not run here
        own.why = error.what();
    }
    return own;
}

bool states_a_call(const RunOptions& o) {
    const RunOptions usual;
    const KernelOptions& k = o.kernel;
    return k.n_given || k.input_given || !k.kernel.empty() || !k.grid.empty() || !k.block.empty() ||
           !k.shared.empty() || !k.arguments.empty() || !k.expect.empty() || !k.fill.empty() || o.block.has_value() ||
           o.type != usual.type || o.op != usual.op || o.finish.has_value() || !o.parameters.empty() ||
           o.host_below != usual.host_below || o.last_block.has_value() || k.most_instructions != 0;
}

RunOptions without_a_call(const RunOptions& o) {
    RunOptions rest;
    rest.strategy = o.strategy;
    rest.kernel.file = o.kernel.file;
    rest.kernel.text = o.kernel.text;
    rest.seed = o.seed;
    rest.banks = o.banks;
    rest.window = o.window;
    rest.order = o.order;
    rest.backend = o.backend;
    rest.workers = o.workers;
    rest.limits = o.limits;
    return rest;
}

Trace run_shown(const RunOptions& options, bool was_program, std::optional<Guess>& guess, RunControl& control) {
    if (!is_kernel_file(options)) {
        return run_any(options, control);
    }
    if (states_a_call(options)) {
        return run_kernel_file(options, guess, control);
    }
    OwnLaunches own = run_own_launches(options, control);
    if (own.trace) {
        return std::move(*own.trace);
    }
    if (was_program && !own.diagnostics.empty()) {
        throw SourceError(std::move(own.diagnostics), own.why);
    }
    Trace trace = run_kernel_file(options, guess, control);
    if (std::string alone = own.alone(); !alone.empty()) {
        trace.chosen.push_back(std::move(alone));
    }
    return trace;
}

ProgramResult run_program(const ProgramRequest& request, RunControl& control,
                          const std::function<void(std::string_view)>& out,
                          const std::function<void(std::string_view)>& err) {
    const compile::Request asked = compile_request(request);
    const std::shared_ptr<const compile::Program> program = compiled_program(asked);
    if (program->host.has_main && request.entry.empty()) {
        return run_compiled(request, asked, program, control, out, err);
    }
    if (program->host.has_main) {
        throw OptionError(asked.name + ": it has a main, which is what runs; --entry is for files without one");
    }
    return run_entry(request, asked, choose_entry(program->host, request.entry), control, out, err);
}

} // namespace warptree::runs
