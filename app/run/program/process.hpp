// The process of a program's host half: started, heard, served and ended.
#pragma once

#include "app/host/protocol.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace warptree::runs {

// What both processes map.
class SharedFile {
  public:
    SharedFile(); // throws FileError
    ~SharedFile();
    SharedFile(const SharedFile&) = delete;
    SharedFile& operator=(const SharedFile&) = delete;
    int descriptor() const { return descriptor_; }
    std::byte* stage() const { return stage_; }

  private:
    int descriptor_ = -1;
    std::byte* stage_ = nullptr;
};

// The path of warptree-host: $WARPTREE_HOST, beside this program, or in its ../libexec/warptree. Empty: not found.
std::string find_host();

class ProgramProcess {
  public:
    // Throws FileError when it cannot be started. `folder`: where it runs; empty: at the root.
    ProgramProcess(const std::string& path, const SharedFile& shared, const std::string& folder);
    ~ProgramProcess(); // ends it, and what it started
    ProgramProcess(const ProgramProcess&) = delete;
    ProgramProcess& operator=(const ProgramProcess&) = delete;

    struct Heard {
        // What it prints; false: no more of it.
        std::function<bool(std::string_view)> out, err;
        // A call, which is answered; or false: end it.
        std::function<bool(const host::Ask&, std::span<const std::byte>, host::Answer&, std::vector<std::byte>&)> call;
        std::function<bool()> stop; // asked several times a second
    };
    enum class Outcome : std::uint8_t { ended, stopped, late };
    // Sends the start, then serves until it ends, until a function says so, or until the time is up.
    Outcome serve(const host::Start& start, std::string_view object, std::string_view arguments,
                  std::chrono::steady_clock::time_point until, const Heard& heard);
    // Its status as of waitpid, after serve().
    int wait();

  private:
    bool write_all(const void* from, std::size_t count) const;
    bool take_calls(const Heard& heard);
    static bool hear(int fd, const std::function<bool(std::string_view)>& to, bool& open);

    pid_t process_ = -1;
    int socket_ = -1, out_ = -1, err_ = -1;
    std::string incoming_;
};

} // namespace warptree::runs
