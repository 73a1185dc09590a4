#include "app/theory/device_limits.hpp"

#include "app/base/error.hpp"

#include <array>
#include <string>

namespace warptree::theory {

namespace {
constexpr std::uint32_t kKB = 1024;
constexpr auto kBlock = RegisterUnit::block;
constexpr auto kWarp = RegisterUnit::warp;

// id, name, example, cc, threads per block | threads, warps, blocks | registers, per thread, per block, granule, unit,
// warp granule | shared, per block, granule, reserved
constexpr std::array kDevices{
    DeviceLimits{"g80", "G80", "8800 GTX", 1, 0, 512, 768, 24, 8, 8 * kKB, 124, 8 * kKB, 256, kBlock, 2, 16 * kKB,
                 16 * kKB, 512, 0},
    DeviceLimits{"gt200", "GT200", "GTX 280", 1, 3, 512, 1024, 32, 8, 16 * kKB, 124, 16 * kKB, 512, kBlock, 2, 16 * kKB,
                 16 * kKB, 512, 0},
    DeviceLimits{"fermi", "Fermi", "GTX 480", 2, 0, 1024, 1536, 48, 8, 32 * kKB, 63, 32 * kKB, 64, kWarp, 2, 48 * kKB,
                 48 * kKB, 128, 0},
    DeviceLimits{"kepler", "Kepler", "K20, K40", 3, 5, 1024, 2048, 64, 16, 64 * kKB, 255, 64 * kKB, 256, kWarp, 4,
                 48 * kKB, 48 * kKB, 256, 0},
    DeviceLimits{"maxwell", "Maxwell", "GTX 980", 5, 2, 1024, 2048, 64, 32, 64 * kKB, 255, 64 * kKB, 256, kWarp, 4,
                 96 * kKB, 48 * kKB, 256, 0},
    DeviceLimits{"pascal", "Pascal", "P100", 6, 0, 1024, 2048, 64, 32, 64 * kKB, 255, 64 * kKB, 256, kWarp, 2, 64 * kKB,
                 48 * kKB, 256, 0},
    DeviceLimits{"volta", "Volta", "V100", 7, 0, 1024, 2048, 64, 32, 64 * kKB, 255, 64 * kKB, 256, kWarp, 4, 96 * kKB,
                 96 * kKB, 256, 0},
    DeviceLimits{"turing", "Turing", "RTX 2080", 7, 5, 1024, 1024, 32, 16, 64 * kKB, 255, 64 * kKB, 256, kWarp, 4,
                 64 * kKB, 64 * kKB, 256, 0},
    DeviceLimits{"ampere", "Ampere", "A100", 8, 0, 1024, 2048, 64, 32, 64 * kKB, 255, 64 * kKB, 256, kWarp, 4,
                 164 * kKB, 163 * kKB, 128, kKB},
    DeviceLimits{"ampere-86", "Ampere 8.6", "RTX 3080", 8, 6, 1024, 1536, 48, 16, 64 * kKB, 255, 64 * kKB, 256, kWarp,
                 4, 100 * kKB, 99 * kKB, 128, kKB},
    DeviceLimits{"ada", "Ada", "RTX 4090", 8, 9, 1024, 1536, 48, 24, 64 * kKB, 255, 64 * kKB, 256, kWarp, 4, 100 * kKB,
                 99 * kKB, 128, kKB},
    DeviceLimits{"hopper", "Hopper", "H100, H200", 9, 0, 1024, 2048, 64, 32, 64 * kKB, 255, 64 * kKB, 256, kWarp, 4,
                 228 * kKB, 227 * kKB, 128, kKB},
};
} // namespace

std::span<const DeviceLimits> device_limits() { return kDevices; }

const DeviceLimits* find_device(std::string_view id) {
    for (const DeviceLimits& d : kDevices) {
        if (d.id == id) {
            return &d;
        }
    }
    return nullptr;
}

const DeviceLimits& require_device(std::string_view id) {
    if (const DeviceLimits* found = find_device(id)) {
        return *found;
    }
    std::string all;
    for (const DeviceLimits& d : kDevices) {
        all += (all.empty() ? "" : ", ") + std::string(d.id);
    }
    throw OptionError("unknown device '" + std::string(id.substr(0, 40)) + "'; use one of " + all);
}

} // namespace warptree::theory
