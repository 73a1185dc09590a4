#include "app/measure/gpu/timing_kernels.hpp"

#include "app/base/element.hpp"
#include "app/base/type_words.hpp"
#include "app/gpu/nvrtc.hpp"
#include "app/run/kernel_choice.hpp"
#include "app/run/kernel_source.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warptree::runs {

namespace {
constexpr const char* kName = "timing_kernels.cu";
constexpr unsigned kThreads = 256;
constexpr unsigned kReadThreads = 512, kReadBlocksOnEach = 4; // the threads as in timing_kernels.cu

unsigned blocks_for(std::uint64_t threads) {
    constexpr std::uint64_t kMost = 1U << 16; // grid-stride beyond
    return static_cast<unsigned>(std::clamp<std::uint64_t>((threads + kThreads - 1) / kThreads, 1, kMost));
}

// Queues a launch whose arguments have the kernel's exact types.
template <class... Arguments>
void call(gpu::api::Function function, unsigned grid, unsigned block, Arguments... arguments) {
    gpu::launch({function, {grid, 1, 1}, {block, 1, 1}, 0, {static_cast<void*>(&arguments)...}});
}
} // namespace

std::string timing_kernels_code(ElementType type, const std::string& architecture, bool by_nvrtc) {
    const std::string element(c_name(type));
    if (by_nvrtc) {
        gpu::KernelText text;
        text.name = kName;
        text.text = timing_kernels_text();
        text.defines = {{"ELEMENT", element}};
        return gpu::compile_with_nvrtc(text, architecture).image;
    }
    compile::Request request;
    request.name = kName;
    request.text = timing_kernels_text();
    request.defines = {{"ELEMENT", element}};
    request.code = compile::Code::optimised;
    request.architecture = architecture;
    const compile::Program program = compiler().compile(request);
    if (program.code.ptx.empty()) {
        throw DeviceError(fmt::format("the harness's own kernels do not compile: {}{}", program.code.problem,
                                      diagnostics_text(program.diagnostics)));
    }
    return program.code.ptx;
}

TimingKernels::TimingKernels(ElementType type)
    : code_(timing_kernels_code(type, gpu::facts().architecture(), gpu::has_nvrtc())), fill_(code_.function("fill")),
      compare_copy_(code_.function("compare_copy")), compare_scan_(code_.function("compare_scan")),
      compare_rounded_(code_.function("compare_rounded")), read_all_(code_.function("read_all")),
      nothing_(code_.function("nothing")) {}

void TimingKernels::fill(gpu::api::Address out, const Contents& what) const {
    call(fill_, blocks_for(what.n), kThreads, out, what.n, what.seed, static_cast<unsigned>(what.data));
}

void TimingKernels::compare_copy(gpu::api::Address out, const Contents& in, gpu::api::Address wrong) const {
    call(compare_copy_, blocks_for(in.n), kThreads, out, in.n, in.seed, static_cast<unsigned>(in.data), wrong);
}

void TimingKernels::compare_scan(gpu::api::Address out, const Contents& in, std::uint64_t tile, bool exclusive,
                                 gpu::api::Address wrong) const {
    call(compare_scan_, blocks_for(in.n), kThreads, out, in.n, in.seed, static_cast<unsigned>(in.data), tile,
         exclusive ? 1U : 0U, wrong);
}

void TimingKernels::compare_rounded(gpu::api::Address out, const Contents& in, std::uint64_t part,
                                    gpu::api::Address before, bool exclusive, const timing::ScanTolerance& tolerance,
                                    gpu::api::Address wrong) const {
    call(compare_rounded_, blocks_for((in.n + part - 1) / part), kThreads, out, in.n, in.seed,
         static_cast<unsigned>(in.data), part, before, exclusive ? 1U : 0U, tolerance.of_magnitude,
         tolerance.of_largest, wrong);
}

void TimingKernels::read_all(gpu::api::Address in, std::uint64_t bytes, gpu::api::Address out) const {
    const std::uint64_t words = bytes / 4, useful = (words / 4 + kReadThreads - 1) / kReadThreads;
    const auto most = static_cast<std::uint64_t>(gpu::facts().multiprocessors) * kReadBlocksOnEach;
    call(read_all_, static_cast<unsigned>(std::clamp<std::uint64_t>(useful, 1, most)), kReadThreads, in, words, out);
}

void TimingKernels::nothing(std::uint32_t grid, std::uint32_t block) const { call(nothing_, grid, block); }

} // namespace warptree::runs
