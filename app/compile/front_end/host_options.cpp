#include "app/compile/front_end/host_options.hpp"

#include "app/compile/client/compiler.hpp"
#include "app/compile/front_end/files.hpp"

#include <clang/Basic/Diagnostic.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

namespace warptree::compile {
namespace {

#if defined(__aarch64__)
constexpr std::string_view kMachine = "aarch64-linux-gnu";
#else
constexpr std::string_view kMachine = "x86_64-linux-gnu";
#endif

// The folder's subfolder with the largest number for a name; empty: there is none.
std::string newest(const std::string& folder) {
    int best = -1;
    std::error_code error;
    for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename().string();
        int number = -1;
        std::from_chars(name.data(), name.data() + name.size(), number);
        if (std::to_string(number) == name) best = std::max(best, number);
    }
    return best < 0 ? std::string() : std::to_string(best);
}

SystemHeaders look() {
    SystemHeaders found;
    const std::string machine(kMachine);
    const std::string library = newest("/usr/include/c++");
    const auto add = [&](const std::string& folder) {
        if (std::filesystem::is_directory(folder)) found.folders.push_back(folder);
    };
    if (library.empty() || !std::filesystem::exists("/usr/include/c++/" + library + "/vector") ||
        !std::filesystem::exists("/usr/include/" + machine + "/c++/" + library)) {
        found.problem = "the C++ headers of this computer, which host code needs, are not installed: install "
                        "libstdc++-12-dev (or g++)";
        return found;
    }
    if (!std::filesystem::exists("/usr/include/stdio.h")) {
        found.problem = "the C headers of this computer, which host code needs, are not installed: install libc6-dev";
        return found;
    }
    add("/usr/include/c++/" + library);
    add("/usr/include/" + machine + "/c++/" + library);
    add("/usr/include/c++/" + library + "/backward");
    // Those that belong to the compiler: Clang's own, else GCC's.
    const std::string clang = "/usr/lib/llvm-19/lib/clang/19/include";
    const std::string gcc = "/usr/lib/gcc/" + machine + "/" + newest("/usr/lib/gcc/" + machine) + "/include";
    add(std::filesystem::exists(clang + "/stddef.h") ? clang : gcc);
    add("/usr/local/include");
    add("/usr/include/" + machine);
    add("/usr/include");
    return found;
}

#if defined(__aarch64__)
constexpr const char *kTriple = "aarch64-unknown-linux-gnu", *kProcessor = "generic";
#else
constexpr const char *kTriple = "x86_64-pc-linux-gnu", *kProcessor = "x86-64";
#endif

// What run/compiler_warnings tells of; -w would hide all.
constexpr std::array kWarnings = {"-Wparentheses",
                                  "-Wempty-body",
                                  "-Warray-bounds",
                                  "-Winteger-overflow",
                                  "-Wshift-count-overflow",
                                  "-Wdivision-by-zero",
                                  "-Wunused-comparison",
                                  "-Wunused-value",
                                  "-Wmisleading-indentation",
                                  "-Wformat",
                                  "-Wreturn-type",
                                  "-Wliteral-conversion",
                                  "-Wconstant-conversion",
                                  "-Wunsequenced",
                                  "-Wsizeof-pointer-div",
                                  "-Wsizeof-array-argument",
                                  "-Wtautological-type-limit-compare",
                                  "-Wuninitialized"};

} // namespace

const SystemHeaders& system_headers() {
    static const SystemHeaders headers = look();
    return headers;
}

std::shared_ptr<clang::CompilerInvocation>
invocation_of_host(const std::string& main, const std::vector<std::string>& folders, HostStandard standard) {
    std::vector<const char*> words = {
        "-triple", kTriple, "-aux-triple", "nvptx64-nvidia-cuda", "-target-cpu", kProcessor, "-target-sdk-version=12.3",
        "-emit-obj", "-fcuda-allow-variadic-functions", "-fdeclspec", "-fexceptions", "-fcxx-exceptions",
        "-fgnuc-version=4.2.1", "-pthread", "-fno-char8_t", "-fno-cxx-modules",
        // Code that can lie anywhere, with frames that can be walked when it crashes.
        "-mrelocation-model", "pic", "-pic-level", "2", "-ftls-model=initial-exec", "-mframe-pointer=all",
        "-funwind-tables=2", "-fno-strict-return", "-O1", "-debug-info-kind=line-tables-only", "-dwarf-version=4",
        "-fdebug-compilation-dir=.", "-fcuda-include-gpubinary", kGpuBinary.data(),
        // Ours, the system's, then CUDA's names and the file's folder.
        "-nostdsysteminc", "-nobuiltininc", "-internal-isystem", "/warptree/host"};
    for (const std::string& folder : system_headers().folders) {
        words.push_back("-internal-isystem");
        words.push_back(folder.c_str());
    }
    words.insert(words.end(), {"-idirafter", "/warptree", "-idirafter", "/source", "-idirafter", "/kernels",
                               "-fmacro-prefix-map=/source/=", "-ferror-limit", "0", "-fno-caret-diagnostics",
                               "-include", kHostPrelude.data(), "-Wno-everything"});
    words.insert(words.end(), kWarnings.begin(), kWarnings.end());
    std::vector<std::string> further;
    for (std::size_t i = 0; i < folders.size(); ++i) further.push_back("-I" + searched_folder(i, folders[i]));
    for (const std::string& word : further) words.push_back(word.c_str());
    words.push_back(standard == HostStandard::cxx20 ? "-std=gnu++20" : "-std=gnu++17");
    words.insert(words.end(), {"-x", "cuda"});
    const std::string name(SourceFiles::name_of(main));
    words.insert(words.end(), {"-main-file-name", name.c_str(), main.c_str()});
    auto invocation = std::make_shared<clang::CompilerInvocation>();
    clang::DiagnosticsEngine engine(new clang::DiagnosticIDs, new clang::DiagnosticOptions,
                                    new clang::IgnoringDiagConsumer);
    if (!clang::CompilerInvocation::CreateFromArgs(*invocation, words, engine))
        throw CompileError("Clang does not accept the options of this build");
    return invocation;
}

} // namespace warptree::compile
