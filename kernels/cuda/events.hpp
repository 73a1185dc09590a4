// What a thread writes while it is traced on the GPU, one record an event, in program order.
#pragma once

#include "app/base/parameter.hpp"
#include "app/trace/model/source_line.hpp"

#include <cstdint>

namespace warptree::cuda {

enum class EventKind : std::uint8_t {
    step,         // detail: StepKind; a: stride; b: Phase
    branch,       // detail: taken; ends at its join
    loop,         // begins; ends at its join
    turn,         // of the innermost loop; detail: taken
    join,         // of the last branch or loop that has not ended
    shared_load,  // a: word
    shared_store, // a: word, b: node
    load,         // a: element, value; makes a node
    load_vector,  // a: vector; its elements follow
    element,      // a: element, value: of a vector; makes a node
    ticket,       // an atomic on the grid's counter; a: what it gave, where that matters
    partial,      // detail: with its flag; a: output of this launch, value: read back; makes a node
    identity,     // value; makes a node
    combine,      // a, b: operand nodes, value; makes a node
    output,       // detail: OutputTo (trace/recorder.hpp); a: index, b: node, value
    barrier,
    warp_barrier,
    shuffle,       // detail: ShuffleKind; a: delta; b: width
    take_part,     // active, though another lane makes the combine
    array_load,    // a: word of the block's part of the output, which begins at `value`
    array_store,   // the same; b: node
    publish,       // detail: a prefix; a: tile, b: node
    look,          // detail: a prefix; a: tile, b: its last element, value; makes a node
    store_vector,  // a: vector; what is put out follows
    element_put,   // the output of one element of that vector; as output
    shared_vector, // detail: a store; a: vector; what a store puts there follows
    stored,        // a: word of shared memory, b: node
    product,       // a, b: operand nodes, value; makes a node
    lanes_meet     // within one instruction that combines lanes; orders no memory
};

// A node is the thread that made it and its number among that thread's nodes.
inline constexpr unsigned kNodeBits = 21;
inline constexpr std::uint32_t kNoRawNode = 0xFFFFFFFFU;

struct Event {
    EventKind kind;
    std::uint8_t detail;
    SourceLine line;
    std::uint32_t a, b;
    std::uint64_t value;
};
static_assert(sizeof(Event) == 24);

// The parameters of a traced kernel. Block `first_block` is the launch's first; counts and events are of these blocks.
// Event e of thread t (counted over the launch) lies at events[e * threads + t]. With events null, only counts.
struct TraceParams {
    const void* input;
    void* output;
    std::uint64_t n;
    std::uint32_t grid; // of the whole, which the kernel sees
    std::uint32_t first_block;
    std::uint8_t op; // Operator
    bool maps;       // the operator's map is applied to what is loaded
    bool atomic;
    bool last_block;        // the last block to arrive reduces the partials
    std::uint32_t* arrived; // blocks of the grid that have
    Arguments arguments;
    std::uint32_t* array_nodes; // by output, where blocks use it as memory
    std::uint32_t* counts;      // events of each thread
    Event* events;
    std::uint64_t threads;  // of this launch
    std::uint32_t capacity; // events a thread
};

} // namespace warptree::cuda
