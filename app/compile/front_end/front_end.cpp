#include "app/compile/front_end/front_end.hpp"

#include "app/compile/front_end/clang.hpp"
#include "app/compile/front_end/missing.hpp"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <set>

namespace warptree::compile {
namespace {

// A file's name without any path.
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

// A name with arguments and nothing that could end the surrounding expression.
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

// Errors in the request itself, found without compiling its text.
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

// Missing headers come first, as they explain what follows. One is an error if another error may follow from it.
std::vector<Diagnostic> told(Run& run, SourceFiles& files) {
    std::vector<Diagnostic> result;
    for (MissingHeader& missing : run.missing) {
        const bool stops = std::ranges::any_of(run.findings, [&](const Finding& f) {
            return f.main.severity == Diagnostic::Severity::error &&
                   (!f.explained || brings(missing.name, f.main.message));
        });
        Diagnostic& diagnostic = result.emplace_back(std::move(missing.place));
        diagnostic.severity = stops ? Diagnostic::Severity::error : Diagnostic::Severity::warning;
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
    std::string reason; // e.g. an argument that does not exist; mismatched arguments were already reported
    for (const Finding& finding : run.findings)
        if (finding.instance == static_cast<int>(number) && reason.empty() &&
            finding.main.message.find("overloaded function") == std::string::npos)
            reason = finding.main.message;
    diagnostic.message += "not an instance of template<" + wanted + "> " + found->facts.name;
    if (!reason.empty()) diagnostic.message += " (" + reason + ")";
    return diagnostic;
}

// The file itself, its own headers, and those of our headers that lines of the module come from.
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

// Compiles a request's text under its name, in as many runs of Clang as it takes.
class Session {
  public:
    Session(const Request& request, FindFile find)
        : name(plain_name(request.name)), path(std::string(kSourceRoot) + name), request_(request),
          files_(llvm::makeIntrusiveRefCnt<SourceFiles>(std::move(find))) {}

    Run run(const std::vector<std::string>& instances, HostBodies bodies) {
        text_ = request_.text;
        std::uint32_t own_lines = 0xFFFFFFFF;
        if (!instances.empty()) {
            text_ += "\n\n"; // two, because the text may end in a backslash
            own_lines = static_cast<std::uint32_t>(std::ranges::count(text_, '\n'));
        }
        for (std::size_t i = 0; i < instances.size(); ++i) text_ += instance_line(i, instances[i]);
        files_->add(path, text_);
        Request asked = request_;
        asked.instances = instances;
        return run_clang(files_, path, own_lines, asked, bodies);
    }

    // Parses the bodies of host functions too, unless a syntax error there may have hidden device code.
    Run run() {
        Run first = run(request_.instances, HostBodies::parsed);
        const auto lost = [](const Finding& f) { return f.side == Side::host && f.syntax; };
        if (std::ranges::none_of(first.findings, lost)) return first;
        std::vector<std::string> instances = request_.instances; // and those that launches need
        for (const KernelFacts& kernel : first.kernels)
            if (kernel.name.ends_with(">") && std::ranges::find(instances, kernel.name) == instances.end())
                instances.push_back(kernel.name);
        Run second = run(instances, HostBodies::skipped);
        if (second.module == nullptr && instances.size() > request_.instances.size())
            return with_host_facts(run(request_.instances, HostBodies::skipped), first);
        return with_host_facts(std::move(second), first);
    }

    SourceFiles& files() { return *files_; }
    const std::string name, path;

  private:
    static Run with_host_facts(Run run, Run& host) {
        run.host_code = std::move(host.host_code);
        for (KernelFacts& kernel : run.kernels) {
            const auto same = std::ranges::find(host.kernels, kernel.name, &KernelFacts::name);
            if (same != host.kernels.end()) std::ranges::copy(same->launched_block, kernel.launched_block);
        }
        std::erase_if(run.findings, [](const Finding& f) { return f.side == Side::host; });
        for (Finding& finding : host.findings)
            if (finding.side == Side::host) run.findings.push_back(std::move(finding));
        return run;
    }

    const Request& request_;
    llvm::IntrusiveRefCntPtr<SourceFiles> files_;
    std::string text_;
};

} // namespace

void prepare_front_end() { prepare_clang(); }

Compiled compile(const Request& request) {
    RequestFiles files(request.folder, request.shipped);
    return compile(request, [&](Tree tree, const std::string& path) { return files.find(tree, path); });
}

Compiled compile(const Request& request, FindFile find) {
    Compiled compiled;
    Session session(request, std::move(find));
    compiled.files.push_back({session.name, request.text, false});
    compiled.diagnostics = complaints(request, session.name);
    if (!compiled.diagnostics.empty()) return compiled;

    Run run = session.run();
    if (run.module == nullptr && !request.instances.empty()) {
        // Whether the file or the request is at fault.
        Run plain = session.run({}, HostBodies::parsed);
        if (plain.module == nullptr) {
            run = std::move(plain);
        } else {
            for (std::size_t i = 0; i < request.instances.size(); ++i)
                if (run.instances[i].empty())
                    compiled.diagnostics.push_back(refusal_of(i, request.instances[i], run, session.name));
            if (!compiled.diagnostics.empty()) run.findings.clear();
        }
    }
    // An instance whose template has errors.
    for (std::size_t i = 0; i < run.instances.size() && run.module != nullptr; ++i)
        for (const RefusedKernel& refused : run.refused)
            if (refused.name == run.instances[i]) {
                compiled.diagnostics.push_back(refused.why);
                compiled.diagnostics.back().severity = Diagnostic::Severity::error;
            }
    for (Diagnostic& diagnostic : told(run, session.files())) compiled.diagnostics.push_back(std::move(diagnostic));
    const bool stopped = has_error(compiled.diagnostics);
    if (!stopped) compiled.files = sources_of(session.files(), session.path, request, run);
    for (TemplateFound& found : run.templates) {
        const auto file = std::ranges::find(compiled.files, SourceFiles::name_of(found.path), &SourceText::path);
        const auto number = file == compiled.files.end() ? 0 : file - compiled.files.begin();
        compiled.templates.push_back(std::move(found.facts));
        compiled.template_places.push_back({static_cast<std::uint32_t>(number), found.line,
                                            static_cast<std::uint16_t>(std::min(found.column, 0xFFFFU))});
    }
    if (stopped) return compiled;
    if (run.module == nullptr) throw CompileError(session.name + ": Clang generated nothing and did not say why");
    compiled.kernels = std::move(run.kernels);
    compiled.refused = std::move(run.refused);
    compiled.host_code = std::move(run.host_code);
    std::erase_if(compiled.host_code, [&](const TextRange& r) { return r.end > request.text.size(); }); // our own lines
    clean_up(*run.module);
    compiled.context = std::move(run.context);
    compiled.module = std::move(run.module);
    return compiled;
}

} // namespace warptree::compile
