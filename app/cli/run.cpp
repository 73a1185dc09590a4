#include "app/run/program/run.hpp"
#include "app/base/error.hpp"
#include "app/base/printable.hpp"
#include "app/base/whole_file.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/exit_code.hpp"
#include "app/cli/interrupt.hpp"
#include "app/cli/option_values.hpp"
#include "app/cli/output.hpp"
#include "app/request/said.hpp"
#include "app/trace/explain/findings.hpp"
#include "app/trace/explain/report.hpp"
#include "app/trace/explain/told_findings.hpp"
#include "app/trace/io/file.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string_view>
#include <unistd.h>

namespace warptree::commands {

namespace {
struct ProgramWords {
    std::vector<std::string> files, folders, defines, arguments;
    std::string data, time, memory, devices, out, entry, backend, order;
    bool report = false, json = false;
};

void put(int to, std::string_view text) {
    while (!text.empty()) {
        const ssize_t put = write(to, text.data(), text.size());
        if (put <= 0) {
            return;
        }
        text.remove_prefix(static_cast<std::size_t>(put));
    }
}

// What a program prints, as it comes: a program that waits for its reader is not held up. A terminal gets it without what
// would control the terminal; a pipe or file gets every byte.
class PassedOn {
  public:
    explicit PassedOn(int to) : to_(to), escapes_(isatty(to) == 1) {}
    ~PassedOn() { put_escaped(waiting_); }
    PassedOn(const PassedOn&) = delete;
    PassedOn& operator=(const PassedOn&) = delete;

    void pass(std::string_view text) {
        if (!escapes_) {
            put(to_, text);
            return;
        }
        waiting_ += text;
        const std::size_t whole = waiting_.size() - begun(waiting_);
        put_escaped(std::string_view(waiting_).substr(0, whole));
        waiting_.erase(0, whole);
    }

  private:
    // Bytes at the end that begin a character of UTF-8, of which more may come.
    static std::size_t begun(std::string_view text) {
        for (std::size_t count = 1; count < 4 && count <= text.size(); ++count) {
            const auto byte = static_cast<unsigned char>(text[text.size() - count]);
            if (byte >= 0xC0) {
                return count < (byte >= 0xF0 ? 4U : byte >= 0xE0 ? 3U : 2U) ? count : 0;
            }
            if (byte < 0x80) {
                break;
            }
        }
        return 0;
    }
    void put_escaped(std::string_view text) const {
        std::string out;
        while (!text.empty()) { // a line may be written over, as progress is
            const std::size_t end = std::min(text.find('\r'), text.size());
            out += printable_lines(text.substr(0, end)) + (end < text.size() ? "\r" : "");
            text.remove_prefix(std::min(end + 1, text.size()));
        }
        put(to_, out);
    }

    const int to_;
    const bool escapes_;
    std::string waiting_;
};

runs::ProgramRequest program_request(const ProgramWords& w) {
    runs::ProgramRequest r;
    for (std::size_t i = 0; i < w.files.size(); ++i) {
        r.files.push_back(w.files[i]);
    }
    r.folders = w.folders;
    for (const std::string& define : w.defines) {
        const std::size_t equals = define.find('=');
        r.defines.push_back({define.substr(0, equals), equals == std::string::npos ? "1" : define.substr(equals + 1)});
    }
    r.arguments = w.arguments;
    r.data = w.data;
    r.entry = w.entry;
    if (!w.time.empty()) {
        r.time = std::chrono::seconds(count_of("--time", w.time, 1, 86400));
    }
    if (!w.memory.empty()) {
        r.memory = count_of("--memory", w.memory, 1ULL << 20, 1ULL << 40);
    }
    if (!w.devices.empty()) {
        r.devices = static_cast<std::uint32_t>(count_of("--devices", w.devices, 1, 16));
    }
    for (const auto& [id, text] : {std::pair("backend", &w.backend), {"order", &w.order}}) {
        if (!text->empty()) {
            request::set(r.run, id, *text, request::Spelling::command_line);
        }
    }
    r.in_full = w.report || w.json || !w.out.empty();
    return r;
}

// What there is to say about the run: findings of its launches and of the host.
std::string remarks(const runs::ProgramResult& result) {
    const Trace& trace = result.trace;
    std::vector<std::pair<Severity, std::string>> all;
    for (const ToldFinding& told : told_findings(trace)) {
        const Launch& launch = trace.launches[told.launch];
        all.emplace_back(told.finding->severity,
                         fmt::format("launch {}, {}: {}: {}{}", told.launch + 1, launch.kernel, title(*told.finding),
                                     sentence(trace, launch, *told.finding), said_besides(trace, told)));
    }
    for (const Finding& f : trace.program.findings) {
        all.emplace_back(f.severity, fmt::format("{}: {}", title(f), sentence(trace, f)));
    }
    // What spoils the result before what may.
    std::ranges::stable_sort(all, {}, &std::pair<Severity, std::string>::first);
    std::string text;
    for (const auto& [severity, said] : all) {
        text += "warptree: " + said + '\n';
    }
    if (result.timed) {
        text += "warptree: the times that it took by events are those of the interpreter, not of a GPU\n";
    }
    if (!result.said.empty()) {
        text += "warptree: " + result.said + '\n';
    }
    return text;
}

int run_files(const ProgramWords& w) {
    RunControl control;
    const Interrupt interrupt(control);
    runs::ProgramRequest request = program_request(w);
    request.warn = [](const std::string& text) { put(STDERR_FILENO, printable_lines("warptree: " + text + '\n')); };
    const bool quiet = w.json || w.report;
    const runs::ProgramResult result = [&] {
        PassedOn out(quiet ? STDERR_FILENO : STDOUT_FILENO), err(STDERR_FILENO);
        return runs::run_program(
            request, control, [&](std::string_view text) { out.pass(text); },
            [&](std::string_view text) { err.pass(text); });
    }();
    if (!w.out.empty()) {
        save(result.trace, w.out, &control);
    }
    if (w.json) {
        print(report_json(result.trace));
    } else if (w.report) {
        print(report_text(result.trace));
    }
    put(STDERR_FILENO, printable_lines(remarks(result)));
    return result.exit;
}
} // namespace

void add_run(CLI::App& app, Action& action, const std::vector<std::string>& arguments) {
    CLI::App* command =
        app.add_subcommand("run", "Run a whole CUDA program: its host code, and its kernels interpreted");
    auto w = std::make_shared<ProgramWords>();
    w->arguments = arguments;
    command->add_option("files", w->files, "The program's files, .cu and .cpp; after --, its arguments")->required();
    command->add_option("-I", w->folders, "A folder of headers")->expected(1)->allow_extra_args(false)->take_all();
    command->add_option("-D", w->defines, "NAME or NAME=VALUE, a macro")
        ->expected(1)
        ->allow_extra_args(false)
        ->take_all();
    command->add_option("--entry", w->entry,
                        "Without a main: the host function to call (default: the last that launches)");
    command->add_option("--data", w->data, "The folder that it runs in and may read");
    command->add_option("--time", w->time, "Seconds that it may take (default 60)");
    command->add_option("--memory", w->memory, "Bytes that it and the device may take each (default 4G)");
    command->add_option("--devices", w->devices, "How many equal devices it sees, 1 to 16 (default 1)");
    add_option(*command, "order", w->order);
    add_option(*command, "backend", w->backend,
               "Where kernels run: cpu (default), or cuda, which traces each launch on a GPU");
    command->add_option("-o", w->out, "Write a trace file, FILE.wtrace");
    command->add_flag("--report", w->report, "Report what it did, instead of what it prints");
    command->add_flag("--json", w->json, "The same as JSON");
    refuse_empty_values(*command);
    command->callback([&action, w] { action = [w] { return run_files(*w); }; });
}

} // namespace warptree::commands
