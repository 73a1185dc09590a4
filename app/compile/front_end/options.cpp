#include "app/compile/front_end/options.hpp"

#include "app/compile/client/compiler.hpp"
#include "app/compile/front_end/files.hpp"

#include <clang/Basic/Diagnostic.h>

#include <vector>

namespace warptree::compile {
namespace {

std::vector<const char*> arguments() {
    return {"-triple", "nvptx64-nvidia-cuda", "-aux-triple", "x86_64-pc-linux-gnu", "-target-cpu", "sm_90",
            "-target-feature", "+ptx78", "-target-sdk-version=12.3",
            // Language: what nvcc accepts by default or with common options.
            "-std=gnu++20", "-fcuda-is-device", "-fcuda-allow-variadic-functions", "-fdeclspec", "-fexceptions",
            "-fcxx-exceptions", "-fno-char8_t", "-fno-cxx-modules", "-fno-threadsafe-statics",
            // No system headers: ours, then the file's folder, then that of our kernels.
            "-nostdsysteminc", "-nobuiltininc", "-internal-isystem", "/warptree", "-idirafter", "/source", "-idirafter",
            "/kernels",
            // The module for display: not optimised, but without the clutter of unoptimised code.
            "-O2", "-disable-llvm-passes", "-disable-lifetime-markers", "-debug-info-kind=limited", "-dwarf-version=2",
            "-fdebug-compilation-dir=.",
            "-fdebug-prefix-map=/source/=", "-fdebug-prefix-map=/warptree/=", "-fdebug-prefix-map=/kernels/=",
            "-fmacro-prefix-map=/source/=", "-fmacro-prefix-map=/warptree/=", "-fmacro-prefix-map=/kernels/=",
            // Diagnostics: none for what nvcc accepts silently.
            "-ferror-limit", "0", "-fno-caret-diagnostics", "-Wno-deprecated-volatile", "-Wno-register",
            "-Wno-c++11-narrowing", "-Wno-unknown-cuda-version", "-Wno-writable-strings", "-Wno-unknown-pragmas",
            "-Wno-ignored-attributes", "-Wno-pass-failed", "-Wno-deprecated-enum-enum-conversion", "-Wunused-value",
            "-Wno-unused-result", "-Wuninitialized", "-Wmisleading-indentation", "-Wno-undefined-inline",
            "-Wno-undefined-internal", "-Wno-macro-redefined", "-Wno-vla-cxx-extension", "-Wno-gnu",
            "-Wno-return-type-c-linkage", "-Wtautological-type-limit-compare", "-x", "cuda"};
}

std::shared_ptr<clang::CompilerInvocation> parsed(std::vector<const char*> words, const std::string& main) {
    const std::string name(SourceFiles::name_of(main));
    words.push_back("-main-file-name");
    words.push_back(name.c_str());
    words.push_back(main.c_str());
    auto invocation = std::make_shared<clang::CompilerInvocation>();
    clang::DiagnosticsEngine engine(new clang::DiagnosticIDs, new clang::DiagnosticOptions,
                                    new clang::IgnoringDiagConsumer);
    if (!clang::CompilerInvocation::CreateFromArgs(*invocation, words, engine))
        throw CompileError("Clang does not accept the options of this build");
    return invocation;
}

} // namespace

std::string all_options() {
    std::string all;
    for (const char* const word : arguments()) (all += word) += '\n';
    return all;
}

std::shared_ptr<clang::CompilerInvocation> invocation_of_prelude() {
    auto words = arguments();
    words.push_back("-emit-pch");
    return parsed(words, std::string(kPrelude));
}

std::shared_ptr<clang::CompilerInvocation> invocation_of(const std::string& main,
                                                         const std::vector<std::string>& folders) {
    auto words = arguments();
    std::vector<std::string> further;
    for (std::size_t i = 0; i < folders.size(); ++i) {
        const std::string folder = std::string(kFoldersRoot) + std::to_string(i);
        further.insert(further.end(), {"-I" + searched_folder(i, folders[i]),
                                       "-fdebug-prefix-map=" + folder + "/=", "-fmacro-prefix-map=" + folder + "/="});
    }
    for (const std::string& word : further) words.push_back(word.c_str());
    words.insert(words.end(), {"-emit-llvm-only", "-fno-validate-pch", "-include", kAfterPrelude.data()});
    return parsed(words, main);
}

} // namespace warptree::compile
