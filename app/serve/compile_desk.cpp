#include "app/serve/compile_desk.hpp"

#include "app/compile/client/wire.hpp"
#include "app/serve/kept_answers.hpp"
#include "app/serve/turns.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

namespace warptree::serve {
namespace {

constexpr double kSlow = 0.3; // seconds; a kernel of a course takes a tenth of that

} // namespace

struct CompileDesk::Desk {
    struct Job {
        compile::Request request;
        std::string key;
        std::vector<Done> done; // of all who asked for the same
    };
    const DeskLimits limits;
    mutable std::mutex mutex;
    std::condition_variable work;
    Turns turns;
    KeptAnswers kept;
    std::unordered_map<std::uint64_t, Job> jobs;                // that wait or run
    std::unordered_map<std::string_view, std::uint64_t> by_key; // of jobs
    std::uint64_t last_id = 0;
    std::size_t asked = 0; // by all jobs
    DeskCounts counts;
    bool ends = false;
    std::vector<std::thread> threads;

    explicit Desk(const DeskLimits& l) : limits(l), turns(l.compilers, kSlow), kept(l.kept) {
        for (unsigned i = 0; i < limits.compilers; ++i) threads.emplace_back([this] { serve(); });
    }
    ~Desk() { stop(); }

    void stop() {
        {
            const std::lock_guard lock(mutex);
            ends = true;
        }
        work.notify_all();
        for (std::thread& thread : threads) thread.join();
        threads.clear();
        for (auto& [id, job] : jobs) tell(job, {nullptr, "the server is being stopped; ask again", false});
        by_key.clear();
        jobs.clear();
    }

    static void tell(const Job& job, const Outcome& outcome) {
        for (const Done& done : job.done) done(outcome);
    }

    static Outcome compiled(compile::Compiler& compiler, const compile::Request& request) {
        try {
            const std::vector<std::uint8_t> bytes = compile::to_bytes(compiler.compile(request));
            return {std::make_shared<const std::string>(bytes.begin(), bytes.end()), "", false};
        } catch (const std::exception& error) {
            return {nullptr, error.what(), false};
        }
    }

    void serve() {
        using Clock = std::chrono::steady_clock;
        compile::Compiler compiler({}, limits.compile);
        compiler.warm_up();
        std::unique_lock lock(mutex);
        while (true) {
            std::optional<Turns::Job> turn;
            work.wait(lock,
                      [&] { return ends || (turn = turns.next()).has_value(); }); // what waits at the end is refused
            if (!turn) return;
            const compile::Request& request =
                jobs.at(turn->id).request; // the job stays where it is until it is taken out
            ++counts.running;
            lock.unlock();
            const auto began = Clock::now();
            const Outcome outcome = compiled(compiler, request);
            const auto now = Clock::now();
            lock.lock();
            --counts.running;
            turns.done(*turn, std::chrono::duration<double>(now - began).count(), now);
            const auto at = jobs.find(turn->id);
            by_key.erase(at->second.key);
            const Job job = std::move(at->second);
            jobs.erase(at);
            asked -= job.done.size();
            if (outcome.program != nullptr) kept.add(job.key, outcome.program);
            ++(outcome.program != nullptr ? counts.compiled : counts.refused);
            counts.kept += job.done.size() - 1;
            lock.unlock();
            work.notify_all(); // who had all that it may have
            tell(job, outcome);
            lock.lock();
        }
    }
};

CompileDesk::CompileDesk(const DeskLimits& limits) {
    DeskLimits filled = limits;
    if (filled.compilers == 0) filled.compilers = std::max(1U, std::thread::hardware_concurrency()) + 1;
    desk_ = std::make_unique<Desk>(filled);
}

CompileDesk::~CompileDesk() = default;

CompileDesk::Taken CompileDesk::submit(const Client& client, compile::Request request, Done done) {
    std::string key = compile::frame_of(request);
    std::unique_lock lock(desk_->mutex);
    if (auto program = desk_->kept.find(key)) {
        ++desk_->counts.kept;
        lock.unlock();
        done({std::move(program), "", true});
        return Taken::yes;
    }
    if (!client.name.empty() && desk_->turns.of_client(client) >= desk_->limits.of_client) {
        ++desk_->counts.turned_away;
        return Taken::too_many_of_client;
    }
    if (desk_->ends || desk_->asked >= desk_->limits.waiting ||
        desk_->turns.of_address(client.address) >= desk_->limits.of_address) {
        ++desk_->counts.turned_away;
        return Taken::too_many;
    }
    ++desk_->asked;
    if (const auto same = desk_->by_key.find(key); same != desk_->by_key.end()) {
        desk_->jobs.at(same->second).done.push_back([told = std::move(done)](Outcome outcome) {
            outcome.kept = true;
            told(outcome);
        });
        return Taken::yes;
    }
    const std::uint64_t id = ++desk_->last_id;
    Desk::Job& job = desk_->jobs[id];
    job.request = std::move(request);
    job.key = std::move(key);
    job.done.push_back(std::move(done));
    desk_->by_key.emplace(job.key, id);
    desk_->turns.add({id, client}, std::chrono::steady_clock::now());
    lock.unlock();
    desk_->work.notify_one();
    return Taken::yes;
}

void CompileDesk::stop() { desk_->stop(); }

bool CompileDesk::idle() const {
    const std::lock_guard lock(desk_->mutex);
    return desk_->jobs.empty();
}

DeskCounts CompileDesk::counts() const {
    const std::lock_guard lock(desk_->mutex);
    DeskCounts counts = desk_->counts;
    counts.waiting = desk_->jobs.size() - counts.running;
    counts.kept_programs = desk_->kept.count();
    counts.kept_bytes = desk_->kept.bytes();
    return counts;
}

} // namespace warptree::serve
