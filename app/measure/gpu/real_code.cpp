#include "app/measure/gpu/real_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

namespace warptree::runs {

std::string device_text(const compile::Program& program) {
    std::string text = program.files.empty() ? std::string() : program.files.front().text;
    for (const compile::TextRange& range : program.host_code) {
        for (std::uint64_t i = range.first; i < std::min<std::uint64_t>(range.end, text.size()); ++i) {
            text[i] = text[i] == '\n' ? '\n' : ' ';
        }
    }
    return text;
}

// Compiled by NVRTC; without it, or if it rejects what Clang accepts, by LLVM.
gpu::KernelCode RealCode::code_of(const gpu::KernelText& text, const KernelSource::Compiled& compiled) const {
    const std::string architecture = gpu::facts().architecture();
    std::string why = "NVRTC was not found";
    if (gpu::has_nvrtc()) {
        try {
            return gpu::compile_with_nvrtc(text, architecture, options_);
        } catch (const gpu::RtcError& e) {
            why = e.what();
        }
    }
    compile::Request request = compiled.request;
    request.code = compile::Code::optimised;
    request.architecture = architecture;
    const auto begin = std::chrono::steady_clock::now();
    const compile::Program program = compiler().compile(request);
    if (program.code.ptx.empty() || program.kernels.size() <= compiled.kernel) {
        throw gpu::RtcError(fmt::format("{}, and LLVM does not compile it: {}", why, program.code.problem));
    }
    gpu::KernelCode code;
    code.image = program.code.ptx;
    code.symbols = {program.kernels[compiled.kernel].symbol};
    code.compiler = fmt::format("LLVM -O3 (as {})", why);
    code.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return code;
}

std::vector<std::string> RealCode::notes() const {
    std::vector<std::string> list;
    for (const auto& [key, loaded] : loaded_) {
        list.push_back(fmt::format("{}: {} took {:.0f} ms{}", loaded.what, loaded.code.compiler,
                                   1e3 * loaded.code.seconds, loaded.code.cached ? ", cached" : ""));
    }
    return list;
}

gpu::KernelText kernel_text(const KernelSource::Compiled& compiled) {
    const compile::Program& program = *compiled.program;
    gpu::KernelText text;
    text.name = compiled.request.name;
    text.text = device_text(program);
    text.folders = {compiled.request.folder, compiled.request.shipped};
    for (const compile::Define& define : compiled.request.defines) {
        text.defines.emplace_back(define.name, define.value);
    }
    text.kernels = {program.kernels[compiled.kernel].name};
    for (const compile::SourceText& file : program.files) {
        if (!file.ours && &file != &program.files.front()) {
            text.included.push_back(file.path);
            text.included.push_back(file.text);
        }
    }
    return text;
}

const RealCode::Loaded& RealCode::load(const KernelSource::Compiled& compiled) {
    const gpu::KernelText text = kernel_text(compiled);
    std::string key = text.text + '\0' + text.kernels.front();
    for (const auto& [name, value] : text.defines) {
        key += '\0' + name + '=' + value;
    }
    for (const std::string& part : text.included) {
        key += '\0' + part;
    }
    const auto [at, fresh] = loaded_.try_emplace(key);
    if (fresh) {
        try {
            at->second.what = fmt::format("{}, {}", text.name, text.kernels.front());
            at->second.code = code_of(text, compiled);
            at->second.module = std::make_unique<gpu::Module>(at->second.code.image);
            at->second.function = at->second.module->function(at->second.code.symbols.front());
        } catch (...) {
            loaded_.erase(at);
            throw;
        }
    }
    return at->second;
}

} // namespace warptree::runs
