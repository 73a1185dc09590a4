#include "app/gpu/device.hpp"
#include "app/base/build_info.hpp"
#include "app/cli/json_command.hpp"
#include "app/gpu/nvrtc.hpp"
#include "app/simt/machine.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warptree::commands {

namespace {
std::string version(int number) { return number == 0 ? "" : fmt::format("{}.{}", number / 1000, number % 1000 / 10); }

std::string device_as_json() {
    const BuildInfo& b = build_info();
    nlohmann::ordered_json out{{"interpreter", {{"cores", simt::default_workers()}}},
                               {"build",
                                {{"version", b.version},
                                 {"commit", b.commit},
                                 {"compiler", b.compiler},
                                 {"cuda", b.cuda},
                                 {"cuda_version", b.cuda_version},
                                 {"cuda_architectures", b.cuda_architectures}}},
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
    return out.dump(2) + "\n";
}

std::string device_as_text() {
    std::string out = fmt::format("CPU interpreter   {} cores\n", simt::default_workers());
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
        out += fmt::format("  per SM          {} threads, {} blocks, {} registers, {} KB shared\n",
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
