// How a file's kernel is launched: as requested, else as the file's header says, else as the program chooses.
#pragma once

#include "app/base/options.hpp"
#include "app/catalogue/kernel_header.hpp"
#include "app/compile/program/program.hpp"
#include "app/simt/launch_setup.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warptree::runs {

// Contents that tell what a kernel computes (telling_fill of array_fill.hpp), in a run that is not shown.
struct Telling {
    std::uint64_t seed = 1;
    bool mixed = false;
    friend bool operator==(const Telling&, const Telling&) = default;
};

// What an array is filled with, or a scalar's value.
struct ArgumentValue {
    std::string text;               // as written: "iota", "random:1000", "0.5"
    std::string fill;               // of an array: one of kFills (array_fill.hpp), or a path
    unsigned place = 0;             // of an array: how many before it have that fill
    std::optional<Telling> telling; // of an array: these contents instead
    std::uint64_t count = 0;        // elements of an array
    bool stated = false;            // whether the count was given; else the array grows as it is accessed
    bool file = false;              // fill is RunOptions::input_file, from which `count` elements are read
    double number = 0;              // of a scalar
    bool chosen = false;            // by the program
    bool guessed = false;           // of an array: contents that nobody stated, and that the kernel reads
    bool zeroed = false;            // of an array: zeros that count as written, as a host's cudaMemset
};

// Choices that the program changes after an earlier run.
struct Adjusted {
    std::optional<simt::Extent> block;
    std::uint32_t shared = 0; // dynamic bytes, at least
    std::uint64_t n = 0;      // 0: unchanged
    // Contents of arrays whose elements may be indices; letters: of arrays of bytes; ones_everywhere: integer scalars
    // are 1, too; falling and random: for what is to be sorted; pairs: for what is counted; negative: for maxima, and what atomics
    // make one of begins with the smallest number; own_number, unseen, far: for arrays that the kernel both reads and changes, as
    // the labels, the levels and the distances of a graph's vertices; minus_one: of floating-point numbers.
    enum class Contents : std::uint8_t {
        usual,
        letters,
        iota,
        ones,
        zeros,
        ones_everywhere,
        falling,
        random,
        pairs,
        negative,
        own_number,
        unseen,
        far,
        minus_one
    };
    Contents contents = Contents::usual;
    std::vector<std::uint32_t> inputs;   // further parameters to fill, because the kernel reads them
    std::vector<std::uint32_t> counters; // further parameters of which all threads change one element: 0 at first
    std::optional<Telling> telling;      // of all arrays that have contents
    std::optional<std::uint32_t> few;    // an integer parameter that is a few, instead of n
    std::optional<std::uint32_t> nought; // one that is 0, instead of n
    friend bool operator==(const Adjusted&, const Adjusted&) = default;
};

// What a kernel is called with, in order: its parameters, and instead of those that are structs their members.
std::vector<compile::Parameter> called_with(const compile::Kernel& kernel);

struct KernelLaunch {
    std::uint32_t kernel = 0;                   // of Program::kernels
    std::vector<compile::Parameter> parameters; // called_with(kernel)
    simt::Extent grid{1, 1, 1}, block{1, 1, 1};
    std::uint32_t shared = 0; // bytes, dynamic
    std::uint64_t n = 0;
    std::optional<std::uint64_t> outputs; // elements written out, if the header states it
    std::optional<std::uint64_t> tile;    // elements of a block's tile, if the header states it
    std::vector<std::uint64_t> shape;     // of "matrix-product(rows, inner, columns)"
    std::vector<ArgumentValue> arguments; // of `parameters`
    std::string expect;                   // "sum", …; empty: not stated
    std::vector<std::string> chosen;      // by the program, in words: "block 256", "in = iota"
    bool block_chosen = false, shared_chosen = false, n_chosen = false;
    // The first input and the output, of `parameters`; kNone: none.
    std::uint32_t input = compile::kNone, output = compile::kNone;
};

// Throws OptionError for expressions that are invalid or have no value.
KernelLaunch choose_launch(const compile::Program& program, std::uint32_t kernel, const catalogue::KernelHeader& header,
                           const RunOptions& options, const Adjusted& adjusted = {});

// Threads per block of the launches after the first. Throws OptionError.
std::uint32_t relaunch_block(const catalogue::KernelHeader& header, const KernelLaunch& first,
                             const RunOptions& options);

} // namespace warptree::runs
