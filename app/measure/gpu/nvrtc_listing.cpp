#include "app/gpu/nvdisasm.hpp"
#include "app/measure/gpu/code_listing.hpp"
#include "app/measure/gpu/real_code.hpp"

namespace warptree::runs {

void list_by_nvrtc(code::Disassembly& made, const KernelSource::Compiled& from) {
    const gpu::KernelText text = kernel_text(from);
    const std::string number = made.architecture.substr(made.architecture.find('_') + 1);
    const gpu::KernelCode ptx = gpu::compile_with_nvrtc(text, "compute_" + number);
    made.ptx = code::read_ptx(ptx.image, ptx.symbols.front());
    made.ptx.compiler = ptx.compiler;
    if (gpu::nvdisasm().empty()) {
        made.sass_missing = "nvdisasm, which reads machine code, was not found; it comes with the CUDA toolkit";
        return;
    }
    const gpu::KernelCode cubin = gpu::compile_with_nvrtc(text, made.architecture);
    made.sass = code::read_sass(gpu::disassemble(cubin.image), cubin.symbols.front());
    made.sass.compiler = cubin.compiler;
}

} // namespace warptree::runs
