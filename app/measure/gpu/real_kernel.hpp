// The real kernel: a file's unchanged text, compiled for this machine's GPU, with the launches and arguments that the
// interpreter would use.
#pragma once

#include "app/measure/gpu/gpu_options.hpp"
#include "app/measure/gpu/real_code.hpp"
#include "app/measure/gpu/shared_arrays.hpp"
#include "app/run/judge/expectation.hpp"
#include "app/run/kernel_launch.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace warptree::runs {

// A kernel wrote past the end of an array.
struct WritesBehindEnd : DeviceError {
    using DeviceError::DeviceError;
};

// All launches of a file; if it finishes by relaunching, until few enough results are left (left_for_host).
// The size of an array that was not stated comes from `reached`, by name: elements per element of n.
class RealRun {
  public:
    // inputs() leaves out arrays with more elements.
    static constexpr std::uint64_t kMostKept = 1ULL << 24;

    // `shared`: holds its input and scratch arrays, shared with other runs; null: it has its own.
    RealRun(const RunOptions& options, const GpuOptions& gpu_options, RealCode& code,
            const std::map<std::string, double>& reached, SharedArrays* shared = nullptr);

    // Refills a random input; `whole`: with floats that are whole numbers.
    void fill(bool whole);
    // To be called before a run, not timed: resets what a run changes and the next one reads.
    void reset();
    std::uint64_t reset_bytes() const; // that reset() writes: in the cache, besides the input, when a run starts
    void enqueue();
    void enqueue_first() { enqueue(stages_.front()); } // only its first launch
    // Adds other code for the first launch's kernel, which runs in its place after use_added_code(true); the caller
    // keeps the module alive.
    void add_code(const compile::Program& program, const gpu::Module& module, gpu::api::Function function);
    void use_added_code(bool added);
    // Runs all launches, or only the first, and waits; throws WritesBehindEnd, DeviceError.
    void run(bool only_first = false);

    const KernelLaunch& first() const { return stages_.front().launch; }
    const compile::Kernel& kernel() const { return *stages_.front().kernel; }
    std::vector<Numbers> inputs() const; // of the first launch, at most two
    Numbers output() const;              // of the last launch, the results
    Numbers first_output() const;        // of the first launch, the results
    gpu::api::Address output_address() const { return result().buffer->address(); }
    std::uint64_t results() const;             // elements of output(); 0: it has none
    std::vector<KernelOutput> outputs() const; // of the last launch, their first elements
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
        std::shared_ptr<gpu::Buffer> buffer; // of a parameter; null: not an array
        std::uint64_t bytes = 0;             // without its guard bytes
        std::uint64_t reset_bytes = 0;       // of these, set by reset() if the kernel changes them
        ValueType type = ValueType::none;
        std::uint32_t element_bytes = 4; // of a scalar
        bool zeros = false, changes = false;
        bool shared = false; // also used by other experiments
        std::shared_ptr<gpu::Buffer> pristine;
    };
    struct Stage {
        std::shared_ptr<const compile::Program> program;
        const compile::Kernel* kernel = nullptr;
        KernelLaunch launch;
        gpu::api::Function function = nullptr, own = nullptr, added = nullptr;
        std::vector<Array> arrays;                  // by parameter
        std::vector<std::vector<std::byte>> values; // by parameter, as passed to the kernel
        std::uint64_t outputs = 1;
    };

    void add_stage(RunOptions options, const Array* partials, std::uint64_t count);
    Array array(const Stage& stage, std::uint32_t p, const Array* partials, std::uint64_t count);
    void keep_globals(const compile::Program& program, const gpu::Module& module);
    bool finishes_in_one() const {
        return source_.finish() == Finish::atomic || source_.finish() == Finish::last_block;
    }
    bool is_reset(const Stage& stage, std::size_t p) const;
    void prepare(const Stage& stage);
    void enqueue(Stage& stage);
    const Array& result() const;
    Numbers numbers(const Array& a, std::uint64_t count) const;

    const RunOptions options_;
    GpuOptions gpu_options_;
    RealCode& codes_;
    std::map<std::string, double> reached_;
    KernelSource source_;
    Expected expected_;
    std::vector<Stage> stages_;
    SharedArrays* shared_ = nullptr;
    std::map<gpu::api::Address, std::shared_ptr<gpu::Buffer>> globals_; // initial contents
    const gpu::KernelCode* code_ = nullptr;
    bool random_input_ = false, whole_ = false;
    std::uint64_t input_seed_ = 0;
};

} // namespace warptree::runs
