#include "app/compile/client/compiler.hpp"

#include "app/compile/client/process.hpp"

#include <atomic>
#include <mutex>
#include <optional>
#include <sys/eventfd.h>
#include <unistd.h>

namespace warptree::compile {
namespace {

using namespace std::chrono_literals;
constexpr auto kStart = 20s;      // processor time to start
constexpr auto kPatience = 200ms; // time for a cancelled call's late answer; about as long as a restart
constexpr int kDistant = 20;      // times the limit of processor time: for a worker that waits for something

} // namespace

struct Compiler::Worker {
    std::string path;
    Limits limits;
    std::mutex turn;
    std::unique_ptr<WorkerProcess> process;
    int cancel = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    std::atomic<std::uint64_t> cancels{0};
    bool borrowed = false; // belongs to the parent of this process
    bool worn = false;     // would be restarted, but is borrowed

    ~Worker() {
        process.reset();
        if (cancel >= 0) close(cancel);
    }

    void start() {
        if (process != nullptr) return;
        if (path.empty()) path = find_worker();
        if (path.empty())
            throw CompileError("the compiler warptree-compile is not beside this program: install it, or set "
                               "WARPTREE_COMPILER to it");
        process = std::make_unique<WorkerProcess>(path, limits, cancel);
    }

    // Ignores failures: the next request reports them.
    void restart() noexcept {
        process.reset();
        try {
            start();
        } catch (const std::exception&) {
            process.reset();
        }
    }

    std::string about(const Request& request, const std::string& what) const {
        return (request.name.empty() ? std::string("kernel file") : request.name) + ": " + what;
    }

    // Throws the reason why there is no answer. The worker is then gone, or still busy with the cancelled request.
    [[noreturn]] void fail(const Request& request, WorkerProcess::Outcome outcome,
                           const WorkerProcess::Patience& patience) {
        if (outcome == WorkerProcess::Outcome::cancelled) {
            process->owes = patience;
            throw Cancelled();
        }
        const bool late = outcome == WorkerProcess::Outcome::late, began = process->ready;
        const std::string words = late ? "it takes too long" : process->last_words();
        process.reset();
        if (!began) throw CompileError("the compiler " + path + " does not start: " + words);
        if (late)
            throw CompileError(
                about(request, "compiling took more than " + seconds() + " of processor time and was stopped"));
        if (words.find("out of memory") != std::string::npos || words.find("bad_alloc") != std::string::npos ||
            words.find("Allocation failed") != std::string::npos) // LLVM
            throw CompileError(about(request, "compiling needs more than " + std::to_string(limits.memory >> 20) +
                                                  " MB of memory and was stopped"));
        const bool deep = words.find("pthread_create failed") != std::string::npos; // Clang recurses in a new thread
        throw CompileError(
            about(request, "the compiler failed on it: " + (deep ? "the code is nested too deeply" : words)));
    }
    std::string seconds() const {
        const auto count = limits.time.count();
        return count % 1000 == 0 ? std::to_string(count / 1000) + " s" : std::to_string(count) + " ms";
    }

    // Waits briefly for a cancelled call to end, then kills its worker.
    void settle() {
        if (process == nullptr || !process->owes) return;
        Answer answer;
        WorkerProcess::Patience little = *process->owes;
        little.until = std::min(little.until, Clock::now() + kPatience);
        const auto outcome = process->exchange({}, little, answer);
        if (outcome == WorkerProcess::Outcome::cancelled) throw Cancelled();
        if (outcome != WorkerProcess::Outcome::answered || answer.leaves)
            process.reset();
        else
            process->owes.reset();
    }

    // Waits until a worker reports that it is ready; any other answer says why it is not.
    std::optional<Answer> begin(const Request& request) {
        start();
        if (process->ready) return std::nullopt;
        Answer answer;
        const WorkerProcess::Patience patience{kStart, process->began + kDistant * kStart};
        const auto outcome = process->exchange({}, patience, answer);
        if (outcome == WorkerProcess::Outcome::cancelled) throw Cancelled();
        if (outcome != WorkerProcess::Outcome::answered) fail(request, outcome, patience);
        if (answer.kind != Answer::Kind::ready) return answer;
        process->ready = true;
        return std::nullopt;
    }

    Answer ask(const Request& request) {
        settle();
        if (process != nullptr && process->ready && process->gone()) process.reset(); // not caused by this request
        if (auto refused = begin(request)) return std::move(*refused);
        Answer answer;
        const WorkerProcess::Patience patience{process->processor_time() + limits.time,
                                               Clock::now() + kDistant * limits.time};
        process->files = std::make_unique<RequestFiles>(request.folder, request.shipped, request.folders);
        const auto outcome = process->exchange(frame_of(request), patience, answer);
        if (outcome != WorkerProcess::Outcome::answered) fail(request, outcome, patience);
        return answer;
    }
};

Compiler::Compiler(std::string worker, Limits limits) : worker_(std::make_unique<Worker>()) {
    worker_->path = std::move(worker);
    worker_->limits = limits;
}

Compiler::~Compiler() = default;

Program Compiler::compile(const Request& request) {
    if (request.text.size() > kLargestText)
        throw CompileError(worker_->about(request, "a kernel file may have at most 16 MB"));
    const std::uint64_t cancels = worker_->cancels;
    const std::lock_guard lock(worker_->turn);
    eventfd_t drained = 0;
    eventfd_read(worker_->cancel, &drained); // signals left by earlier calls
    if (worker_->cancels != cancels) throw Cancelled();
    Answer answer;
    try {
        answer = worker_->ask(request);
    } catch (const Cancelled&) {
        throw;
    } catch (...) {
        worker_->process.reset();
        throw;
    }
    worker_->worn = answer.leaves;
    if (answer.leaves && !worker_->borrowed) worker_->restart();
    if (answer.kind == Answer::Kind::refused) throw CompileError(answer.bytes);
    if (answer.kind != Answer::Kind::program) throw CompileError("unexpected answer from the compiler");
    return program_from_bytes({answer.bytes.begin(), answer.bytes.end()});
}

void Compiler::warm_up() {
    const std::unique_lock lock(worker_->turn, std::try_to_lock);
    if (!lock) return;
    if (worker_->process == nullptr) worker_->restart();
}

bool Compiler::make_ready() {
    const std::lock_guard lock(worker_->turn);
    if (worker_->process != nullptr && worker_->process->ready && worker_->process->gone()) worker_->process.reset();
    try {
        worker_->start();
        const auto& process = worker_->process;
        const bool patient = process->processor_time() < kStart && Clock::now() < process->began + kDistant * kStart;
        if (!process->ready && !process->speaks() && patient) return false;
        if (const auto refused = worker_->begin({})) throw CompileError(refused->bytes);
        return true;
    } catch (...) {
        worker_->process.reset();
        throw;
    }
}

void Compiler::borrow() { worker_->borrowed = true; }

bool Compiler::is_ready() const {
    const auto& process = worker_->process;
    return process != nullptr && process->ready && !process->owes && !worker_->worn;
}

std::vector<int> Compiler::descriptors() const {
    std::vector<int> all = {worker_->cancel};
    if (worker_->process != nullptr) {
        const auto more = worker_->process->descriptors();
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

void Compiler::discard() {
    const std::lock_guard lock(worker_->turn);
    worker_->process.reset();
}

void Compiler::cancel() {
    ++worker_->cancels;
    eventfd_write(worker_->cancel, 1);
}

} // namespace warptree::compile
