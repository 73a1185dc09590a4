// The process of one submission: a confined child that checks one file and tells its results by a pipe.
#pragma once

#include "app/compile/client/compiler.hpp"
#include "app/run/check/check.hpp"

#include <string>
#include <string_view>
#include <sys/types.h>

namespace warptree::runs {

class CheckProcess {
  public:
    // Starts it: request.options.kernel.file is the file. The compiler is ready, and this child's until it has ended.
    // Throws Error when the system has no process or pipe for it.
    CheckProcess(const CheckRequest& request, compile::Compiler& compiler);
    ~CheckProcess(); // ends it, and all that it started
    CheckProcess(const CheckProcess&) = delete;
    CheckProcess& operator=(const CheckProcess&) = delete;

    int pipe() const { return pipe_; }
    // Takes what has arrived. False: it is done, or will never be, and result() is final.
    bool hear();
    // Ends it, with this reason in its result.
    void end(std::string_view why);
    // Ends it without waiting until it has given its memory back, which takes a while; it stays a zombie of this process.
    void abandon();

    const CheckResult& result() const { return result_; }
    bool compiler_is_ready() const { return compiler_is_ready_; } // after its end

  private:
    void take_lines();
    void reap(std::string_view why);

    CheckResult result_;
    bool complete_ = false, compiler_is_ready_ = false;
    std::string incoming_;
    std::size_t heard_ = 0;
    std::uint64_t seconds_ = 0; // of processor time that it has
    pid_t process_ = -1;
    int pipe_ = -1;
};

} // namespace warptree::runs
