// The worker as a process: started, used and ended cleanly. Not thread-safe; the Compiler takes care of that.
#pragma once

#include "app/compile/client/wire.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace warptree::compile {

using Clock = std::chrono::steady_clock;

// The path of the worker: $WARPTREE_COMPILER, or beside this program, or in its ../libexec/warptree. Empty: not found.
std::string find_worker();

class WorkerProcess {
  public:
    // Throws CompileError when it cannot be started. `cancel`: a descriptor that becomes readable to end a wait.
    WorkerProcess(const std::string& path, const Limits& limits, int cancel);
    ~WorkerProcess(); // ends it
    WorkerProcess(const WorkerProcess&) = delete;
    WorkerProcess& operator=(const WorkerProcess&) = delete;

    enum class Outcome : std::uint8_t { answered, late, cancelled, ended };
    // Until when to wait: for so much processor time of the worker, however busy the machine is; or, for one that sleeps,
    // a point in time.
    struct Patience {
        std::chrono::nanoseconds processor; // of the worker in all, as processor_time()
        Clock::time_point until;
    };
    // Sends `frame` (empty: nothing) and waits for the answer, meanwhile giving the worker the files that it asks for. A
    // later call with an empty frame resumes the wait.
    Outcome exchange(const std::string& frame, const Patience& patience, Answer& answer);
    // Used by the worker so far.
    std::chrono::nanoseconds processor_time() const;

    // After `ended`: the reason in words: "Segmentation fault", "LLVM ERROR: out of memory".
    std::string last_words();
    bool speaks(); // without waiting; or it has ended
    bool gone();   // whether it ended while idle, or says what nobody asked for
    std::vector<int> descriptors() const { return {socket_, errors_}; }
    std::unique_ptr<RequestFiles> files; // of the request
    const Clock::time_point began = Clock::now();
    bool ready = false;           // its first answer has arrived
    std::optional<Patience> owes; // of an answer that nobody waits for any more

  private:
    bool send_some();
    bool receive_some();
    void hear_errors();
    bool take_answer(Answer& answer);
    void give_file(const Question& question);

    pid_t process_ = -1;
    int socket_ = -1, errors_ = -1, cancel_ = -1;
    std::string outgoing_, incoming_, error_text_;
    std::size_t sent_ = 0;
};

} // namespace warptree::compile
