#include "app/compile/lower/instrument.hpp"

#include "app/compile/lower/address_space.hpp"
#include "app/compile/lower/copies.hpp"
#include "app/compile/lower/device_log_text.hpp"
#include "app/compile/lower/device_math.hpp"
#include "app/compile/lower/known.hpp"
#include "app/compile/lower/unit.hpp"
#include "app/compile/program/device_log.hpp"

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/SourceMgr.h>

#include <vector>

namespace warptree::compile {
namespace {

constexpr std::uint64_t kNowhere = 1; // the address of an event that accesses no memory

class Instrument {
  public:
    Instrument(Compiled& compiled) : compiled_(compiled), module_(*compiled.module), context_(*compiled.context) {}

    std::string run() {
        place_shared();
        std::vector<llvm::Function*> functions; // of the file, not of the log
        for (llvm::Function& function : module_)
            if (!function.isDeclaration() && lowering::known(function) == lowering::Known::none)
                functions.push_back(&function);
        const char* const elsewhere = lowering::uses_clusters(module_) ? kElsewhereInClusterText : kElsewhereText;
        for (const char* const part : {kDeviceLogText, elsewhere})
            if (std::string problem = link(part); !problem.empty()) return problem;
        note_ = module_.getFunction("warptree_note");
        where_ = module_.getFunction("warptree_where");
        where_shared_ = module_.getFunction("warptree_where_shared");
        if (note_ == nullptr || where_ == nullptr || where_shared_ == nullptr) return "the log's own code is missing";
        put_shared();
        for (llvm::Function* function : functions) {
            unroll_copies(*function);
            std::vector<llvm::Instruction*> all;
            for (llvm::Instruction& instruction : llvm::instructions(*function)) all.push_back(&instruction);
            for (llvm::Instruction* instruction : all) visit(*instruction);
        }
        for (llvm::Function* own : {note_, where_, where_shared_, module_.getFunction("warptree_shared_offset"),
                                    module_.getFunction("warptree_where_elsewhere")})
            own->setLinkage(llvm::GlobalValue::InternalLinkage);
        return problem_;
    }

  private:
    std::string link(const char* part) {
        llvm::SMDiagnostic error;
        std::unique_ptr<llvm::Module> text = llvm::parseAssemblyString(part, error, context_);
        if (text == nullptr) return "the log's own code: " + error.getMessage().str();
        text->setIsNewDbgInfoFormat(module_.IsNewDbgInfoFormat);
        text->setDataLayout(module_.getDataLayout());
        text->setTargetTriple(module_.getTargetTriple());
        if (llvm::Linker::linkModules(module_, std::move(text), llvm::Linker::None))
            return "the log's own code cannot be linked";
        return {};
    }
    // Before the log's code is linked, so that the analyses see the same module as for the machine.
    void place_shared() {
        const lowering::Unit unit(compiled_);
        for (llvm::GlobalVariable& variable : module_.globals())
            if (variable.getAddressSpace() == kSharedSpace)
                if (const std::uint32_t index = unit.map.shared(&variable); index != kNone)
                    offsets_.emplace_back(&variable, unit.program.shared[index].offset);
    }
    void put_shared() {
        llvm::GlobalVariable* base = module_.getGlobalVariable("warptree_shared");
        for (const auto& [variable, offset] : offsets_) {
            llvm::Constant* at =
                llvm::ConstantExpr::getGetElementPtr(llvm::Type::getInt8Ty(context_), base,
                                                     llvm::ConstantInt::get(llvm::Type::getInt64Ty(context_), offset));
            variable->replaceAllUsesWith(at);
            variable->eraseFromParent();
        }
    }

    // Short copies and fills become the same loads and stores as in the machine.
    void unroll_copies(llvm::Function& function) {
        for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
            llvm::IRBuilder<> before(&instruction);
            const auto at = [&](llvm::Value* base, std::uint64_t offset) {
                return offset == 0 ? base : before.CreateConstGEP1_64(before.getInt8Ty(), base, offset);
            };
            if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&instruction)) {
                const auto pieces = lowering::pieces_of(*copy);
                if (pieces.empty()) continue;
                std::vector<llvm::Value*> values;
                for (const lowering::Piece& p : pieces)
                    values.push_back(before.CreateAlignedLoad(
                        before.getIntNTy(p.bytes * 8U), at(copy->getRawSource(), p.offset),
                        llvm::commonAlignment(copy->getSourceAlign().valueOrOne(), p.offset), copy->isVolatile()));
                for (std::size_t k = 0; k < pieces.size(); ++k)
                    before.CreateAlignedStore(
                        values[k], at(copy->getRawDest(), pieces[k].offset),
                        llvm::commonAlignment(copy->getDestAlign().valueOrOne(), pieces[k].offset), copy->isVolatile());
                copy->eraseFromParent();
            } else if (auto* fill = llvm::dyn_cast<llvm::MemSetInst>(&instruction)) {
                const auto pieces = lowering::pieces_of(*fill);
                if (pieces.empty()) continue;
                const std::uint64_t byte = llvm::cast<llvm::ConstantInt>(fill->getValue())->getZExtValue();
                for (const lowering::Piece& p : pieces)
                    before.CreateAlignedStore(before.getIntN(p.bytes * 8U, (byte * 0x01010101U) >> (32 - 8 * p.bytes)),
                                              at(fill->getRawDest(), p.offset),
                                              llvm::commonAlignment(fill->getDestAlign().valueOrOne(), p.offset),
                                              fill->isVolatile());
                fill->eraseFromParent();
            }
        }
    }

    static bool is_local(const llvm::Value* pointer) {
        if (pointer->getType()->getPointerAddressSpace() == kLocalSpace) return true;
        const llvm::Value* object = pointer;
        for (int depth = 0; depth < 32; ++depth) {
            object = object->stripInBoundsOffsets();
            if (auto* gep = llvm::dyn_cast<llvm::GEPOperator>(object))
                object = gep->getPointerOperand();
            else if (auto* cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(object))
                object = cast->getPointerOperand();
            else
                break;
        }
        const auto* argument = llvm::dyn_cast<llvm::Argument>(object);
        return llvm::isa<llvm::AllocaInst>(object) || (argument != nullptr && argument->hasByValAttr());
    }

    llvm::Value* number(llvm::IRBuilder<>& at, std::uint64_t value) { return at.getInt64(value); }

    // A scalar as 64 bits; a pointer as 0, because the GPU's addresses mean nothing to the machine.
    llvm::Value* bits(llvm::IRBuilder<>& at, llvm::Value* value) {
        llvm::Type* type = value->getType();
        if (type->isPointerTy()) return number(at, 0);
        if (!type->isIntegerTy())
            value = at.CreateBitCast(value, at.getIntNTy(static_cast<unsigned>(type->getPrimitiveSizeInBits())));
        return at.CreateZExtOrTrunc(value, at.getInt64Ty());
    }
    llvm::Value* address(llvm::IRBuilder<>& at, llvm::Value* pointer) {
        switch (pointer->getType()->getPointerAddressSpace()) {
        case kSharedSpace: return at.CreateCall(where_shared_, {pointer});
        case kGlobalSpace:
        case kConstantSpace: return at.CreatePtrToInt(pointer, at.getInt64Ty());
        default: return at.CreateCall(where_, {pointer});
        }
    }
    void note(llvm::IRBuilder<>& at, LogKind kind, unsigned bytes, llvm::Value* where, llvm::Value* value) {
        at.CreateCall(note_, {at.getInt32(static_cast<std::uint32_t>(kind) | bytes << 8), where, value});
    }

    // Each scalar of a value, as the machine loads and stores them.
    void note_scalars(llvm::IRBuilder<>& at, LogKind kind, llvm::Value* where, llvm::Value* value,
                      std::uint64_t offset) {
        llvm::Type* type = value->getType();
        const llvm::DataLayout& layout = module_.getDataLayout();
        if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
            const std::uint64_t each = layout.getTypeStoreSize(vector->getElementType());
            for (unsigned k = 0; k < vector->getNumElements(); ++k)
                note_scalars(at, kind, where, at.CreateExtractElement(value, k), offset + k * each);
        } else if (auto* record = llvm::dyn_cast<llvm::StructType>(type)) {
            for (unsigned k = 0; k < record->getNumElements(); ++k)
                note_scalars(at, kind, where, at.CreateExtractValue(value, k),
                             offset + layout.getStructLayout(record)->getElementOffset(k));
        } else if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
            const std::uint64_t each = layout.getTypeAllocSize(array->getElementType());
            for (unsigned k = 0; k < array->getNumElements(); ++k)
                note_scalars(at, kind, where, at.CreateExtractValue(value, k), offset + k * each);
        } else {
            // 0, local memory, stays 0 whatever the offset.
            llvm::Value* there = offset == 0 ? where
                                             : at.CreateSelect(at.CreateICmpEQ(where, number(at, 0)), where,
                                                               at.CreateAdd(where, number(at, offset)));
            const unsigned bytes =
                type->isPointerTy() ? 0 : static_cast<unsigned>(layout.getTypeStoreSize(type).getFixedValue());
            note(at, kind, bytes, there, bits(at, value));
        }
    }

    void visit(llvm::Instruction& instruction) {
        llvm::IRBuilder<> behind(context_);
        if (!instruction.isTerminator()) behind.SetInsertPoint(instruction.getNextNode());
        behind.SetCurrentDebugLocation(instruction.getDebugLoc());
        if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
            if (!is_local(load->getPointerOperand()))
                note_scalars(behind, LogKind::load, address(behind, load->getPointerOperand()), load, 0);
        } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
            if (!is_local(store->getPointerOperand()))
                note_scalars(behind, LogKind::store, address(behind, store->getPointerOperand()),
                             store->getValueOperand(), 0);
        } else if (auto* change = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
            if (!is_local(change->getPointerOperand()))
                note_scalars(behind, LogKind::atomic, address(behind, change->getPointerOperand()), change, 0);
        } else if (auto* swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
            if (!is_local(swap->getPointerOperand()))
                note_scalars(behind, LogKind::atomic, address(behind, swap->getPointerOperand()),
                             behind.CreateExtractValue(swap, 0), 0);
        } else if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
            visit_call(behind, *call);
        }
    }

    // The address, if the inline assembly is a single instruction whose name begins with `word`, with results and the
    // address as its first argument; else nullptr. Also nullptr for .shared, whose addresses the log encodes
    // differently.
    static llvm::Value* address_of_single(const llvm::CallBase& call, llvm::StringRef word) {
        const auto* assembly = llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
        llvm::StringRef text = llvm::StringRef(assembly->getAsmString()).trim();
        if (!text.starts_with(word) || text.contains(".shared") || text.count(';') != 1 || call.arg_empty() ||
            call.getType()->isVoidTy())
            return nullptr;
        const auto* record = llvm::dyn_cast<llvm::StructType>(call.getType());
        const std::string first = "[$" + std::to_string(record == nullptr ? 1 : record->getNumElements()) + "]";
        return text.contains(first) ? call.getArgOperand(0) : nullptr;
    }
    void note_single(llvm::IRBuilder<>& at, LogKind kind, llvm::Value* from, llvm::CallBase& call) {
        if (from->getType()->isPointerTy()) from = at.CreatePtrToInt(from, at.getInt64Ty());
        note_elements(at, kind, address(at, at.CreateIntToPtr(from, at.getPtrTy())), &call);
    }
    // The results of a vector load, consecutive in memory.
    void note_elements(llvm::IRBuilder<>& at, LogKind kind, llvm::Value* where, llvm::Value* value) {
        auto* record = llvm::dyn_cast<llvm::StructType>(value->getType());
        if (record == nullptr) return note_scalars(at, kind, where, value, 0);
        std::uint64_t offset = 0;
        for (unsigned k = 0; k < record->getNumElements(); ++k) {
            note_scalars(at, kind, where, at.CreateExtractValue(value, k), offset);
            offset += module_.getDataLayout().getTypeStoreSize(record->getElementType(k));
        }
    }

    void visit_call(llvm::IRBuilder<>& behind, llvm::CallBase& call) {
        using lowering::Known;
        if (call.isInlineAsm()) {
            if (llvm::Value* from = address_of_single(call, "ld.")) {
                return note_single(behind, LogKind::load, from, call);
            }
            if (llvm::Value* from = address_of_single(call, "atom.")) {
                return note_single(behind, LogKind::atomic, from, call);
            }
            for (const char* word : {"ld.", "st.", "atom.", "red.", "shfl.", "vote.", "match.", "redux."})
                if (lowering::assembly_has(call, word))
                    problem_ = std::string("inline assembly with ") + word + "… cannot be traced on a GPU";
            return;
        }
        const Known known = lowering::known(call);
        if (known == Known::print) { // the machine prints it
            call.replaceAllUsesWith(llvm::ConstantInt::get(call.getType(), 0));
            call.eraseFromParent();
            return;
        }
        if (known == Known::grid_sync) problem_ = "a grid barrier cannot be traced on a GPU";
        llvm::StringRef name = call.getCalledFunction() == nullptr ? "" : call.getCalledFunction()->getName();
        const bool shuffles = known == Known::shuffle || name.starts_with("llvm.nvvm.shfl.");
        if (shuffles || name.starts_with("llvm.nvvm.vote.") || name.starts_with("llvm.nvvm.match.") ||
            name.starts_with("llvm.nvvm.redux.")) {
            llvm::Value* value = &call;
            if (call.getType()->isStructTy()) value = behind.CreateExtractValue(value, 0);
            if (value->getType()->isVoidTy()) return;
            note_scalars(behind, LogKind::exchange, number(behind, kNowhere), value, 0);
        } else if (name.starts_with("llvm.nvvm.ldg.") || name.starts_with("llvm.nvvm.ldu.")) {
            note_scalars(behind, LogKind::load, address(behind, call.getArgOperand(0)), &call, 0);
        } else if (name.starts_with("llvm.nvvm.atomic.")) {
            note_scalars(behind, LogKind::atomic, address(behind, call.getArgOperand(0)), &call, 0);
        } else if (name.starts_with("llvm.nvvm.read.ptx.sreg.clock") || name.contains("globaltimer") ||
                   name == "llvm.readcyclecounter" || name.starts_with("llvm.nvvm.read.ptx.sreg.smid")) {
            note_scalars(behind, LogKind::timer, number(behind, kNowhere), &call, 0);
        } else if (call.getCalledFunction() != nullptr && of_math_library(*call.getCalledFunction())) {
            note_scalars(behind, LogKind::computed, number(behind, kNowhere), &call, 0);
        }
    }

    Compiled& compiled_;
    llvm::Module& module_;
    llvm::LLVMContext& context_;
    llvm::Function *note_ = nullptr, *where_ = nullptr, *where_shared_ = nullptr;
    std::vector<std::pair<llvm::GlobalVariable*, std::uint64_t>> offsets_;
    std::string problem_;
};

} // namespace

std::string instrument(Compiled& compiled, const Program&) { return Instrument(compiled).run(); }

} // namespace warptree::compile
