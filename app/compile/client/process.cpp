#include "app/compile/client/process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace warptree::compile {
namespace {

constexpr std::size_t kChunk = 1 << 16, kKeptErrors = 4096;

// Two connected descriptors, each closed unless taken.
struct Ends {
    std::array<int, 2> fd = {-1, -1};
    int take(int which) { return std::exchange(fd[static_cast<std::size_t>(which)], -1); }
    ~Ends() {
        for (const int end : fd)
            if (end >= 0) close(end);
    }
};

struct SpawnPlan {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    SpawnPlan() {
        posix_spawn_file_actions_init(&actions);
        posix_spawnattr_init(&attributes);
    }
    ~SpawnPlan() {
        posix_spawn_file_actions_destroy(&actions);
        posix_spawnattr_destroy(&attributes);
    }
};

// The worker communicates through descriptor 0 and inherits no other descriptor. It has a process group of its own, so
// that a terminal's Ctrl+C does not reach it; when this process exits, its end of the socket closes and the worker
// exits, even from the midst of a compilation.
pid_t spawn(const std::string& path, const Limits& limits, int socket, int errors) {
    SpawnPlan plan;
    posix_spawn_file_actions_adddup2(&plan.actions, socket, 0);
    posix_spawn_file_actions_addopen(&plan.actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&plan.actions, errors, 2);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&plan.attributes, &none);
    posix_spawnattr_setsigdefault(&plan.attributes, &all);
    posix_spawnattr_setpgroup(&plan.attributes, 0);
    posix_spawnattr_setflags(&plan.attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    std::string name = path, memory = std::to_string(limits.memory);
    std::array<char*, 3> arguments = {name.data(), memory.data(), nullptr};
    pid_t process = -1;
    const int error = posix_spawn(&process, path.c_str(), &plan.actions, &plan.attributes, arguments.data(), environ);
    if (error != 0) throw CompileError("cannot start the compiler " + path + ": " + std::strerror(error));
    return process;
}

std::string folder_of_this_program() {
    std::array<char, PATH_MAX> path{};
    const ssize_t length = readlink("/proc/self/exe", path.data(), path.size() - 1);
    const std::string_view text(path.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
    return std::string(text.substr(0, text.rfind('/') + 1));
}

} // namespace

std::string find_worker() {
    if (const char* given = std::getenv("WARPTREE_COMPILER"); given != nullptr && *given != '\0') return given;
    const std::string here = folder_of_this_program();
    for (const char* place : {"warptree-compile", "../libexec/warptree/warptree-compile"})
        if (access((here + place).c_str(), X_OK) == 0) return here + place;
    return {};
}

WorkerProcess::WorkerProcess(const std::string& path, const Limits& limits, int cancel) : cancel_(cancel) {
    Ends talk, errors;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, talk.fd.data()) != 0 ||
        pipe2(errors.fd.data(), O_CLOEXEC) != 0)
        throw CompileError(std::string("cannot start the compiler: ") + std::strerror(errno));
    process_ = spawn(path, limits, talk.fd[1], errors.fd[1]);
    socket_ = talk.take(0);
    errors_ = errors.take(0);
    for (const int fd : {socket_, errors_}) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

WorkerProcess::~WorkerProcess() {
    if (process_ > 0) {
        kill(process_, SIGKILL);
        while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    for (const int fd : {socket_, errors_})
        if (fd >= 0) close(fd);
}

// False: the other end is gone.
bool WorkerProcess::send_some() {
    while (sent_ < outgoing_.size()) {
        const ssize_t count = send(socket_, outgoing_.data() + sent_, outgoing_.size() - sent_, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
        sent_ += static_cast<std::size_t>(count);
    }
    return true;
}

bool WorkerProcess::receive_some() {
    std::array<char, kChunk> buffer;
    for (;;) {
        const ssize_t count = recv(socket_, buffer.data(), buffer.size(), 0);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
        if (count == 0) return false;
        incoming_.append(buffer.data(), static_cast<std::size_t>(count));
    }
}

// Keeps the tail of Clang's and LLVM's output, so that it neither blocks them nor reaches a terminal.
void WorkerProcess::hear_errors() {
    std::array<char, kKeptErrors> buffer;
    for (;;) {
        const ssize_t count = read(errors_, buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        error_text_.append(buffer.data(), static_cast<std::size_t>(count));
        if (error_text_.size() > kKeptErrors) error_text_.erase(0, error_text_.size() - kKeptErrors);
    }
}

bool WorkerProcess::take_answer(Answer& answer) {
    if (incoming_.size() < kLengthBytes) return false;
    const std::uint64_t length = frame_length(incoming_);
    if (length > kLargestFrame) throw CompileError("the compiler's answer is too long");
    if (incoming_.size() < kLengthBytes + length) return false;
    answer = answer_from(std::string_view(incoming_).substr(kLengthBytes, length));
    incoming_.erase(0, kLengthBytes + length);
    return true;
}

void WorkerProcess::give_file(const Question& question) {
    if (sent_ < outgoing_.size() || files == nullptr) throw CompileError("unexpected question from the compiler");
    outgoing_ = frame_of(files->find(question.tree, question.path));
    sent_ = 0;
}

std::chrono::nanoseconds WorkerProcess::processor_time() const {
    clockid_t clock = 0;
    timespec used{};
    if (clock_getcpuclockid(process_, &clock) != 0 || clock_gettime(clock, &used) != 0) return {};
    return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

WorkerProcess::Outcome WorkerProcess::exchange(const std::string& frame, const Patience& patience, Answer& answer) {
    if (!frame.empty()) {
        outgoing_ = frame;
        sent_ = 0;
        error_text_.clear();
    }
    for (;;) {
        // It compiles on one thread, so no more processor time passes than time.
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(
                std::min<Clock::duration>(patience.until - Clock::now(), patience.processor - processor_time()))
                .count();
        if (left <= 0) return Outcome::late;
        const short want = sent_ < outgoing_.size() ? POLLIN | POLLOUT : POLLIN;
        std::array<pollfd, 3> events = {{{socket_, want, 0}, {errors_, POLLIN, 0}, {cancel_, POLLIN, 0}}};
        if (poll(events.data(), events.size(), static_cast<int>(std::min<long long>(left, 60000))) < 0 &&
            errno != EINTR)
            throw CompileError(std::string("cannot wait for the compiler: ") + std::strerror(errno));
        if ((events[1].revents & POLLIN) != 0) hear_errors();
        bool alive = true;
        if ((events[0].revents & POLLOUT) != 0) alive = send_some();
        if ((events[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) alive = receive_some() && alive;
        while (take_answer(answer)) {
            if (answer.kind != Answer::Kind::asks) return Outcome::answered;
            give_file(question_from(answer.bytes));
        }
        if (!alive) return Outcome::ended;
        if (events[2].revents != 0) return Outcome::cancelled;
    }
}

bool WorkerProcess::speaks() {
    pollfd event = {socket_, POLLIN, 0};
    return poll(&event, 1, 0) > 0;
}

bool WorkerProcess::gone() { return speaks() && (!receive_some() || !incoming_.empty()); }

std::string WorkerProcess::last_words() {
    // Its socket is closed, so the process will end soon.
    int status = 0;
    pid_t ended = 0;
    for (int turn = 0; (ended = waitpid(process_, &status, WNOHANG)) == 0 && turn < 200; ++turn) usleep(5000);
    if (ended != 0) process_ = -1;
    hear_errors();
    while (!error_text_.empty() && (error_text_.back() == '\n' || error_text_.back() == ' ')) error_text_.pop_back();
    const std::string line = error_text_.substr(error_text_.rfind('\n') + 1);
    if (!line.empty()) return line;
    if (ended <= 0) return "it ended without an error message";
    if (WIFSIGNALED(status)) return strsignal(WTERMSIG(status));
    return "it ended with code " + std::to_string(WEXITSTATUS(status));
}

} // namespace warptree::compile
