#include "app/gpu/nvrtc.hpp"

#include "app/gpu/code_cache.hpp"
#include "app/gpu/nvrtc_headers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <optional>

namespace warptree::gpu {

namespace {
// Folders in which a toolkit may be installed.
std::vector<std::string> toolkits() {
    std::vector<std::string> all;
    for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
        if (const char* folder = std::getenv(name); folder != nullptr && *folder != '\0') {
            all.emplace_back(folder);
        }
    }
    all.emplace_back("/usr/local/cuda");
    return all;
}

struct Library {
    api::NvrtcFunctions functions;
    int major = 0, minor = 0;
    std::vector<int> architectures; // 90 for sm_90
};

void* open_library() {
    if (const char* asked = std::getenv("WARPTREE_NVRTC"); asked != nullptr) {
        return dlopen(asked, RTLD_NOW | RTLD_LOCAL);
    }
    for (const char* name : {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"}) {
        if (void* const found = dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
            return found;
        }
    }
    for (const std::string& folder : toolkits()) {
        for (const char* name : {"/lib64/libnvrtc.so", "/lib64/libnvrtc.so.13", "/lib64/libnvrtc.so.12"}) {
            if (void* const found = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL)) {
                return found;
            }
        }
    }
    return nullptr;
}

std::optional<Library> load() {
    void* const library = open_library();
    if (library == nullptr) {
        return std::nullopt;
    }
    Library l;
    bool whole = true;
#define WARPTREE_LOAD(field, symbol, result, parameters)                                                               \
    l.functions.field = reinterpret_cast<decltype(l.functions.field)>(dlsym(library, #symbol));                        \
    whole = whole && l.functions.field != nullptr;
    WARPTREE_NVRTC_FUNCTIONS(WARPTREE_LOAD)
#undef WARPTREE_LOAD
    int count = 0;
    if (!whole || l.functions.version(&l.major, &l.minor) != api::kSuccess ||
        l.functions.arch_count(&count) != api::kSuccess || count <= 0) {
        return std::nullopt;
    }
    l.architectures.resize(static_cast<std::size_t>(count));
    l.functions.archs(l.architectures.data());
    return l;
}

const std::optional<Library>& library() {
    static const std::optional<Library> one = load();
    return one;
}

class Program {
  public:
    Program(const api::NvrtcFunctions& rtc, const KernelText& text) : rtc_(rtc) {
        std::vector<const char*> names, texts;
        for (const RtcHeader& header : nvrtc_headers()) {
            names.push_back(header.name);
            texts.push_back(header.text);
        }
        check(rtc_.create(&program_, text.text.c_str(), text.name.c_str(), static_cast<int>(names.size()), texts.data(),
                          names.data()));
    }
    ~Program() { rtc_.destroy(&program_); }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    void check(api::Result result) const {
        if (result != api::kSuccess) {
            throw RtcError(fmt::format("NVRTC: {}", rtc_.error_string(result)));
        }
    }
    void add(const std::string& name) { check(rtc_.add_name(program_, name.c_str())); }
    void compile(const std::vector<std::string>& options) {
        std::vector<const char*> list;
        std::transform(options.begin(), options.end(), std::back_inserter(list),
                       [](const std::string& o) { return o.c_str(); });
        const api::Result result = rtc_.compile(program_, static_cast<int>(list.size()), list.data());
        if (result == api::kRtcCompilation) {
            throw RtcError(fmt::format("NVRTC: {}", first_error()));
        }
        check(result);
    }
    std::string symbol(const std::string& name) const {
        const char* lowered = nullptr;
        check(rtc_.lowered_name(program_, name.c_str(), &lowered));
        return lowered;
    }
    std::string image(bool binary) const {
        return binary ? bytes(rtc_.binary_bytes, rtc_.binary) : bytes(rtc_.ptx_bytes, rtc_.ptx);
    }

  private:
    template <class Size, class Get> std::string bytes(Size size, Get get) const {
        std::size_t count = 0;
        check(size(program_, &count));
        std::string all(count, '\0');
        check(get(program_, all.data()));
        return all;
    }
    std::string first_error() const {
        const std::string log = bytes(rtc_.log_bytes, rtc_.log);
        const std::size_t at = std::min(log.find("error"), log.size());
        const std::size_t begin = log.rfind('\n', at) == std::string::npos ? 0 : log.rfind('\n', at) + 1;
        return log.substr(begin, log.find('\n', at) - begin);
    }

    const api::NvrtcFunctions& rtc_;
    api::RtcProgram program_ = nullptr;
};

const Library& required() {
    if (!library()) {
        throw NoCompiler("NVRTC was not found: install CUDA's libnvrtc, or set WARPTREE_NVRTC to it");
    }
    return *library();
}

// "sm_90" if NVRTC knows the device, else PTX for the newest older architecture that it knows.
std::pair<std::string, bool> target(const Library& l, const std::string& architecture) {
    if (architecture.starts_with("compute_")) {
        return {architecture, false};
    }
    const int wanted = std::atoi(architecture.c_str() + 3);
    const bool known = std::find(l.architectures.begin(), l.architectures.end(), wanted) != l.architectures.end();
    if (known) {
        return {architecture, true};
    }
    int best = 0;
    for (const int each : l.architectures) {
        best = each < wanted ? std::max(best, each) : best;
    }
    if (best == 0) {
        throw RtcError(
            fmt::format("NVRTC {}.{} does not support devices as old as {}", l.major, l.minor, architecture));
    }
    return {fmt::format("compute_{}", best), false};
}

std::string toolkit_includes() {
    for (const std::string& folder : toolkits()) {
        if (std::filesystem::exists(folder + "/include/cooperative_groups.h")) {
            return folder + "/include";
        }
    }
    return {};
}
} // namespace

bool has_nvrtc() { return library().has_value(); }

std::string nvrtc_version() {
    return library() ? fmt::format("NVRTC {}.{}", library()->major, library()->minor) : std::string();
}

std::vector<std::string> usual_options(const std::string& architecture, const std::vector<std::string>& extra) {
    std::vector<std::string> options{"--gpu-architecture=" + architecture, "--std=c++17", "-lineinfo"};
    options.insert(options.end(), extra.begin(), extra.end());
    return options;
}

KernelCode compile_with_nvrtc(const KernelText& text, const std::string& architecture,
                              const std::vector<std::string>& extra) {
    const Library& l = required();
    const auto [arch, binary] = target(l, architecture);
    std::vector<std::string> options = usual_options(arch, extra);
    KernelCode code;
    code.compiler = nvrtc_version();
    code.options = fmt::format("{}", fmt::join(options, " "));

    CacheKey key;
    for (const std::string_view part : {std::string_view(code.compiler), std::string_view(code.options),
                                        std::string_view(text.name), std::string_view(text.text)}) {
        key.add(part);
    }
    key.add(nvrtc_headers().front().text);
    for (const auto& [name, value] : text.defines) {
        key.add(name);
        key.add(value);
    }
    for (const auto* list : {&text.kernels, &text.included}) {
        key.add(std::to_string(list->size()));
        std::for_each(list->begin(), list->end(), [&](const std::string& part) { key.add(part); });
    }
    const CodeCache cache;
    if (auto kept = cache.find(key)) {
        if (kept->symbols.size() == text.kernels.size()) {
            code.image = std::move(kept->image);
            code.symbols = std::move(kept->symbols);
            code.seconds = kept->seconds;
            code.cached = true;
            return code;
        }
    }

    for (const auto& [name, value] : text.defines) {
        options.push_back(fmt::format("--define-macro={}={}", name, value));
    }
    for (const std::string& folder : text.folders) {
        if (!folder.empty()) {
            options.push_back("--include-path=" + folder);
        }
    }
    if (const std::string includes = toolkit_includes(); !includes.empty()) { // cooperative_groups.h and others
        options.push_back("--include-path=" + includes);
        options.push_back("--include-path=" + includes + "/cccl");
    }
    options.push_back(fmt::format("--pre-include={}", kRtcPrelude));

    const auto begin = std::chrono::steady_clock::now();
    Program program(l.functions, text);
    for (const std::string& kernel : text.kernels) {
        program.add(kernel);
    }
    program.compile(options);
    code.image = program.image(binary);
    for (const std::string& kernel : text.kernels) {
        code.symbols.push_back(program.symbol(kernel));
    }
    code.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    cache.put(key, {code.image, code.symbols, code.seconds});
    return code;
}

} // namespace warptree::gpu
