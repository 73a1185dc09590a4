#include "app/measure/gpu/timing_device.hpp"

#include "app/base/build_info.hpp"
#include "app/base/whole_file.hpp"
#include "app/catalogue/catalogue.hpp"
#include "app/measure/gpu/timing_experiments.hpp"
#include "app/measure/timing/launches.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>

namespace warptree::runs {

using timing::Configuration;

namespace {
// "580.159.04, CUDA 13.0".
std::string driver_text() {
    std::ifstream file("/proc/driver/nvidia/version");
    std::string word, found;
    while (found.empty() && file >> word) { // the first word that is a version number
        if (word.find_first_not_of("0123456789.") == std::string::npos && word.find('.') != std::string::npos) {
            found = word;
        }
    }
    const int api = gpu::driver_version();
    return fmt::format("{}{}CUDA {}.{}", found, found.empty() ? "" : ", ", api / 1000, api % 1000 / 10);
}
} // namespace

struct TimingDevice::Shared {
    TimedFiles files;
    std::uint64_t seed;
    GpuOptions gpu_options;
    RealCode code;
    TimingBench bench;
    CompileOnce once;
    std::map<std::string, Interpreted> interpreted;         // by configuration, as text
    std::map<std::string, catalogue::KernelHeader> headers; // of strategies
    std::uint64_t room = 0;                                 // free bytes at the start

    Shared(TimedFiles all, std::uint64_t of_input, GpuOptions asked)
        : files(std::move(all)), seed(of_input), gpu_options(std::move(asked)), code(gpu_options.compiler_options),
          bench(gpu_options.limit), room(gpu::free_memory()) {}

    bool is_file(const Configuration& what) const { return files.find(what.variant) != files.end(); }
    RunOptions options(const Configuration& what) {
        const auto file = files.find(what.variant);
        if (file != files.end()) {
            return timed_options(what, file->second, seed);
        }
        const auto [header, fresh] = headers.try_emplace(what.variant);
        const std::string path = catalogue::shipped_file(what.variant).string();
        if (fresh) {
            header->second = catalogue::read_header(read_whole(path, 1U << 20));
        }
        const auto& all = header->second.parameters;
        RunOptions o = timed_options(what, path, seed);
        std::erase_if(o.parameters, [&](const auto& p) { // a strategy may have parameters that its file lacks
            return std::none_of(all.begin(), all.end(), [&](const auto& q) { return q.name == p.first; });
        });
        return o;
    }
    const Interpreted& before(const Configuration& what) {
        const std::string key =
            fmt::format("{} {} {} {} {} {} {} {}", what.variant, what.n, what.block, what.grid, name(what.type),
                        name(what.op), name(what.finish), fmt::join(what.parameters, ","));
        const auto [at, fresh] = interpreted.try_emplace(key);
        if (fresh) {
            at->second = interpreted_first(options(what), gpu_options.insist);
        }
        return at->second;
    }
};

TimingDevice::TimingDevice(TimedFiles files, std::uint64_t seed, GpuOptions gpu_options)
    : shared_(new Shared(std::move(files), seed, std::move(gpu_options))) {}

TimingDevice::~TimingDevice() = default;

timing::Provenance TimingDevice::provenance() const {
    const gpu::DeviceFacts& f = gpu::facts();
    timing::Provenance p;
    p.device = f.name;
    p.compute_capability = fmt::format("{}.{}", f.compute_major, f.compute_minor);
    p.driver = driver_text();
    p.toolkit = gpu::has_nvrtc() ? gpu::nvrtc_version() : "LLVM -O3, as NVRTC was not found";
    p.compiler_flags =
        fmt::format("{}", fmt::join(gpu::usual_options(f.architecture(), shared_->gpu_options.compiler_options), " "));
    p.commit = build_info().commit;
    p.multiprocessors = f.multiprocessors;
    p.core_clock_khz = f.core_clock_khz;
    p.memory_clock_khz = f.memory_clock_khz;
    p.memory_bus_bits = f.memory_bus_bits;
    p.l2_bytes = f.l2_bytes;
    p.flush_bytes = shared_->bench.watch.flush_bytes();
    p.seed = shared_->seed;
    p.theoretical_bytes_per_second = f.theoretical_bytes_per_second();
    return p;
}

std::string TimingDevice::refusal(const Configuration& what) const {
    const std::uint64_t moved = timing::traffic(what).total();
    constexpr std::uint64_t kSlack = 512ULL << 20; // partials, tiles, the vendor library's scratch
    if (moved + kSlack > shared_->room) {
        return fmt::format("needs {} MB of GPU memory, and {} MB are free", (moved + kSlack) >> 20,
                           shared_->room >> 20);
    }
    if (timing::is_known_peer(what.variant)) {
        return peer_refusal(what);
    }
    if (shared_->is_file(what)) {
        return shared_->before(what).refusal;
    }
    return catalogue::shipped_file(what.variant).empty() ? fmt::format("there is no kernel named {}", what.variant)
                                                         : "";
}

timing::Traffic TimingDevice::traffic(const Configuration& what) const {
    if (!shared_->is_file(what)) {
        return timing::traffic(what);
    }
    try {
        return traffic_of(shared_->options(what), shared_->before(what).reached);
    } catch (const Error&) {
        return {};
    }
}

void TimingDevice::prepare(std::uint64_t, ElementType) { shared_->bench.forget(); }

std::unique_ptr<timing::Experiment> TimingDevice::open(const Configuration& what) {
    try {
        if (timing::is_known_peer(what.variant)) {
            return open_peer(shared_->bench, what, shared_->seed);
        }
        if (what.quantity == timing::Quantity::launch) {
            return open_empty(shared_->bench, what);
        }
        KernelToTime kernel;
        kernel.what = what;
        kernel.options = shared_->options(what);
        if (shared_->is_file(what)) {
            kernel.found = &shared_->before(what);
            kernel.depth = kernel.found->depth;
            kernel.scan = {kernel.depth, kernel.depth};
        } else {
            kernel.depth = timing::depth_bound(what);
            kernel.scan = timing::scan_depth(what);
        }
        return open_kernel(shared_->bench, shared_->code, shared_->gpu_options, kernel);
    } catch (const gpu::RtcError& e) {
        throw OptionError(e.what());
    } catch (const gpu::OutOfMemory& e) {
        throw OptionError(e.what());
    }
}

std::vector<std::string> TimingDevice::notes() const { return shared_->code.notes(); }

} // namespace warptree::runs
