#include "app/theory/roofline.hpp"

#include <algorithm>
#include <array>

namespace warptree::theory {

namespace {
// Adds per second: arithmetic units × the clock in the source. Data sheets state twice that, counting a fused
// multiply-add as two operations.
constexpr std::array kMachines{
    Machine{"g80", "8800 GTX", 86.4e9, 128 * 1.35e9, 0, "384 bit × 1800 MT/s; 128 units at 1.35 GHz, no f64"},
    Machine{"gt200", "GTX 280", 141.7e9, 240 * 1.296e9, 30 * 1.296e9, "NVIDIA GeForce GTX 200 GPU technical brief"},
    Machine{"fermi", "GTX 480", 177.4e9, 480 * 1.401e9, 60 * 1.401e9, "NVIDIA GeForce GTX 480 specifications"},
    Machine{"kepler", "Tesla K40", 288e9, 2.145e12, 0.715e12, "NVIDIA Tesla K40 board specification"},
    Machine{"maxwell", "GTX 980", 224e9, 2048 * 1.216e9, 64 * 1.216e9, "NVIDIA GeForce GTX 980 white paper"},
    Machine{"pascal", "Tesla P100", 732e9, 5.3e12, 2.65e12, "NVIDIA Tesla P100 white paper"},
    Machine{"volta", "Tesla V100", 900e9, 7.85e12, 3.9e12, "NVIDIA Tesla V100 white paper"},
    Machine{"turing", "RTX 2080", 448e9, 2944 * 1.71e9, 92 * 1.71e9, "NVIDIA Turing architecture white paper"},
    Machine{"ampere", "A100 40 GB", 1555e9, 9.75e12, 4.85e12, "NVIDIA A100 white paper"},
    Machine{"ampere-86", "RTX 3080", 760e9, 8704 * 1.71e9, 136 * 1.71e9, "NVIDIA GA102 white paper"},
    Machine{"ada", "RTX 4090", 1008e9, 16384 * 2.52e9, 256 * 2.52e9, "NVIDIA Ada architecture white paper"},
    Machine{"hopper", "H200 SXM", 4800e9, 33.5e12, 17e12, "NVIDIA H200 data sheet"},
};
} // namespace

double intensity(std::uint64_t n, unsigned element_bytes) {
    return n < 2 ? 0 : static_cast<double>(n - 1) / (static_cast<double>(n) * element_bytes);
}

std::span<const Machine> machines() { return kMachines; }

const Machine* machine_of(std::string_view device) {
    const auto found =
        std::find_if(kMachines.begin(), kMachines.end(), [&](const Machine& m) { return m.device == device; });
    return found == kMachines.end() ? nullptr : &*found;
}

double attainable(double peak, double bytes_per_second, double intensity) {
    return std::min(peak, intensity * bytes_per_second);
}

double ridge(double peak, double bytes_per_second) { return peak / bytes_per_second; }

double bandwidth(unsigned bus_bits, double transfers_per_second) { return bus_bits * transfers_per_second / 8; }

} // namespace warptree::theory
