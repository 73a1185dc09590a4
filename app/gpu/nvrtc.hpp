// NVRTC, loaded at run time, and the code it compiles from a kernel file.
#pragma once

#include "app/gpu/errors.hpp"

#include <string>
#include <utility>
#include <vector>

namespace warptree::gpu {

struct KernelText {
    std::string name; // of the file: "mine.cu"
    std::string text;
    std::vector<std::string> folders; // searched for quoted includes
    std::vector<std::pair<std::string, std::string>> defines;
    std::vector<std::string> kernels;       // as C++ names them: "reduce", "reduce<256>"
    std::vector<std::string> included = {}; // paths and texts of included headers; part of the cache key
};

struct KernelCode {
    std::string image;                // a cubin, or PTX if NVRTC is older than the device
    std::vector<std::string> symbols; // by index in KernelText::kernels
    std::string compiler;             // "NVRTC 13.0"
    std::string options;              // as passed to it, without macros and folders
    double seconds = 0;               // compile time; of an earlier run if cached
    bool cached = false;
};

// NVRTC cannot compile the text; what() is its first error. It may reject what this program's own compiler accepts.
struct RtcError : DeviceError {
    using DeviceError::DeviceError;
};

// Whether NVRTC is available: $WARPTREE_NVRTC, else libnvrtc on the library path or in CUDA's default locations.
bool has_nvrtc();
std::string nvrtc_version(); // "NVRTC 13.0"; empty: none

// The options passed to NVRTC, without macros and folders; it optimises as nvcc -O3 does.
std::vector<std::string> usual_options(const std::string& architecture, const std::vector<std::string>& extra);

// architecture: "sm_90", or "compute_90" for PTX. extra: further options, e.g. --use_fast_math. Uses the cache. Throws
// NoCompiler, RtcError.
KernelCode compile_with_nvrtc(const KernelText& text, const std::string& architecture,
                              const std::vector<std::string>& extra = {});

} // namespace warptree::gpu
