// What a thread notes while it is traced on the GPU.
#pragma once

#include "app/trace/model/kinds.hpp"
#include "kernels/cuda/events.hpp"
#include "app/trace/model/phase.hpp"

namespace warptree::cuda {

// What records is a call, not inlined, and has few parameters, by value: a traced kernel is then a fraction of the code,
// and of the time to compile it.
#define WARPTREE_RECORDS __device__ __noinline__

// Where a call of the vocabulary is written. As a default argument, `Place at = {}` is the caller's. nvcc does not fold
// the search for the file: it is done where an event is written, not in each place that makes one.
struct Place {
    unsigned line;
    const char* path;
    __device__ Place(unsigned at = __builtin_LINE(), const char* in = __builtin_FILE()) : line(at), path(in) {}
    __device__ static Place none() { return {0, nullptr}; }
    __device__ SourceLine source() const { return line == 0 ? SourceLine::none() : SourceLine(line, path); }
};

struct ThreadRecord {
    TraceParams params;
    std::uint64_t thread; // in this launch
    std::uint32_t count = 0, nodes = 0;

    WARPTREE_RECORDS void write(EventKind kind, unsigned detail, Place at, std::uint32_t a = 0, std::uint32_t b = 0,
                                std::uint64_t value = 0) {
        if (params.events != nullptr && count < params.capacity) {
            params.events[count * params.threads + thread] = {
                kind, static_cast<std::uint8_t>(detail), at.source(), a, b, value};
        }
        ++count;
    }
    WARPTREE_RECORDS void note(EventKind kind, unsigned detail = 0) { write(kind, detail, Place::none()); }
    WARPTREE_RECORDS void note_at(EventKind kind, Place at) { write(kind, 0, at); }
    WARPTREE_RECORDS void step(StepKind kind, std::uint32_t stride = 0, Phase phase = Phase::none) {
        write(EventKind::step, static_cast<unsigned>(kind), Place::none(), stride, static_cast<std::uint32_t>(phase));
    }
    WARPTREE_RECORDS void shuffle(ShuffleKind kind, std::uint32_t delta, std::uint32_t width, Place at) {
        write(EventKind::shuffle, static_cast<unsigned>(kind), at, delta, width);
    }
    __device__ std::uint32_t new_node() { return threadIdx.x << kNodeBits | nodes++; }
};

} // namespace warptree::cuda
