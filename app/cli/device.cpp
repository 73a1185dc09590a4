#include "app/gpu/device.hpp"
#include "app/base/build_info.hpp"
#include "app/base/json_text.hpp"
#include "app/cli/json_command.hpp"
#include "app/confine/confine.hpp"
#include "app/gpu/nvrtc.hpp"
#include "app/simt/machine.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warptree::commands {

namespace {
std::string version(int number) { return number == 0 ? "" : fmt::format("{}.{}", number / 1000, number % 1000 / 10); }

nlohmann::ordered_json confinement_as_json(const confine::Achieved& c) {
    return {{"system_calls_filtered", c.filter},      {"landlock", c.landlock}, {"no_network", c.no_network},
            {"own_network_namespace", c.own_network}, {"limits", c.limits},     {"threads_limited", c.counts_threads},
            {"programs_run", c.holds_programs()},     {"missing", c.missing}};
}

std::string confinement_as_text(const confine::Achieved& c) {
    std::string out = fmt::format(
        "confinement       {}, {}, {}, {}\n", c.filter ? "system calls filtered" : "system calls NOT filtered",
        c.landlock != 0 ? fmt::format("files by Landlock {}", c.landlock) : "no Landlock",
        c.no_network ? "no network" : "network NOT closed", c.limits ? "limits" : "NO limits");
    for (const std::string& what : c.missing) {
        out += fmt::format("  {}\n", what);
    }
    return out;
}

std::string device_as_json() {
    const confine::Achieved confined = confine::tried(confine::program_policy()); // before a driver's threads
    const BuildInfo& b = build_info();
    nlohmann::ordered_json out{{"interpreter", {{"cores", simt::default_workers()}}},
                               {"build",
                                {{"version", b.version},
                                 {"commit", b.commit},
                                 {"compiler", b.compiler},
                                 {"cuda", b.cuda},
                                 {"cuda_version", b.cuda_version},
                                 {"cuda_architectures", b.cuda_architectures}}},
                               {"confinement", confinement_as_json(confined)},
                               {"driver", version(gpu::driver_version())},
                               {"nvrtc", gpu::nvrtc_version()},
                               {"backend", gpu::usable() ? "cuda" : "cpu"},
                               {"why_no_gpu", gpu::why_not()},
                               {"gpus", nlohmann::ordered_json::array()}};
    for (const gpu::DeviceFacts& g : gpu::devices()) {
        out["gpus"].push_back({{"name", g.name},
                               {"compute_capability", fmt::format("{}.{}", g.compute_major, g.compute_minor)},
                               {"multiprocessors", g.multiprocessors},
                               {"core_clock_khz", g.core_clock_khz},
                               {"memory_clock_khz", g.memory_clock_khz},
                               {"memory_bus_bits", g.memory_bus_bits},
                               {"theoretical_bytes_per_second", g.theoretical_bytes_per_second()},
                               {"memory_bytes", g.memory_bytes},
                               {"l2_bytes", g.l2_bytes},
                               {"shared_bytes_per_block", g.shared_per_block},
                               {"shared_bytes_per_block_optin", g.shared_per_block_optin},
                               {"shared_bytes_per_multiprocessor", g.shared_per_multiprocessor},
                               {"threads_per_block", g.threads_per_block},
                               {"threads_per_multiprocessor", g.threads_per_multiprocessor},
                               {"blocks_per_multiprocessor", g.blocks_per_multiprocessor},
                               {"registers_per_block", g.registers_per_block},
                               {"registers_per_multiprocessor", g.registers_per_multiprocessor}});
    }
    return json_text(out, 2) + "\n";
}

std::string device_as_text() {
    std::string out = fmt::format("CPU interpreter   {} cores\n", simt::default_workers());
    out += confinement_as_text(confine::tried(confine::program_policy())); // before a driver's threads
    if (!gpu::usable()) {
        return out + fmt::format("GPU               none: {}\n", gpu::why_not());
    }
    for (const gpu::DeviceFacts& g : gpu::devices()) {
        out += fmt::format("GPU               {}, compute capability {}.{}, {} multiprocessors\n", g.name,
                           g.compute_major, g.compute_minor, g.multiprocessors);
        out += fmt::format("  memory          {:.1f} GB, {} bit, theoretical {:.1f} GB/s; L2 {:.1f} MB\n",
                           static_cast<double>(g.memory_bytes) / 1e9, g.memory_bus_bits,
                           g.theoretical_bytes_per_second() / 1e9, static_cast<double>(g.l2_bytes) / 1e6);
        out += fmt::format("  per block       {} threads, {} registers, {} KB shared ({} KB on request)\n",
                           g.threads_per_block, g.registers_per_block, g.shared_per_block / 1024,
                           g.shared_per_block_optin / 1024);
        out += fmt::format("  multiprocessor  {} threads, {} blocks, {} registers, {} KB shared\n",
                           g.threads_per_multiprocessor, g.blocks_per_multiprocessor, g.registers_per_multiprocessor,
                           g.shared_per_multiprocessor / 1024);
    }
    return out + fmt::format("driver {}; kernels by {}; {}\n", version(gpu::driver_version()),
                             gpu::has_nvrtc() ? gpu::nvrtc_version() : "LLVM, as NVRTC was not found",
                             build_info().cuda ? fmt::format("vendor library of CUDA {}", build_info().cuda_version)
                                               : "no vendor library: built without nvcc");
}
} // namespace

void add_device(CLI::App& app, Action& action) {
    add_json_command(app, action, "device", "GPUs found, what they can do, their limits", device_as_text,
                     device_as_json);
}

} // namespace warptree::commands
