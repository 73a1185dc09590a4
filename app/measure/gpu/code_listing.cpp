#include "app/measure/gpu/code_listing.hpp"

#include "app/catalogue/strategy.hpp"
#include "app/gpu/device.hpp"
#include "app/gpu/driver.hpp"
#include "app/gpu/nvrtc.hpp"
#include "app/run/run.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace warptree::runs {

namespace {
// Makes paths relative to the shipped, the file's or the current folder: "reduce/warp_reduce.cuh", "mine.cuh".
void shorten(code::Listing& listing, const compile::Request& request) {
    std::error_code none;
    for (const std::string& folder : {request.shipped, request.folder, std::filesystem::current_path(none).string()}) {
        for (std::string& file : listing.files) {
            if (!folder.empty() && file.size() > folder.size() && file.starts_with(folder) &&
                file[folder.size()] == '/') {
                file.erase(0, folder.size() + 1);
            }
        }
    }
}

KernelSource::Compiled compiled(const RunOptions& options) {
    RunOptions o = is_kernel_file(options) ? options : of_its_file(resolve(options));
    KernelSource source(o);
    o.finish = source.finish();
    return source.compile(o, true);
}

void by_llvm(code::Disassembly& made, const KernelSource::Compiled& from, const std::string& why) {
    compile::Request request = from.request;
    request.code = compile::Code::listed;
    request.architecture = made.architecture;
    const compile::Program program = compiler().compile(request);
    made.sass_missing = "SASS needs NVRTC, but " + why;
    if (program.code.ptx.empty() || program.kernels.size() <= from.kernel) {
        made.ptx_missing = fmt::format("{}, and LLVM does not compile it: {}", why, program.code.problem);
        return;
    }
    made.ptx = code::read_ptx(program.code.ptx, program.kernels[from.kernel].symbol);
    made.ptx.compiler = fmt::format("LLVM -O3, as {}", why);
}

code::Disassembly live(const KernelSource::Compiled& from, const std::string& architecture) {
    code::Disassembly made;
    made.architecture = architecture;
    made.kernel = from.program->kernels[from.kernel].name;
    made.source = code::source_key(from.request.text);
    std::string why = "NVRTC was not found";
    if (gpu::has_nvrtc()) {
        try {
            list_by_nvrtc(made, from);
            why.clear();
        } catch (const DeviceError& e) {
            why = e.what();
        }
    }
    if (made.ptx.empty()) {
        by_llvm(made, from, why.empty() ? "NVRTC's PTX has no such kernel" : why);
    } else if (made.sass.empty() && made.sass_missing.empty()) {
        made.sass_missing = why.empty() ? "the machine code has no such kernel" : why;
    }
    shorten(made.ptx, from.request);
    shorten(made.sass, from.request);
    return made;
}
} // namespace

std::string listed_architecture() { return gpu::usable() ? gpu::facts().architecture() : "sm_90"; }

code::Disassembly disassemble(const RunOptions& options, const std::string& architecture) {
    return live(compiled(options), architecture);
}

code::Disassembly disassemble(const RunOptions& options, const std::string& architecture,
                              const code::Recording* recorded) {
    const KernelSource::Compiled from = compiled(options);
    const bool of_text = recorded != nullptr && recorded->code.source == code::source_key(from.request.text);
    if (!of_text) {
        return live(from, architecture);
    }
    if (recorded->type == options.type && options.op == Operator::sum && recorded->code.architecture == architecture &&
        recorded->code.kernel == from.program->kernels[from.kernel].name) {
        return recorded->code;
    }
    if (!gpu::has_nvrtc()) { // recorded code of another type tells more than LLVM's of this one
        return recorded->code;
    }
    code::Disassembly made = live(from, architecture);
    if (made.sass.empty()) {
        made.sass = recorded->code.sass;
        made.sass.compiler += ", recorded for " + recorded->code.what;
        made.sass_missing.clear();
    }
    return made;
}

} // namespace warptree::runs
