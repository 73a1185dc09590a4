#include "app/simt/machine.hpp"

#include "app/base/background.hpp"
#include "app/base/error.hpp"
#include "app/base/utf8.hpp"
#include "app/trace/record/launch_recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <numeric>
#include <random>
#include <span>
#include <thread>

namespace warptree::simt {

namespace {
using compile::Program;

void check(const LaunchSetup& s) {
    const std::uint64_t threads = volume(s.block), blocks = volume(s.grid);
    if (threads == 0 || threads > kMostThreads || s.block[2] > 64) {
        throw OptionError(
            fmt::format("a block of {} × {} × {} threads cannot be launched: 1 to 1024 in all, at most 64 in z",
                        s.block[0], s.block[1], s.block[2]));
    }
    if (const std::uint32_t most = s.code().most_threads; most != 0 && threads > most) {
        throw OptionError(
            fmt::format("{} threads per block are more than the {} of the kernel's __launch_bounds__", threads, most));
    }
    if (blocks == 0 || blocks > 0x7FFFFFFFU || s.grid[1] > 65535 || s.grid[2] > 65535) {
        throw OptionError("a grid has 1 to 2^31 - 1 blocks, at most 65535 in y and z");
    }
    const Extent cluster = s.cluster_shape();
    const std::uint64_t together = volume(cluster);
    if (together == 0 || *std::ranges::max_element(cluster) > kMostInCluster || together > s.most_in_cluster) {
        throw OptionError(fmt::format("clusters of {} × {} × {} blocks cannot be launched: 1 to {} in all{}",
                                      cluster[0], cluster[1], cluster[2], s.most_in_cluster,
                                      s.most_in_cluster == kMostInCluster
                                          ? ""
                                          : "; an H100 takes 16 where a program sets "
                                            "cudaFuncAttributeNonPortableClusterSizeAllowed"));
    }
    if (s.grid[0] % cluster[0] != 0 || s.grid[1] % cluster[1] != 0 || s.grid[2] % cluster[2] != 0) {
        throw OptionError(fmt::format("a grid of {} × {} × {} blocks is not made of whole clusters of {} × {} × {}",
                                      s.grid[0], s.grid[1], s.grid[2], cluster[0], cluster[1], cluster[2]));
    }
    if (s.code().cluster[0] != 0 && s.cluster[0] != 0 && s.cluster != cluster) {
        throw OptionError("the launch and the kernel's __cluster_dims__ name clusters of different shapes");
    }
    if (const std::string why = too_much_fixed_shared(s.static_shared()); !why.empty()) {
        throw OptionError(why);
    }
    if (const std::uint64_t bytes = std::uint64_t{s.static_shared()} + s.dynamic_shared; bytes > kMostSharedBytes) {
        throw OptionError(fmt::format("{} bytes of shared memory per block exceed the limit of {}; use smaller blocks "
                                      "or arrays",
                                      bytes, kMostSharedBytes));
    }
}

// "s = 4", or, if the source names the steps, "up: s = 4".
record::StepName counted(const Prepared& prepared, std::uint32_t location, std::string text, std::int64_t stride) {
    const compile::StepNote* const note = prepared.note(location);
    return note == nullptr ? record::StepName{std::move(text), stride, {}}
                           : record::StepName{note->name + ": " + text, stride, note->sentence};
}

// The line, or the name that the source gives it.
record::StepName at_line(const Program& program, const Prepared& prepared, std::uint32_t location) {
    const compile::StepNote* const note = prepared.note(location);
    return note == nullptr ? record::StepName{fmt::format("line {}", program.locations[location].line), 0, {}}
                           : record::StepName{note->name, 0, note->sentence};
}

record::StepName step_name(const Program& program, const Prepared& prepared, const record::StepKey& key) {
    if (key.kind != StepKind::stage) {
        return key.source == 0 ? record::StepName{"no access", 0, {}} : at_line(program, prepared, key.source);
    }
    if (!key.statement) {
        const compile::Loop& loop = program.loops[key.source];
        if (prepared.is_one_step(key.source)) {
            return at_line(program, prepared, loop.location);
        }
        if (loop.variable != compile::kNone && loop.row != compile::kNone) {
            record::StepName name =
                counted(prepared, loop.location,
                        fmt::format("{} = {}", program.variables[loop.variable].name, key.value), key.value);
            const std::uint32_t around = loop.parent == compile::kNone || prepared.note(loop.location) != nullptr
                                             ? compile::kNone
                                             : program.loops[loop.parent].variable;
            name.outer = around == compile::kNone ? "" : program.variables[around].name;
            return name;
        }
        const compile::StepNote* const note = prepared.note(loop.location);
        return note == nullptr ? record::StepName{fmt::format("line {}, iteration {}",
                                                              program.locations[loop.location].line, key.value + 1),
                                                  0,
                                                  {}}
                               : record::StepName{fmt::format("{} {}", note->name, key.value + 1), 0, note->sentence};
    }
    std::uint32_t number = key.source;
    for (const compile::FunctionCode& f : program.functions) {
        if (number < f.statements.size()) {
            const compile::Statement& s = f.statements[number];
            return s.parameter.empty() || prepared.note_on_line(s.location) != nullptr
                       ? at_line(program, prepared, s.location)
                       : counted(prepared, s.location, fmt::format("{} = {}", s.parameter, s.value), s.value);
        }
        number -= static_cast<std::uint32_t>(f.statements.size());
    }
    return {};
}

// By allocation, whether the kernel may write it.
std::vector<bool> written(const LaunchSetup& setup) {
    std::vector<bool> out(setup.memory->count());
    for (std::uint32_t g = 0; g < setup.program->globals.size(); ++g) {
        out[g] = !(*setup.memory)[g].shape().read_only;
    }
    const std::vector<compile::Parameter>& parameters = setup.code().parameters;
    for (std::size_t p = 0; p < parameters.size(); ++p) {
        if (!parameters[p].stores && !parameters[p].updates) {
            continue;
        }
        if (parameters[p].kind == compile::Parameter::Kind::record) { // any array that a pointer in it points to
            return std::vector<bool>(out.size(), true);
        }
        std::int64_t offset = 0;
        std::uint32_t number = 0;
        if (setup.memory->find(setup.arguments[p].bits, offset, number) != nullptr) {
            out[number] = true;
        }
    }
    return out;
}

unsigned note_shift(const Prepared& prepared) { return prepared.has_small_global_accesses() ? 0 : 2; }

// Collects finished blocks in order.
class Joiner {
  public:
    Joiner(const LaunchSetup& setup, const Prepared& prepared, Launch& launch, LaunchSummary& summary)
        : setup_(setup), launch_(launch), summary_(summary),
          recorder_(
              launch, setup.window_count,
              [&](const record::StepKey& key) { return step_name(*setup.program, prepared, key); },
              [&](std::uint32_t location) { return line_at(*setup.program, location); }),
          maker_(*setup.program, prepared, *setup.memory, note_shift(prepared)) {
        recorder_.keep_depths(setup.output, setup.output_depths);
    }

    void add(BlockRun& run, Stores& stores) {
        noted_ = noted_ || stores.noted();
        Findings found;
        if (stores.noted()) {
            maker_.make(run.block(), stores.list(), found);
            for (record::AtomicEvent& a : run.recorder().events().atomics) {
                a.bits = a.later ? stores.list()[a.bits].bits : a.bits;
            }
        }
        const std::vector<std::uint32_t>& numbers = recorder_.add(run.recorder(), run.block());
        const auto number = [&](std::uint32_t step) { return numbers.empty() ? 0 : numbers[step]; };
        if (stores.noted()) {
            const auto steps = run.recorder().segments(); // each one's step
            for (Finding& f : found.list()) {
                f.step = f.step < steps.size() ? number(steps[f.step]) : 0;
            }
            findings_.append(found);
            stores.list().clear();
        }
        for (Finding& f : run.findings().list()) {
            f.step = number(f.step);
            f.other_step = number(f.other_step);
        }
        findings_.append(run.findings());
        launch_.stalled_blocks += run.waits().empty() ? 0 : 1;
        const bool window = run.recorder().full();
        for (const Wait& w : run.waits()) {
            if (window) {
                launch_.stalls.push_back(
                    {run.block(), static_cast<std::uint16_t>(number(w.segment)), static_cast<std::uint16_t>(w.warp),
                     w.kind, w.mask, static_cast<std::uint16_t>(w.expected), line_at(*setup_.program, w.location)});
            }
        }
        launch_.printed += run.printed().substr(
            0, setup_.most_printed - std::min<std::size_t>(setup_.most_printed, launch_.printed.size()));
        printed_bytes_ += run.printed_bytes();
        if (window && !findings_.ends_the_run()) {
            run.keep_recording();
        }
        summary_.instructions += run.instructions();
        summary_.lane_instructions += run.lane_instructions();
    }
    bool ends_the_run() const { return findings_.ends_the_run(); }
    void add(Finding finding) { findings_.add(std::move(finding)); }

    void finish() {
        recorder_.finish();
        if (printed_bytes_ > setup_.most_printed) {
            Finding f;
            f.kind = FindingKind::print_limit;
            f.severity = Severity::risk;
            f.text = fmt::format("of {} bytes that it prints the first {} are kept; --printed keeps more",
                                 printed_bytes_, setup_.most_printed);
            findings_.add(std::move(f));
        }
        launch_.printed = valid_utf8(launch_.printed);
        findings_.sort();
        if (noted_) {
            std::erase_if(findings_.list(), [&](const Finding& f) { return maker_.races_instead(f); });
        }
        launch_.findings = findings_.list();
        for (Finding& f : launch_.findings) {
            f.step = recorder_.place(f.step);
            f.other_step = recorder_.place(f.other_step);
        }
        for (Stall& s : launch_.stalls) {
            s.step = static_cast<std::uint16_t>(recorder_.place(s.step));
        }
        summary_.leaves = recorder_.leaves();
        summary_.depth = recorder_.depth();
        summary_.atomics = recorder_.atomics();
        summary_.padding_atomics = recorder_.padding_atomics();
        summary_.joined_elements = recorder_.joined().size();
        for (const auto& [element, values] : recorder_.joined()) {
            summary_.most_joined = std::max<std::uint64_t>(summary_.most_joined, values);
        }
        summary_.stores_data = recorder_.stores_data();
        summary_.completed = !findings_.ends_the_run();
    }

  private:
    const LaunchSetup& setup_;
    std::uint64_t printed_bytes_ = 0;
    bool noted_ = false; // the stores of its blocks were
    Launch& launch_;
    LaunchSummary& summary_;
    record::LaunchRecorder recorder_;
    StoreMaker maker_;
    Findings findings_;
};

// Keeps the first elements of the arrays for a launch of which blocks are recorded, also those that an array may yet grow to;
// returns how many, by allocation.
std::vector<std::uint32_t> hold(const Memory& memory, Launch& launch) {
    std::vector<std::uint32_t> counts;
    for (std::uint32_t i = 0; launch.window_count != 0 && i < memory.count(); ++i) {
        const Allocation& a = memory[i];
        const std::uint32_t bytes = a.shape().element_bytes;
        const bool grows = a.shape().grows && a.shape().defined;
        std::uint64_t count = bytes > sizeof(std::uint64_t) || a.freed() ? 0
                              : grows ? std::min<std::uint64_t>(a.most_elements(), kMaxHeld)
                                      : std::min<std::uint64_t>(a.shape().elements, kMaxHeld);
        for (std::uint64_t k = 0; k < count; ++k) {
            if (grows && (k + 1) * bytes > a.bytes()) {
                launch.held.push_back(a.bits_after_growth(k));
                continue;
            }
            if (!a.initialised(k * bytes, bytes)) {
                count = k;
                break;
            }
            std::uint64_t bits = 0;
            std::memcpy(&bits, a.data() + k * bytes, bytes);
            launch.held.push_back(bits);
        }
        counts.push_back(static_cast<std::uint32_t>(count));
    }
    return counts;
}

// Leaves out those past the array's own elements that the launch did not come to.
void leave_unreached(const Memory& memory, bool chance, Launch& launch, std::vector<std::uint32_t>& counts) {
    std::vector<std::uint64_t> kept;
    std::size_t from = 0;
    for (std::uint32_t i = 0; i < counts.size(); ++i) {
        const std::uint32_t had = counts[i];
        const Allocation& a = memory[i];
        if (a.shape().grows) {
            counts[i] = static_cast<std::uint32_t>(
                std::min<std::uint64_t>(had, std::max(a.shape().elements, chance ? 0 : a.reached())));
        }
        const auto begin = launch.held.begin() + static_cast<std::ptrdiff_t>(from);
        kept.insert(kept.end(), begin, begin + counts[i]);
        from += had;
    }
    launch.held = std::move(kept);
}

bool cancelled(const LaunchSetup& s) { return s.cancel != nullptr && s.cancel->load(std::memory_order_relaxed); }

// The order in which blocks start.
std::vector<std::uint32_t> starts(const LaunchSetup& s, std::uint32_t blocks) {
    std::vector<std::uint32_t> all(blocks);
    std::iota(all.begin(), all.end(), 0U);
    if (s.order == Order::reverse) {
        std::ranges::reverse(all);
    } else if (s.order == Order::random) {
        std::mt19937_64 random(s.seed);
        for (std::size_t k = all.size(); k > 1; --k) { // same sequence on every platform, unlike std::shuffle
            std::swap(all[k - 1], all[random() % k]);
        }
    }
    if (s.last_block < blocks) {
        const auto last = std::ranges::find(all, s.last_block);
        std::rotate(last, last + 1, all.end());
    }
    if (volume(s.cluster_shape()) > 1) {         // those of a cluster start together, when the last of them does
        std::vector<std::uint32_t> turn(blocks); // by cluster
        for (std::uint32_t k = 0; k < blocks; ++k) {
            turn[cluster_of(s, all[k])] = k;
        }
        std::ranges::stable_sort(all, {}, [&](std::uint32_t block) { return turn[cluster_of(s, block)]; });
    }
    return all;
}

// Begins the blocks of a cluster, in their order.
void begin(const LaunchSetup& setup, std::span<const std::uint32_t> blocks,
           std::span<const std::unique_ptr<BlockRun>> runs) {
    std::vector<BlockRun*> by_rank(blocks.size());
    for (std::size_t k = 0; k < blocks.size(); ++k) {
        runs[k]->begin(blocks[k]);
        by_rank[rank_in_cluster(setup, blocks[k])] = runs[k].get();
    }
    const auto cluster = std::make_shared<Cluster>(std::move(by_rank));
    for (std::size_t k = 0; k < blocks.size(); ++k) {
        runs[k]->join_cluster(cluster, rank_in_cluster(setup, blocks[k]));
    }
}

// Completes the barriers of clusters at which all have arrived.
bool complete_cluster_barriers(const std::deque<std::unique_ptr<BlockRun>>& active) {
    bool any = false;
    for (const auto& run : active) {
        any |= run->cluster()->blocks().front() == run.get() && run->cluster()->complete_barrier();
    }
    return any;
}

// Blocks that do not communicate: each core takes the next one, and the results are joined in order.
class Independent {
  public:
    Independent(const LaunchSetup& setup, const Prepared& prepared, Joiner& joiner)
        : setup_(setup), prepared_(prepared), joiner_(joiner), blocks_(static_cast<std::uint32_t>(volume(setup.grid))) {
        setup_.abandoned = &abandoned_;
    }

    void run() {
        const unsigned cores = setup_.workers != 0 ? setup_.workers : default_workers();
        const unsigned workers = std::min<unsigned>(cores, blocks_);
        std::vector<std::thread> threads;
        for (unsigned w = 1; w < workers; ++w) {
            threads.emplace_back([this] {
                work();
                const std::lock_guard lock(mutex_);
                longest_ = std::max(longest_, thread_time());
            });
        }
        const auto begin = thread_time();
        work();
        for (std::thread& t : threads) {
            t.join();
        }
        if (const auto own = thread_time() - begin; setup_.time != nullptr && longest_ > own) {
            setup_.time->waited(longest_ - own);
        }
        if (failure_) {
            std::rethrow_exception(failure_);
        }
    }

  private:
    struct Slot {
        explicit Slot(const LaunchSetup& setup, const Prepared& prepared)
            : stores(true, written(setup), note_shift(prepared)), run(setup, prepared, stores) {}
        Stores stores;
        BlockRun run;
    };

    void work() {
        constexpr std::size_t kAhead = 4; // times 8: finished blocks that may wait to be joined
        try {
            for (;;) {
                std::unique_ptr<Slot> slot;
                std::uint32_t block = 0;
                {
                    std::unique_lock lock(mutex_);
                    if (next_ == blocks_ || stop_) {
                        break;
                    }
                    block = next_++;
                    if (!spare_.empty()) {
                        slot = std::move(spare_.back());
                        spare_.pop_back();
                    }
                }
                if (!slot) {
                    slot = std::make_unique<Slot>(setup_, prepared_);
                }
                slot->stores.settle();
                slot->run.begin(block);
                slot->run.run();
                while (!slot->run.finished()) { // it polls memory that never changes, up to most_instructions
                    slot->run.let_waiting_lanes_go();
                    slot->run.run();
                }
                slot->run.end();
                std::unique_lock lock(mutex_);
                done_.emplace(block, std::move(slot));
                join(lock);
                turn_.wait(lock, [&] { return stop_ || done_.size() < kAhead * 8 || done_.begin()->first == joined_; });
            }
        } catch (...) {
            const std::lock_guard lock(mutex_);
            failure_ = std::current_exception();
            abandoned_ = stop_ = true;
            turn_.notify_all();
        }
    }
    void join(std::unique_lock<std::mutex>& lock) {
        if (joining_) {
            return;
        }
        joining_ = true;
        while (!done_.empty() && done_.begin()->first == joined_ && !stop_) {
            std::unique_ptr<Slot> slot = std::move(done_.begin()->second);
            done_.erase(done_.begin());
            lock.unlock();
            joiner_.add(slot->run, slot->stores);
            if (setup_.progress && (joined_ + 1) % 64 == 0) {
                setup_.progress(static_cast<double>(joined_ + 1) / blocks_);
            }
            lock.lock();
            ++joined_;
            spare_.push_back(std::move(slot));
            stop_ = stop_ || joiner_.ends_the_run() || cancelled(setup_);
            abandoned_ = stop_;
            turn_.notify_all();
        }
        joining_ = false;
    }

    LaunchSetup setup_;
    const Prepared& prepared_;
    Joiner& joiner_;
    std::uint32_t blocks_;
    std::atomic<bool> abandoned_{false};  // as stop_, for the blocks that run
    std::chrono::nanoseconds longest_{0}; // processor time of a thread beside this one
    std::mutex mutex_;
    std::condition_variable turn_;
    std::uint32_t next_ = 0, joined_ = 0;
    bool joining_ = false, stop_ = false;
    std::map<std::uint32_t, std::unique_ptr<Slot>> done_;
    std::vector<std::unique_ptr<Slot>> spare_;
    std::exception_ptr failure_;
};

// How many blocks an H100 runs at a time, by threads and shared memory.
std::uint32_t resident_on_hopper(const LaunchSetup& setup) {
    constexpr std::uint32_t kMultiprocessors = 132, kThreads = 2048, kBlocks = 32, kShared = 228U << 10,
                            kOfBlock = 1U << 10;
    const std::uint32_t by_threads = kThreads / std::min(kThreads, setup.threads());
    const std::uint32_t by_shared = kShared / std::min(kShared, setup.shared_bytes() + kOfBlock);
    return kMultiprocessors * std::min({kBlocks, by_threads, by_shared});
}

// Ends the blocks of the cluster whose block active[k] is, if that was the last of them. Returns which comes next.
std::size_t end_cluster(std::deque<std::unique_ptr<BlockRun>>& active, std::size_t k,
                        std::map<std::uint32_t, std::unique_ptr<BlockRun>>& done) {
    const std::shared_ptr<Cluster> cluster = active[k]->cluster();
    if (!cluster->finished()) {
        return k + 1;
    }
    std::size_t next = k + 1;
    for (std::size_t at = 0; at < active.size(); ++at) {
        if (active[at]->cluster() == cluster) {
            next -= at <= k ? 1 : 0;
            active[at]->end();
            const std::uint32_t number = active[at]->block();
            done.emplace(number, std::move(active[at]));
        }
    }
    std::erase(active, nullptr);
    return next;
}

// Blocks that communicate: on one core, each runs until it ends or waits for others.
void run_dependent(const LaunchSetup& setup, const Prepared& prepared, Joiner& joiner) {
    constexpr unsigned kMostIdleRounds = 64; // consecutive rounds in which no block changes anything
    const auto blocks = static_cast<std::uint32_t>(volume(setup.grid));
    const std::vector<std::uint32_t> order = starts(setup, blocks);
    const auto together = static_cast<std::uint32_t>(volume(setup.cluster_shape()));
    const std::uint32_t resident = setup.resident_blocks != 0 ? setup.resident_blocks : resident_on_hopper(setup);
    Stores stores(false, written(setup), note_shift(prepared));
    std::deque<std::unique_ptr<BlockRun>> active;
    std::vector<std::unique_ptr<BlockRun>> spare;
    std::map<std::uint32_t, std::unique_ptr<BlockRun>> done;
    std::uint32_t begun = 0, joined = 0;
    std::uint64_t noted = 0; // bytes of the budget
    unsigned idle = 0;
    const auto join = [&] {
        while (!done.empty() && done.begin()->first == joined && !joiner.ends_the_run()) {
            joiner.add(*done.begin()->second, stores);
            spare.push_back(std::move(done.begin()->second));
            done.erase(done.begin());
            ++joined;
            if (setup.progress && joined % 64 == 0) {
                setup.progress(static_cast<double>(joined) / blocks);
            }
        }
    };
    bool stopped = false;
    while (!stopped && (begun < blocks || !active.empty())) {
        bool changed = false;
        for (std::size_t k = 0; k < active.size() && !stopped;) {
            if (active[k]->finished()) { // its shared memory stays until its cluster has ended
                ++k;
                continue;
            }
            const std::uint64_t before = active[k]->progress();
            const Outcome outcome = active[k]->run();
            const bool goes_on =
                outcome == Outcome::waits || outcome == Outcome::ended; // else there is a finding already
            if (const std::uint64_t now = stores.bytes(); goes_on && now > noted) {
                setup.memory->budget().take(now - noted, "who accessed what");
                noted = now;
            }
            changed |= active[k]->progress() != before;
            stopped = cancelled(setup);
            if (outcome == Outcome::waits) {
                ++k;
                continue;
            }
            changed = true;
            stopped |= outcome != Outcome::ended;
            if (!stopped) {
                active[k]->check_visits();
            }
            if (together > 1) {
                k = end_cluster(active, k, done);
                continue;
            }
            active[k]->end();
            const std::uint32_t number = active[k]->block();
            done.emplace(number, std::move(active[k]));
            active.erase(active.begin() + static_cast<std::ptrdiff_t>(k));
        }
        join();
        if (stopped) {
            break;
        }
        if (complete_cluster_barriers(active)) {
            continue;
        }
        if (begun < blocks && active.size() < resident) { // all active ones wait, perhaps for one that has not started
            std::vector<std::unique_ptr<BlockRun>> next;
            for (std::uint32_t k = 0; k < together; ++k) {
                if (spare.empty()) {
                    spare.push_back(std::make_unique<BlockRun>(setup, prepared, stores));
                }
                next.push_back(std::move(spare.back()));
                spare.pop_back();
            }
            begin(setup, std::span(order).subspan(begun, together), next);
            begun += together;
            std::ranges::move(next, std::back_inserter(active));
            continue;
        }
        if (active.size() == blocks && std::all_of(active.begin(), active.end(), [](const auto& run) {
                return run->at_grid_barrier() && !run->first_thread_ended();
            })) {
            stores.settle();
            for (const auto& run : active) {
                run->pass_grid_barrier();
            }
            continue;
        }
        idle = changed ? 0 : idle + 1;
        // No block can still make memory match the GPU's log: let them stop waiting, one after another.
        if (setup.log != nullptr && idle > 1 && !active.empty()) {
            active[idle % active.size()]->force();
        }
        if (idle == kMostIdleRounds + (setup.log != nullptr ? 2 * active.size() : 0)) {
            if (std::count_if(active.begin(), active.end(), [](auto& run) { return run->let_waiting_lanes_go(); }) !=
                0) {
                idle = 0;
                continue;
            }
            const auto resident = static_cast<std::uint32_t>(
                std::count_if(active.begin(), active.end(), [](const auto& run) { return !run->finished(); }));
            for (const auto& run : active) {
                run->report_waiting_for_blocks({resident, begun - resident, blocks - begun});
            }
            stopped = true;
        }
    }
    // The block that ended the run may come after unfinished ones: these are joined as far as they got.
    for (auto& run : active) {
        run->end();
        const std::uint32_t number = run->block();
        done.emplace(number, std::move(run));
    }
    for (auto& [number, run] : done) {
        joiner.add(*run, stores);
    }
}
// The blocks in their order, without a history. None: something may have to be told, and memory is as it was.
std::optional<Touched> attempt(const LaunchSetup& setup, const Prepared& prepared, bool independent, Joiner& joiner) {
    const auto blocks = static_cast<std::uint32_t>(volume(setup.grid));
    const std::vector<std::uint32_t> order = independent ? std::vector<std::uint32_t>() : starts(setup, blocks);
    Attempt attempt(*setup.memory, written(setup), note_shift(prepared), !independent);
    Stores none(false, {}, note_shift(prepared));
    BlockRun run(setup, prepared, none, &attempt);
    for (std::uint32_t k = 0; k < blocks; ++k) {
        run.begin(independent ? k : order[k]);
        if (run.run() != Outcome::ended || run.doubtful() || cancelled(setup)) {
            attempt.undo();
            return std::nullopt;
        }
        joiner.add(run, none);
        if (setup.progress && (k + 1) % 64 == 0) {
            setup.progress(static_cast<double>(k + 1) / blocks);
        }
    }
    Touched touched{attempt.updated(), attempt.stored(), {}};
    for (std::uint32_t i = 0; i < touched.loaded.size(); ++i) {
        touched.loaded[i] = touched.loaded[i] || (*setup.memory)[i].loaded() != 0;
        if (touched.loaded[i] && touched.stored[i]) {
            if (std::optional<std::vector<std::byte>> before = attempt.before(i)) {
                touched.before.emplace(i, std::move(*before));
            }
        }
    }
    return touched;
}
} // namespace

unsigned default_workers() { return cores(); }

LaunchSummary run(const LaunchSetup& setup, Launch& launch) {
    check(setup);
    const Program& program = *setup.program;
    const Prepared prepared(setup);
    launch.grid = static_cast<std::uint32_t>(volume(setup.grid));
    launch.block = setup.threads();
    launch.grid_shape = setup.grid;
    launch.block_shape = setup.block;
    launch.cluster = setup.cluster_shape();
    launch.shared_bytes = setup.shared_bytes();
    launch.window_first = std::min(setup.window_first, launch.grid - 1);
    launch.window_count = std::min(setup.window_count, launch.grid - launch.window_first);
    LaunchSetup clipped = setup;
    clipped.window_first = launch.window_first;
    clipped.window_count = launch.window_count;

    for (const compile::Variable& v : program.variables) {
        launch.variables.push_back({v.name, v.type, line_at(program, v.location)});
    }
    for (const std::uint32_t number : setup.code().shared) {
        const compile::SharedArray& a = program.shared[number];
        launch.shared_arrays.push_back({a.name, a.element, a.element_bytes, a.offset,
                                        a.bytes == 0 ? setup.dynamic_shared : a.bytes,
                                        a.extents.size() == 2 ? a.extents.back() : 0});
    }
    std::vector<std::uint32_t> held = hold(*setup.memory, launch);
    LaunchSummary summary;
    const bool follows = setup.log != nullptr || setup.own_log != nullptr;
    const bool independent = setup.code().independent_blocks && clipped.order != Order::random && !follows;
    if (setup.findings_only && setup.attempts && !follows && !setup.lanes_apart && !setup.code().cooperative) {
        const Launch before = launch;
        Joiner joiner(clipped, prepared, launch, summary);
        summary.touched = attempt(clipped, prepared, independent, joiner);
        if (summary.touched) {
            joiner.finish();
        } else {
            launch = before;
            summary = {};
            summary.doubted = true;
        }
    }
    if (!summary.touched) {
        Joiner joiner(clipped, prepared, launch, summary);
        if (independent) {
            Independent(clipped, prepared, joiner).run();
        } else {
            run_dependent(clipped, prepared, joiner);
        }
        if (cancelled(setup)) {
            throw Cancelled();
        }
        joiner.finish();
    }
    // A launch that a finding ended may have fewer fully recorded blocks than its window.
    const std::size_t rows = std::size_t{launch.steps.size()} * launch.warps();
    launch.warp_steps.resize(launch.window_count * rows);
    summary.memory_is_chance = !summary.completed && independent;
    leave_unreached(*setup.memory, summary.memory_is_chance, launch, held);
    for (std::uint32_t i = 0; i < setup.memory->count(); ++i) {
        const Allocation& a = (*setup.memory)[i];
        warptree::Allocation row;
        row.name = a.shape().name;
        row.element = a.shape().element;
        row.element_bytes = a.shape().element_bytes;
        row.elements = a.shape().elements;
        row.reached = a.shape().grows && !summary.memory_is_chance ? a.reached() : 0;
        row.held = i < held.size() ? held[i] : 0;
        launch.allocations.push_back(std::move(row));
    }
    return summary;
}

std::string too_much_fixed_shared(std::uint64_t bytes) {
    return bytes <= kMostFixedShared
               ? std::string()
               : fmt::format(
                     "the kernel's __shared__ arrays of a fixed size have {} bytes, and nvcc takes {}: declare one as "
                     "extern __shared__, and launch it with as many",
                     bytes, kMostFixedShared);
}

} // namespace warptree::simt
