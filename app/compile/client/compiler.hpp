// Compiles kernel files, in a worker process: Clang and LLVM are linked there and nowhere else, and may crash on odd
// input without harm to this process.
#pragma once

#include "app/base/error.hpp"
#include "app/base/sanitized.hpp"
#include "app/compile/program/program.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace warptree::compile {

struct CompileError : Error {
    using Error::Error;
};

struct Define {
    std::string name, value;
    friend bool operator==(const Define&, const Define&) = default;
};

// Code for a GPU, beside the program. optimised: by LLVM -O3; traced: logs what each thread does;
// clocked: optimised, and reads the clock where `lines` begin (clock_marks.hpp); listed: optimised, with the
// source lines it came from, for display.
enum class Code : std::uint8_t { none, optimised, traced, clocked, listed };

struct Request {
    std::string name;   // of the file, without its folder: "mine.cu"
    std::string text;   // as in the editor, which may differ from the file on disk
    std::string folder; // of its own headers; empty: none
    std::vector<Define> defines;
    std::vector<std::string> instances; // templates to instantiate: "reduce<256>"
    std::string shipped = {}; // folder of the kernels that ship with the program, whose headers any file may include
    Code code = Code::none;
    std::string architecture = {}; // of the code: "sm_90"
    // For clocked code: index into Program::files in bits 20 and up, line in the bits below; empty: every line.
    std::vector<std::uint32_t> lines = {};
    bool host = false;                     // compile the host's half, too
    std::vector<std::string> folders = {}; // of further headers, searched in this order after its own
    friend bool operator==(const Request&, const Request&) = default;
};

struct Limits {
    std::chrono::milliseconds time{warptree::kSanitized ? 20000
                                                        : 5000}; // of processor; several times slower under a sanitizer
    std::uint64_t memory = 1ULL << 30; // limit: bytes of address space beyond what the compiler itself maps
};

// One worker, kept warm. Calls from several threads are serialised.
class Compiler {
  public:
    // `worker`: path of the program warptree-compile; empty: beside this program, or where it was built.
    explicit Compiler(std::string worker = {}, Limits limits = {});
    ~Compiler();
    Compiler(const Compiler&) = delete;
    Compiler& operator=(const Compiler&) = delete;

    // The program, or only its diagnostics. Throws CompileError with a one-line message when the worker cannot be
    // started, takes too long or too much memory, or ends; the next call starts another.
    Program compile(const Request& request);
    // Starts the worker, so that the first compile() finds it warm. Never throws.
    void warm_up();
    // Cancels a compile() on another thread, which then throws Cancelled.
    void cancel();

    // For a process whose children compile, one at a time, each with the worker that this process keeps: starts it, if
    // need be. False: it is not ready yet, ask again. Throws CompileError.
    bool make_ready();
    // In the child: neither restarts nor ends the worker. `is_ready` afterwards: the next child may have it as it is.
    void borrow();
    bool is_ready() const;
    std::vector<int> descriptors() const; // that the child needs
    // Ends the worker; the next call starts another.
    void discard();

  private:
    struct Worker;
    std::unique_ptr<Worker> worker_;
};

} // namespace warptree::compile
