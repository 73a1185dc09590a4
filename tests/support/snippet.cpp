#include "tests/support/snippet.hpp"

#include "app/base/error.hpp"
#include "app/compile/lower/compiled.hpp"
#include "app/compile/lower/types.hpp"
#include "tests/support/snippet_header.hpp"

#include <clang/Basic/Diagnostic.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>

namespace warptree::tests {

namespace {

using compile::Parameter;
namespace lowering = compile::lowering;

std::unique_ptr<llvm::Module> clang_module(llvm::LLVMContext& context, const std::string& text) {
    auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    files->addFile("/k/snippet.h", 0, llvm::MemoryBuffer::getMemBufferCopy(kSnippetHeader));
    files->addFile("/k/snippet.cu", 0, llvm::MemoryBuffer::getMemBufferCopy(text));
    const std::vector<const char*> words = {"-triple",
                                            "nvptx64-nvidia-cuda",
                                            "-aux-triple",
                                            "x86_64-pc-linux-gnu",
                                            "-target-sdk-version=12.3",
                                            "-fcuda-is-device",
                                            "-fcuda-allow-variadic-functions",
                                            "-fdeclspec",
                                            "-nostdsysteminc",
                                            "-nobuiltininc",
                                            "-std=c++20",
                                            "-target-cpu",
                                            "sm_90",
                                            "-target-feature",
                                            "+ptx78",
                                            "-O2",
                                            "-disable-llvm-passes",
                                            "-disable-lifetime-markers",
                                            "-debug-info-kind=limited",
                                            "-dwarf-version=2",

                                            "-include",
                                            "/k/snippet.h",
                                            "-x",
                                            "cuda",
                                            "-emit-llvm-only",
                                            "/k/snippet.cu"};
    std::string complaints;
    llvm::raw_string_ostream stream(complaints);
    auto options = llvm::makeIntrusiveRefCnt<clang::DiagnosticOptions>();
    clang::DiagnosticsEngine engine(new clang::DiagnosticIDs, options,
                                    new clang::TextDiagnosticPrinter(stream, options.get()));
    auto invocation = std::make_shared<clang::CompilerInvocation>();
    if (!clang::CompilerInvocation::CreateFromArgs(*invocation, words, engine)) throw Error(complaints);
    clang::CompilerInstance instance;
    instance.setInvocation(invocation);
    instance.createDiagnostics(new clang::TextDiagnosticPrinter(stream, options.get()), true);
    instance.createFileManager(files);
    clang::EmitLLVMOnlyAction action(&context);
    if (!instance.ExecuteAction(action)) throw Error(complaints);
    return action.takeModule();
}

Parameter parameter(const llvm::Argument& argument, const llvm::DIType* type) {
    Parameter made;
    made.name = argument.getName().str();
    const llvm::DIType* element = lowering::element_of(type);
    made.kind = argument.hasByValAttr()             ? Parameter::Kind::record
                : argument.getType()->isPointerTy() ? Parameter::Kind::array
                                                    : Parameter::Kind::value;
    made.element = lowering::value_type(element != nullptr ? element : type);
    made.element_bytes = lowering::bytes_of(element != nullptr ? element : type);
    for (const llvm::DIType* t = element; t != nullptr;) {
        auto* derived = llvm::dyn_cast<llvm::DIDerivedType>(t);
        made.constant |= derived != nullptr && derived->getTag() == llvm::dwarf::DW_TAG_const_type;
        t = derived == nullptr ? nullptr : derived->getBaseType();
    }
    if (auto* s = llvm::dyn_cast_or_null<llvm::DICompositeType>(lowering::plain(element))) { // float4
        const auto members = s->getElements();
        made.components = members.size();
        if (!members.empty()) made.element = lowering::value_type(llvm::cast<llvm::DIType>(members[0]));
    }
    return made;
}

bool is_kernel(const llvm::Function& function) {
    if (function.getCallingConv() == llvm::CallingConv::PTX_Kernel) return true;
    const llvm::NamedMDNode* annotations = function.getParent()->getNamedMetadata("nvvm.annotations");
    if (annotations == nullptr) return false;
    for (const llvm::MDNode* node : annotations->operands()) {
        auto* of = llvm::mdconst::dyn_extract_or_null<llvm::Function>(node->getOperand(0));
        auto* what = llvm::dyn_cast<llvm::MDString>(node->getOperand(1));
        if (of == &function && what != nullptr && what->getString() == "kernel") return true;
    }
    return false;
}

void find_kernels(compile::Compiled& compiled) {
    for (const llvm::Function& function : *compiled.module) {
        if (function.isDeclaration() || !is_kernel(function)) continue;
        compile::KernelFacts& facts = compiled.kernels.emplace_back();
        facts.symbol = function.getName().str();
        const llvm::DISubprogram* debug = function.getSubprogram();
        facts.name = debug != nullptr ? debug->getName().str() : facts.symbol;
        facts.line = debug != nullptr ? debug->getLine() : 0;
        for (const llvm::Argument& argument : function.args())
            facts.parameters.push_back(parameter(
                argument, debug != nullptr ? debug->getType()->getTypeArray()[argument.getArgNo() + 1] : nullptr));
    }
}

compile::Compiled compiled_snippet(const std::string& text) {
    compile::Compiled compiled;
    compiled.context = std::make_unique<llvm::LLVMContext>();
    compiled.module = clang_module(*compiled.context, text);
    compile::clean_up(*compiled.module);
    compiled.files = {{"snippet.cu", text, false}, {"snippet.h", kSnippetHeader, true}};
    find_kernels(compiled);
    return compiled;
}

} // namespace

compile::Program lower_snippet(const std::string& text,
                               const std::vector<std::pair<std::string, std::string>>& macros) {
    std::string defined; // before the text, whose first line stays line 1
    for (const auto& [name, value] : macros) defined += "#define " + name + " " + value + "\n";
    if (!macros.empty()) defined += "#line 1\n";
    const compile::Compiled compiled = compiled_snippet(defined + text);
    compile::Program program = compile::lower(compiled);
    compile::check(program);
    return program;
}

compile::Program lower_assembly_text(const std::string& text) {
    compile::Compiled compiled;
    compiled.context = std::make_unique<llvm::LLVMContext>();
    llvm::SMDiagnostic complaint;
    compiled.module = llvm::parseAssemblyString(text, complaint, *compiled.context);
    if (compiled.module == nullptr) throw Error(complaint.getMessage().str());
    compiled.files = {{"snippet.cu", "", false}};
    find_kernels(compiled);
    compile::Program program = compile::lower(compiled);
    compile::check(program);
    return program;
}

std::string cleaned_up(const std::string& text) {
    const compile::Compiled compiled = compiled_snippet(text);
    std::string shown;
    llvm::raw_string_ostream stream(shown);
    llvm::verifyModule(*compiled.module, &stream);
    compiled.module->print(stream, nullptr);
    return shown;
}

} // namespace warptree::tests
