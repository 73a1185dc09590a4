#include "app/run/program/process.hpp"

#include "app/base/error.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace warptree::runs {

SharedFile::SharedFile() {
    descriptor_ = memfd_create("warptree", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor_ < 0 || ftruncate(descriptor_, static_cast<off_t>(host::kStageBytes)) != 0) {
        throw FileError(std::string("no memory can be shared with the program: ") + std::strerror(errno));
    }
    fcntl(descriptor_, F_ADD_SEALS, F_SEAL_SHRINK); // else the program could take away what this process reads
    void* const at = mmap(nullptr, host::kStageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
    if (at == MAP_FAILED) {
        throw FileError(std::string("no memory can be shared with the program: ") + std::strerror(errno));
    }
    stage_ = static_cast<std::byte*>(at);
}

SharedFile::~SharedFile() {
    munmap(stage_, host::kStageBytes);
    close(descriptor_);
}

std::string find_host() {
    if (const char* const given = std::getenv("WARPTREE_HOST"); given != nullptr && *given != '\0') {
        return given;
    }
    std::array<char, PATH_MAX> path{};
    const ssize_t length = readlink("/proc/self/exe", path.data(), path.size() - 1);
    const std::string_view text(path.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
    const std::string here(text.substr(0, text.rfind('/') + 1));
    for (const char* const place : {"warptree-host", "../libexec/warptree/warptree-host"}) {
        if (access((here + place).c_str(), X_OK) == 0) {
            return here + place;
        }
    }
    return {};
}

ProgramProcess::ProgramProcess(const std::string& path, const SharedFile& shared, const std::string& folder) {
    std::array<int, 2> talk{-1, -1}, out{-1, -1}, err{-1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, talk.data()) != 0 || pipe2(out.data(), O_CLOEXEC) != 0 ||
        pipe2(err.data(), O_CLOEXEC) != 0) {
        throw FileError(std::string("the program cannot be started: ") + std::strerror(errno));
    }
    // Numbers above those that it gets, so that none is overwritten before it is passed on.
    constexpr int kAbove = 10;
    const int talk_high = fcntl(talk[1], F_DUPFD_CLOEXEC, kAbove),
              file_high = fcntl(shared.descriptor(), F_DUPFD_CLOEXEC, kAbove);
    const int out_high = fcntl(out[1], F_DUPFD_CLOEXEC, kAbove), err_high = fcntl(err[1], F_DUPFD_CLOEXEC, kAbove);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, out_high, 1);
    posix_spawn_file_actions_adddup2(&actions, err_high, 2);
    posix_spawn_file_actions_adddup2(&actions, talk_high, host::kSocket);
    posix_spawn_file_actions_adddup2(&actions, file_high, host::kSharedFile);
    posix_spawn_file_actions_addchdir_np(&actions, folder.empty() ? "/" : folder.c_str());
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0); // its own group, so that all of it ends together
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    std::string name = path, language = "LC_ALL=C.UTF-8";
    std::array<char*, 2> arguments = {name.data(), nullptr}, environment = {language.data(), nullptr};
    const int error = posix_spawn(&process_, path.c_str(), &actions, &attributes, arguments.data(), environment.data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    for (const int fd : {talk[1], out[1], err[1], talk_high, file_high, out_high, err_high}) {
        close(fd);
    }
    socket_ = talk[0];
    out_ = out[0];
    err_ = err[0];
    if (error != 0) {
        throw FileError("the program cannot be started: " + path + ": " + std::strerror(error));
    }
    for (const int fd : {out_, err_}) {
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    }
}

ProgramProcess::~ProgramProcess() {
    if (process_ > 0) {
        kill(-process_, SIGKILL);
        wait();
    }
    for (const int fd : {socket_, out_, err_}) {
        if (fd >= 0) {
            close(fd);
        }
    }
}

int ProgramProcess::wait() {
    int status = 0;
    while (process_ > 0 && waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    if (process_ > 0) {
        kill(-process_, SIGKILL); // what it left behind
    }
    process_ = -1;
    return status;
}

bool ProgramProcess::write_all(const void* from, std::size_t count) const {
    const auto* at = static_cast<const char*>(from);
    while (count > 0) {
        const ssize_t put = send(socket_, at, count, MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put <= 0) {
            return false;
        }
        at += put;
        count -= static_cast<std::size_t>(put);
    }
    return true;
}

// What is there of a stream, at most a few turns' worth.
bool ProgramProcess::hear(int fd, const std::function<bool(std::string_view)>& to, bool& open) {
    std::array<char, 1 << 16> buffer;
    for (int turn = 0; turn < 64; ++turn) {
        const ssize_t count = read(fd, buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            return true;
        }
        if (count == 0) {
            open = false;
            return true;
        }
        if (!to({buffer.data(), static_cast<std::size_t>(count)})) {
            return false;
        }
    }
    return true;
}

// All calls that have arrived whole.
bool ProgramProcess::take_calls(const Heard& heard) {
    std::size_t at = 0;
    while (incoming_.size() - at >= sizeof(host::Ask)) {
        host::Ask ask;
        std::memcpy(&ask, incoming_.data() + at, sizeof ask);
        if (ask.bytes > host::kLargestMessage) {
            return false;
        }
        if (incoming_.size() - at - sizeof ask < ask.bytes) {
            break;
        }
        const auto* const bytes = reinterpret_cast<const std::byte*>(incoming_.data() + at + sizeof ask);
        host::Answer answer;
        std::vector<std::byte> more;
        if (!heard.call(ask, {bytes, static_cast<std::size_t>(ask.bytes)}, answer, more)) {
            return false;
        }
        answer.bytes = more.size();
        const bool crash = ask.call == static_cast<std::uint32_t>(host::Call::crashed); // waits for no answer
        if (!crash && (!write_all(&answer, sizeof answer) || !write_all(more.data(), more.size()))) {
            break;
        }
        at += sizeof ask + ask.bytes;
    }
    incoming_.erase(0, at);
    return true;
}

ProgramProcess::Outcome ProgramProcess::serve(const host::Start& start, std::string_view object,
                                              std::string_view arguments, std::chrono::steady_clock::time_point until,
                                              const Heard& heard) {
    bool talking = write_all(&start, sizeof start) && write_all(object.data(), object.size()) &&
                   write_all(arguments.data(), arguments.size());
    bool out_open = true, err_open = true;
    std::array<char, 1 << 16> buffer;
    while (out_open || err_open || talking) {
        if (std::chrono::steady_clock::now() >= until) {
            return Outcome::late;
        }
        if (heard.stop()) {
            return Outcome::stopped;
        }
        constexpr int kTurn = 100; // ms
        std::array<pollfd, 3> events = {{{talking ? socket_ : -1, POLLIN, 0},
                                         {out_open ? out_ : -1, POLLIN, 0},
                                         {err_open ? err_ : -1, POLLIN, 0}}};
        if (poll(events.data(), events.size(), kTurn) < 0 && errno != EINTR) {
            return Outcome::stopped;
        }
        // What it printed before it calls comes first.
        if (out_open && events[1].revents != 0 && !hear(out_, heard.out, out_open)) {
            return Outcome::stopped;
        }
        if (err_open && events[2].revents != 0 && !hear(err_, heard.err, err_open)) {
            return Outcome::stopped;
        }
        if (!talking || events[0].revents == 0) {
            continue;
        }
        const ssize_t count = recv(socket_, buffer.data(), buffer.size(), 0);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            talking = false;
            continue;
        }
        incoming_.append(buffer.data(), static_cast<std::size_t>(count));
        if (out_open && !hear(out_, heard.out, out_open)) {
            return Outcome::stopped;
        }
        if (!take_calls(heard)) {
            return Outcome::stopped;
        }
    }
    return Outcome::ended;
}

} // namespace warptree::runs
