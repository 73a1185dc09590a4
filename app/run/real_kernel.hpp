// The real kernel: the text of a file as it stands, compiled for the GPU at hand, with the launches and arguments that the
// interpreter would give it.
#pragma once

#include "app/gpu/device.hpp"
#include "app/gpu/nvrtc.hpp"
#include "app/run/expectation.hpp"
#include "app/run/kernel_launch.hpp"
#include "app/run/kernel_source.hpp"
#include "app/run/shared_arrays.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace warptree::runs {

struct GpuWishes {
    std::vector<std::string> compiler_options; // "--use_fast_math"
    bool insist = false;                       // run what the interpreter found to go wrong
    std::chrono::milliseconds limit{10000};    // that a run may take
};

// A kernel stored to what stands behind an array.
struct WritesBehindEnd : DeviceError {
    using DeviceError::DeviceError;
};

// Code on the GPU, each text once.
class RealCode {
  public:
    struct Loaded {
        std::string what; // "mine.cu, reduce<256>"
        std::unique_ptr<gpu::Module> module;
        gpu::api::Function function = nullptr;
        gpu::KernelCode code;
    };
    explicit RealCode(std::vector<std::string> options) : options_(std::move(options)) {}
    // Throws RtcError, NoCompiler, DeviceError.
    const Loaded& load(const KernelSource::Compiled& compiled);
    // "sequential.cu, reduce: NVRTC 13.0 took 62 ms", of what was loaded so far.
    std::vector<std::string> notes() const;

  private:
    gpu::KernelCode code_of(const gpu::KernelText& text, const KernelSource::Compiled& compiled) const;

    std::vector<std::string> options_;
    std::map<std::string, Loaded> loaded_;
};

// What NVRTC is to compile.
gpu::KernelText kernel_text(const KernelSource::Compiled& compiled);

// The file's text with blanks for what only the host runs: NVRTC takes no host code.
std::string device_text(const compile::Program& program);

// All launches of a file, until one result is left where it finishes by relaunching. What an array that nobody stated the
// size of must hold comes from `reached`, by name: elements for each element of n.
class RealRun {
  public:
    // Elements of an input beyond which inputs() leaves it out.
    static constexpr std::uint64_t kMostKept = 1ULL << 24;

    // `shared`: where its input and what it works in lie beside those of others; null: it has its own.
    RealRun(const RunOptions& options, const GpuWishes& wishes, RealCode& code,
            const std::map<std::string, double>& reached, SharedArrays* shared = nullptr);

    // What the input holds, when it is to be random: `whole`: floats that are whole numbers.
    void fill(bool whole);
    // Before a run, and not its work: what a launch changes that the next one reads.
    void reset();
    void enqueue();
    void enqueue_first() { enqueue(stages_.front()); } // its first launch alone
    // Other code of the first launch's kernel, which may run in its place; its module stays with the caller.
    void add_code(const compile::Program& program, const gpu::Module& module, gpu::api::Function function);
    void use_added_code(bool added);
    // Runs it once and waits, or only its first launch; throws WritesBehindEnd, DeviceError.
    void run(bool only_first = false);

    const KernelLaunch& first() const { return stages_.front().launch; }
    const compile::Kernel& kernel() const { return *stages_.front().kernel; }
    std::vector<Numbers> inputs() const; // of the first launch, at most two
    Numbers output() const;              // of the last, its results
    Numbers first_output() const;        // of the first, its results
    gpu::api::Address output_address() const { return result().buffer->address(); }
    std::uint64_t results() const;             // elements of output(); 0: it puts nothing out
    std::vector<KernelOutput> outputs() const; // of the last, their first elements
    std::uint64_t n() const;                   // scalars of the input
    std::uint64_t block() const;               // of the last launch, in scalars
    std::uint64_t blocks() const { return simt::volume(stages_.back().launch.grid); }
    const Expected& expected() const { return expected_; }
    const gpu::KernelCode& code() const { return *code_; }
    bool random_input() const { return random_input_; }
    std::uint64_t input_seed() const { return input_seed_; }
    std::optional<ElementType> element() const;

  private:
    struct Array {
        std::shared_ptr<gpu::Buffer> buffer; // of a parameter; null: it is none
        std::uint64_t bytes = 0;             // without what lies behind it
        ValueType type = ValueType::none;
        std::uint32_t element_bytes = 4; // of a scalar
        bool zeros = false, changes = false;
        bool shared = false; // others run in it, too
        std::shared_ptr<gpu::Buffer> pristine;
    };
    struct Stage {
        std::shared_ptr<const compile::Program> program;
        const compile::Kernel* kernel = nullptr;
        KernelLaunch launch;
        gpu::api::Function function = nullptr, own = nullptr, added = nullptr;
        std::vector<Array> arrays;                  // by parameter
        std::vector<std::vector<std::byte>> values; // by parameter, as the kernel gets them
        std::uint64_t outputs = 1;
    };

    void add_stage(RunOptions options, const Array* partials, std::uint64_t count);
    Array array(const Stage& stage, std::uint32_t p, const Array* partials, std::uint64_t count);
    void keep_globals(const compile::Program& program, const gpu::Module& module);
    bool finishes_in_one() const {
        return source_.finish() == Finish::atomic || source_.finish() == Finish::last_block;
    }
    void prepare(const Stage& stage);
    void enqueue(Stage& stage);
    const Array& result() const;
    Numbers numbers(const Array& a, std::uint64_t count) const;

    const RunOptions options_;
    GpuWishes wishes_;
    RealCode& codes_;
    std::map<std::string, double> reached_;
    KernelSource source_;
    Expected expected_;
    std::vector<Stage> stages_;
    SharedArrays* shared_ = nullptr;
    std::map<gpu::api::Address, std::shared_ptr<gpu::Buffer>> globals_; // what they begin with
    const gpu::KernelCode* code_ = nullptr;
    bool random_input_ = false, whole_ = false;
    std::uint64_t input_seed_ = 0;
};

} // namespace warptree::runs
