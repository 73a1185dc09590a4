#include "app/confine/confine.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace warptree::confine {
namespace {

std::string written(const Achieved& given) {
    std::ostringstream out;
    out << given.filter << ' ' << given.landlock << ' ' << given.no_network << ' ' << given.own_network << ' '
        << given.counts_threads << ' ' << given.limits << '\n';
    for (const std::string& line : given.missing) out << line << '\n';
    return out.str();
}

Achieved read_back(const std::string& text) {
    Achieved given;
    std::istringstream in(text);
    in >> given.filter >> given.landlock >> given.no_network >> given.own_network >> given.counts_threads >>
        given.limits;
    in.ignore();
    for (std::string line; std::getline(in, line);) given.missing.push_back(line);
    return given;
}

[[noreturn]] void tell(const Policy& policy, int to) {
    std::string text;
    try {
        text = written(confine(policy));
    } catch (const std::exception&) {
        _exit(1);
    }
    _exit(write(to, text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
}

} // namespace

Achieved tried(const Policy& policy) {
    std::array<int, 2> ends = {-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw ConfineError(std::string("no pipe: ") + std::strerror(errno));
    const pid_t child = fork();
    if (child == 0) tell(policy, ends[1]);
    close(ends[1]);
    std::string text;
    std::array<char, 1024> buffer{};
    for (ssize_t count = 0; child > 0 && (count = read(ends[0], buffer.data(), buffer.size())) != 0;) {
        if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
        if (count < 0 && errno != EINTR) break;
    }
    close(ends[0]);
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (child < 0 || status != 0) throw ConfineError("no process to try the confinement with could be used");
    return read_back(text);
}

} // namespace warptree::confine
