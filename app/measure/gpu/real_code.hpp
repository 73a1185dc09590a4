// Code of real kernels for the GPU: a file's device code, compiled by NVRTC, or by LLVM if NVRTC is missing or
// rejects it.
#pragma once

#include "app/gpu/device.hpp"
#include "app/gpu/nvrtc.hpp"
#include "app/run/kernel_source.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace warptree::runs {

// Loads code onto the GPU, each text once.
class RealCode {
  public:
    struct Loaded {
        std::string what; // "mine.cu, reduce<256>"
        std::unique_ptr<gpu::Module> module;
        gpu::api::Function function = nullptr;
        gpu::KernelCode code;
    };
    explicit RealCode(std::vector<std::string> options) : options_(std::move(options)) {}
    // Throws RtcError, NoCompiler, DeviceError.
    const Loaded& load(const KernelSource::Compiled& compiled);
    // "sequential.cu, reduce: NVRTC 13.0 took 62 ms", for each code loaded so far.
    std::vector<std::string> notes() const;

  private:
    gpu::KernelCode code_of(const gpu::KernelText& text, const KernelSource::Compiled& compiled) const;

    std::vector<std::string> options_;
    std::map<std::string, Loaded> loaded_;
};

// What NVRTC is to compile.
gpu::KernelText kernel_text(const KernelSource::Compiled& compiled);

// The file's text with host code blanked out, which NVRTC does not accept.
std::string device_text(const compile::Program& program);

} // namespace warptree::runs
