// The columns of a trace file: array name, member, meaning. Writer and reader iterate over the same lists.
#pragma once

#include "app/trace/model/trace.hpp"

#include <type_traits>

namespace warptree::schema {

// A column that no member holds as it is. put(row, value): whether such a row can have it.
template <class Get, class Put> struct Derived {
    Get getter;
    Put putter;
};
template <class Get, class Put> Derived(Get, Put) -> Derived<Get, Put>; // which not every compiler finds itself
template <class Row, class T> T get(const Row& row, T Row::*field) { return row.*field; }
template <class Row, class T> bool put(Row& row, T Row::*field, T value) {
    row.*field = value;
    return true;
}
template <class Row, class Get, class Put> auto get(const Row& row, const Derived<Get, Put>& field) {
    return field.getter(row);
}
template <class Row, class Get, class Put, class T> bool put(Row& row, const Derived<Get, Put>& field, T value) {
    return field.putter(row, value);
}
template <class Row, class Field> using ValueOf = decltype(get(std::declval<const Row&>(), std::declval<Field>()));

inline constexpr const char* kSourceLine =
    "source line + 2^20 * file, the k-th of sources in the manifest, from 0; 0 for none";

inline constexpr const char* kAllocation = "row of the launch's allocations in the manifest; 65535: shared memory";

inline constexpr const char* kLaneShape = "what is kept of the lanes in the mask: 0 a number each, by lane; 1 one that "
                                          "all have; 2 two, a and b, of a + lane * b";

template <class F> void warp_steps(F&& f) {
    f("existing_mask", &WarpStep::existing, "lanes that have a thread; rows are [launch][block in window][step][warp]");
    f("active_mask", &WarpStep::active, "active lanes of a warp in a step; rows as existing_mask");
    f("other_path_mask", &WarpStep::other_path, "active lanes on another path than the lowest active lane");
}
template <class F> void requests(F&& f) {
    f("request_block", &Request::block, "block in the grid");
    f("request_step", &Request::step, "step of the launch");
    f("request_warp", &Request::warp, "warp of the block");
    f("request_kind", &Request::kind,
      "0 shared load, 1 shared store, 2 global load, 3 global store, 4 atomic, 5 shared atomic; 6 load, 7 store, 8 "
      "atomic of "
      "another block's shared memory");
    f("request_bytes", &Request::bytes, "bytes a lane takes: an element, or a vector");
    f("request_path", &Request::path, "number of the branch path within the warp's step");
    f("request_ordinal", &Request::ordinal, "order on that path");
    f("request_mask", &Request::mask, "lanes that take part");
    f("request_wavefronts", &Request::wavefronts, "shared memory wavefronts; 0 for global");
    f("request_ideal", &Request::ideal, "wavefronts without conflicts");
    f("request_sectors", &Request::sectors, "32-byte sectors of global memory; 0 for shared");
    f("request_line", &Request::line, kSourceLine);
    f("request_first_index", &Request::first_index,
      "where its element indices begin among the launch's rows of `index`");
    f("request_index_shape", &Request::index_shape, kLaneShape);
    f("request_allocation", &Request::allocation, kAllocation);
}
template <class F> void nodes(F&& f) {
    f("node_kind", &Node::kind, "0 leaf, 1 identity, 2 combine, 3 partial of this launch, read back, 4 product");
    const auto useful = [](const Node& n) { return n.useful; };
    const auto set_useful = [](Node& n, bool value) { return n.useful = value, true; };
    f("node_useful", Derived{useful, set_useful}, "1 when the result depends on it, and it is no padding");
    f("node_step", &Node::step, "step of the launch");
    f("node_thread", &Node::thread, "thread of the block");
    f("node_block", &Node::block, "block in the grid");
    f("node_left", &Node::left,
      "left operand, row among the launch's nodes; of a partial in shared memory what it is in another block; "
      "4294967295 for "
      "none");
    const auto right = [](const Node& n) { return n.right(); };
    const auto set_right = [](Node& n, std::uint32_t value) {
        n.right_or_element = value;
        return has_operands(n.kind) || value == kNone;
    };
    f("node_right", Derived{right, set_right}, "right operand");
    const auto element = [](const Node& n) { return n.element(); };
    const auto set_element = [](Node& n, std::uint32_t value) {
        if (has_operands(n.kind)) {
            return value == kNone;
        }
        n.right_or_element = value;
        return true;
    };
    f("node_element", Derived{element, set_element},
      "leaf: element of the launch's input; partial: of its output, or of shared memory");
    f("node_word", &Node::word, "shared element it was first stored to; 4294967295 for none");
    f("node_line", &Node::line, kSourceLine);
    const auto padding = [](const Node& n) { return n.padding; };
    const auto set_padding = [](Node& n, bool value) { return n.padding = value, true; };
    f("node_padding", Derived{padding, set_padding}, "1 for a combine with an operand that is only the identity");
    f("node_operation", &Node::operation, "what it does: Operation in app/trace/model/trace.hpp");
    f("node_type", &Node::type, "type of its value, as in app/base/value_type.hpp; 0: the trace's");
    f("node_allocation", &Node::allocation, kAllocation);
    f("node_word_allocation", &Node::word_allocation, kAllocation);
}
template <class F> void parts(F&& f) {
    f("part_node", &NodePart::node, "the merge, row among the launch's nodes");
    f("part_line", &NodePart::line, kSourceLine);
    f("part_operation", &NodePart::operation, "what makes it, as node_operation");
    f("part_type", &NodePart::type, "type of its value, as node_type");
    f("part_bits", &NodePart::bits, "its value, as bits of that type");
}
template <class F> void shuffles(F&& f) {
    f("shuffle_block", &Shuffle::block, "block in the grid");
    f("shuffle_step", &Shuffle::step, "step of the launch");
    f("shuffle_warp", &Shuffle::warp, "warp of the block");
    f("shuffle_kind", &Shuffle::kind, "0 down, 1 up, 2 xor, 3 index, 4 reduce: all lanes at once");
    f("shuffle_width", &Shuffle::width, "width");
    f("shuffle_delta", &Shuffle::delta, "delta, lane mask or source lane");
    f("shuffle_mask", &Shuffle::mask, "lanes that take part");
    f("shuffle_line", &Shuffle::line, kSourceLine);
    f("shuffle_first_source", &Shuffle::first_source, "where its 32 lanes begin in `shuffle_source`; 4294967295: none");
}
template <class F> void outputs(F&& f) {
    f("output_block", &Output::block, "block in the grid");
    f("output_step", &Output::step, "step of the launch");
    f("output_thread", &Output::thread, "thread of the block");
    f("output_atomic", &Output::atomic, "1 for an atomic combine");
    f("output_index", &Output::index, "element of the launch's output");
    f("output_node", &Output::node, "the value, row among the launch's nodes");
    f("output_line", &Output::line, kSourceLine);
    f("output_allocation", &Output::allocation, kAllocation);
}
template <class F> void barriers(F&& f) {
    f("barrier_block", &Barrier::block, "block in the grid");
    f("barrier_step", &Barrier::step, "step of the launch");
    f("barrier_line", &Barrier::line, kSourceLine);
    f("barrier_number", &Barrier::number, "number of a named barrier; 0: __syncthreads");
    f("barrier_expected", &Barrier::expected, "threads it waits for; 0: all of the block");
}
template <class F> void hazards(F&& f) {
    f("hazard_block", &Hazard::block, "block in the grid");
    f("hazard_word", &Hazard::word, "element of shared memory");
    f("hazard_first_step", &Hazard::first_step, "step of the earlier access");
    f("hazard_first_thread", &Hazard::first_thread, "its thread");
    f("hazard_second_step", &Hazard::second_step, "step of the later access");
    f("hazard_second_thread", &Hazard::second_thread, "its thread");
    f("hazard_first_writes", &Hazard::first_writes, "1 when it writes");
    f("hazard_second_writes", &Hazard::second_writes, "1 when it writes");
    f("hazard_first_line", &Hazard::first_line, kSourceLine);
    f("hazard_second_line", &Hazard::second_line, kSourceLine);
    f("hazard_across_shuffle", &Hazard::across_shuffle, "1 when both lanes pass a shuffle between the two");
}
template <class F> void stalls(F&& f) {
    f("stall_block", &Stall::block, "block in the grid");
    f("stall_step", &Stall::step, "step of the launch");
    f("stall_warp", &Stall::warp, "warp of the block");
    f("stall_kind", &Stall::kind, "0 waits at a block barrier, 1 at a warp barrier");
    f("stall_mask", &Stall::mask, "lanes that wait for ever");
    f("stall_expected", &Stall::expected, "threads that would have to come");
    f("stall_line", &Stall::line, kSourceLine);
}
template <class F> void votes(F&& f) {
    f("vote_block", &Vote::block, "block in the grid");
    f("vote_step", &Vote::step, "step of the launch");
    f("vote_warp", &Vote::warp, "warp of the block");
    f("vote_kind", &Vote::kind, "0 any, 1 all, 2 uniform, 3 ballot, 4 match any, 5 match all");
    f("vote_mask", &Vote::mask, "lanes that take part");
    f("vote_holds", &Vote::holds, "lanes for which the predicate holds");
    f("vote_line", &Vote::line, kSourceLine);
}
template <class F> void branches(F&& f) {
    f("branch_block", &Branch::block, "block in the grid");
    f("branch_step", &Branch::step, "step of the launch");
    f("branch_warp", &Branch::warp, "warp of the block");
    f("branch_taken", &Branch::taken, "lanes that take it");
    f("branch_not_taken", &Branch::not_taken, "lanes that do not");
    f("branch_line", &Branch::line, kSourceLine);
}
template <class F> void warp_barriers(F&& f) {
    f("warp_barrier_block", &WarpBarrier::block, "block in the grid");
    f("warp_barrier_step", &WarpBarrier::step, "step of the launch");
    f("warp_barrier_warp", &WarpBarrier::warp, "warp of the block");
    f("warp_barrier_mask", &WarpBarrier::mask, "lanes that wait for one another");
    f("warp_barrier_line", &WarpBarrier::line, kSourceLine);
}
template <class F> void arrivals(F&& f) {
    f("arrival_barrier", &Arrival::barrier, "row among the launch's barriers");
    f("arrival_warp", &Arrival::warp, "warp of the block");
    f("arrival_mask", &Arrival::mask, "lanes that arrive");
}
template <class F> void stored(F&& f) {
    f("stored_request", &StoredLanes::request, "row among the launch's requests");
    f("stored_part", &StoredLanes::part, "which part of what a lane stores, as of a vector");
    f("stored_parts", &StoredLanes::parts, "of how many");
    f("stored_mask", &StoredLanes::mask, "lanes whose value is in memory at the end of the step");
    f("stored_first_value", &StoredLanes::first_value,
      "where their values begin among the launch's rows of `stored_value`");
    f("stored_shape", &StoredLanes::shape, kLaneShape);
}
template <class F> void watches(F&& f) {
    f("watch_block", &Watch::block, "block in the grid");
    f("watch_step", &Watch::step, "step of the launch");
    f("watch_warp", &Watch::warp, "warp of the block");
    f("watch_variable", &Watch::variable, "row among the launch's variables in the manifest");
    f("watch_mask", &Watch::mask, "lanes that give it a value in the step");
    f("watch_first_value", &Watch::first_value, "where their values begin among the launch's rows of `watched`");
    f("watch_shape", &Watch::shape, kLaneShape);
}
template <class F> void steps(F&& f) {
    f("step_kind", &Step::kind, "0 load, 1 stage, 2 store, 3 other");
    f("step_stride", &Step::stride, "stride of a stage");
}

// Every table: its name, member of Launch, columns.
template <class F> void tables(F&& f) {
    f("step", &Launch::steps, [](auto&& g) { steps(g); });
    f("warp_step", &Launch::warp_steps, [](auto&& g) { warp_steps(g); });
    f("request", &Launch::requests, [](auto&& g) { requests(g); });
    f("node", &Launch::nodes, [](auto&& g) { nodes(g); });
    f("shuffle", &Launch::shuffles, [](auto&& g) { shuffles(g); });
    f("output", &Launch::outputs, [](auto&& g) { outputs(g); });
    f("barrier", &Launch::barriers, [](auto&& g) { barriers(g); });
    f("hazard", &Launch::hazards, [](auto&& g) { hazards(g); });
    f("stall", &Launch::stalls, [](auto&& g) { stalls(g); });
    f("vote", &Launch::votes, [](auto&& g) { votes(g); });
    f("branch", &Launch::branches, [](auto&& g) { branches(g); });
    f("warp_barrier", &Launch::warp_barriers, [](auto&& g) { warp_barriers(g); });
    f("arrival", &Launch::arrivals, [](auto&& g) { arrivals(g); });
    f("watch", &Launch::watches, [](auto&& g) { watches(g); });
    f("stored", &Launch::stored, [](auto&& g) { stored(g); });
    f("part", &Launch::parts, [](auto&& g) { parts(g); });
}

// Lists of numbers: array name, member of Launch, meaning. Each is a table of one column.
template <class F> void lists(F&& f) {
    f("index", &Launch::indices, "indices that requests touch, in units of request_bytes: see request_index_shape");
    f("shuffle_source", &Launch::shuffle_sources, "source lane of each lane of a shuffle");
    f("watched", &Launch::watched, "values of variables, as bits of their type: see watch_shape");
    f("stored_value", &Launch::stored_values, "what lanes leave in memory, as bits: see stored_shape");
    f("held", &Launch::held,
      "what arrays held before the launch, as bits: of each allocation its first `held` elements");
}

// The unsigned integer that stores a member: enums and flags in one byte, a line with its file.
template <class T> auto stored_as() {
    if constexpr (std::is_same_v<T, SourceLine>) {
        return std::uint32_t{};
    } else if constexpr (std::is_enum_v<T> || std::is_same_v<T, bool>) {
        return std::uint8_t{};
    } else {
        return T{};
    }
}
template <class T> constexpr const char* dtype_of() {
    return sizeof(T) == 1 ? "|u1" : sizeof(T) == 2 ? "<u2" : sizeof(T) == 4 ? "<u4" : "<u8";
}
constexpr const char* dtype_of(ElementType type) {
    switch (type) {
    case ElementType::i32: return "<i4";
    case ElementType::u32: return "<u4";
    case ElementType::i64: return "<i8";
    case ElementType::f32: return "<f4";
    case ElementType::f64: break;
    }
    return "<f8";
}

} // namespace warptree::schema
