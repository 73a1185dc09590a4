// How this program was built.
#pragma once

#include <string_view>

namespace warptree {

struct BuildInfo {
    std::string_view version;            // "0.1.0"
    std::string_view commit;             // abbreviated; "unknown" outside a git checkout
    std::string_view compiler;           // "GNU 12.2.0"
    std::string_view build_type;         // "Release"
    bool cuda = false;                   // NVIDIA's library is built in, for timings
    std::string_view cuda_version;       // "13.0.88"; empty without cuda
    std::string_view cuda_architectures; // "75-real, 90-virtual"; empty without cuda
};

const BuildInfo& build_info();

} // namespace warptree
