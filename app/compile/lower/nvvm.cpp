// NVVM's intrinsics: special registers, barriers, exchanges between lanes, memory.
#include "app/compile/lower/atomics.hpp"
#include "app/compile/lower/calls.hpp"
#include "app/compile/lower/numbers.hpp"

#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/Constants.h>

namespace warptree::compile::lowering {

namespace {

using Name = llvm::StringRef; // without "llvm.nvvm."

struct SpecialName {
    const char* name;
    Special which;
};
constexpr SpecialName kSpecials[] = {
    {"tid.x", Special::thread_x},
    {"tid.y", Special::thread_y},
    {"tid.z", Special::thread_z},
    {"ctaid.x", Special::block_x},
    {"ctaid.y", Special::block_y},
    {"ctaid.z", Special::block_z},
    {"ntid.x", Special::block_size_x},
    {"ntid.y", Special::block_size_y},
    {"ntid.z", Special::block_size_z},
    {"nctaid.x", Special::grid_size_x},
    {"nctaid.y", Special::grid_size_y},
    {"nctaid.z", Special::grid_size_z},
    {"laneid", Special::lane},
    {"warpid", Special::warp},
    {"nwarpid", Special::warps},
    {"lanemask_lt", Special::lanes_below},
    {"lanemask_le", Special::lanes_up_to},
    {"lanemask_ge", Special::lanes_from},
    {"lanemask_gt", Special::lanes_above},
    {"lanemask_eq", Special::lane_bit},
    {"smid", Special::multiprocessor},
    {"nsmid", Special::multiprocessors},
    {"clock", Special::clock},
    {"clock64", Special::clock64},
    {"globaltimer", Special::timer},
    {"dynamic_smem_size", Special::dynamic_shared_bytes},
    {"cluster_ctaid.x", Special::cluster_block_x},
    {"cluster_ctaid.y", Special::cluster_block_y},
    {"cluster_ctaid.z", Special::cluster_block_z},
    {"cluster_nctaid.x", Special::cluster_size_x},
    {"cluster_nctaid.y", Special::cluster_size_y},
    {"cluster_nctaid.z", Special::cluster_size_z},
    {"clusterid.x", Special::cluster_x},
    {"clusterid.y", Special::cluster_y},
    {"clusterid.z", Special::cluster_z},
    {"nclusterid.x", Special::clusters_x},
    {"nclusterid.y", Special::clusters_y},
    {"nclusterid.z", Special::clusters_z},
    {"cluster_ctarank", Special::cluster_rank},
    {"cluster_nctarank", Special::cluster_blocks},
};

bool sregs(Body& body, const llvm::CallBase& call, Name name) {
    if (!name.consume_front("read.ptx.sreg.")) return false;
    std::string written = name.str(); // "lanemask.lt" and "cluster.ctaid" here, "lanemask_lt", "cluster_ctaid" in PTX
    if (name.starts_with("lanemask.") || name.starts_with("cluster.")) written[name.find('.')] = '_';
    Register made = special_register(body, written);
    if (made.row == kNone) made = body.constant(name.starts_with("warpsize") ? 32 : 0, rows_of(call.getType()));
    body.set(&call, body.resize(made, rows_of(call.getType())));
    return true;
}

bool barriers(Body& body, const llvm::CallBase& call, Name name) {
    const auto arg = [&](unsigned k) { return body.of(call.getArgOperand(k)); };
    Barrier barrier;
    if (name == "barrier0" || name == "bar.sync" || name == "barrier" || name == "barrier.n" ||
        name == "barrier.sync" || name == "barrier.sync.cnt") {
        barrier.aligned = !name.starts_with("barrier.sync");
        if (call.arg_size() > 0) {
            auto* number = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0));
            if (number == nullptr || !number->isZero() || call.arg_size() > 1) barrier.number = arg(0).row;
        }
        if (call.arg_size() > 1) barrier.threads = arg(1).row;
        emit_barrier(body, barrier);
        return true;
    }
    if (name == "bar.warp.sync") {
        const Register mask = arg(0);
        body.emit(Opcode::sync_warp).a = mask.row;
        return true;
    }
    if (name.consume_front("barrier.cluster.")) { // arrive, arrive.relaxed, wait, each also .aligned
        body.emit(Opcode::cluster_barrier).c = name.starts_with("wait") ? 1 : 0;
        return true;
    }
    barrier.reduce = llvm::StringSwitch<Barrier::Reduce>(name)
                         .Case("barrier0.popc", Barrier::Reduce::count)
                         .Case("barrier0.and", Barrier::Reduce::all)
                         .Case("barrier0.or", Barrier::Reduce::any)
                         .Default(Barrier::Reduce::none);
    if (barrier.reduce == Barrier::Reduce::none) return false;
    barrier.predicate = arg(0).row;
    body.set(&call, emit_barrier(body, barrier));
    return true;
}

bool fences(Body& body, Name name) {
    if (!name.consume_front("membar.")) return false;
    emit_fence(body, name == "cta" ? Scope::block : name == "gl" ? Scope::device : Scope::system);
    return true;
}

bool exchanges(Body& body, const llvm::CallBase& call, Name name) {
    const auto arg = [&](unsigned k) { return body.of(call.getArgOperand(k)); };
    if (name.consume_front("shfl.")) {
        const bool masked = name.consume_front("sync.");
        const unsigned first = masked ? 1 : 0;
        ShuffleRequest request{.mode = llvm::StringSwitch<ShuffleMode>(name.split('.').first)
                                           .Case("down", ShuffleMode::down)
                                           .Case("up", ShuffleMode::up)
                                           .Case("bfly", ShuffleMode::exchange_xor)
                                           .Default(ShuffleMode::index)};
        request.mask = masked ? arg(0) : body.constant(0xFFFFFFFF);
        request.value = arg(first);
        request.lane = arg(first + 1);
        request.width = shuffle_width(body, call.getArgOperand(first + 2));
        request.wants_range = name.ends_with("p");
        request.type = exchanged_type(body, call.getArgOperand(first));
        const Shuffled made = emit_shuffle(body, request);
        body.set(&call, 0, made.value);
        if (request.wants_range) body.set(&call, 1, made.in_range);
        return true;
    }
    if (name.consume_front("vote.")) {
        const bool masked = name.consume_back(".sync");
        const auto mode = llvm::StringSwitch<VoteMode>(name)
                              .Case("any", VoteMode::any)
                              .Case("all", VoteMode::all)
                              .Case("uni", VoteMode::uniform)
                              .Default(VoteMode::ballot);
        const Register mask = masked ? arg(0) : body.constant(0xFFFFFFFF);
        const Register flag = arg(masked ? 1 : 0);
        body.set(&call, mode == VoteMode::ballot
                            ? emit_ballot(body, call, mask, flag)
                            : emit_exchange(body, Opcode::vote, static_cast<std::uint8_t>(mode), mask, flag));
        return true;
    }
    if (name.consume_front("match.")) {
        const bool all = name.starts_with("all");
        const Register value = arg(1);
        const Register made =
            emit_exchange(body, Opcode::match, all ? 1 : 0, arg(0), value, exchanged_type(body, call.getArgOperand(1)));
        body.set(&call, 0, made);
        if (all) {
            const Register same = body.fresh(1);
            body.program.exchanges.back().in_range = same.row;
            body.set(&call, 1, same);
        }
        return true;
    }
    if (name.consume_front("redux.sync.")) {
        const auto operation = llvm::StringSwitch<WarpOperation>(name)
                                   .Case("min", WarpOperation::min)
                                   .Case("max", WarpOperation::max)
                                   .Case("umin", WarpOperation::umin)
                                   .Case("umax", WarpOperation::umax)
                                   .Case("and", WarpOperation::and_)
                                   .Case("or", WarpOperation::or_)
                                   .Case("xor", WarpOperation::xor_)
                                   .Default(WarpOperation::add);
        body.set(&call, emit_exchange(body, Opcode::reduce_warp, static_cast<std::uint8_t>(operation), arg(1), arg(0),
                                      exchanged_type(body, call.getArgOperand(0))));
        return true;
    }
    if (name != "activemask") return false;
    const Register made = body.fresh(1);
    body.emit(Opcode::active_mask).dst = made.row;
    body.set(&call, made);
    return true;
}

// atomic.add.gen.i.cta, atomic.load.inc.32
bool atomics(Body& body, const llvm::CallBase& call, Name name) {
    if (!name.consume_front("atomic.")) return false;
    const bool plain = name.consume_front("load.");
    const llvm::Type* type = call.getType();
    const Name op = name.split('.').first;
    const bool compares = op == "cas", floating = type->isFloatingPointTy();
    const auto operation = llvm::StringSwitch<std::optional<AtomicOperation>>(op)
                               .Case("add", floating ? AtomicOperation::fadd : AtomicOperation::add)
                               .Case("and", AtomicOperation::and_)
                               .Case("or", AtomicOperation::or_)
                               .Case("xor", AtomicOperation::xor_)
                               .Case("max", AtomicOperation::max)
                               .Case("min", AtomicOperation::min)
                               .Case("exch", AtomicOperation::exchange)
                               .Case("cas", AtomicOperation::compare_exchange)
                               .Case("inc", AtomicOperation::increment)
                               .Case("dec", AtomicOperation::decrement)
                               .Default(std::nullopt);
    if (!operation) return false;
    const bool named_scope = !plain && (name.contains(".cta") || name.contains(".sys"));
    AtomicRequest request{.operation = *operation,
                          .pointer = call.getArgOperand(0),
                          .type = type,
                          .value = body.of(call.getArgOperand(compares ? 2 : 1)),
                          .scope = !named_scope            ? Scope::device
                                   : name.contains(".cta") ? Scope::block
                                                           : Scope::system,
                          .used = !call.use_empty(),
                          .tagged = body.unit.elements.is(&call)};
    if (compares) request.expected = body.of(call.getArgOperand(1));
    const Register old = emit_atomic(body, request);
    if (request.used) body.set(&call, old);
    return true;
}

bool async_copies(Body& body, const llvm::CallBase& call, Name name) {
    if (!name.consume_front("cp.async.")) return false;
    if (name == "commit.group") {
        body.emit(Opcode::copy_commit);
    } else if (name == "wait.all") {
        body.emit(Opcode::copy_commit); // it also waits for copies not yet committed to a group
        body.emit(Opcode::copy_wait).c = 0;
    } else if (name == "wait.group") {
        auto* most = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0));
        body.emit(Opcode::copy_wait).c = most == nullptr ? 0 : static_cast<std::uint32_t>(most->getZExtValue());
    } else if (name.starts_with("ca.shared.global.") || name.starts_with("cg.shared.global.")) {
        name = name.drop_front(17);
        Copy copy{.to = body.of(call.getArgOperand(0)).row, .from = body.of(call.getArgOperand(1)).row};
        if (name.consume_back(".s")) copy.filled = body.of(call.getArgOperand(2)).row;
        unsigned bytes = 16;
        name.getAsInteger(10, bytes);
        copy.bytes = static_cast<std::uint8_t>(bytes);
        body.emit(Opcode::copy_async).c = Unit::add(body.program.copies, copy);
    } else {
        return false;
    }
    return true;
}

bool read_only_loads(Body& body, const llvm::CallBase& call, Name name) {
    if (!name.starts_with("ldg.global.") && !name.starts_with("ldu.global.")) return false;
    const llvm::Value* pointer = call.getArgOperand(0);
    const Address address = address_of(body, pointer);
    if (call.getType()->isVectorTy()) return false;
    body.define(&call);
    emit_access(body, Opcode::load, address, access(body, pointer, address, call.getType()), body.of(&call));
    return true;
}

// The shared memory of other blocks of the cluster: shared_address().
bool clusters(Body& body, const llvm::CallBase& call, Name name) {
    const auto arg = [&](unsigned k) { return body.of(call.getArgOperand(k)); };
    constexpr std::uint64_t kRank = 0xFFFF;
    const Register shift = body.constant(kRankShift, 2);
    if (name == "mapa" || name == "mapa.shared.cluster") {
        const Register place = body.compute(Opcode::and64, 2, arg(0), body.constant(~(kRank << kRankShift), 2));
        const Register next = body.resize(body.compute(Opcode::add32, 1, arg(1), body.constant(1)), 2);
        body.set(&call, body.compute(Opcode::add64, 2, place, body.compute(Opcode::shl64, 2, next, shift)));
        return true;
    }
    if (name != "getctarank" && name != "getctarank.shared.cluster") return false;
    const Register next = body.compute(Opcode::and32, 1, body.resize(body.compute(Opcode::lshr64, 2, arg(0), shift), 1),
                                       body.constant(kRank));
    const Register named = body.compute(Opcode::sub32, 1, next, body.constant(1));
    const Register own = body.compute(Opcode::eq32, 1, next, body.constant(0));
    body.set(&call, body.compute(Opcode::select32, 1, body.special(Special::cluster_rank), named, own));
    return true;
}

// The memory space of a generic pointer, from its upper 16 bits.
bool spaces(Body& body, const llvm::CallBase& call, Name name) {
    if (name.starts_with("ptr.")) {
        body.set(&call, body.of(call.getArgOperand(0)));
        return true;
    }
    if (!name.consume_front("isspacep.")) return false;
    const Register upper =
        body.resize(body.compute(Opcode::lshr64, 2, body.of(call.getArgOperand(0)), body.constant(48, 2)), 1);
    if (name == "shared" || name == "shared.cluster" || name == "local")
        body.set(&call, body.compute(Opcode::eq32, 1, upper,
                                     body.constant((name == "local" ? kLocalBase : kSharedBase) >> 48)));
    else if (name == "global")
        body.set(&call, body.compute(Opcode::ule32, 1, body.constant(kGlobalBase >> 48), upper));
    else
        body.set(&call, body.constant(0));
    return true;
}

} // namespace

Register special_register(Body& body, llvm::StringRef name) {
    for (const SpecialName& known : kSpecials)
        if (name == known.name) return body.special(known.which);
    return {};
}

// Operand c of PTX's shfl has 32 minus the width in bits 8 to 12, above the last lane of a segment.
Register shuffle_width(Body& body, const llvm::Value* clamp) {
    if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(clamp)) {
        const std::uint64_t width = 32 - (constant->getZExtValue() >> 8 & 31);
        return width == 32 ? Register{} : body.constant(width);
    }
    const Register segment = body.compute(
        Opcode::and32, 1, body.compute(Opcode::lshr32, 1, body.of(clamp), body.constant(8)), body.constant(31));
    return body.compute(Opcode::sub32, 1, body.constant(32), segment);
}

bool lower_nvvm(Body& body, const llvm::CallBase& call) {
    const llvm::StringRef whole = call.getCalledFunction()->getName();
    const Name name = whole.drop_front(10); // "llvm.nvvm."
    if (name == "nanosleep" || name == "compiler.warn") return true;
    if (name == "exit") {
        body.emit(Opcode::exit);
        body.ended = true;
        return true;
    }
    return sregs(body, call, name) || barriers(body, call, name) || fences(body, name) || exchanges(body, call, name) ||
           atomics(body, call, name) || async_copies(body, call, name) || read_only_loads(body, call, name) ||
           clusters(body, call, name) || spaces(body, call, name) || lower_nvvm_math(body, call, name);
}

} // namespace warptree::compile::lowering
