// Facts about kernels that are in the syntax tree, but not in debug records or IR: types as written, templates,
// launches.
#pragma once

#include "app/compile/lower/compiled.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <set>
#include <string>
#include <vector>

namespace warptree::compile {

// A kernel with a body, written in the file or instantiated from a template.
struct KernelFound {
    const clang::FunctionDecl* function = nullptr;
    KernelFacts facts; // without its symbol
};

// A kernel template, and the position of its name.
struct TemplateFound {
    KernelTemplate facts;
    std::string path;
    std::uint32_t line = 0, column = 0;
    const clang::FunctionDecl* pattern = nullptr;
};

struct FileFacts {
    std::vector<KernelFound> kernels; // in file order; instances by first use
    std::vector<TemplateFound> templates;
    std::vector<TextRange> host_code;                   // of the main file
    std::vector<clang::FunctionDecl*> device_functions; // definitions, instances of templates included
    std::set<const clang::FunctionDecl*> with_invalid;  // canonical: those that use something Clang found invalid
    std::set<std::string> invalid_names; // of functions, types and variables; Clang drops statements with them silently
    bool invalid_variables = false;      // a variable of the device is invalid
};

// `declarations`: those of the file and its own headers, not of ours.
FileFacts facts_of(clang::ASTContext& context, const std::vector<clang::Decl*>& declarations);

// "reduce<256>"
std::string name_of(const clang::FunctionDecl* kernel);

// Facts about the type of a kernel's parameter, or the type it points to.
struct ElementFacts {
    ValueType type = ValueType::none; // if all its scalars have one type
    std::uint32_t components = 1;
    std::uint32_t bytes = 0;
};
ElementFacts element_of(const clang::ASTContext& context, clang::QualType type);

} // namespace warptree::compile
