#include "app/measure/timing/presets.hpp"

#include <algorithm>
#include <iterator>

namespace warptree::timing {

namespace {
std::vector<std::uint64_t> powers(unsigned first, unsigned last, unsigned step = 1) {
    std::vector<std::uint64_t> list;
    for (unsigned k = first; k <= last; k += step) {
        list.push_back(1ULL << k);
    }
    return list;
}

// The seven kernels of the lecture.
std::vector<std::string> ladder_ids() {
    return {"interleaved-modulo", "interleaved-strided", "sequential",   "first-add",
            "unroll-last-warp",   "unroll-complete",     "multiple-adds"};
}

std::vector<std::string> with_peers(std::vector<std::string> ids) {
    for (const std::string& peer : peers_of(ids)) {
        ids.push_back(peer);
    }
    return ids;
}

std::vector<std::string> all_of(bool scans) {
    std::vector<std::string> ids;
    for (const StrategyInfo& s : strategies()) {
        if (can_be_timed(s) && s.family != Family::exhibit && is_scan(s) == scans && s.answer != Answer::segments) {
            ids.emplace_back(s.id);
        }
    }
    return ids;
}

const std::vector<ElementType> kThreeTypes{ElementType::i32, ElementType::f32, ElementType::f64};

// The types that the strategy supports.
std::vector<ElementType> types_of(const StrategyInfo& info, const std::vector<ElementType>& types) {
    std::vector<ElementType> taken = types;
    const std::vector<std::string>& named = info.header.types;
    std::erase_if(taken, [&](ElementType t) {
        return !named.empty() && std::find(named.begin(), named.end(), name(t)) == named.end();
    });
    return taken;
}

// The lecture's conditions.
Axes ladder_axes(std::vector<std::string> ids) {
    Axes a;
    a.variants = std::move(ids);
    a.sizes = {1U << 22};
    a.blocks = {128};
    a.whole = true;
    return a;
}

std::vector<Axes> ladder() {
    Axes a = ladder_axes(ladder_ids());
    for (const char* id : {"block-shuffle", "vectorized", "cub-reduce", "device-read", "device-copy"}) {
        a.variants.emplace_back(id);
    }
    a.modes = {Mode::cold, Mode::warm};
    Axes filled = a;
    filled.variants = {"multiple-adds"};
    filled.grids_per_multiprocessor.assign(kGridsPerMultiprocessor.begin(), kGridsPerMultiprocessor.end());
    return {a, filled};
}

// Where the time of a reduction goes: the first launch alone, with the host's part, and empty kernels; and the lab's
// table, whose single figure covers kernel, copy and host.
std::vector<Axes> parts() {
    Axes first = ladder_axes(ladder_ids());
    first.whole = false;
    first.quantities = {Quantity::kernel, Quantity::pipeline};
    Axes empty = ladder_axes({"sequential", "vectorized", "two-kernel"});
    empty.blocks.clear();
    empty.whole = false;
    empty.quantities = {Quantity::pipeline, Quantity::launch};
    Axes lab = ladder_axes({"interleaved-modulo"});
    lab.sizes = {1U << 24};
    lab.types = {ElementType::f64};
    lab.blocks = {512};
    lab.whole = false;
    lab.quantities = {Quantity::kernel, Quantity::pipeline};
    Axes peers = ladder_axes(peers_of(first.variants));
    return {first, empty, lab, peers};
}

// Complete reductions on the GPU, in each type that they support.
std::vector<Axes> sweep() {
    std::vector<Axes> all;
    for (const std::string& id : with_peers(all_of(false))) {
        const StrategyInfo* info = find_strategy(id);
        Axes a;
        a.variants = {id};
        a.sizes = powers(10, 30, 2);
        a.types = info != nullptr ? types_of(*info, kThreeTypes) : kThreeTypes;
        a.whole = true;
        all.push_back(a);
        if (info != nullptr && info->strides) {
            a.grids_per_multiprocessor.assign(kGridsPerMultiprocessor.begin(), kGridsPerMultiprocessor.end());
            all.push_back(a);
        }
    }
    Axes warm;
    warm.sizes = powers(10, 30, 4);
    warm.whole = true;
    warm.modes = {Mode::warm};
    for (const std::string& id : with_peers(all_of(false))) {
        const StrategyInfo* info = find_strategy(id);
        const ElementType type = info != nullptr ? taken_type(*info) : ElementType::i32;
        if (type == ElementType::i32) {
            warm.variants.push_back(id);
            continue;
        }
        Axes other = warm;
        other.variants = {id};
        other.types = {type};
        all.push_back(std::move(other));
    }
    all.push_back(warm);
    return all;
}

// Block sizes that the strategy supports, for reductions and scans.
std::vector<Axes> blocks() {
    std::vector<Axes> all;
    std::vector<std::string> ids = all_of(false);
    for (std::string& id : all_of(true)) {
        ids.push_back(std::move(id));
    }
    for (const std::string& id : ids) {
        const StrategyInfo& info = require_strategy(id);
        Axes a;
        a.variants = {id};
        a.sizes = {1U << 16, 1U << 22, 1U << 28};
        a.types = types_of(info, kThreeTypes);
        a.whole = true;
        std::copy_if(kComparedBlocks.begin(), kComparedBlocks.end(), std::back_inserter(a.blocks),
                     [&](std::uint32_t block) { return catalogue::takes(info.blocks, block); });
        if (a.blocks.empty()) {
            continue;
        }
        all.push_back(a);
        if (info.strides) {
            a.grids_per_multiprocessor.assign(kGridsPerMultiprocessor.begin(), kGridsPerMultiprocessor.end());
            all.push_back(std::move(a));
        }
    }
    Axes peers;
    peers.variants = peers_of(ids);
    peers.sizes = {1U << 16, 1U << 22, 1U << 28};
    peers.types = kThreeTypes;
    all.push_back(peers);
    return all;
}

// Which way of combining the partials is fastest: the lecture compares warps with blocks.
std::vector<Axes> finishes_preset() {
    Axes own, chosen;
    own.variants = {"warp-atomic", "block-atomic", "last-block", "two-kernel", "vectorized"};
    own.sizes = powers(14, 30, 4);
    own.types = kThreeTypes;
    own.blocks = {256};
    chosen = own;
    chosen.variants = {"block-shuffle", "multiple-adds"};
    chosen.finishes = {Finish::relaunch, Finish::atomic, Finish::last_block};
    Axes peers = own;
    peers.variants = peers_of(own.variants);
    return {own, chosen, peers};
}

std::vector<Axes> scans() {
    Axes a;
    a.variants = with_peers(all_of(true));
    a.sizes = powers(10, 30, 2);
    a.types = kThreeTypes;
    Axes fast = a;
    fast.variants = {"scan-coarsened"};
    fast.blocks = {128, 256};
    fast.parameters["batch"] = {4, 8};
    fast.parameters["vectors"] = {1};
    return {a, fast};
}

std::vector<Axes> front() {
    Axes reduce;
    reduce.variants = with_peers({"vectorized"});
    reduce.sizes = powers(10, 30);
    reduce.types = kThreeTypes;
    Axes greatest = reduce;
    greatest.variants = {"vectorized", std::string(kVendorReduce)};
    greatest.ops = {Operator::max};
    Axes scan;
    scan.variants = {"scan-lookback", "scan-pipelined", std::string(kVendorScan), std::string(kCopy)};
    scan.sizes = powers(10, 30);
    scan.types = reduce.types;
    Axes block_scan;
    block_scan.variants = {"scan-coarsened"};
    block_scan.sizes = powers(10, 30);
    block_scan.parameters["batch"] = {4, 8};
    block_scan.parameters["vectors"] = {1};
    return {reduce, greatest, scan, block_scan};
}

std::vector<Axes> coarsened_map() {
    Axes a;
    a.variants = {"scan-coarsened"};
    a.sizes = {1U << 28};
    a.blocks = {32, 64, 128, 256, 512, 1024};
    a.parameters["batch"] = {1, 2, 4, 8, 16};
    Axes vectors = a;
    vectors.parameters["batch"] = {4, 8, 16}; // a multiple of 16 bytes
    vectors.parameters["vectors"] = {1};
    Axes peers = a;
    peers.variants = {std::string(kVendorScan), std::string(kCopy)};
    peers.blocks = {};
    return {a, vectors, peers};
}

// Elements per thread follow from n / (blocks × threads).
std::vector<Axes> cascading_map() {
    Axes a;
    a.variants = {"multiple-adds"};
    a.sizes = {1U << 20, 1U << 24, 1U << 28};
    a.blocks = {64, 128, 256, 512, 1024};
    a.grids = {16, 32, 64, 132, 264, 528, 1056, 2112, 4224};
    Axes peers = a;
    peers.variants = {std::string(kVendorReduce), std::string(kRead)};
    peers.blocks = peers.grids = {};
    return {a, peers};
}
// The recording that ships.
std::vector<Axes> everything() {
    std::vector<Axes> all;
    for (const auto part :
         {&ladder, &parts, &sweep, &blocks, &finishes_preset, &scans, &front, &coarsened_map, &cascading_map}) {
        for (Axes& a : part()) {
            all.push_back(std::move(a));
        }
    }
    return all;
}
} // namespace

std::span<const Preset> presets() {
    static constexpr std::array all{
        Preset{"ladder",
               "the lecture's seven kernels down to one value, 2^22 i32 in blocks of 128, cold and warm; the last also "
               "with four and sixteen blocks for each multiprocessor",
               &ladder},
        Preset{"parts", "the ladder's first launch alone, with the host's part, and empty kernels", &parts},
        Preset{"sweep", "every reduction down to one value, n from 2^10 to 2^30, three types", &sweep},
        Preset{"blocks", "every reduction and scan in blocks of 128 to 1024, at three n, three types", &blocks},
        Preset{"finishes", "atomics of warps and blocks, relaunch, last block", &finishes_preset},
        Preset{"scans", "every scan, n from 2^10 to 2^30, three types", &scans},
        Preset{"front", "vectorized and the fastest scans against their peers at every n", &front},
        Preset{"coarsened-map", "scan-coarsened by block and batch", &coarsened_map},
        Preset{"cascading-map", "multiple-adds by blocks and threads, and so by elements per thread", &cascading_map},
        Preset{"everything", "all of these", &everything},
    };
    return all;
}

const Preset* find_preset(std::string_view name) {
    const auto all = presets();
    const auto it = std::find_if(all.begin(), all.end(), [&](const Preset& p) { return p.name == name; });
    return it == all.end() ? nullptr : &*it;
}

std::vector<std::string> peers_of(std::span<const std::string> variants) {
    bool scan = false, reduction = false;
    for (const std::string& v : variants) {
        if (const StrategyInfo* info = find_strategy(v)) {
            (is_scan(*info) ? scan : reduction) = true;
        }
    }
    std::vector<std::string> list;
    if (reduction) {
        list.emplace_back(kVendorReduce);
    }
    if (scan) {
        list.emplace_back(kVendorScan);
    }
    list.emplace_back(kRead);
    list.emplace_back(kCopy);
    return list;
}

} // namespace warptree::timing
