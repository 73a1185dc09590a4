// Runs the real program as a user's shell would.
#pragma once

#include "tests/support/paths.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace warptree::testing {

// What is awaited comes long before; a busy machine only takes longer.
inline constexpr std::chrono::seconds kLongestWait{600};

inline std::string binary() { return tests::binary(); }

struct Finished {
    int code = -1; // exit code, or 128 + signal
    std::string out, err;
};

struct Start {
    std::vector<std::string> arguments;
    std::vector<std::pair<std::string, std::string>> environment;
    std::vector<std::string> without; // variables to unset
    std::string stdout_to;            // a path; empty: captured
};

inline std::string slurp(int fd) {
    std::string text;
    char buffer[4096];
    for (ssize_t got = 0; (got = read(fd, buffer, sizeof buffer)) > 0;) {
        text.append(buffer, static_cast<std::size_t>(got));
    }
    close(fd);
    return text;
}

// Starts the child with its outputs redirected to the given descriptors.
inline pid_t spawn(const Start& start, int out, int err) {
    const pid_t child = fork();
    if (child != 0) {
        return child;
    }
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    for (const auto& [name, value] : start.environment) {
        setenv(name.c_str(), value.c_str(), 1);
    }
    for (const std::string& name : start.without) {
        unsetenv(name.c_str());
    }
    std::vector<std::string> words{binary()};
    words.insert(words.end(), start.arguments.begin(), start.arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
}

inline int exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

inline Finished run_program(const Start& start) {
    int out[2], err[2];
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) {
        return {};
    }
    const int sink = start.stdout_to.empty() ? out[1] : open(start.stdout_to.c_str(), O_WRONLY | O_CLOEXEC);
    const pid_t child = spawn(start, sink, err[1]);
    close(out[1]);
    close(err[1]);
    Finished f;
    std::thread reader([&] { f.err = slurp(err[0]); });
    f.out = slurp(out[0]);
    reader.join();
    int status = 0;
    waitpid(child, &status, 0);
    f.code = exit_code(status);
    return f;
}

inline Finished run_program(std::vector<std::string> arguments) {
    return run_program(Start{std::move(arguments), {}, {}, {}});
}

} // namespace warptree::testing
