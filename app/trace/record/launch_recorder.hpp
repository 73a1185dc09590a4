// Merges the recordings of all blocks, in block order, into a launch.
#pragma once

#include "app/trace/record/block_recorder.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace warptree::record {

// The name that the source gives a step.
struct StepName {
    std::string text;        // "s = 4", "offset = 8", "line 31"
    std::int64_t stride = 0; // the variable's value, if it has one
    std::string sentence;    // from the source, on what the step is for; empty: none
    std::string outer = {};  // the variable of the loop around the step's, if that has one
};

class LaunchRecorder {
  public:
    using NameStep =
        std::function<StepName(const StepKey&)>; // of stages, steps of kind `other`, and steps with a source
    using LineAt = std::function<SourceLine(std::uint32_t location)>;

    // full_blocks: the number of blocks to record in full.
    LaunchRecorder(Launch& launch, std::uint32_t full_blocks, NameStep name, LineAt line)
        : launch_(launch), full_blocks_(full_blocks), name_(std::move(name)), line_(std::move(line)) {}

    // `depths` receives, by element of the allocation, the applications of the operator in its value, or kOnlyIdentity.
    void keep_depths(std::uint32_t allocation, std::vector<std::uint32_t>* depths) {
        kept_allocation_ = allocation;
        kept_depths_ = depths;
    }
    // Blocks must be added in order. Returns this launch's number of each step of the block.
    const std::vector<std::uint32_t>& add(BlockRecorder& block, std::uint32_t number);
    // After finish(): the index in Launch::steps of a number that add() returned.
    std::uint32_t place(std::uint32_t number) const { return places_[number]; }
    void finish();

    // Of all blocks so far.
    std::uint64_t leaves() const { return leaves_; }   // distinct elements that outputs depend on
    std::uint64_t atomics() const { return atomics_; } // tracked values that atomics combined into memory
    std::uint64_t padding_atomics() const { return padding_atomics_; } // those made only of the identity
    // Where atomics combined values that are made of elements: how many, by element.
    const std::unordered_map<std::uint64_t, std::uint32_t>& joined() const { return joined_; }
    // By allocation, whether a value made of elements was stored there.
    const std::vector<bool>& stores_data() const { return stores_data_; }
    std::uint64_t depth() const { return depth_; } // applications of the operator on the longest path to an output

  private:
    struct Kept { // a fully recorded block, until steps have their places
        std::uint32_t block = 0;
        std::vector<std::uint32_t> steps; // numbers, by step of the block
        std::vector<LaneMasks> lanes;
        std::vector<std::uint32_t> existing;
    };

    void count_leaves(const DataFlow& flow);
    void number_segments(const BlockRecorder& block);
    void reserve();
    template <class Event, class Visit> void by_place(const std::vector<Event>& events, Visit&& visit);
    void write_flow(const DataFlow& flow, std::uint32_t block);
    void write_events(const BlockEvents& events, std::uint32_t block, unsigned warps);
    void write_stored(const BlockEvents& events, const std::vector<std::uint32_t>& rows);
    void write_steps();
    void write_warp_steps(const Kept& kept);
    void place_events();
    void join_clusters();

    Launch& launch_;
    std::uint32_t full_blocks_;
    NameStep name_;
    LineAt line_;
    StepSequence sequence_;
    std::vector<Counters> counters_;
    std::vector<std::uint32_t> numbers_, places_;
    std::vector<OuterValue> outers_; // by number in the sequence
    std::vector<Kept> kept_;
    // Between blocks of a cluster: by block, the nodes of the values that it gives; nodes that take one of them.
    struct Taken {
        std::uint32_t node = 0, block = 0, given = 0;
    };
    std::map<std::uint32_t, std::vector<std::uint32_t>> given_;
    std::vector<Taken> taken_;
    // By segment of the block being added: its step's number, and that step's place among the block's steps.
    std::vector<std::uint16_t> number_of_, rank_of_;
    std::vector<std::uint64_t> order_;
    std::vector<std::vector<std::uint64_t>> reached_; // by allocation: one bit per element
    std::uint32_t kept_allocation_ = 0;
    std::vector<std::uint32_t>* kept_depths_ = nullptr;
    std::uint64_t leaves_ = 0, depth_ = 0, atomics_ = 0, padding_atomics_ = 0;
    std::unordered_map<std::uint64_t, std::uint32_t> joined_; // by allocation << 48 | element
    std::vector<bool> stores_data_;
};

} // namespace warptree::record
