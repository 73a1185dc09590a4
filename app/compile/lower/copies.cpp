// memcpy, memmove and memset.
#include "app/compile/lower/copies.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Metadata.h>
#include <llvm/Support/MathExtras.h>

namespace warptree::compile::lowering {

namespace {

constexpr std::uint64_t kMostUnrolled = 64; // bytes; above it, one instruction copies all

// Fields of the copied struct, if Clang gives them: each has its own tag.
std::vector<Piece> fields_of(const llvm::MDNode* node) {
    std::vector<Piece> fields;
    for (unsigned i = 0; node != nullptr && i + 1 < node->getNumOperands(); i += 3) {
        const auto number = [&](unsigned k) {
            return llvm::mdconst::extract<llvm::ConstantInt>(node->getOperand(k))->getZExtValue();
        };
        const std::uint64_t size = number(i + 1);
        if (size != 1 && size != 2 && size != 4 && size != 8) return {};
        fields.push_back({number(i), static_cast<std::uint8_t>(size), 1});
    }
    return fields;
}

// 4-byte words as far as size and alignment allow, else smaller pieces.
std::vector<Piece> words_of(std::uint64_t size, std::uint64_t alignment) {
    std::vector<Piece> pieces;
    for (std::uint64_t at = 0; at < size;) {
        std::uint8_t bytes = 4;
        while (at + bytes > size || llvm::MinAlign(alignment, at) < bytes) bytes /= 2;
        pieces.push_back({at, bytes, 1});
        at += bytes;
    }
    return pieces;
}

// Joins adjacent pieces that one request can access.
std::vector<Piece> joined(const std::vector<Piece>& pieces, std::uint64_t alignment) {
    std::vector<Piece> made;
    for (std::size_t i = 0; i < pieces.size();) {
        Piece piece = pieces[i];
        for (const std::uint8_t wanted : {2, 4, 8, 16}) {
            bool fits = i + wanted <= pieces.size() && wanted * piece.bytes <= 16 &&
                        llvm::MinAlign(alignment, piece.offset) >= std::uint64_t{wanted} * piece.bytes;
            for (std::size_t k = 1; fits && k < wanted; ++k)
                fits = pieces[i + k].bytes == piece.bytes && pieces[i + k].offset == piece.offset + k * piece.bytes;
            if (!fits) break;
            piece.count = wanted;
        }
        made.push_back(piece);
        i += piece.count;
    }
    return made;
}

llvm::Type* integer(Body& body, unsigned bytes) { return llvm::Type::getIntNTy(body.function.getContext(), bytes * 8); }

Address at_offset(Address address, std::uint64_t offset) {
    address.offset += static_cast<std::int64_t>(offset);
    return address;
}

} // namespace

std::vector<Piece> pieces_of(const llvm::MemTransferInst& it) {
    auto* size = llvm::dyn_cast<llvm::ConstantInt>(it.getLength());
    if (size == nullptr || size->getZExtValue() > kMostUnrolled) return {};
    const std::uint64_t alignment =
        std::min(it.getDestAlign().valueOrOne().value(), it.getSourceAlign().valueOrOne().value());
    std::vector<Piece> pieces = fields_of(it.getMetadata(llvm::LLVMContext::MD_tbaa_struct));
    const bool usable = !pieces.empty() && std::all_of(pieces.begin(), pieces.end(), [&](const Piece& p) {
        return p.offset + p.bytes <= size->getZExtValue() && llvm::MinAlign(alignment, p.offset) >= p.bytes;
    });
    return usable ? pieces : words_of(size->getZExtValue(), alignment);
}

std::vector<Piece> pieces_of(const llvm::MemSetInst& it) {
    auto* size = llvm::dyn_cast<llvm::ConstantInt>(it.getLength());
    const bool unrolled =
        size != nullptr && llvm::isa<llvm::ConstantInt>(it.getValue()) && size->getZExtValue() <= kMostUnrolled;
    return unrolled ? words_of(size->getZExtValue(), it.getDestAlign().valueOrOne().value()) : std::vector<Piece>{};
}

void lower_copy(Body& body, const llvm::MemTransferInst& it) {
    const llvm::Value *to = it.getRawDest(), *from = it.getRawSource();
    auto* size = llvm::dyn_cast<llvm::ConstantInt>(it.getLength());
    if (size == nullptr || size->getZExtValue() > kMostUnrolled) {
        const Register destination = materialise(body, address_of(body, to));
        const Register source = materialise(body, address_of(body, from));
        const Register bytes = body.resize(body.of(it.getLength()), 2);
        Instruction& in = body.emit(Opcode::copy_memory);
        in.dst = destination.row;
        in.a = source.row;
        in.c = bytes.row;
        return;
    }
    const std::uint64_t alignment =
        std::min(it.getDestAlign().valueOrOne().value(), it.getSourceAlign().valueOrOne().value());
    const std::vector<Piece> pieces = joined(pieces_of(it), alignment);

    const Address source = address_of(body, from), destination = address_of(body, to);
    const bool tagged = body.unit.elements.in_memory(from);
    auto choice = body.facts.choices.of_pointer(from);
    if (choice) choice->follows = true; // a member that is not compared
    std::vector<Register> values;
    for (const Piece& piece : pieces) {
        llvm::Type* type = integer(body, piece.bytes);
        const Address at = at_offset(source, piece.offset);
        Access how = access(body, from, at, type, piece.count);
        how.is_volatile = it.isVolatile();
        if (choice && tagged) how.selection = body.selection_of(*choice, it, value_type(type, true));
        how.whole = static_cast<std::uint8_t>(size->getZExtValue());
        std::vector<Register> parts;
        for (std::uint8_t k = 0; k < piece.count; ++k) parts.push_back(body.fresh(rows_of(type), tagged));
        emit_access(body, Opcode::load, at, how, parts.front());
        values.push_back(parts.front());
    }
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        llvm::Type* type = integer(body, pieces[i].bytes);
        const Address at = at_offset(destination, pieces[i].offset);
        Access how = access(body, to, at, type, pieces[i].count);
        how.is_volatile = it.isVolatile();
        how.whole = static_cast<std::uint8_t>(size->getZExtValue());
        emit_access(body, Opcode::store, at, how, values[i]);
    }
}

void lower_fill(Body& body, const llvm::MemSetInst& it) {
    const llvm::Value* to = it.getRawDest();
    auto* size = llvm::dyn_cast<llvm::ConstantInt>(it.getLength());
    auto* byte = llvm::dyn_cast<llvm::ConstantInt>(it.getValue());
    const Address destination = address_of(body, to);
    if (size == nullptr || byte == nullptr || size->getZExtValue() > kMostUnrolled) {
        const Register where = materialise(body, destination);
        const Register bytes = body.resize(body.of(it.getLength()), 2), value = body.of(it.getValue());
        Instruction& in = body.emit(Opcode::fill_memory);
        in.dst = where.row;
        in.a = value.row;
        in.c = bytes.row;
        return;
    }
    const std::uint64_t alignment = it.getDestAlign().valueOrOne().value();
    for (const Piece& piece : joined(pieces_of(it), alignment)) {
        llvm::Type* type = integer(body, piece.bytes);
        std::vector<Register> values(piece.count,
                                     body.constant(byte->getZExtValue() * (0x01010101U >> (32 - 8 * piece.bytes))));
        const Address at = at_offset(destination, piece.offset);
        Access how = access(body, to, at, type, piece.count);
        how.whole = static_cast<std::uint8_t>(size->getZExtValue());
        emit_access(body, Opcode::store, at, how, body.side_by_side(values));
    }
}

} // namespace warptree::compile::lowering
