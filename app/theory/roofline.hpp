// Whether a kernel is bound by arithmetic or by memory: the roofline.
//
// Source: S. Williams, A. Waterman, D. Patterson, "Roofline: An Insightful Visual Performance Model for Multicore
// Architectures", CACM 52(4), 2009.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace warptree::theory {

// Combines per byte loaded when n elements are reduced to one: (n - 1) / (n e), about 1 / e.
double intensity(std::uint64_t n, unsigned element_bytes);

struct Machine {
    std::string_view device;           // id of one of device_limits()
    std::string_view name;             // "H200 SXM"
    double bytes_per_second = 0;       // theoretical peak memory bandwidth
    double adds_f32 = 0, adds_f64 = 0; // per second: one per arithmetic unit per cycle; a fused
                                       // multiply-add counts as one
    std::string_view source;
};

std::span<const Machine> machines();
const Machine* machine_of(std::string_view device); // nullptr: none

// Attainable combines per second at that intensity: min(peak, intensity × bandwidth).
double attainable(double peak, double bytes_per_second, double intensity);
// Intensity above which memory is no longer the limit: peak / bandwidth, in combines per byte.
double ridge(double peak, double bytes_per_second);

// Bus width in bits × transfers per second / 8, in bytes per second: 384 bit × 1800 MT/s = 86.4 GB/s.
double bandwidth(unsigned bus_bits, double transfers_per_second);

} // namespace warptree::theory
