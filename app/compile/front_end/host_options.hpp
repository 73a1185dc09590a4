// The options that host code is compiled with.
#pragma once

#include <clang/Frontend/CompilerInvocation.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::compile {

// The header read first, and the name under which Clang finds what stands for the compiled device code.
inline constexpr std::string_view kHostPrelude = "/warptree/host/prelude.h", kGpuBinary = "/warptree/host/device.bin";

// Where the C and C++ headers of this computer lie. Not there: `problem` says what to install.
struct SystemHeaders {
    std::vector<std::string> folders; // in the order of the search
    std::string problem;
};
// Looks at the disk on the first call.
const SystemHeaders& system_headers();

// nvcc takes C++17 where nothing is said, and with an option the newer one.
enum class HostStandard : std::uint8_t { cxx17, cxx20 };

// Options for compiling the host's half of the file `main`.
std::shared_ptr<clang::CompilerInvocation>
invocation_of_host(const std::string& main, const std::vector<std::string>& folders, HostStandard standard);

} // namespace warptree::compile
