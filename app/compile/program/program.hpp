// A compiled kernel file, which the worker returns and the machine runs, by itself or following a GPU's log. Plain data
// without pointers, to be sent through a pipe; call check() on a program from outside before use.
//
// A function is basic blocks of instructions over rows; LLVM's phis become copies on the edges between blocks. Values
// that are not live at the same time may share a row, but a constant's row is not shared, and no instruction writes a
// row that it reads. Lanes that diverge at a branch reconverge at Block::reconverge.
//
// Data flow: a register that can hold a value made of the kernel's elements has a tag row beside it (tag_* of an
// instruction, 0 for none), in which the machine keeps the node that each lane's value came from.
#pragma once

#include "app/base/value_type.hpp"
#include "app/compile/program/opcode.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warptree::compile {

inline constexpr std::uint32_t kNone = 0xFFFFFFFFU;

// A source location. Line and column are 1-based; line 0: none (code of our own headers).
struct Location {
    std::uint32_t file = 0; // of Program::files
    std::uint32_t line = 0;
    std::uint16_t column = 0;
    std::uint32_t inlined_at = kNone; // the location of the call, where the function was inlined
    friend bool operator==(const Location&, const Location&) = default;
};

// Bits of Instruction::flags.
enum InstructionFlag : std::uint16_t {
    kCombines = 1,        // both operands can be made of elements: an application of an operator
    kStage = 2,           // and one of them comes from shared memory, another lane or the array that the result goes
                          // back to: a step of a tree. Without it: accumulation, as in a grid-stride loop
    kBeginsStatement = 4, // first instruction of a hand-unrolled stage: see FunctionCode::statements
    kGreatest = 16,       // of a selection: it passes the greater value on, as the code shows,
    kLeast = 32,          // or the smaller one
    kPlace = 64,          // of an addition: it only computes where something goes
    kSigned = 128,        // of a sum, difference or product: C++ promises that an int of 32 bits holds it
    kOfLibrary = 8,       // a function of a library, whose last bits may differ on a GPU: device_math.hpp
};

// Several values in consecutive rows (loads and stores of vectors) also have their tags in consecutive rows, from
// tag_dst on.
struct Instruction {
    Opcode op = Opcode::trap;
    std::uint16_t flags = 0;
    std::uint32_t dst = kNone, a = kNone, b = kNone, c = kNone;
    std::uint32_t location = 0; // of Program::locations
    std::uint16_t tag_dst = 0, tag_a = 0, tag_b = 0, tag_c = 0;
    std::uint32_t selection = kNone;  // of Program::selections; only select32 and select64 have one
    ValueType type = ValueType::none; // of a combine's result, as in the source: add32 is both int and unsigned
    friend bool operator==(const Instruction&, const Instruction&) = default;
};

// A choice between two compared values, which is a minimum or maximum however it is written: a > b ? a : b, or
// if (b < a) a = b. Attached to the select, move or store that passes the chosen value on.
struct Selection {
    std::uint32_t condition = kNone; // row: the comparison x ? y; kNone: the values of x and y are compared
    std::uint16_t tag_x = 0, tag_y = 0;
    std::uint32_t x = kNone, y = kNone; // rows
    bool greater = false;               // the condition holds when x is greater, else when it is less
    ValueType type = ValueType::none;
    std::uint16_t flags = 0;    // kCombines, and kStage where it is a step of a tree; kGreatest or kLeast
    std::uint32_t location = 0; // of the choice, for moves and loads without a location
    // Of a value that travels with the chosen one, as an index with a maximum: its type. none: it does not.
    ValueType follows = ValueType::none;
    friend bool operator==(const Selection&, const Selection&) = default;
};

// One of the copies that an edge makes, all simultaneously.
struct Move {
    std::uint32_t dst = kNone, src = kNone;
    std::uint16_t tag_dst = 0, tag_src = 0;
    std::uint8_t rows = 1;           // 1: 4 bytes, 2: 8
    std::uint32_t selection = kNone; // of Program::selections
    friend bool operator==(const Move&, const Move&) = default;
};

// if (b < a) *p = b: on the edge that skips the store, *p has been chosen as well. Lanes that take the edge update the
// tag of the memory of `access` (whose selection is set) by the selection. This makes no memory request and changes no
// value.
struct Keep {
    std::uint32_t access = 0;           // of Program::accesses
    std::uint32_t a = kNone, b = kNone; // rows: base and index
    std::uint32_t next = kNone;         // another one of the same edge, of Program::keeps, before this one
    friend bool operator==(const Keep&, const Keep&) = default;
};

struct Edge {
    std::uint32_t block = 0;                      // of the function
    std::uint32_t first_move = 0, move_count = 0; // of Program::moves
    bool overlapping = false;                     // a move's destination is another's source
    // Of Program::loops: an iteration of `begins` starts here; `ends` and the loops within it end here. kNone: neither.
    std::uint32_t begins = kNone, ends = kNone;
    std::uint32_t keep = kNone; // of Program::keeps
    friend bool operator==(const Edge&, const Edge&) = default;
};

struct Block {
    std::uint32_t first = 0, count = 0; // of FunctionCode::code
    std::uint32_t reconverge = kNone;   // block where lanes that diverge at the end of this one reconverge: immediate
                                        // post-dominator; kNone: where the function returns
    std::uint32_t loop = kNone;         // innermost, of Program::loops
    friend bool operator==(const Block&, const Block&) = default;
};

struct Loop {
    std::uint32_t parent = kNone;   // the loop around it in the same function
    std::uint32_t header = 0;       // block
    bool stage = false;             // its iterations are steps of a tree: see kStage
    std::uint32_t variable = kNone; // of Program::variables: the loop variable
    std::uint32_t row = kNone;      // where its value is during an iteration
    std::uint32_t location = 0;
    friend bool operator==(const Loop&, const Loop&) = default;
};

// A stage without a loop of its own: one statement of a hand-unrolled tree.
struct Statement {
    std::uint32_t instruction = 0; // of FunctionCode::code, where it begins
    std::uint32_t location = 0;
    // The template parameter that distinguishes it in the source: stage<256> with `unsigned stride` is "stride", 256.
    std::string parameter;
    std::int64_t value = 0;
    friend bool operator==(const Statement&, const Statement&) = default;
};

struct Variable {
    std::string name;
    ValueType type = ValueType::none;
    std::uint32_t function = 0;
    std::uint32_t location = 0;
    bool parameter = false;
    friend bool operator==(const Variable&, const Variable&) = default;
};

enum class Space : std::uint8_t { unknown, global, shared, local, constant };
enum class Scope : std::uint8_t { block, device, system };

// How an address is computed and accessed: base + index * scale + offset.
struct Access {
    enum class Index : std::uint8_t { none, i32, u32, i64 };
    Index index = Index::none;
    std::uint32_t scale = 1;
    std::int64_t offset = 0;
    std::uint8_t bytes = 4; // of an element: 1, 2, 4 or 8
    std::uint8_t count = 1; // adjacent elements, in one request: a power of two; count * bytes is at most 16 and is the
                            // alignment that the address must have
    Space space = Space::unknown; // memory space, if known
    ValueType type = ValueType::none;
    bool is_volatile = false;    // or relaxed, acquire, release: other threads may write meanwhile
    bool atomic = false;         // relaxed, acquire, release: such an access, or a read-modify-write
    Scope scope = Scope::device; // of an atomic one
    bool streaming = false;      // a cache hint, without semantics
    std::uint32_t selection = kNone;
    std::uint32_t array = kNone; // of Program::shared, where the array is known
    std::uint32_t local = kNone; // of Program::locals, where it is an array of the function that accesses it
    std::uint8_t whole = 0;      // bytes of the copy or fill that it is a piece of; 0: of none
    friend bool operator==(const Access&, const Access&) = default;
};

enum class AtomicOperation : std::uint8_t {
    add,
    sub,
    min,
    max,
    umin,
    umax,
    fadd,
    fmin,
    fmax,
    and_,
    or_,
    xor_,
    exchange,
    compare_exchange,
    increment,
    decrement
};
struct Atomic {
    AtomicOperation operation = AtomicOperation::add;
    std::uint32_t access = 0;       // of Program::accesses
    std::uint32_t value = kNone;    // row
    std::uint32_t expected = kNone; // row, of compare_exchange
    std::uint16_t tag_value = 0, tag_expected = 0;
    Scope scope = Scope::device;
    bool result_used = true;
    // The value is not made of elements, but the address is: a histogram's count. tag_value is then the tag of the
    // index.
    bool counts = false;
    friend bool operator==(const Atomic&, const Atomic&) = default;
};

// cp.async: `bytes` (4, 8 or 16) from global to shared memory, of which only the first `filled` are read, and the rest
// is zero-filled.
struct Copy {
    std::uint32_t to = kNone, from = kNone; // rows of addresses
    std::uint8_t bytes = 16;
    std::uint32_t filled = kNone; // row with the number of bytes to read; kNone: all
    friend bool operator==(const Copy&, const Copy&) = default;
};

enum class ShuffleMode : std::uint8_t { down, up, exchange_xor, index };
enum class VoteMode : std::uint8_t { any, all, uniform, ballot };
enum class MatchMode : std::uint8_t { any, all };
enum class WarpOperation : std::uint8_t { add, min, max, umin, umax, and_, or_, xor_ };

// An exchange between the lanes of a warp. An 8-byte value is one exchange.
struct Exchange {
    std::uint8_t mode = 0;       // a ShuffleMode, VoteMode, MatchMode or WarpOperation
    std::uint8_t bytes = 4;      // of the value
    std::uint32_t mask = kNone;  // row
    std::uint32_t lane = kNone;  // shuffle: row with delta, lane mask or source lane
    std::uint32_t width = kNone; // shuffle: row; kNone: 32
    std::uint32_t in_range =
        kNone; // shuffle: row that gets 1 where the source lane is within the width; match all: the
               // predicate; kNone: not wanted
    ValueType type = ValueType::none;
    friend bool operator==(const Exchange&, const Exchange&) = default;
};

struct Barrier {
    enum class Reduce : std::uint8_t { none, count, all, any };
    std::uint32_t number = kNone;  // row; kNone: 0, which is __syncthreads
    std::uint32_t threads = kNone; // row; kNone: all of the block
    bool waits = true;             // false: bar.arrive
    bool aligned = true;           // all threads of a warp execute it together
    Reduce reduce = Reduce::none;
    std::uint32_t predicate = kNone; // row
    // Where the statements around it begin, of Program::locations: a branch of one of these leads here or past it.
    std::vector<std::uint32_t> within;
    friend bool operator==(const Barrier&, const Barrier&) = default;
};

struct Switch {
    bool wide = false; // an 8-byte row
    std::vector<std::uint64_t> values;
    std::vector<std::uint32_t> edges; // of values, then the default's
    friend bool operator==(const Switch&, const Switch&) = default;
};

// One value in a function's registers.
struct Value {
    std::uint32_t row = kNone;
    std::uint8_t rows = 1; // 1: 4 bytes, 2: 8
    std::uint16_t tag = 0;
    friend bool operator==(const Value&, const Value&) = default;
};

struct Call {
    std::uint32_t function = kNone; // kNone: the function that the instruction's a points to
    std::vector<Value> arguments;   // of the caller, to FunctionCode::parameters in the same order
    std::vector<Value> results;     // of the caller, from FunctionCode::results
    friend bool operator==(const Call&, const Call&) = default;
};

struct Constant { // a row with the same bits in every lane, set before the function begins
    std::uint32_t row = 0;
    std::uint8_t rows = 1; // 2: 8 bytes
    std::uint64_t bits = 0;
    friend bool operator==(const Constant&, const Constant&) = default;
};

struct FunctionCode {
    std::string name;              // as in the source: "warp_reduce", "reduce<256>"
    std::uint32_t rows = 0;        // of 4-byte lanes; an 8-byte register takes two
    std::uint32_t tag_rows = 1;    // row 0 stands for no tag
    std::uint32_t local_bytes = 0; // per lane
    std::vector<Block> blocks;     // the first is the entry
    std::vector<Instruction> code;
    std::vector<Constant> constants;
    std::vector<Statement> statements; // in the order of instructions
    std::vector<Value> parameters;     // rows of its arguments
    std::vector<Value> results;        // rows of its results, set before ret
    std::uint32_t location = 0;
    friend bool operator==(const FunctionCode&, const FunctionCode&) = default;
};

// A parameter of a kernel.
struct Parameter {
    enum class Kind : std::uint8_t { array, value, record };
    struct Field {
        std::uint32_t offset = 0; // bytes from the record's start
        ValueType type = ValueType::none;
        friend bool operator==(const Field&, const Field&) = default;
    };
    std::string name;
    std::string type; // as in the source: "const float*", "unsigned int", "Matrix"
    Kind kind = Kind::value;
    ValueType element = ValueType::none; // of an array, or of the value; of a record: of its only scalar, else none
    std::uint32_t element_bytes = 0;     // of what the pointer points to: 16 for float4
    std::uint32_t components = 1;        // scalars in it: 4 for float4
    bool constant = false;               // the kernel may not write through it
    std::uint32_t row = kNone;           // row of its value; of a record: of its address in local memory
    std::uint32_t bytes = 0;             // of a record
    std::uint32_t local_offset = 0;      // of a record
    // What the kernel does with an array, or with those that pointers in a record point to, as far as the code shows.
    bool loads = false, stores = false, updates = false; // updates: by atomics
    // Read only while other threads write it: by volatile and atomic loads, and by atomics that return the old value.
    bool signals = false;
    // Of a member of a record (Kernel::members): which parameter that is; local_offset is then its place in it.
    std::uint32_t record = kNone;
    bool links = false;        // an array of records that hold pointers
    std::vector<Field> fields; // of an array of records whose scalars are of several types: those of each
    friend bool operator==(const Parameter&, const Parameter&) = default;
};

struct Diagnostic {
    enum class Severity : std::uint8_t { note, warning, error };
    struct Range { // columns of the line, 1-based, without the end
        std::uint32_t line = 0, first = 0, end = 0;
        friend bool operator==(const Range&, const Range&) = default;
    };
    struct FixIt {
        Range range;
        std::string text;
        friend bool operator==(const FixIt&, const FixIt&) = default;
    };
    Severity severity = Severity::error;
    std::string file; // as the source names it
    std::uint32_t line = 0, column = 0;
    std::string message;
    std::vector<Range> ranges;
    std::vector<FixIt> fix_its;
    friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

struct Kernel {
    std::string name; // "reduce", "reduce<256, float>"
    std::uint32_t function = 0;
    std::vector<Parameter> parameters;
    // Numbers and pointers in parameters that are structs, in order, as "graph.first"; none of unions.
    std::vector<Parameter> members;
    std::uint32_t most_threads = 0; // __launch_bounds__; 0: not given
    std::uint32_t location = 0;
    std::vector<std::uint32_t> shared; // of Program::shared: those that it and its callees use
    // Blocks do not wait for or read what other blocks write: they may run in any order, or concurrently.
    bool independent_blocks = false;
    bool cooperative = false;             // uses a barrier across the grid
    std::uint32_t cluster[3] = {0, 0, 0}; // __cluster_dims__: blocks of a cluster; 0: not given
    // Threads per block in the file's own host code, if that is a constant; 0: unknown.
    std::uint32_t launched_block[3] = {0, 0, 0};
    std::string symbol;                // in PTX
    std::vector<Diagnostic> undefined; // calls of functions that are declared but not defined: it cannot run
    friend bool operator==(const Kernel&, const Kernel&) = default;
};

// A __global__ template, whether the file instantiates it or not.
struct KernelTemplate {
    struct Parameter {
        std::string name;
        std::string type;     // "unsigned int", "typename"
        std::string fallback; // default argument; empty: none
        friend bool operator==(const Parameter&, const Parameter&) = default;
    };
    std::string name;
    std::vector<Parameter> parameters;
    std::uint32_t location = 0;
    friend bool operator==(const KernelTemplate&, const KernelTemplate&) = default;
};

// A variable in memory: __device__, __constant__, a string.
struct Global {
    std::string name;   // empty: a string or table made by the compiler
    std::string symbol; // in the module: what the host's half calls it
    Space space = Space::global;
    std::uint32_t bytes = 0, alignment = 1;
    ValueType element = ValueType::none;
    std::uint32_t element_bytes = 1;
    std::vector<std::uint8_t> initial; // empty: zeros
    struct Address {
        std::uint32_t offset = 0;
        std::uint32_t global = kNone, function = kNone;
        std::int64_t addend = 0;
        friend bool operator==(const Address&, const Address&) = default;
    };
    std::vector<Address> addresses; // of globals and functions, within the initial value
    friend bool operator==(const Global&, const Global&) = default;
};

struct SharedArray {
    std::string name;
    std::uint32_t offset = 0; // in the block's shared memory; a dynamic one: after the static ones
    std::uint32_t bytes = 0;  // 0: dynamic
    ValueType element = ValueType::none;
    std::uint32_t element_bytes = 4;
    std::vector<std::uint32_t> extents; // "float tile[32][33]" is 32, 33; the first of a dynamic array is 0
    std::uint32_t location = 0;
    friend bool operator==(const SharedArray&, const SharedArray&) = default;
};

// A thread's own array. The machine keeps those of a function side by side, so that only its bounds tell where it ends.
struct LocalArray {
    std::string name;
    std::uint32_t offset = 0; // in the function's local memory
    std::uint32_t bytes = 0;
    std::uint32_t element_bytes = 4;
    friend bool operator==(const LocalArray&, const LocalArray&) = default;
};

// A kernel of the file that cannot run, though others can: it, or what it calls, has an error.
struct RefusedKernel {
    std::string name; // "reduce<256>"; of a template: "reduce"
    Diagnostic why;   // a warning
    friend bool operator==(const RefusedKernel&, const RefusedKernel&) = default;
};

struct SourceText {
    std::string path; // as included: "sequential.cu", "warp_reduce.cuh"
    std::string text;
    bool ours = false; // a header that this program ships
    friend bool operator==(const SourceText&, const SourceText&) = default;
};

// Bytes of a text, without the end.
struct TextRange {
    std::uint64_t first = 0, end = 0;
    friend bool operator==(const TextRange&, const TextRange&) = default;
};

// Code for a GPU, generated if Request::code asks for it.
struct DeviceCode {
    std::string ptx;
    std::string problem;      // why there is none; empty: there is, or none was asked for
    std::uint32_t shared = 0; // static bytes that a launch must add to its dynamic ones
    friend bool operator==(const DeviceCode&, const DeviceCode&) = default;
};

// The text of Opcode::print: a letter for each argument, as it lies in memory; or that this is unknown.
inline constexpr char kPrintWord = 'i', kPrintWide = 'l', kPrintDouble = 'd', kPrintPointer = 'p';
inline constexpr std::string_view kPrintTypesUnknown = "?";

// Where machine code of the host begins to belong to a line of the program's own files.
struct HostLine {
    std::uint32_t section = 0;  // of the object
    std::uint64_t address = 0;  // in the section
    std::uint32_t file = kNone; // of HostCode::files; kNone: no code of the program's own
    std::uint32_t line = 0;     // 0: of no line, as what is moved out of a loop
    std::uint16_t column = 0;
    friend bool operator==(const HostLine&, const HostLine&) = default;
};

// A function of the host that launches kernels, itself or by what it calls, and can be called with chosen arguments.
struct HostEntry {
    struct Parameter {
        std::string name;
        std::string type;          // of the value, or of what it points to, without const: "float", "unsigned int"
        bool pointer = false;      // to what the function reads or writes
        bool floating = false;     // the type is not an integer's
        std::int64_t compared = 0; // the first constant that the function compares it with for equality; 0: none
        friend bool operator==(const Parameter&, const Parameter&) = default;
    };
    std::string name; // qualified
    std::uint32_t line = 0;
    std::vector<Parameter> parameters;
    friend bool operator==(const HostEntry&, const HostEntry&) = default;
};

// A place where host code uses a variable of the device as if it were its own.
struct HostTouch {
    std::string name;
    std::string file; // of Program::files
    std::uint32_t line = 0;
    bool writes = false;
    bool constant = false; // of constant memory
    friend bool operator==(const HostTouch&, const HostTouch&) = default;
};

// Machine code of the host's half, compiled if Request::host asks for it.
struct HostCode {
    std::string object;                  // a relocatable ELF file; empty: none
    std::string problem;                 // why there is none, if not for its diagnostics
    std::vector<Diagnostic> diagnostics; // if not empty, there is no object
    std::vector<Diagnostic> warnings;    // of those that are asked for
    std::vector<std::string> files;      // that lines refer to, by their names in Program::files
    std::vector<HostLine> lines;         // by section and address
    bool has_main = false;
    std::vector<HostEntry> entries; // in the order of the file
    std::vector<HostTouch> touches; // in the order of the file
    friend bool operator==(const HostCode&, const HostCode&) = default;
};

struct Program {
    std::vector<SourceText> files;   // that locations refer to; the first is the kernel file itself
    std::vector<Location> locations; // the first stands for no location
    std::vector<FunctionCode> functions;
    std::vector<Kernel> kernels;
    std::vector<KernelTemplate> templates;
    std::vector<RefusedKernel> refused;
    std::vector<Edge> edges;
    std::vector<Move> moves;
    std::vector<Selection> selections;
    std::vector<Keep> keeps;
    std::vector<Loop> loops;
    std::vector<Variable> variables;
    std::vector<Access> accesses;
    std::vector<Atomic> atomics;
    std::vector<Copy> copies;
    std::vector<Exchange> exchanges;
    std::vector<Barrier> barriers;
    std::vector<Switch> switches;
    std::vector<Call> calls;
    std::vector<Global> globals;
    std::vector<SharedArray> shared;
    std::vector<LocalArray> locals;
    std::uint32_t static_shared_bytes = 0;
    std::vector<std::string> texts;
    std::vector<Diagnostic> diagnostics; // in the compiler's order; if one is an error, there are no functions
    std::vector<TextRange> host_code;    // of the first file: what only the host needs, ascending
    DeviceCode code;
    HostCode host;
    friend bool operator==(const Program&, const Program&) = default;

    bool compiled() const;
};

// Addresses. A pointer's upper 16 bits say where it points, so that a wild one is recognised: 0 nothing, kSharedBase +
// offset in the block's shared memory, kLocalBase + offset in the lane's own, kGlobalBase + a place in an allocation,
// kFunctionBase + the number of a function.
inline constexpr std::uint64_t kSharedBase = 1ULL << 48, kLocalBase = 2ULL << 48, kFunctionBase = 3ULL << 48,
                               kGlobalBase = 16ULL << 48;
// Shared memory of a block of the cluster, by the block's rank: its offset 0, from which both signs of an offset lead.
inline constexpr unsigned kRankShift = 32;
constexpr std::uint64_t shared_address(std::uint32_t rank) {
    return kSharedBase + (std::uint64_t{rank + 1} << kRankShift);
}
// Allocations are numbered: Program::globals first, then those of the launch. Each has 64 GB of address space and
// begins in the middle of it, so that a negative index is recognised.
inline constexpr unsigned kAllocationBits = 36, kMostAllocations = 4096;
constexpr std::uint64_t allocation_address(std::uint32_t allocation) {
    return kGlobalBase + (std::uint64_t{allocation} << kAllocationBits) + (1ULL << (kAllocationBits - 1));
}
// Memory that the program's host code sees, too (managed, mapped), is at one address for both: numbered by itself, so that
// all of it lies within the 47 bits of a process's addresses and below where a process keeps its own.
inline constexpr std::uint64_t kHostBase = 1ULL << 44;
inline constexpr unsigned kMostHostAllocations = 1024;
constexpr std::uint64_t host_address(std::uint32_t number) {
    return kHostBase + (std::uint64_t{number} << kAllocationBits) + (1ULL << (kAllocationBits - 1));
}
constexpr bool is_host_address(std::uint64_t address) {
    return address >= kHostBase && address < kHostBase + (std::uint64_t{kMostHostAllocations} << kAllocationBits);
}

// Throws CompileError (compiler.hpp) if any index in the program is out of range.
void check(const Program& program);

std::vector<std::uint8_t> to_bytes(const Program& program);
// Throws CompileError for bytes that are not a program. The result is checked.
Program program_from_bytes(const std::vector<std::uint8_t>& bytes);

// One line per instruction, for people and tests.
std::string listing(const Program& program);

} // namespace warptree::compile
