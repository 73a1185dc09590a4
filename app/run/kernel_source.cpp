#include "app/run/kernel_source.hpp"

#include "app/base/printable.hpp"
#include "app/base/type_words.hpp"
#include "app/base/whole_file.hpp"
#include "app/catalogue/catalogue.hpp"
#include "app/catalogue/kernel_text.hpp"
#include "app/catalogue/launch_expression.hpp"
#include "app/run/choice/block_shape.hpp"
#include "app/run/kernel_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <utility>

namespace warptree::runs {

using compile::kNone;
using compile::Program;

namespace {
compile::Compiler* other_compiler = nullptr;

CompileWatcher& compile_watcher() {
    static CompileWatcher one;
    return one;
}
} // namespace

compile::Compiler& compiler() {
    static compile::Compiler one;
    return other_compiler != nullptr ? *other_compiler : one;
}

void use_compiler(compile::Compiler& other) { other_compiler = &other; }

void watch_compiles(CompileWatcher watcher) { compile_watcher() = std::move(watcher); }

std::string diagnostics_text(const std::vector<compile::Diagnostic>& list) {
    std::string out;
    for (const compile::Diagnostic& d : list) {
        const char* const kind = d.severity == compile::Diagnostic::Severity::error     ? "error"
                                 : d.severity == compile::Diagnostic::Severity::warning ? "warning"
                                                                                        : "note";
        out += d.line == 0 ? fmt::format("{}{}{}: {}\n", d.file, d.file.empty() ? "" : ": ", kind, d.message)
                           : fmt::format("{}:{}:{}: {}: {}\n", d.file, d.line, d.column, kind, d.message);
    }
    return out;
}

namespace {
// The latest programs, kept by CompileOnce. A run needs one or two, timings one per strategy, type and finish.
struct Kept {
    std::mutex mutex;
    unsigned lives = 0;
    std::deque<std::pair<compile::Request, std::shared_ptr<const Program>>> programs;
};
Kept& kept() {
    static Kept one;
    return one;
}
} // namespace

std::string why_refused(const compile::RefusedKernel& kernel) {
    return fmt::format("{}:{}: {}", kernel.why.file, kernel.why.line, kernel.why.message);
}

CompileOnce::CompileOnce() {
    const std::lock_guard lock(kept().mutex);
    ++kept().lives;
}
CompileOnce::~CompileOnce() {
    const std::lock_guard lock(kept().mutex);
    if (--kept().lives == 0) {
        kept().programs.clear();
    }
}

std::string read_source(const std::string& path) {
    constexpr std::uint64_t kMost = 16U << 20;
    return read_text(path, kMost);
}

namespace {
std::shared_ptr<const Program> compiled_or_kept(const compile::Request& request) {
    constexpr std::size_t kMost = 64;
    Kept& k = kept();
    {
        const std::lock_guard lock(k.mutex);
        for (const auto& [asked, program] : k.programs) {
            if (asked == request) {
                return program;
            }
        }
    }
    auto program = std::make_shared<const Program>(compiler().compile(request));
    if (compile_watcher()) {
        compile_watcher()(request, *program);
    }
    const std::lock_guard lock(k.mutex);
    if (k.lives != 0) {
        k.programs.emplace_front(request, program);
        k.programs.resize(std::min(k.programs.size(), kMost));
    }
    return program;
}

std::string one_line(const compile::Diagnostic& diagnostic) {
    std::string text = diagnostics_text({diagnostic});
    text.pop_back();
    return text;
}

std::shared_ptr<const Program> compiled(const compile::Request& request) {
    std::shared_ptr<const Program> program = compiled_or_kept(request);
    if (!program->compiled()) {
        const auto& diagnostics = program->diagnostics;
        const auto first = std::find_if(diagnostics.begin(), diagnostics.end(), [](const auto& d) {
            return d.severity == compile::Diagnostic::Severity::error;
        });
        const std::string text = first == diagnostics.end() ? "it does not compile" : one_line(*first);
        throw SourceError(diagnostics, text);
    }
    return program;
}

void check_names(const std::vector<std::string>& taken, std::string_view asked, const char* what) {
    if (!taken.empty() && std::find(taken.begin(), taken.end(), asked) == taken.end()) {
        throw OptionError(fmt::format("the kernel takes no {} {}; take {}", what, asked, fmt::join(taken, ", ")));
    }
}
} // namespace

bool takes_operator(const std::string& path) {
    return catalogue::has_operator(read_source(path), std::filesystem::absolute(path).parent_path().string(),
                                   catalogue::shipped_folder().string());
}

KernelSource::KernelSource(const RunOptions& options) {
    const KernelOptions& k = options.kernel;
    request_.name = std::filesystem::path(k.file).filename().string();
    if (request_.name.empty()) {
        request_.name = "kernel.cu";
    }
    request_.text = k.text ? *k.text : read_source(k.file);
    request_.folder = k.file.empty() ? "" : std::filesystem::absolute(k.file).parent_path().string();
    request_.shipped = catalogue::shipped_folder().string();
    header_ = catalogue::read_header(request_.text);
    catalogue::check_parameters(header_.parameters, options.parameters, "this file");
    has_operator_ = catalogue::has_operator(request_.text, request_.folder, request_.shipped);
    if (has_operator_) {
        if (!supports(options.type, options.op)) {
            throw OptionError(
                fmt::format("{} is not defined for {}", warptree::name(options.op), warptree::name(options.type)));
        }
        check_names(header_.types, warptree::name(options.type), "elements of type");
        check_names(header_.operators, warptree::name(options.op), "operator");
    }
    const std::vector<Finish> all = catalogue::finishes(header_, request_.text, has_operator_);
    finish_ = options.finish.value_or(all.front());
    if (std::find(all.begin(), all.end(), finish_) == all.end()) {
        std::vector<std::string_view> names;
        std::transform(all.begin(), all.end(), std::back_inserter(names), [](Finish f) { return warptree::name(f); });
        throw OptionError(fmt::format("{} does not finish by {}; take {}", request_.name, warptree::name(finish_),
                                      fmt::join(names, " or ")));
    }
    request_.text = catalogue::finished_text(request_.text, finish_);
    if (has_operator_ && options.op == Operator::sum_of_squares) {
        request_.text = catalogue::mapped_text(request_.text);
    }
}

void KernelSource::trace_on(const std::string& architecture) {
    request_.code = compile::Code::traced;
    request_.architecture = architecture;
}

void KernelSource::clock_on(const std::string& architecture, const std::vector<std::uint32_t>& lines) {
    request_.code = compile::Code::clocked;
    request_.architecture = architecture;
    request_.lines = lines;
}

std::shared_ptr<const Program> KernelSource::made(Made& last, const compile::Request& request) {
    if (last.program == nullptr || last.request != request) {
        last = {request, compiled(request)};
    }
    return last.program;
}

KernelSource::Compiled KernelSource::compile(const RunOptions& options, bool maps) {
    compile::Request request = request_;
    if (has_operator_) {
        const Operator op = !maps && options.op == Operator::sum_of_squares ? Operator::sum : options.op;
        request.defines = {{"REDUCTION_TYPE", std::string(c_name(options.type))},
                           {"REDUCTION_OPERATOR", std::to_string(static_cast<int>(op))}};
    }
    const compile::Request plain = request;
    Compiled compiled;
    compiled.program = made(plain_, request);
    std::string_view type = "float"; // of templates, unless they need another
    const auto choose = [&](unsigned dimensions) {
        return choose_kernel(*made(plain_, plain), header_, options, dimensions, type);
    };
    KernelChoice choice = choose(1);
    compiled.chosen = choice.chosen;
    for (const compile::Kernel& k : compiled.program->kernels) {
        compiled.names.push_back(k.name);
    }
    for (const compile::KernelTemplate& t : compiled.program->templates) {
        compiled.names.push_back(t.name + "<");
    }
    if (!choice.instance.empty()) {
        const auto instantiate = [&](Made& last) {
            request.instances = {choice.instance};
            compiled.program = made(last, request);
            if (compiled.program->kernels.empty()) {
                throw OptionError(fmt::format("instantiating {} produced no kernel", request.instances.front()));
            }
        };
        try {
            instantiate(instance_);
        } catch (const SourceError&) {
            const std::exception_ptr why = std::current_exception();
            type = "int"; // as of an index
            KernelChoice other = choose(1);
            if (!choice.chosen || other.instance == choice.instance) {
                throw;
            }
            choice = std::move(other);
            try {
                instantiate(instance_);
            } catch (const SourceError&) {
                std::rethrow_exception(why);
            }
        }
        if (choice.chosen) { // now that it is known which dimensions it reads
            const unsigned dimensions = thread_dimensions(*compiled.program, compiled.program->kernels.front());
            const KernelChoice other = choose(dimensions);
            if (other.instance != choice.instance) {
                choice = other;
                instantiate(of_side_);
            }
        }
        choice.kernel = 0; // requested instances come first
    }
    compiled.kernel = choice.kernel;
    if (const auto& undefined = compiled.program->kernels[compiled.kernel].undefined; !undefined.empty()) {
        throw SourceError(undefined, one_line(undefined.front()));
    }
    compiled.request = std::move(request);
    return compiled;
}

} // namespace warptree::runs
