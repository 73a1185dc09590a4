#include "app/compile/front_end/facts.hpp"

#include "app/compile/front_end/diagnostics.hpp"
#include "app/compile/front_end/launches.hpp"
#include "app/compile/front_end/walk.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecordLayout.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <optional>

namespace warptree::compile {
namespace {

clang::PrintingPolicy policy_of(const clang::ASTContext& context) {
    clang::PrintingPolicy policy = context.getPrintingPolicy();
    policy.SuppressUnwrittenScope = true;
    policy.SuppressTagKeyword = true;
    policy.Bool = true;
    policy.Restrict = false;
    return policy;
}

// Writes "const float*" instead of "const float *".
std::string type_name(const clang::ASTContext& context, clang::QualType type) {
    std::string name = type.getAsString(policy_of(context));
    for (std::size_t at = 0; (at = name.find(" *", at)) != std::string::npos;) name.erase(at, 1);
    for (std::size_t at = 0; (at = name.find(" &", at)) != std::string::npos;) name.erase(at, 1);
    for (const std::string_view word : {"__restrict__", "__restrict"})
        if (const std::size_t at = name.find(std::string("*") + std::string(word)); at != std::string::npos)
            name.replace(at + 1, word.size(), " __restrict__");
    return name;
}

ValueType scalar_type(const clang::ASTContext& context, clang::QualType type) {
    type = type.getCanonicalType();
    if (const auto* enumeration = type->getAs<clang::EnumType>()) type = enumeration->getDecl()->getIntegerType();
    if (type.isNull()) return ValueType::none;
    if (type->isPointerType()) return ValueType::pointer;
    const auto* builtin = type->getAs<clang::BuiltinType>();
    if (builtin == nullptr) return ValueType::none;
    switch (builtin->getKind()) {
    case clang::BuiltinType::Bool: return ValueType::boolean;
    case clang::BuiltinType::Half:
    case clang::BuiltinType::Float16: return ValueType::f16;
    case clang::BuiltinType::BFloat16: return ValueType::bf16;
    case clang::BuiltinType::Float: return ValueType::f32;
    case clang::BuiltinType::Double: return ValueType::f64;
    default: break;
    }
    if (!builtin->isInteger()) return ValueType::none;
    const bool is_signed = builtin->isSignedInteger();
    switch (context.getTypeSize(type)) {
    case 8: return is_signed ? ValueType::i8 : ValueType::u8;
    case 16: return is_signed ? ValueType::i16 : ValueType::u16;
    case 32: return is_signed ? ValueType::i32 : ValueType::u32;
    case 64: return is_signed ? ValueType::i64 : ValueType::u64;
    default: return ValueType::none;
    }
}

// Adds the scalars of a type to `count`; nullopt unless all have the same type.
std::optional<ValueType> same_scalars(const clang::ASTContext& context, clang::QualType type, std::uint64_t& count) {
    if (const auto* array = context.getAsConstantArrayType(type)) {
        std::uint64_t inside = 0;
        const auto element = same_scalars(context, array->getElementType(), inside);
        count += inside * array->getSize().getLimitedValue(1U << 20);
        return element;
    }
    if (const auto* record = type->getAsCXXRecordDecl()) {
        if (!record->hasDefinition() || record->isUnion()) return std::nullopt;
        std::optional<ValueType> common;
        const auto add = [&](clang::QualType part) {
            const auto element = same_scalars(context, part, count);
            if (!element || (common && *common != *element)) return false;
            common = element;
            return true;
        };
        for (const clang::CXXBaseSpecifier& base : record->getDefinition()->bases()) {
            const auto* of = base.getType()->getAsCXXRecordDecl();
            const bool empty = of != nullptr && of->hasDefinition() && of->isEmpty();
            if (!empty && !add(base.getType())) return std::nullopt;
        }
        for (const clang::FieldDecl* field : record->getDefinition()->fields())
            if (!add(field->getType())) return std::nullopt;
        return common;
    }
    const ValueType scalar = scalar_type(context, type);
    if (scalar == ValueType::none) return std::nullopt;
    ++count;
    return scalar;
}

bool complete(clang::QualType type) {
    return !type->isIncompleteType() && !type->isDependentType() && !type->isFunctionType();
}

// Whether it is or contains a pointer.
bool holds_pointer(const clang::ASTContext& context, clang::QualType type, unsigned depth = 0) {
    type = context.getBaseElementType(type);
    if (type->isPointerType()) return true;
    const auto* record = type->getAsCXXRecordDecl();
    if (record == nullptr || !record->hasDefinition() || depth > 8) return false;
    const auto inside = [&](clang::QualType part) { return holds_pointer(context, part, depth + 1); };
    for (const clang::CXXBaseSpecifier& base : record->getDefinition()->bases())
        if (inside(base.getType())) return true;
    for (const clang::FieldDecl* field : record->getDefinition()->fields())
        if (inside(field->getType())) return true;
    return false;
}

std::vector<Parameter::Field> fields_of(const clang::ASTContext& context, clang::QualType record);

Parameter parameter_of(const clang::ASTContext& context, std::string name, clang::QualType type) {
    Parameter parameter;
    parameter.name = std::move(name);
    parameter.type = type_name(context, type);
    const clang::QualType pointee = type->getPointeeType();
    if (!pointee.isNull()) {
        parameter.kind = Parameter::Kind::array;
        parameter.constant = pointee.isConstQualified();
        const ElementFacts element = element_of(context, pointee);
        parameter.element = element.type;
        parameter.element_bytes = element.bytes;
        parameter.components = element.components;
        parameter.links = pointee->isRecordType() && complete(pointee) && holds_pointer(context, pointee);
        if (pointee->isRecordType() && complete(pointee) && element.type == ValueType::none) {
            parameter.fields = fields_of(context, pointee);
        }
        return parameter;
    }
    const ElementFacts element = element_of(context, type);
    const bool record = type->isRecordType();
    parameter.kind = record ? Parameter::Kind::record : Parameter::Kind::value;
    parameter.element = element.type;
    parameter.components = element.components;
    parameter.element_bytes = element.bytes;
    if (record) parameter.bytes = element.bytes;
    return parameter;
}

// Adds the numbers and pointers of a struct.
class MemberFinder {
  public:
    enum class Pointers { found, skipped }; // skipped: a list's nodes point to their like without an end
    MemberFinder(const clang::ASTContext& context, std::uint32_t record, Pointers pointers, std::vector<Parameter>& to)
        : context_(context), record_(record), pointers_(pointers), to_(to) {}

    void add(clang::QualType type, const std::string& name, std::uint64_t offset, unsigned depth = 0) {
        constexpr unsigned kMostDepth = 8;
        constexpr std::size_t kMost = 64;
        constexpr std::uint64_t kMostElements = 16; // of an array in the struct
        if (depth > kMostDepth || to_.size() >= kMost || !complete(type)) return;
        if (const auto* array = context_.getAsConstantArrayType(type)) {
            const std::uint64_t count = array->getSize().getLimitedValue(kMostElements + 1);
            const clang::QualType element = array->getElementType();
            const auto each = static_cast<std::uint64_t>(context_.getTypeSizeInChars(element).getQuantity());
            for (std::uint64_t i = 0; i < count && count <= kMostElements; ++i)
                add(element, name + "[" + std::to_string(i) + "]", offset + i * each, depth + 1);
        } else if (const auto* record = type->getAsCXXRecordDecl()) {
            add_fields(record, name, offset, depth);
        } else if (pointers_ == Pointers::found || type->getPointeeType().isNull()) {
            Parameter member = parameter_of(context_, name, type);
            const bool pointer = type->isPointerType() && !type->getPointeeType()->isFunctionType();
            if (!pointer && (member.kind != Parameter::Kind::value || member.element == ValueType::none)) return;
            member.record = record_;
            member.local_offset = static_cast<std::uint32_t>(offset);
            to_.push_back(std::move(member));
        }
    }

  private:
    void add_fields(const clang::CXXRecordDecl* record, const std::string& name, std::uint64_t offset, unsigned depth) {
        if (record->isUnion() || !record->hasDefinition() || record->getNumVBases() != 0) return;
        const clang::ASTRecordLayout& layout = context_.getASTRecordLayout(record);
        for (const clang::CXXBaseSpecifier& base : record->getDefinition()->bases()) {
            const auto* of = base.getType()->getAsCXXRecordDecl();
            if (of != nullptr && of->hasDefinition())
                add_fields(of, name, offset + static_cast<std::uint64_t>(layout.getBaseClassOffset(of).getQuantity()),
                           depth + 1);
        }
        for (const clang::FieldDecl* field : record->getDefinition()->fields()) {
            if (field->isBitField() || field->getNameAsString().empty()) continue;
            add(field->getType(), name + "." + field->getNameAsString(),
                offset + layout.getFieldOffset(field->getFieldIndex()) / 8, depth + 1);
        }
    }

    const clang::ASTContext& context_;
    std::uint32_t record_;
    Pointers pointers_;
    std::vector<Parameter>& to_;
};

// Its numbers.
std::vector<Parameter::Field> fields_of(const clang::ASTContext& context, clang::QualType record) {
    std::vector<Parameter> members;
    MemberFinder(context, 0, MemberFinder::Pointers::skipped, members).add(record, "", 0);
    std::vector<Parameter::Field> fields;
    for (const Parameter& member : members)
        if (member.kind == Parameter::Kind::value) fields.push_back({member.local_offset, member.element});
    return fields;
}

// The members of each parameter that is a struct; a wrapper of one number, as __half is, goes by the parameter's name.
std::vector<Parameter> members_of(const clang::ASTContext& context, const clang::FunctionDecl* kernel) {
    std::vector<Parameter> all;
    for (std::uint32_t p = 0; p < kernel->getNumParams(); ++p) {
        const clang::ParmVarDecl* parameter = kernel->getParamDecl(p);
        if (!parameter->getType()->isRecordType()) continue;
        std::vector<Parameter> members;
        MemberFinder(context, p, MemberFinder::Pointers::found, members)
            .add(parameter->getType(), parameter->getNameAsString(), 0);
        if (members.size() == 1 && members.front().element == ValueType::f16)
            members.front().name = parameter->getNameAsString();
        all.insert(all.end(), members.begin(), members.end());
    }
    return all;
}

std::string text_of(const clang::ASTContext& context, const clang::TemplateArgument& argument) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    argument.print(policy_of(context), stream, false);
    return text;
}

TemplateFound template_of(const clang::ASTContext& context, const clang::FunctionTemplateDecl* declaration) {
    TemplateFound found;
    found.pattern = declaration->getTemplatedDecl();
    KernelTemplate& result = found.facts;
    const clang::PrintingPolicy policy = policy_of(context);
    llvm::raw_string_ostream stream(result.name);
    declaration->printQualifiedName(stream, policy);
    const clang::SourceManager& sources = context.getSourceManager();
    const auto [file, offset] = sources.getDecomposedLoc(sources.getFileLoc(declaration->getLocation()));
    if (const auto entry = sources.getFileEntryRefForID(file)) found.path = entry->getName().str();
    found.line = sources.getLineNumber(file, offset);
    found.column = sources.getColumnNumber(file, offset);
    for (const clang::NamedDecl* named : *declaration->getTemplateParameters()) {
        KernelTemplate::Parameter& parameter = result.parameters.emplace_back();
        parameter.name = named->getNameAsString();
        if (const auto* type = llvm::dyn_cast<clang::TemplateTypeParmDecl>(named)) {
            parameter.type = type->isParameterPack() ? "typename..." : "typename";
            if (type->hasDefaultArgument())
                parameter.fallback = text_of(context, type->getDefaultArgument().getArgument());
        } else if (const auto* value = llvm::dyn_cast<clang::NonTypeTemplateParmDecl>(named)) {
            parameter.type = type_name(context, value->getType());
            if (value->hasDefaultArgument())
                parameter.fallback = text_of(context, value->getDefaultArgument().getArgument());
        } else {
            parameter.type = "template";
        }
    }
    return found;
}

std::uint32_t most_threads(const clang::ASTContext& context, const clang::FunctionDecl* kernel) {
    const auto* bounds = kernel->getAttr<clang::CUDALaunchBoundsAttr>();
    if (bounds == nullptr || bounds->getMaxThreads() == nullptr || bounds->getMaxThreads()->isValueDependent())
        return 0;
    const auto value = bounds->getMaxThreads()->getIntegerConstantExpr(context);
    return value ? static_cast<std::uint32_t>(value->getLimitedValue(0xFFFFFFFF)) : 0;
}

// The blocks of a cluster, as __cluster_dims__ gives them (include/warptree/define.h).
void set_cluster(const clang::ASTContext& context, const clang::FunctionDecl* kernel, std::uint32_t (&cluster)[3]) {
    for (const auto* note : kernel->specific_attrs<clang::AnnotateAttr>()) {
        if (note->getAnnotation() != "__cluster_dims__") continue;
        for (unsigned k = 0; k < 3; ++k) {
            const clang::Expr* const size = k < note->args_size() ? note->args_begin()[k] : nullptr;
            const auto value =
                size == nullptr || size->isValueDependent() ? std::nullopt : size->getIntegerConstantExpr(context);
            cluster[k] = value ? static_cast<std::uint32_t>(value->getLimitedValue(0xFFFFFFFF)) : 1;
        }
    }
}

class FactFinder : public SyntaxVisitor {
  public:
    FactFinder(clang::ASTContext& context, FileFacts& facts) : context_(context), facts_(facts) {}

    void declaration(clang::Decl* declaration) override {
        if (auto* made = llvm::dyn_cast<clang::FunctionTemplateDecl>(declaration)) note_template(made);
        if (auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration)) note_kernel(function);
        if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration)) note_variable(variable);
        if (const auto* named = llvm::dyn_cast<clang::NamedDecl>(declaration)) note_invalid(named);
    }
    void statement(clang::Stmt* statement) override {
        if (outermost_ == nullptr) return;
        const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(statement);
        const auto* expression = llvm::dyn_cast<clang::Expr>(statement);
        if (llvm::isa<clang::RecoveryExpr>(statement) ||
            (reference != nullptr && reference->getDecl()->isInvalidDecl()) ||
            (expression != nullptr && has_invalid_class(expression->getType())))
            facts_.with_invalid.insert(outermost_->getCanonicalDecl());
    }
    void function(clang::FunctionDecl* function, llvm::function_ref<void()> inside) override {
        clang::FunctionDecl* const outer = outermost_;
        if (side_of(function) == Side::device) {
            if (outermost_ == nullptr) outermost_ = function;
            if (function->isThisDeclarationADefinition()) facts_.device_functions.push_back(function);
        }
        if (outermost_ != nullptr && function->isInvalidDecl())
            facts_.with_invalid.insert(outermost_->getCanonicalDecl());
        inside();
        outermost_ = outer;
    }

  private:
    void note_template(clang::FunctionTemplateDecl* declaration) {
        const clang::FunctionDecl* function = declaration->getTemplatedDecl();
        if (function->hasAttr<clang::CUDAGlobalAttr>() && function->isThisDeclarationADefinition())
            facts_.templates.push_back(template_of(context_, declaration));
    }
    void note_kernel(clang::FunctionDecl* function) {
        if (!function->hasAttr<clang::CUDAGlobalAttr>() || !function->isThisDeclarationADefinition() ||
            function->isDependentContext())
            return;
        KernelFound& kernel = facts_.kernels.emplace_back();
        kernel.function = function;
        kernel.facts.name = name_of(function);
        for (const clang::ParmVarDecl* parameter : function->parameters())
            kernel.facts.parameters.push_back(
                parameter_of(context_, parameter->getNameAsString(), parameter->getType()));
        kernel.facts.members = members_of(context_, function);
        kernel.facts.most_threads = most_threads(context_, function);
        set_cluster(context_, function, kernel.facts.cluster);
        const clang::SourceManager& sources = context_.getSourceManager();
        kernel.facts.line = sources.getSpellingLineNumber(sources.getFileLoc(function->getLocation()));
    }
    void note_invalid(const clang::NamedDecl* named) {
        const clang::DeclContext* context = named->getDeclContext();
        const auto* function = llvm::dyn_cast<clang::FunctionDecl>(named);
        const auto* variable = llvm::dyn_cast<clang::VarDecl>(named);
        if ((function != nullptr && side_of(function) != Side::device) ||
            (variable != nullptr && !variable->getType().isConstQualified() &&
             !variable->hasAttr<clang::CUDADeviceAttr>() && !variable->hasAttr<clang::CUDAConstantAttr>()))
            return; // of the host, whose names device code may have for its own things
        if (named->isInvalidDecl() && named->getDeclName().isIdentifier() &&
            (context->isFileContext() || llvm::isa<clang::FunctionDecl>(named)))
            facts_.invalid_names.insert(named->getNameAsString());
    }
    static bool has_invalid_class(clang::QualType type) {
        if (type.isNull()) return false;
        const auto* record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
        return record != nullptr && record->isInvalidDecl();
    }
    void note_variable(const clang::VarDecl* variable) {
        if (!variable->isInvalidDecl() && !has_invalid_class(variable->getType())) return;
        if (outermost_ != nullptr)
            facts_.with_invalid.insert(outermost_->getCanonicalDecl());
        else if (variable->hasAttr<clang::CUDADeviceAttr>() || variable->hasAttr<clang::CUDAConstantAttr>() ||
                 variable->hasAttr<clang::CUDASharedAttr>())
            facts_.invalid_variables = true;
    }

    clang::ASTContext& context_;
    FileFacts& facts_;
    clang::FunctionDecl* outermost_ = nullptr; // function of the device that the walk is in; null: in none
};

} // namespace

std::string name_of(const clang::FunctionDecl* kernel) {
    const clang::ASTContext& context = kernel->getASTContext();
    std::string name;
    llvm::raw_string_ostream stream(name);
    kernel->printQualifiedName(stream, policy_of(context));
    const clang::TemplateArgumentList* arguments = kernel->getTemplateSpecializationArgs();
    if (arguments == nullptr) return name;
    std::string list;
    const auto add = [&](const clang::TemplateArgument& argument) {
        list += (list.empty() ? "" : ", ") + text_of(context, argument);
    };
    for (const clang::TemplateArgument& argument : arguments->asArray()) {
        if (argument.getKind() != clang::TemplateArgument::Pack)
            add(argument);
        else
            for (const clang::TemplateArgument& part : argument.pack_elements()) add(part);
    }
    return name + "<" + list + ">";
}

ElementFacts element_of(const clang::ASTContext& context, clang::QualType type) {
    ElementFacts facts;
    if (!complete(type)) return facts;
    facts.bytes = static_cast<std::uint32_t>(context.getTypeSizeInChars(type).getQuantity());
    std::uint64_t count = 0;
    if (const auto scalar = same_scalars(context, type, count); scalar && count > 0 && count < 0xFFFFFFFF) {
        facts.type = *scalar;
        facts.components = static_cast<std::uint32_t>(count);
    }
    return facts;
}

namespace {

// Code that only the host needs: functions without an attribute, and variables that the device cannot see.
bool of_host(const clang::Decl* declaration) {
    if (const auto* made = llvm::dyn_cast<clang::FunctionTemplateDecl>(declaration))
        declaration = made->getTemplatedDecl();
    if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration))
        return side_of(function) == Side::host && !function->isConstexpr() && !function->isImplicit();
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration);
    return variable != nullptr && !variable->hasAttr<clang::CUDADeviceAttr>() &&
           !variable->hasAttr<clang::CUDAConstantAttr>() && !variable->hasAttr<clang::CUDASharedAttr>() &&
           !variable->hasAttr<clang::HIPManagedAttr>() && !variable->getType().isConstQualified();
}

void add_host_code(const clang::ASTContext& context, const clang::Decl* declaration, std::vector<TextRange>& to) {
    if (!of_host(declaration)) {
        const bool opens = llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl, clang::CXXRecordDecl>(declaration);
        if (opens)
            for (const clang::Decl* inner : llvm::cast<clang::DeclContext>(declaration)->decls())
                add_host_code(context, inner, to);
        return;
    }
    const clang::SourceManager& sources = context.getSourceManager();
    clang::SourceRange range = declaration->getSourceRange();
    if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration))
        if (const auto* made = function->getDescribedFunctionTemplate()) range = made->getSourceRange();
    const auto [first_file, first] = sources.getDecomposedLoc(sources.getExpansionLoc(range.getBegin()));
    const auto [last_file, last] = sources.getDecomposedLoc(clang::Lexer::getLocForEndOfToken(
        sources.getExpansionRange(range.getEnd()).getEnd(), 0, sources, context.getLangOpts()));
    if (first_file == sources.getMainFileID() && last_file == first_file && first < last) to.push_back({first, last});
}

// "int a, b;" is two declarations with the same beginning.
void join_overlapping(std::vector<TextRange>& ranges) {
    std::ranges::sort(ranges, {}, &TextRange::first);
    std::vector<TextRange> joined;
    for (const TextRange& range : ranges) {
        if (!joined.empty() && range.first <= joined.back().end)
            joined.back().end = std::max(joined.back().end, range.end);
        else
            joined.push_back(range);
    }
    ranges = std::move(joined);
}

} // namespace

FileFacts facts_of(clang::ASTContext& context, const std::vector<clang::Decl*>& declarations) {
    FileFacts facts;
    for (const clang::Decl* declaration : declarations)
        if (!llvm::isa<clang::NamespaceDecl>(declaration->getDeclContext()) &&
            !llvm::isa<clang::CXXRecordDecl>(declaration->getDeclContext()))
            add_host_code(context, declaration, facts.host_code);
    join_overlapping(facts.host_code);
    FactFinder finder(context, facts);
    for (clang::Decl* declaration : declarations) walk(declaration, ImplicitCode::visited, finder);
    const auto blocks = launched_blocks(context, declarations);
    for (KernelFound& kernel : facts.kernels)
        if (const auto found = blocks.find(kernel.function->getCanonicalDecl()); found != blocks.end())
            std::copy(found->second.begin(), found->second.end(), kernel.facts.launched_block);
    return facts;
}

} // namespace warptree::compile
