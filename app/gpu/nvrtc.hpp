// NVRTC, found at run time, and what it makes of the text of a kernel file.
#pragma once

#include "app/gpu/errors.hpp"

#include <string>
#include <utility>
#include <vector>

namespace warptree::gpu {

struct KernelText {
    std::string name; // of the file: "mine.cu"
    std::string text;
    std::vector<std::string> folders; // that quoted includes are looked for in
    std::vector<std::pair<std::string, std::string>> defines;
    std::vector<std::string> kernels;       // as C++ names them: "reduce", "reduce<256>"
    std::vector<std::string> included = {}; // texts of the headers it reads, by which the cache tells one from another
};

struct KernelCode {
    std::string image;                // a cubin, or PTX where NVRTC is older than the device
    std::vector<std::string> symbols; // by number of KernelText::kernels
    std::string compiler;             // "NVRTC 13.0"
    std::string options;              // as given to it, without folders
    double seconds = 0;               // compiling took; of an earlier run where it was cached
    bool cached = false;
};

// The text is no program to NVRTC; what() is its first error. It may take less than the compiler of this program does.
struct RtcError : DeviceError {
    using DeviceError::DeviceError;
};

// Whether there is an NVRTC: $WARPTREE_NVRTC, else libnvrtc where libraries are looked for, else in CUDA's usual places.
bool has_nvrtc();
std::string nvrtc_version(); // "NVRTC 13.0"; empty: none

// What NVRTC is called with, less macros and folders; it optimises as nvcc -O3 does.
std::vector<std::string> usual_options(const std::string& architecture, const std::vector<std::string>& extra);

// architecture: "sm_90", or "compute_90" for PTX. extra: options beside ours, as --use_fast_math. From the cache where it is there. Throws
// NoCompiler, RtcError.
KernelCode compile_with_nvrtc(const KernelText& text, const std::string& architecture,
                              const std::vector<std::string>& extra = {});

} // namespace warptree::gpu
