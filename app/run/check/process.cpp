#include "app/run/check/process.hpp"

#include "app/base/error.hpp"
#include "app/catalogue/catalogue.hpp"
#include "app/confine/confine.hpp"
#include "app/run/check/document.hpp"
#include "app/run/check/program.hpp"
#include "app/run/kernel_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <vector>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace warptree::runs {

namespace {
constexpr std::size_t kMostHeard = 64U << 20;            // bytes of one submission's results
constexpr std::uint64_t kSpareMemory = 2ULL << 30;       // of address space, beyond what a run may take
constexpr std::uint64_t kSpareSeconds = 60;              // for compiling, reading and telling
constexpr int kReady = 0, kCompilerSpent = 3, kLost = 4; // exit codes of the child

std::uint64_t processor_seconds(const CheckRequest& request) {
    const auto limit = static_cast<std::uint64_t>(std::chrono::ceil<std::chrono::seconds>(request.limit).count());
    return runs_of(request) * limit * std::max(1U, request.options.workers) + kSpareSeconds;
}

confine::Policy policy_for(const CheckRequest& request, pid_t parent) {
    namespace fs = std::filesystem;
    confine::Policy policy = confine::submission_policy();
    policy.limits.seconds = processor_seconds(request);
    policy.limits.memory = request.options.limits.memory + kSpareMemory;
    policy.parent = parent;
    std::error_code error;
    const fs::path file = request.options.kernel.file;
    policy.readable = {file.string(), fs::absolute(file, error).parent_path().string(),
                       catalogue::shipped_folder().string()};
    policy.environment = {"WARPTREE_DATA"};
    return policy;
}

// Of what the parent has open the child keeps these: not the pipes and compilers of other submissions.
void close_all_but(std::vector<int> kept) {
    std::ranges::sort(kept);
    unsigned from = 3;
    for (const int fd : kept) {
        if (fd < 3) {
            continue;
        }
        const auto at = static_cast<unsigned>(fd);
        if (at > from) {
            close_range(from, at - 1, 0);
        }
        from = at + 1;
    }
    close_range(from, ~0U, 0);
    const int nothing = open("/dev/null", O_RDWR);
    for (int standard = 0; standard < 3; ++standard) {
        dup2(nothing, standard);
    }
    if (nothing > 2) {
        close(nothing);
    }
}

void write_line(int pipe, std::string_view line) {
    while (!line.empty()) {
        const ssize_t count = write(pipe, line.data(), line.size());
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            _exit(kLost); // nobody hears it
        }
        line.remove_prefix(static_cast<std::size_t>(count));
    }
}

[[noreturn]] void be_the_child(const CheckRequest& request, compile::Compiler& compiler, int pipe, pid_t parent) {
    setpgid(0, 0); // a terminal's Ctrl+C is for the parent
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        std::signal(signal, SIG_DFL);
    }
    std::vector<int> kept = compiler.descriptors();
    kept.push_back(pipe);
    close_all_but(std::move(kept));
    compiler.borrow();
    use_compiler(compiler);
    CheckResult result;
    try {
        const auto write = [pipe](const CheckRun& run) { write_line(pipe, line_of(run)); };
        RunControl control;
        if (request.program) { // its host's half is confined by itself, in a process that this one has to start
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (getppid() != parent) {
                _exit(kLost);
            }
            result = check_program(request, control, write);
        } else {
            confine::confine(policy_for(request, parent));
            result = check(request, control, write);
        }
    } catch (const std::exception& error) {
        result.pass = false;
        result.reason = error.what();
    }
    write_line(pipe, last_line_of(result));
    _exit(compiler.is_ready() ? kReady : kCompilerSpent);
}
} // namespace

CheckProcess::CheckProcess(const CheckRequest& request, compile::Compiler& compiler)
    : seconds_(processor_seconds(request)) {
    result_.file = request.options.kernel.file;
    std::array<int, 2> ends = {-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw Error(fmt::format("no pipe for a submission: {}", std::strerror(errno)));
    }
    const pid_t parent = getpid();
    process_ = fork();
    if (process_ == 0) {
        be_the_child(request, compiler, ends[1], parent);
    }
    const int error = errno;
    close(ends[1]);
    pipe_ = ends[0];
    if (process_ < 0) {
        close(pipe_);
        throw Error(fmt::format("no process for a submission: {}", std::strerror(error)));
    }
    setpgid(process_, process_); // whoever is first
    fcntl(pipe_, F_SETFL, O_NONBLOCK);
}

CheckProcess::~CheckProcess() {
    if (process_ > 0) {
        reap("");
    }
    close(pipe_);
}

void CheckProcess::take_lines() {
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = incoming_.find('\n', begin)) != std::string::npos; begin = end + 1) {
        if (complete_) {
            throw OptionError("more than its result");
        }
        complete_ = take_line(std::string_view(incoming_).substr(begin, end - begin), result_);
    }
    incoming_.erase(0, begin);
}

bool CheckProcess::hear() {
    std::array<char, 1 << 16> buffer;
    for (;;) {
        const ssize_t count = read(pipe_, buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            return true; // nothing more for now
        }
        if (count == 0) {
            reap("");
            return false;
        }
        incoming_.append(buffer.data(), static_cast<std::size_t>(count));
        heard_ += static_cast<std::size_t>(count);
        try {
            take_lines();
        } catch (const Error&) {
            end("what its process said cannot be read");
            return false;
        }
        if (heard_ > kMostHeard) {
            end(fmt::format("its results were more than {} MB", kMostHeard >> 20));
            return false;
        }
    }
}

void CheckProcess::end(std::string_view why) {
    complete_ = false;
    reap(why);
}

void CheckProcess::abandon() {
    kill(-process_, SIGKILL);
    process_ = -1;
}

// Its group is killed whole: it may have closed the pipe and go on. One that is ending by itself keeps its own reason.
void CheckProcess::reap(std::string_view why) {
    kill(-process_, SIGKILL);
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    compiler_is_ready_ = WIFEXITED(status) && WEXITSTATUS(status) == kReady;
    if (complete_) {
        return;
    }
    result_.pass = false;
    if (!why.empty()) {
        result_.reason = why;
    } else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) {
        result_.reason = fmt::format("it took more than {} s of processor time", seconds_);
    } else if (WIFSIGNALED(status)) {
        result_.signal = WTERMSIG(status);
        result_.reason =
            fmt::format("its process was ended by signal {}: {}", result_.signal, strsignal(result_.signal));
    } else {
        result_.reason = fmt::format("its process ended with code {}", WEXITSTATUS(status));
    }
}

} // namespace warptree::runs
