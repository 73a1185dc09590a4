// Inline assembly for memory and for communication between threads.
#include "app/compile/lower/assembly.hpp"

#include <llvm/ADT/StringSwitch.h>

namespace warptree::compile::lowering {

namespace {

constexpr ptx::Type kWord{ptx::Type::Kind::bits, 32};
constexpr ptx::Type kLong{ptx::Type::Kind::bits, 64};
constexpr ptx::Type kTruth{ptx::Type::Kind::predicate, 1};

bool in_shared(const ptx::Statement& s) { return s.has("shared") || s.has("shared::cta"); }

} // namespace

Scope Assembly::scope(const ptx::Statement& s) const {
    return s.has("cta") ? Scope::block : s.has("sys") ? Scope::system : Scope::device;
}

// A shared address is an offset in shared memory, or a generic address with the same low 32 bits.
Address Assembly::address(const ptx::Statement& s, const ptx::Operand& operand) {
    good_ &= operand.kind == ptx::Operand::Kind::address;
    const auto offset = static_cast<std::int64_t>(operand.number);
    if (!in_shared(s)) return {.base = read(operand.name, kLong), .offset = offset};
    Register low = read(operand.name, kWord);
    low.tag = 0;
    return {.base = body_.constant(kSharedBase, 2), .index = low, .kind = Access::Index::u32, .offset = offset};
}

Access Assembly::access_of(const ptx::Statement& s, const ptx::Operand& operand, const Address& address,
                           const ptx::Type& type, std::uint8_t count) {
    Access made{.index = address.kind, .scale = address.scale, .offset = address.offset, .count = count};
    made.bytes = static_cast<std::uint8_t>(type.bits / 8);
    made.type = value_type(llvm_type(type), type.kind != ptx::Type::Kind::is_unsigned);
    made.space = in_shared(s)      ? Space::shared
                 : s.has("global") ? Space::global
                 : s.has("local")  ? Space::local
                                   : Space::unknown;
    if (const llvm::Value* source = value_of(operand.name)) {
        if (const Object* object = body_.unit.pointees.only(source);
            object != nullptr && object->kind == Object::Kind::shared) {
            made.array = body_.unit.map.shared(llvm::cast<llvm::GlobalVariable>(object->value));
            made.space = Space::shared;
        }
    }
    made.is_volatile = s.has("volatile") || s.has("relaxed") || s.has("acquire") || s.has("release") || s.has("cv");
    made.atomic = s.has("relaxed") || s.has("acquire") || s.has("release");
    made.scope = scope(s);
    made.streaming = s.has("cs") || s.has("nc") || s.has("L1::no_allocate") || s.has("lu");
    return made;
}

bool Assembly::load(const ptx::Statement& s, const ptx::Type& type) {
    if (s.operands.size() < 2) return false;
    const ptx::Operand &to = s.operands[0], &from = s.operands[1];
    const bool list = to.kind == ptx::Operand::Kind::list;
    const std::vector<std::string> names = list ? to.names : std::vector{to.name};
    if (names.size() != (s.has("v2") ? 2U : s.has("v4") ? 4U : 1U)) return false;
    const Address where = address(s, from);
    const auto count = static_cast<std::uint8_t>(names.size());
    const bool tagged = body_.unit.elements.any(&call_);
    std::vector<Register> parts;
    for (std::size_t i = 0; i < names.size(); ++i) parts.push_back(body_.fresh(type.rows(), tagged));
    emit_access(body_, Opcode::load, where, access_of(s, from, where, type, count), parts.front());
    for (std::size_t i = 0; i < names.size(); ++i) {
        Register value = parts[i];
        if (type.is_signed() && type.bits < 32) value = body_.sign_low(value, type.bits);
        write(names[i], type, value);
    }
    if (s.has("acquire")) emit_fence(body_, scope(s));
    return true;
}

bool Assembly::store(const ptx::Statement& s, const ptx::Type& type) {
    if (s.operands.size() < 2) return false;
    const ptx::Operand &to = s.operands[0], &from = s.operands[1];
    std::vector<Register> parts;
    if (from.kind == ptx::Operand::Kind::list)
        for (const std::string& name : from.names) parts.push_back(read(name, type));
    else
        parts.push_back(read(from, type));
    if (parts.size() != (s.has("v2") ? 2U : s.has("v4") ? 4U : 1U)) return false;
    if (s.has("release")) emit_fence(body_, scope(s));
    const Address where = address(s, to);
    const auto count = static_cast<std::uint8_t>(parts.size());
    const Register values = body_.side_by_side(parts);
    emit_access(body_, Opcode::store, where, access_of(s, to, where, type, count), values);
    return true;
}

bool Assembly::atomic(const ptx::Statement& s, const ptx::Type& type) {
    const bool returns = s.op() == "atom";
    const unsigned first = returns ? 1 : 0;
    if (s.operands.size() < first + 2) return false;
    const bool is_signed = type.is_signed(), floating = type.floating();
    std::optional<AtomicOperation> operation;
    for (const std::string& word : s.words) {
        if (operation) break;
        operation = llvm::StringSwitch<std::optional<AtomicOperation>>(word)
                        .Case("add", floating ? AtomicOperation::fadd : AtomicOperation::add)
                        .Case("min", floating    ? AtomicOperation::fmin
                                     : is_signed ? AtomicOperation::min
                                                 : AtomicOperation::umin)
                        .Case("max", floating    ? AtomicOperation::fmax
                                     : is_signed ? AtomicOperation::max
                                                 : AtomicOperation::umax)
                        .Case("and", AtomicOperation::and_)
                        .Case("or", AtomicOperation::or_)
                        .Case("xor", AtomicOperation::xor_)
                        .Case("exch", AtomicOperation::exchange)
                        .Case("cas", AtomicOperation::compare_exchange)
                        .Case("inc", AtomicOperation::increment)
                        .Case("dec", AtomicOperation::decrement)
                        .Default(std::nullopt);
    }
    if (!operation || s.has("noftz") || s.operands[first + 1].kind == ptx::Operand::Kind::list) return false;
    const bool compares = *operation == AtomicOperation::compare_exchange;
    if (compares && s.operands.size() < first + 3) return false;
    const Address where = address(s, s.operands[first]);
    AtomicRequest request{.operation = *operation,
                          .type = llvm_type(type),
                          .value = read(s.operands[first + (compares ? 2 : 1)], type),
                          .scope = scope(s),
                          .used = returns && s.operands[0].name != "_",
                          .tagged = body_.unit.elements.any(&call_)};
    if (compares) request.expected = read(s.operands[first + 1], type);
    if (s.has("release") || s.has("acq_rel")) emit_fence(body_, request.scope);
    const Register old = emit_atomic(body_, request, where, access_of(s, s.operands[first], where, type, 1));
    if (request.used) write(s.operands[0], type, old);
    if (s.has("acquire") || s.has("acq_rel")) emit_fence(body_, request.scope);
    return true;
}

bool Assembly::async_copy(const ptx::Statement& s) {
    if (s.word(2) == "commit_group" || s.word(2) == "wait_all") body_.emit(Opcode::copy_commit);
    if (s.word(2) == "commit_group") return true;
    if (s.word(2) == "wait_all" || s.word(2) == "wait_group") {
        const auto most = s.word(2) == "wait_all"  ? std::optional<std::uint64_t>(0)
                          : s.operands.size() == 1 ? immediate(s.operands[0])
                                                   : std::nullopt;
        if (!most) return false;
        body_.emit(Opcode::copy_wait).c = static_cast<std::uint32_t>(*most);
        return true;
    }
    if ((s.word(2) != "ca" && s.word(2) != "cg") || s.operands.size() < 3) return false;
    const auto bytes = immediate(s.operands[2]);
    if (bytes != 4 && bytes != 8 && bytes != 16) return false;
    const Register to = materialise(body_, address(s, s.operands[0]));
    ptx::Statement source = s;
    std::erase_if(source.words, [](const std::string& word) { return word.starts_with("shared"); });
    const Register from = materialise(body_, address(source, s.operands[1]));
    Copy copy{.to = to.row, .from = from.row, .bytes = static_cast<std::uint8_t>(*bytes)};
    if (s.operands.size() > 3 && !s.has("L2::cache_hint")) copy.filled = read(s.operands[3], kWord).row;
    body_.emit(Opcode::copy_async).c = Unit::add(body_.program.copies, copy);
    return true;
}

bool Assembly::memory(const ptx::Statement& s) {
    const bool hint = (s.op() == "cp" && s.word(2) == "bulk" && s.word(3) == "prefetch") || s.op() == "prefetch" ||
                      s.op() == "prefetchu" || s.op() == "applypriority" || s.op() == "discard";
    if (hint) return true;
    if (s.op() == "cp" && s.word(1) == "async") return async_copy(s);
    const auto type = ptx::type_of(s);
    if (!type) return false;
    if (s.op() == "ld" || s.op() == "ldu") return load(s, *type);
    if (s.op() == "st") return store(s, *type);
    if (s.op() == "atom" || s.op() == "red") return atomic(s, *type);
    return false;
}

bool Assembly::barrier(const ptx::Statement& s) {
    Barrier made;
    made.waits = !s.has("arrive");
    made.aligned = s.op() == "bar" || s.has("aligned");
    std::size_t next = 0;
    Register answer;
    const bool reduces = s.has("red");
    if (reduces) {
        made.reduce = s.has("popc")  ? Barrier::Reduce::count
                      : s.has("and") ? Barrier::Reduce::all
                                     : Barrier::Reduce::any;
        next = 1;
    }
    const std::size_t last = s.operands.size() - (reduces ? 1 : 0);
    if (s.operands.empty() || last <= next) return false;
    const ptx::Operand& number = s.operands[next++];
    if (number.kind != ptx::Operand::Kind::number || number.number != 0 || last > next)
        made.number = read(number, kWord).row;
    if (last > next) made.threads = read(s.operands[next], kWord).row;
    if (reduces) made.predicate = predicate(s.operands.back()).row;
    answer = emit_barrier(body_, made);
    if (reduces) write(s.operands[0], s.has("popc") ? kWord : kTruth, answer);
    return true;
}

bool Assembly::exchange(const ptx::Statement& s) {
    const std::vector<ptx::Operand>& o = s.operands;
    if (s.op() == "shfl" && s.has("sync") && o.size() == 5) {
        ShuffleRequest request{.mode = llvm::StringSwitch<ShuffleMode>(s.word(2))
                                           .Case("down", ShuffleMode::down)
                                           .Case("up", ShuffleMode::up)
                                           .Case("bfly", ShuffleMode::exchange_xor)
                                           .Default(ShuffleMode::index)};
        request.mask = read(o[4], kWord);
        request.value = read(o[1], kWord);
        request.lane = read(o[2], kWord);
        const llvm::Value* clamp = value_of(o[3].name);
        if (const auto number = immediate(o[3]))
            clamp = llvm::ConstantInt::get(llvm::Type::getInt32Ty(body_.function.getContext()), *number);
        if (clamp == nullptr) return false;
        request.width = shuffle_width(body_, clamp);
        request.wants_range = !o[0].second.empty();
        request.type = ValueType::u32;
        if (const llvm::Value* value = value_of(o[1].name)) request.type = exchanged_type(body_, value);
        const Shuffled made = emit_shuffle(body_, request);
        write(o[0].name, kWord, made.value);
        if (request.wants_range) write(o[0].second, kTruth, made.in_range);
        return true;
    }
    if (s.op() == "vote" && s.has("sync") && o.size() == 3) {
        const auto mode = llvm::StringSwitch<VoteMode>(s.word(2))
                              .Case("any", VoteMode::any)
                              .Case("all", VoteMode::all)
                              .Case("uni", VoteMode::uniform)
                              .Default(VoteMode::ballot);
        write(o[0], mode == VoteMode::ballot ? kWord : kTruth,
              emit_exchange(body_, Opcode::vote, static_cast<std::uint8_t>(mode), read(o[2], kWord), predicate(o[1])));
        return true;
    }
    if (s.op() == "match" && s.has("any") && o.size() == 3) {
        const auto type = ptx::type_of(s);
        if (!type) return false;
        write(o[0], kWord, emit_exchange(body_, Opcode::match, 0, read(o[2], kWord), read(o[1], *type)));
        return true;
    }
    if (s.op() == "redux" && s.has("sync") && o.size() == 3) {
        const bool is_unsigned = s.has("u32");
        const auto operation = llvm::StringSwitch<WarpOperation>(s.word(2))
                                   .Case("min", is_unsigned ? WarpOperation::umin : WarpOperation::min)
                                   .Case("max", is_unsigned ? WarpOperation::umax : WarpOperation::max)
                                   .Case("and", WarpOperation::and_)
                                   .Case("or", WarpOperation::or_)
                                   .Case("xor", WarpOperation::xor_)
                                   .Default(WarpOperation::add);
        write(o[0], kWord,
              emit_exchange(body_, Opcode::reduce_warp, static_cast<std::uint8_t>(operation), read(o[2], kWord),
                            read(o[1], kWord), is_unsigned ? ValueType::u32 : ValueType::i32));
        return true;
    }
    return false;
}

bool Assembly::threads(const ptx::Statement& s) {
    if (s.op() == "activemask" && s.operands.size() == 1) {
        const Register made = body_.fresh(1);
        body_.emit(Opcode::active_mask).dst = made.row;
        write(s.operands[0], kWord, made);
        return true;
    }
    if ((s.op() == "bar" || s.op() == "barrier") && s.word(1) == "warp" && s.operands.size() == 1) {
        const Register mask = read(s.operands[0], kWord);
        body_.emit(Opcode::sync_warp).a = mask.row;
        return true;
    }
    if ((s.op() == "bar" || s.op() == "barrier") && !s.has("cluster")) return barrier(s);
    if (s.op() == "membar") {
        emit_fence(body_, s.has("cta") ? Scope::block : s.has("gl") ? Scope::device : Scope::system);
        return true;
    }
    if (s.op() == "fence" && !s.has("proxy") && !s.has("mbarrier_init")) {
        emit_fence(body_, s.has("gpu") ? Scope::device : scope(s));
        return true;
    }
    if (s.op() == "nanosleep" || s.op() == "brkpt" || s.op() == "griddepcontrol") return true;
    if (s.op() == "exit") {
        body_.emit(Opcode::exit);
        body_.ended = true;
        return true;
    }
    if (s.op() == "trap") {
        body_.trap("trap in inline assembly");
        return true;
    }
    return exchange(s);
}

} // namespace warptree::compile::lowering
