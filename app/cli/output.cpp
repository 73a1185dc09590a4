#include "app/cli/output.hpp"

#include "app/base/error.hpp"
#include "app/base/printable.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

namespace warptree::commands {

void print(std::string_view raw) {
    const std::string text = printable_lines(raw);
    const std::size_t written = std::fwrite(text.data(), 1, text.size(), stdout);
    if (written != text.size() || std::fflush(stdout) != 0) {
        if (errno == EPIPE) {
            return;
        }
        throw FileError(std::string("standard output: ") + std::strerror(errno) + "; free space or write elsewhere");
    }
}

} // namespace warptree::commands
