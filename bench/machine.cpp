// Benchmarks the interpreter: lane-instructions per second with everything recorded and while only counting, typical
// course cases, a report of a file, and the compiler's memory. Shows processor time beside elapsed time, so that
// per-core figures hold on a busy computer.
// usage: bench_machine [PROGRAM [PART]]      (PROGRAM: `warptree`, for the report; default: in the same folder;
//                                            PART: only cases whose name contains it)
#include "app/simt/machine.hpp"
#include "app/base/large_pages.hpp"
#include "app/compile/client/compiler.hpp"
#include "app/run/array_fill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace warptree;

constexpr const char* kSequential =
    "__global__ void reduce(const T* in, T* out, unsigned n) {\n  extern __shared__ T s[];\n"
    "  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n  s[t] = i < n ? in[i] : T(0);\n"
    "  __syncthreads();\n  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {\n    if (t < stride)\n"
    "      s[t] += s[t + stride];\n    __syncthreads();\n  }\n  if (t == 0)\n    out[blockIdx.x] = s[0];\n}\n";
constexpr const char* kInterleaved =
    "__global__ void reduce(const T* in, T* out, unsigned n) {\n  extern __shared__ T s[];\n"
    "  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n  s[t] = i < n ? in[i] : T(0);\n"
    "  __syncthreads();\n  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {\n    if (t % (2 * stride) == "
    "0)\n"
    "      s[t] += s[t + stride];\n    __syncthreads();\n  }\n  if (t == 0)\n    out[blockIdx.x] = s[0];\n}\n";
constexpr const char* kShuffles =
    "__global__ void reduce(const T* in, T* out, unsigned n) {\n  extern __shared__ T s[];\n"
    "  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n  T v = i < n ? in[i] : T(0);\n"
    "  for (int offset = 16; offset > 0; offset /= 2)\n    v += __shfl_down_sync(~0u, v, offset);\n"
    "  if (threadIdx.x % 32 == 0)\n    s[threadIdx.x / 32] = v;\n  __syncthreads();\n  if (threadIdx.x < 32) {\n"
    "    v = threadIdx.x < blockDim.x / 32 ? s[threadIdx.x] : T(0);\n    for (int offset = 16; offset > 0; offset /= "
    "2)\n"
    "      v += __shfl_down_sync(~0u, v, offset);\n    if (threadIdx.x == 0)\n      out[blockIdx.x] = v;\n  }\n}\n";

double processor_seconds() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Case {
    const char* name;
    const char* text;
    const char* type;
    ValueType element;
    std::uint64_t n;
    std::uint32_t block;
    bool full; // all blocks recorded
    unsigned workers;
    unsigned repeats;
};

struct Figures {
    double seconds = 1e300, processor = 1e300, lanes = 0; // best of the repeats
};

Figures measure(compile::Compiler& compiler, const Case& c) {
    const compile::Program program =
        compiler.compile({"reduce.cu", std::string("typedef ") + c.type + " T;\n" + c.text, "", {}, {}});
    if (program.kernels.size() != 1) {
        throw std::runtime_error(std::string(c.name) + " does not compile");
    }
    Figures best;
    for (unsigned k = 0; k < c.repeats; ++k) {
        simt::Memory memory(program);
        const auto array = [&](const char* name, std::uint64_t elements, const char* fill) {
            simt::Allocation::Shape shape;
            shape.name = name;
            shape.element = c.element;
            shape.element_bytes = bytes(c.element);
            shape.elements = elements;
            return memory.add(std::move(shape), runs::array_fill(fill, c.element, 1));
        };
        const auto blocks = static_cast<std::uint32_t>(c.n / c.block);
        simt::LaunchSetup setup;
        setup.program = &program;
        setup.memory = &memory;
        setup.grid = {blocks, 1, 1};
        setup.block = {c.block, 1, 1};
        setup.dynamic_shared = c.block * bytes(c.element);
        setup.arguments = {{compile::allocation_address(array("in", c.n, "ones")), {}},
                           {compile::allocation_address(array("out", blocks, "zeros")), {}},
                           {c.n, {}}};
        setup.window_count = c.full ? blocks : 0;
        setup.workers = c.workers;
        Launch launch;
        const double processor = processor_seconds();
        const auto begin = std::chrono::steady_clock::now();
        const simt::LaunchSummary summary = simt::run(setup, launch);
        best.seconds =
            std::min(best.seconds, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
        best.processor = std::min(best.processor, processor_seconds() - processor);
        best.lanes = static_cast<double>(summary.lane_instructions);
        if (!summary.completed || !launch.findings.empty()) {
            throw std::runtime_error(std::string(c.name) + " went wrong, so it was not timed");
        }
    }
    return best;
}

// Peak resident memory of this process's children, in MB: the compiler.
double compiler_megabytes() {
    std::ifstream list(fmt::format("/proc/self/task/{}/children", getpid()));
    double most = 0;
    for (int child = 0; list >> child;) {
        std::ifstream status(fmt::format("/proc/{}/status", child));
        for (std::string line; std::getline(status, line);) {
            if (line.starts_with("VmHWM:")) {
                most = std::max(most, std::strtod(line.c_str() + 6, nullptr) / 1024);
            }
        }
    }
    return most;
}

double report_seconds(const std::string& program) {
    const std::string file = (std::filesystem::temp_directory_path() / fmt::format("bench-{}.cu", getpid())).string();
    std::ofstream(file) << "typedef float T;\n" << kSequential;
    double best = 1e300;
    for (int k = 0; k < 5; ++k) {
        const auto begin = std::chrono::steady_clock::now();
        const int status = std::system(fmt::format("'{}' report '{}' >/dev/null", program, file).c_str());
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            best = -1;
            break;
        }
    }
    std::filesystem::remove(file);
    return best;
}

} // namespace

int main(int argc, char** argv) {
    keep_freed_memory(); // as the program does
    constexpr Case kCases[] = {
        {"full, sequential, 2^16 i32, B 256", kSequential, "int", ValueType::i32, 1U << 16, 256, true, 1, 5},
        {"full, interleaved modulo, 2^16 i32, B 256", kInterleaved, "int", ValueType::i32, 1U << 16, 256, true, 1, 5},
        {"full, shuffles, 2^16 f64, B 256", kShuffles, "double", ValueType::f64, 1U << 16, 256, true, 1, 5},
        {"count, sequential, 2^20 i32, B 256", kSequential, "int", ValueType::i32, 1U << 20, 256, false, 1, 3},
        {"count, sequential, 2^20 i32, B 256, two cores", kSequential, "int", ValueType::i32, 1U << 20, 256, false, 2,
         3},
        {"count, shuffles, 2^20 f64, B 256", kShuffles, "double", ValueType::f64, 1U << 20, 256, false, 1, 3},
        {"count, interleaved modulo, 2^24 f64, B 512, two cores", kInterleaved, "double", ValueType::f64, 1U << 24, 512,
         false, 2, 1},
    };
    try {
        compile::Compiler compiler;
        fmt::print("{:<56} {:>9} {:>11} {:>22}\n", "", "seconds", "processor s", "M lane-instructions/s");
        double alone = 0;
        const std::string part = argc > 2 ? argv[2] : "";
        for (const Case& c : kCases) {
            if (std::string(c.name).find(part) == std::string::npos) {
                continue;
            }
            const Figures f = measure(compiler, c);
            fmt::print("{:<56} {:>9.3f} {:>11.3f} {:>14.0f} a core\n", c.name, f.seconds, f.processor,
                       1e-6 * f.lanes / f.processor);
            if (std::string(c.name) == "count, sequential, 2^20 i32, B 256") {
                alone = f.seconds;
            } else if (std::string(c.name).starts_with("count, sequential, 2^20 i32, B 256, two")) {
                fmt::print("{:<56} {:>8.2f}×\n", "  two cores against one", alone / f.seconds);
            }
        }
        fmt::print("{:<56} {:>9.0f} MB\n", "the compiler's worker, at most", compiler_megabytes());
        const std::string beside = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "warptree";
        const std::string program = argc > 1 ? argv[1] : beside;
        if (const double seconds = report_seconds(program); seconds > 0) {
            fmt::print("{:<56} {:>9.3f}\n", "report of a file, the process and its compiler", seconds);
        } else {
            fmt::print("report of a file: {} does not run\n", program);
        }
    } catch (const std::exception& e) {
        fmt::print(stderr, "bench_machine: {}\n", e.what());
        return 1;
    }
}
