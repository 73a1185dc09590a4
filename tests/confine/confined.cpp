#include "tests/confine/confined.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <sys/wait.h>
#include <unistd.h>

namespace warptree::tests {

Ended confined(const confine::Policy& policy, const std::function<int()>& attempt) {
    std::array<int, 2> ends = {-1, -1};
    Ended ended;
    if (pipe(ends.data()) != 0) return ended;
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
        const confine::Achieved given = confine::confine(policy);
        _exit(given.filter ? attempt() : 125);
    }
    close(ends[1]);
    std::array<char, 4096> buffer{};
    for (ssize_t count = 0; (count = read(ends[0], buffer.data(), buffer.size())) > 0;)
        ended.out.append(buffer.data(), static_cast<std::size_t>(count));
    close(ends[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status)) ended.code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
    EXPECT_NE(ended.code, 125) << "the system refuses the filter";
    return ended;
}

int outcome(long result) { return result >= 0 ? 0 : errno; }

} // namespace warptree::tests
