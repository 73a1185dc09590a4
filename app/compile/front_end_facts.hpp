// What the syntax tree knows of kernels that debug records and IR do not: types as written, templates, launches.
#pragma once

#include "app/compile/compiled.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <string>
#include <vector>

namespace warptree::compile {

// A kernel with a body, of the file or a template's instance.
struct KernelFound {
    const clang::FunctionDecl* function = nullptr;
    KernelFacts facts; // without its symbol
};

// A kernel template, and where its name stands.
struct TemplateFound {
    KernelTemplate facts;
    std::string path;
    std::uint32_t line = 0, column = 0;
};

struct FileFacts {
    std::vector<KernelFound> kernels; // as they stand in the file; instances by first use
    std::vector<TemplateFound> templates;
    std::vector<TextRange> host_code;    // of the main file
    bool device_code_has_errors = false; // a function of the device uses what clang could not make sense of
};

// `declarations`: of the file and its own headers, not of ours.
FileFacts facts_of(clang::ASTContext& context, const std::vector<clang::Decl*>& declarations);

// "reduce<256>"
std::string name_of(const clang::FunctionDecl* kernel);

// Of a type that a kernel's parameter has, or that it points to.
struct ElementFacts {
    ValueType type = ValueType::none; // when all its scalars are of one type
    std::uint32_t components = 1;
    std::uint32_t bytes = 0;
};
ElementFacts element_of(const clang::ASTContext& context, clang::QualType type);

} // namespace warptree::compile
