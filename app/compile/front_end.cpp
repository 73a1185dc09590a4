#include "app/compile/front_end.hpp"

#include "app/compile/front_end_clang.hpp"
#include "app/compile/front_end_missing.hpp"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <set>

namespace warptree::compile {
namespace {

// A file's name, whatever the caller puts before it.
std::string plain_name(const std::string& name) {
    std::string plain = name.substr(name.find_last_of('/') + 1);
    std::erase_if(plain, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\\'; });
    return plain.empty() || plain == "." || plain == ".." ? "kernel.cu" : plain;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool is_name(const std::string& text) {
    return !text.empty() && is_letter(text[0]) &&
           std::ranges::all_of(text, [](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

// A name with arguments and nothing that would end the expression that it stands in.
bool is_instance(const std::string& text) {
    int depth = 0;
    for (const char c : text) {
        if (static_cast<unsigned char>(c) < ' ' || std::string_view(";{}#\"\\@`$?").find(c) != std::string_view::npos)
            return false;
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (depth < 0) return false;
    }
    return depth == 0 && text.find("//") == std::string::npos && text.find("/*") == std::string::npos &&
           is_name(text.substr(0, 1));
}

Diagnostic error_in(const std::string& file, std::string message) {
    Diagnostic diagnostic;
    diagnostic.file = file;
    diagnostic.message = std::move(message);
    return diagnostic;
}

bool has_error(const std::vector<Diagnostic>& diagnostics) {
    return std::ranges::any_of(diagnostics,
                               [](const Diagnostic& d) { return d.severity == Diagnostic::Severity::error; });
}

// What cannot be compiled whatever it says.
std::vector<Diagnostic> complaints(const Request& request, const std::string& file) {
    std::vector<Diagnostic> result;
    if (request.text.size() > kLargestFile) result.push_back(error_in(file, "the file is larger than 16 MB"));
    for (const Define& define : request.defines)
        if (!is_name(define.name) || define.value.find_first_of("\r\n") != std::string::npos)
            result.push_back(error_in(file, "\"" + define.name + "\" cannot be defined as a macro"));
    for (const std::string& instance : request.instances)
        if (!is_instance(instance))
            result.push_back(error_in(file, "\"" + instance + "\" is not a template with its arguments"));
    return result;
}

// Missing headers come first: they explain what follows. They are errors when there is another without an explanation.
std::vector<Diagnostic> told(Run& run, SourceFiles& files) {
    const bool stopped = std::ranges::any_of(
        run.findings, [](const Finding& f) { return f.main.severity == Diagnostic::Severity::error && !f.explained; });
    std::vector<Diagnostic> result;
    for (MissingHeader& missing : run.missing) {
        Diagnostic& diagnostic = result.emplace_back(std::move(missing.place));
        diagnostic.severity = stopped ? Diagnostic::Severity::error : Diagnostic::Severity::warning;
        diagnostic.message = about_missing(missing.name, files.refusal(std::string(kSourceRoot) + missing.name));
    }
    for (Finding& finding : run.findings) {
        result.push_back(std::move(finding.main));
        for (Diagnostic& note : finding.notes) result.push_back(std::move(note));
    }
    return result;
}

// A template that cannot be instantiated as asked.
Diagnostic refusal_of(std::size_t number, const std::string& instance, const Run& run, const std::string& file) {
    Diagnostic diagnostic = error_in(file, instance + ": ");
    std::string name = instance.substr(0, instance.find('<'));
    name.resize(name.find_last_not_of(' ') + 1);
    const auto found = std::ranges::find_if(run.templates, [&](const TemplateFound& t) {
        return t.facts.name == name || t.facts.name.ends_with("::" + name);
    });
    if (found == run.templates.end()) {
        diagnostic.message += "the file has no __global__ template " + name;
        return diagnostic;
    }
    diagnostic.file = SourceFiles::name_of(found->path);
    diagnostic.line = found->line;
    diagnostic.column = found->column;
    std::string wanted;
    for (const KernelTemplate::Parameter& parameter : found->facts.parameters)
        wanted += (wanted.empty() ? "" : ", ") + parameter.type + " " + parameter.name +
                  (parameter.fallback.empty() ? "" : " = " + parameter.fallback);
    std::string reason;
    constexpr std::string_view kIgnored = "candidate template ignored: ";
    for (const Finding& finding : run.findings) {
        if (finding.instance != static_cast<int>(number) || !reason.empty()) continue;
        reason = finding.main.message;
        for (const Diagnostic& note : finding.notes)
            if (note.message.starts_with(kIgnored)) reason = note.message.substr(kIgnored.size());
    }
    diagnostic.message += "not an instance of template<" + wanted + "> " + found->facts.name;
    if (!reason.empty()) diagnostic.message += " (" + reason + ")";
    return diagnostic;
}

// The file itself, its own headers, and those of ours that lines of the module come from.
std::vector<SourceText> sources_of(SourceFiles& files, const std::string& path, const Request& request,
                                   const Run& run) {
    std::vector<SourceText> sources = {{std::string(SourceFiles::name_of(path)), request.text, false}};
    std::set<std::string, std::less<>> known = {sources.front().path};
    const auto add = [&](const std::string& at) {
        const auto text = files.text(at);
        const std::string name(SourceFiles::name_of(at));
        if (text && known.insert(name).second) sources.push_back({name, std::string(*text), SourceFiles::ours(at)});
    };
    for (const std::string& included : run.read) add(included);
    if (run.module == nullptr) return sources;
    for (const llvm::Function& function : *run.module)
        for (const llvm::BasicBlock& block : function)
            for (const llvm::Instruction& instruction : block)
                for (const llvm::DILocation* at = instruction.getDebugLoc(); at != nullptr; at = at->getInlinedAt()) {
                    const std::string name = at->getFilename().str();
                    if (!known.contains(name)) add(std::string(kHeaderRoot) + name);
                }
    return sources;
}

} // namespace

void prepare_front_end() { prepare_clang(); }

Compiled compile(const Request& request) {
    Compiled compiled;
    const std::string name = plain_name(request.name), path = std::string(kSourceRoot) + name;
    compiled.files.push_back({name, request.text, false});
    compiled.diagnostics = complaints(request, name);
    if (!compiled.diagnostics.empty()) return compiled;

    // Two line ends, because the text may end in a backslash.
    std::string text = request.text + "\n\n";
    const auto own_lines = static_cast<std::uint32_t>(std::ranges::count(text, '\n'));
    for (std::size_t i = 0; i < request.instances.size(); ++i) text += instance_line(i, request.instances[i]);
    const auto files = llvm::makeIntrusiveRefCnt<SourceFiles>(request.folder);
    files->add(path, request.instances.empty() ? std::string_view(request.text) : text);
    Run run = run_clang(files, path, own_lines, request);

    if (run.module == nullptr && !request.instances.empty()) {
        // Whose fault it is: the file's, or what was asked of it.
        Request plain = request;
        plain.instances.clear();
        files->add(path, request.text);
        Run without = run_clang(files, path, own_lines, plain);
        if (without.module == nullptr) {
            run = std::move(without);
        } else {
            for (std::size_t i = 0; i < request.instances.size(); ++i)
                if (run.instances[i].empty())
                    compiled.diagnostics.push_back(refusal_of(i, request.instances[i], run, name));
            if (!compiled.diagnostics.empty()) run.findings.clear();
        }
    }
    for (Diagnostic& diagnostic : told(run, *files)) compiled.diagnostics.push_back(std::move(diagnostic));
    if (!has_error(compiled.diagnostics)) compiled.files = sources_of(*files, path, request, run);
    for (TemplateFound& found : run.templates) {
        const auto file = std::ranges::find(compiled.files, SourceFiles::name_of(found.path), &SourceText::path);
        const auto number = file == compiled.files.end() ? 0 : file - compiled.files.begin();
        compiled.templates.push_back(std::move(found.facts));
        compiled.template_places.push_back({static_cast<std::uint32_t>(number), found.line,
                                            static_cast<std::uint16_t>(std::min(found.column, 0xFFFFU))});
    }
    if (has_error(compiled.diagnostics)) return compiled;
    compiled.kernels = std::move(run.kernels);
    clean_up(*run.module);
    compiled.context = std::move(run.context);
    compiled.module = std::move(run.module);
    return compiled;
}

} // namespace warptree::compile
