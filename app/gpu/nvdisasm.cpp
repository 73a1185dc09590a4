#include "app/gpu/nvdisasm.hpp"

#include "app/base/temporary_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace warptree::gpu {

namespace fs = std::filesystem;

std::string nvdisasm() {
    if (const char* asked = std::getenv("WARPTREE_NVDISASM"); asked != nullptr) {
        return ::access(asked, X_OK) == 0 ? asked : "";
    }
    std::string folders;
    for (const char* name : {"PATH", "CUDA_HOME", "CUDA_PATH"}) {
        if (const char* value = std::getenv(name); value != nullptr && *value != '\0') {
            folders += std::string(value) + (std::string_view(name) == "PATH" ? ":" : "/bin:");
        }
    }
    std::istringstream list(folders + "/usr/local/cuda/bin");
    for (std::string folder; std::getline(list, folder, ':');) {
        const std::string path = folder + "/nvdisasm";
        if (!folder.empty() && ::access(path.c_str(), X_OK) == 0) {
            return path;
        }
    }
    return {};
}

std::string disassemble(std::string_view cubin) {
    std::string program = nvdisasm();
    if (program.empty()) {
        throw DeviceError("nvdisasm was not found: it comes with the CUDA toolkit");
    }
    std::error_code none;
    TemporaryFile input(fs::temp_directory_path(none) / "warptree.cubin"); // never kept
    input.write(cubin);
    std::string lines = "-gi", code = "-c", path = input.path().string();
    std::array<char*, 5> arguments{program.data(), lines.data(), code.data(), path.data(), nullptr};
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        throw DeviceError("nvdisasm: no pipe");
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t process = -1;
    const int error = ::posix_spawn(&process, program.c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    std::string text;
    if (error == 0) {
        std::array<char, 1 << 16> part;
        for (ssize_t got; (got = ::read(ends[0], part.data(), part.size())) > 0 || (got < 0 && errno == EINTR);) {
            text.append(part.data(), static_cast<std::size_t>(std::max<ssize_t>(0, got)));
        }
    }
    ::close(ends[0]);
    int status = 0;
    while (error == 0 && ::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    if (error != 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0 || text.empty()) {
        throw DeviceError(fmt::format("{} could not disassemble the compiled code", program));
    }
    return text;
}

} // namespace warptree::gpu
