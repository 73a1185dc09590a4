#include "app/gpu/driver.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>
#include <unistd.h>

namespace warptree::gpu {

namespace {
// Why the device is no longer used; set once.
struct Ended {
    std::atomic<bool> already{false};
    std::mutex writing;
    std::string why;

    void because(const std::string& text) {
        const std::lock_guard lock(writing);
        if (!already) {
            why = text;
            already = true;
        }
    }
};
Ended& ended() {
    static Ended once;
    return once;
}

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

constexpr const char* kInstead = "; --backend cpu runs without one"; // for runs, which may

struct Found {
    api::DriverFunctions functions;
    std::string problem; // empty: the driver works
    bool too_old = false;
    int version = 0;
};

Found look() {
    Found found;
    const char* const asked = std::getenv("WARPTREE_DRIVER");
    void* const library = dlopen(asked != nullptr ? asked : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        found.problem = "no NVIDIA driver on this machine";
        return found;
    }
    const char* missing = nullptr;
#define WARPTREE_LOAD(field, symbol, result, parameters)                                                               \
    found.functions.field = reinterpret_cast<decltype(found.functions.field)>(dlsym(library, #symbol));                \
    missing = found.functions.field == nullptr ? #symbol : missing;
    WARPTREE_DRIVER_FUNCTIONS(WARPTREE_LOAD)
#undef WARPTREE_LOAD
    if (found.functions.driver_version != nullptr) {
        found.functions.driver_version(&found.version);
    }
    if (missing != nullptr) {
        found.too_old = true;
        found.problem = fmt::format("the NVIDIA driver{} lacks {}; update the driver, or use --backend cpu",
                                    found.version == 0 ? "" : " for CUDA " + version_text(found.version), missing);
        return found;
    }
    const api::Result status = found.functions.init(0);
    int count = 0;
    if (status == api::kSuccess) {
        found.functions.device_count(&count);
    }
    if (status == api::kNoDevice || (status == api::kSuccess && count == 0)) {
        found.problem = "the NVIDIA driver finds no GPU";
    } else if (status != api::kSuccess) {
        const char* text = nullptr;
        found.functions.error_string(status, &text);
        found.problem = fmt::format("the NVIDIA driver failed to start: {}", text != nullptr ? text : "unknown error");
    }
    return found;
}

const Found& found() {
    static const Found once = look();
    return once;
}
} // namespace

const api::DriverFunctions& driver() {
    const Found& f = found();
    if (f.too_old) {
        throw DriverTooOld(f.problem);
    }
    if (!f.problem.empty()) {
        throw NoDriver(f.problem + kInstead);
    }
    return f.functions;
}

bool usable() { return found().problem.empty() && !given_up(); }

std::string why_not() {
    return given_up() ? ended().why + "; the GPU is not used again until this program restarts" : found().problem;
}

int driver_version() { return found().version; }

void check(api::Result result, const char* what) {
    if (result != api::kSuccess) {
        fail(result, what);
    }
}

void give_up() {
    ended().because("a kernel did not end");
    static std::once_flag once;
    // The driver's own exit handlers, registered before and so run after this one, would wait for the kernel.
    std::call_once(once, [] {
        on_exit(
            [](int status, void*) {
                std::fflush(nullptr);
                _exit(status);
            },
            nullptr);
    });
}

bool given_up() { return ended().already; }

void fail(api::Result result, const std::string& what, const std::string& detail) {
    const char *name = nullptr, *text = nullptr;
    if (const Found& f = found(); f.functions.error_string != nullptr && f.functions.error_name != nullptr) {
        f.functions.error_name(result, &name);
        f.functions.error_string(result, &text);
    }
    const std::string says =
        fmt::format("{} failed on the GPU: {}{}{}", what, text != nullptr ? text : fmt::format("error {}", result),
                    detail.empty() ? "" : ": ", detail);
    switch (result) {
    case api::kOutOfMemory: throw OutOfMemory(says + "; take fewer elements, or stop other programs that use the GPU");
    case api::kLaunchOutOfResources:
        throw OutOfResources(says + "; take fewer threads per block or less shared memory");
    case api::kUnsupportedPtxVersion:
        throw DriverTooOld(fmt::format("{}: the driver is for CUDA {}; update it, or use --backend cpu", says,
                                       version_text(driver_version())));
    case api::kInvalidPtx:
    case api::kNoBinaryForGpu: throw BadCode(says);
    case api::kIllegalAddress:
    case api::kLaunchTimeout:
    case api::kAssert:
    case api::kHardwareStackError:
    case api::kIllegalInstruction:
    case api::kMisalignedAddress:
    case api::kInvalidAddressSpace:
    case api::kInvalidPc:
    case api::kLaunchFailed:
        ended().because(fmt::format("a kernel failed ({})", name != nullptr ? name : "?")); // which ends its context
        throw KernelFault(fmt::format("{} ({}); --backend cpu shows the line", says, name != nullptr ? name : "?"));
    case api::kDeinitialized:
    case api::kInvalidDevice:
    case api::kEccUncorrectable:
    case api::kSystemNotReady:
    case api::kSystemDriverMismatch:
    case api::kUnknown:
        ended().because(fmt::format("the GPU was lost ({})", name != nullptr ? name : "?"));
        throw DeviceLost(says + "; restart this program to use the GPU again; --backend cpu runs without");
    default: throw DeviceError(says + "; --backend cpu runs without one");
    }
}

} // namespace warptree::gpu
