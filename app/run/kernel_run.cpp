#include "app/run/kernel_run.hpp"

#include "app/base/build_info.hpp"
#include "app/base/printable.hpp"
#include "app/run/array_fill.hpp"
#include "app/run/expectation.hpp"
#include "app/run/kernel_launch.hpp"
#include "app/run/next_try.hpp"
#include "app/simt/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>

namespace warptree::runs {

using compile::kNone;
using compile::Parameter;
using compile::Program;

compile::Compiler& compiler() {
    static compile::Compiler one;
    return one;
}

std::string diagnostics_text(const std::vector<compile::Diagnostic>& list) {
    std::string out;
    for (const compile::Diagnostic& d : list) {
        const char* const kind = d.severity == compile::Diagnostic::Severity::error     ? "error"
                                 : d.severity == compile::Diagnostic::Severity::warning ? "warning"
                                                                                        : "note";
        out += d.line == 0 ? fmt::format("{}: {}: {}\n", d.file, kind, d.message)
                           : fmt::format("{}:{}:{}: {}: {}\n", d.file, d.line, d.column, kind, d.message);
    }
    return out;
}

namespace {
// What CompileOnce keeps: the latest few, of which a run asks for one or two.
struct Kept {
    std::mutex mutex;
    unsigned lives = 0;
    std::deque<std::pair<compile::Request, Program>> programs;
};
Kept& kept() {
    static Kept one;
    return one;
}
} // namespace

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

namespace {
std::string read_source(const std::string& path) {
    constexpr std::uintmax_t kMost = 16U << 20;
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (error || !std::filesystem::exists(status)) {
        throw FileError(fmt::format("{}: there is no such file", printable(path)));
    }
    if (!std::filesystem::is_regular_file(status)) {
        throw FileError(fmt::format("{}: it is no file of text", printable(path)));
    }
    if (std::filesystem::file_size(path, error) > kMost) {
        throw FileError(fmt::format("{}: it is larger than 16 MB", printable(path)));
    }
    std::ifstream in(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    if (!in.good() && !in.eof()) {
        throw FileError(fmt::format("{}: it cannot be read", printable(path)));
    }
    return text;
}

Program compiled_or_kept(const compile::Request& request) {
    constexpr std::size_t kMost = 2;
    Kept& k = kept();
    {
        const std::lock_guard lock(k.mutex);
        for (const auto& [asked, program] : k.programs) {
            if (asked == request) {
                return program;
            }
        }
    }
    Program program = compiler().compile(request);
    const std::lock_guard lock(k.mutex);
    if (k.lives != 0) {
        k.programs.emplace_front(request, program);
        k.programs.resize(std::min(k.programs.size(), kMost));
    }
    return program;
}

Program compiled(compile::Request& request) {
    Program program = compiled_or_kept(request);
    if (!program.compiled()) {
        const auto first = std::find_if(program.diagnostics.begin(), program.diagnostics.end(), [](const auto& d) {
            return d.severity == compile::Diagnostic::Severity::error;
        });
        std::string text = first == program.diagnostics.end() ? "it does not compile" : diagnostics_text({*first});
        while (!text.empty() && text.back() == '\n') {
            text.pop_back();
        }
        throw SourceError(std::move(program.diagnostics), text);
    }
    return program;
}

std::optional<ElementType> element_of(ValueType type) {
    switch (type) {
    case ValueType::i32: return ElementType::i32;
    case ValueType::u32: return ElementType::u32;
    case ValueType::i64:
    case ValueType::u64: return ElementType::i64;
    case ValueType::f32: return ElementType::f32;
    case ValueType::f64: return ElementType::f64;
    default: return std::nullopt;
    }
}

class KernelRun {
  public:
    KernelRun(const RunOptions& options, RunControl& control) : options_(options), control_(control) {}

    Trace run() {
        read();
        compile();
        Trace first = attempt({}, kFirstTries);
        Adjusted now;
        if (auto filled = read_before_written(); !filled.empty()) {
            now.inputs = std::move(filled);
            Trace again = attempt(now, kFirstTries);
            if (summary_.completed) {
                return again;
            }
        }
        for (int tries = 0; !summary_.completed && expected_.kind == Expected::Kind::none; ++tries) {
            const auto next = tries == kMostTries ? std::nullopt : next_try(program_, launch_, now, ending_);
            if (!next) {
                return first;
            }
            now = *next;
            Trace again = attempt(now, now.n == kFewestElements ? kLastTry : kLaterTries);
            if (summary_.completed) {
                return again;
            }
        }
        return first;
    }

  private:
    // Warp instructions a block, while it is the program's choice how much there is to do.
    static constexpr std::uint64_t kFirstTries = 1ULL << 18, kLaterTries = 1ULL << 20, kLastTry = 1ULL << 23;
    static constexpr int kMostTries = 12;

    // Arrays that the program took for outputs and left empty, and that the kernel reads before it writes to them.
    std::vector<std::uint32_t> read_before_written() const {
        std::vector<std::uint32_t> found;
        if (!summary_.completed || expected_.kind != Expected::Kind::none) {
            return found;
        }
        for (std::uint32_t p = 0; p < allocations_.size(); ++p) {
            if (allocations_[p] != kNone && launch_.arguments[p].chosen &&
                uninitialised_.contains(kernel().parameters[p].name)) {
                found.push_back(p);
            }
        }
        return found;
    }

    Trace attempt(const Adjusted& adjusted, std::uint64_t instructions) {
        trace_ = {};
        inputs_.clear();
        allocations_.clear();
        arguments_.clear();
        launch_ = choose_launch(program_, kernel_, header_, options_, adjusted);
        expected_ = expected_from(launch_.expect, std::nullopt);
        most_instructions_ = options_.kernel.most_instructions;
        if (launch_.n_chosen && expected_.kind == Expected::Kind::none) {
            most_instructions_ = most_instructions_ == 0 ? instructions : std::min(most_instructions_, instructions);
        }
        allocate();
        execute();
        conclude();
        return std::move(trace_);
    }

    const compile::Kernel& kernel() const { return program_.kernels[kernel_]; }

    void read() {
        const KernelOptions& k = options_.kernel;
        request_.name = std::filesystem::path(k.file).filename().string();
        if (request_.name.empty()) {
            request_.name = "kernel.cu";
        }
        request_.text = k.text.empty() ? read_source(k.file) : k.text;
        request_.folder = k.file.empty() ? "" : std::filesystem::absolute(k.file).parent_path().string();
        header_ = catalogue::read_header(request_.text);
    }

    void compile() {
        const std::uint32_t block = options_.block.value_or(expected_block(header_, options_.kernel));
        program_ = compiled(request_);
        for (const compile::Kernel& k : program_.kernels) {
            names_.push_back(k.name);
        }
        for (const compile::KernelTemplate& t : program_.templates) {
            names_.push_back(t.name + "<");
        }
        KernelChoice choice = choose_kernel(program_, header_, options_.kernel, block);
        if (!choice.instance.empty()) {
            request_.instances = {choice.instance};
            program_ = compiled(request_);
            RunOptions exact = options_;
            exact.kernel.kernel = choice.instance;
            const bool chosen = choice.chosen;
            choice = choose_kernel(program_, header_, exact.kernel, block);
            choice.chosen = chosen;
        }
        if (choice.kernel == kNone) {
            throw OptionError(fmt::format("the template {} gave no kernel", request_.instances.front()));
        }
        kernel_ = choice.kernel;
        if (choice.chosen) {
            chosen_.push_back(fmt::format("kernel {}", kernel().name));
        }
    }

    void allocate() {
        memory_ = std::make_unique<simt::Memory>(program_);
        for (std::size_t p = 0; p < kernel().parameters.size(); ++p) {
            const Parameter& parameter = kernel().parameters[p];
            const ArgumentValue& value = launch_.arguments[p];
            simt::Argument argument;
            KernelArgument shown{parameter.name, parameter.type, value.text, 0, value.chosen};
            if (parameter.kind == Parameter::Kind::record) {
                argument.record.resize(parameter.bytes);
                allocations_.push_back(kNone);
            } else if (parameter.kind == Parameter::Kind::value) {
                argument.bits = scalar_bits(parameter.element, value.number);
                shown.value =
                    value.text == "n" ? fmt::format("{}", static_cast<std::uint64_t>(value.number)) : value.text;
                allocations_.push_back(kNone);
            } else {
                simt::Allocation::Shape shape;
                shape.name = parameter.name;
                shape.element = parameter.element;
                shape.element_bytes = parameter.components == 0
                                          ? std::max(1U, parameter.element_bytes)
                                          : std::max(1U, parameter.element_bytes / std::max(1U, parameter.components));
                shape.elements = value.count;
                shape.grows = !value.stated;
                shape.defined = value.fill != "zeros" || !parameter.stores || parameter.updates || !value.chosen ||
                                p == launch_.input;
                simt::Allocation::Fill fill;
                if (value.fill.ends_with(".npy")) {
                    std::uint64_t count = 0;
                    auto data =
                        std::make_shared<std::vector<std::byte>>(read_npy(value.fill, parameter.element, count));
                    shape.elements = count;
                    shape.grows = false;
                    fill = [data, size = bytes(parameter.element)](std::uint64_t first, std::uint64_t many,
                                                                   std::byte* to) {
                        std::memcpy(to, data->data() + first * size, many * size);
                    };
                } else {
                    fill = array_fill(value.fill, parameter.element, options_.seed + p);
                }
                shown.count = shape.elements;
                const std::uint32_t number = memory_->add(std::move(shape), std::move(fill));
                argument.bits = compile::allocation_address(number);
                allocations_.push_back(number);
            }
            arguments_.push_back(std::move(argument));
            trace_.arguments.push_back(std::move(shown));
        }
        // What it starts from, as the kernel may work in place.
        for (std::size_t p = 0; p < allocations_.size(); ++p) {
            const Parameter& parameter = kernel().parameters[p];
            const bool input = p == launch_.input || (allocations_[p] != kNone && !parameter.stores &&
                                                      !parameter.updates && (parameter.loads || parameter.constant));
            if (input && inputs_.size() < 2 && (inputs_.empty() ? p == launch_.input : true)) {
                inputs_.push_back(numbers((*memory_)[allocations_[p]], launch_.n * components(p)));
            }
        }
    }

    static Numbers numbers(const simt::Allocation& a, std::uint64_t count) {
        Numbers out;
        out.type = a.shape().element;
        const std::uint64_t have = a.bytes() / a.shape().element_bytes;
        out.bits.resize(std::min(count, have));
        for (std::size_t i = 0; i < out.bits.size(); ++i) {
            std::memcpy(&out.bits[i], a.data() + i * a.shape().element_bytes, std::min(8U, a.shape().element_bytes));
        }
        return out;
    }

    void execute() {
        simt::LaunchSetup setup;
        setup.program = &program_;
        setup.kernel = kernel_;
        setup.grid = launch_.grid;
        setup.block = launch_.block;
        setup.dynamic_shared = launch_.shared;
        setup.arguments = arguments_;
        setup.memory = memory_.get();
        setup.order = options_.order == WarpOrder::reverse  ? simt::Order::reverse
                      : options_.order == WarpOrder::random ? simt::Order::random
                                                            : simt::Order::in_order;
        setup.seed = options_.seed;
        setup.banks = options_.banks;
        setup.window_first = options_.window.first;
        setup.window_count = options_.window.count;
        setup.workers = options_.workers;
        if (most_instructions_ != 0) {
            setup.most_instructions = most_instructions_;
        }
        setup.cancel = &control_.cancel;
        setup.progress = control_.progress;
        trace_.launches.emplace_back();
        Launch& launch = trace_.launches.back();
        summary_ = simt::run(setup, launch);
        launch.elements = launch_.n;
        uninitialised_.clear();
        for (const Finding& f : launch.findings) {
            if (f.kind == FindingKind::uninitialised) {
                uninitialised_.insert(f.array);
            }
        }
        for (auto f = launch.findings.rbegin(); f != launch.findings.rend(); ++f) {
            ending_ = ends_the_run(f->kind) ? *f : ending_;
        }
        for (std::size_t p = 0; p < allocations_.size(); ++p) {
            if (allocations_[p] != kNone) {
                const Parameter& parameter = kernel().parameters[p];
                launch.allocations[allocations_[p]].input = parameter.loads || parameter.constant;
                launch.allocations[allocations_[p]].output = parameter.stores || parameter.updates;
            }
        }
    }

    // The elements of the output that the kernel has stored to, from the first on.
    std::uint64_t stored() const {
        if (launch_.output == kNone) {
            return 0;
        }
        const std::uint32_t number = allocations_[launch_.output];
        const simt::Allocation& a = (*memory_)[number];
        return a.shape().grows ? a.reached() : a.shape().elements;
    }

    void conclude() {
        Launch& launch = trace_.launches.back();
        RunOptions& o = trace_.options;
        o = options_;
        o.strategy = request_.name;
        o.n = launch_.n;
        o.block = launch.block;
        o.finish = Finish::host;
        o.backend = Backend::cpu;
        trace_.producer = std::string("warptree ") + std::string(build_info().version);
        trace_.device = {"CPU interpreter", 0, 0};
        trace_.kernel = kernel().name;
        trace_.kernels = names_;
        trace_.expected = launch_.expect;
        for (const compile::SourceText& file : program_.files) {
            trace_.sources.push_back({file.path, file.text});
        }
        trace_.chosen = chosen_;
        trace_.chosen.insert(trace_.chosen.end(), launch_.chosen.begin(), launch_.chosen.end());
        for (std::size_t p = 0; p < allocations_.size(); ++p) {
            const Parameter& parameter = kernel().parameters[p];
            if (allocations_[p] == kNone || !(parameter.stores || parameter.updates)) {
                continue;
            }
            const simt::Allocation& a = (*memory_)[allocations_[p]];
            KernelOutput out;
            out.name = parameter.name;
            out.type = parameter.element;
            out.count = a.shape().grows ? a.reached() : a.shape().elements;
            out.values = numbers(a, std::min<std::uint64_t>(out.count, kMaxPartialsKept)).bits;
            trace_.outputs.push_back(std::move(out));
        }
        const Counters totals = launch.totals();
        trace_.tree.leaves = summary_.leaves;
        trace_.tree.combines = totals.combines;
        trace_.tree.useful_combines = totals.useful_combines;
        trace_.tree.padding_combines = totals.padding_combines;
        trace_.tree.depth = summary_.depth;
        judge_outputs(launch);
        if (control_.progress) {
            control_.progress(1);
        }
    }

    // Scalars of an element of an array: 4 of float4.
    std::uint64_t components(std::uint32_t parameter) const {
        return parameter == kNone ? 1 : std::max(1U, kernel().parameters[parameter].components);
    }

    void judge_outputs(Launch& launch) {
        RunOptions& o = trace_.options;
        const std::uint64_t count = stored();
        const std::uint64_t n = launch_.n * components(launch_.input), block = launch.block * components(launch_.input);
        Numbers output;
        if (launch_.output != kNone) {
            const simt::Allocation& a = (*memory_)[allocations_[launch_.output]];
            const bool partial = expected_.kind == Expected::Kind::total || expected_.kind == Expected::Kind::dot;
            output = numbers(a, partial ? std::min<std::uint64_t>(count, launch.grid) : count);
        }
        o.type = element_of(output.type).value_or(ElementType::i32);
        launch.outputs_total = static_cast<std::uint32_t>(output.size());
        for (std::size_t i = 0; i < std::min(kMaxPartialsKept, output.size()); ++i) {
            launch.partials.push_back({o.type, output.bits[i]});
        }
        trace_.result = trace_.reference = {o.type, output.size() != 0 ? output.bits.front() : 0};
        if (!summary_.completed) {
            trace_.pass = false;
            return;
        }
        if (expected_.kind == Expected::Kind::none) {
            trace_.pass = true;
            trace_.equals = recognised(inputs_, output, n, block, launch.grid, summary_.depth,
                                       launch_.input == kNone ? "" : kernel().parameters[launch_.input].name);
            return;
        }
        const Verdict v = judge(expected_, inputs_, output, n, block, launch.grid, summary_.depth);
        o.op = expected_.op;
        trace_.pass = v.pass;
        trace_.result = {o.type, v.result};
        trace_.reference = {o.type, v.reference};
        trace_.reference_error = v.error;
        trace_.tolerance = v.tolerance;
        trace_.first_wrong = v.first_wrong;
        trace_.host_partials = static_cast<std::uint32_t>(v.host_combines == 0 ? 0 : v.host_combines + 1);
        trace_.tree.combines += v.host_combines;
        trace_.tree.useful_combines += v.host_combines;
        trace_.tree.depth += v.host_combines == 0 ? 0 : static_cast<std::uint64_t>(std::bit_width(v.host_combines));
    }

    const RunOptions& options_;
    RunControl& control_;
    compile::Request request_;
    catalogue::KernelHeader header_;
    Program program_;
    std::uint32_t kernel_ = 0;
    KernelLaunch launch_;
    Expected expected_;
    std::unique_ptr<simt::Memory> memory_;
    std::vector<std::uint32_t> allocations_; // by parameter; kNone: no array
    std::vector<simt::Argument> arguments_;
    std::vector<Numbers> inputs_;
    std::vector<std::string> chosen_, names_;
    std::uint64_t most_instructions_ = 0; // of warps, a block; 0: as many as the interpreter allows
    simt::LaunchSummary summary_;
    Finding ending_;                      // the first that ended the run, if one did
    std::set<std::string> uninitialised_; // arrays of which something was read that nobody had written
    Trace trace_;
};
} // namespace

Trace run_kernel_file(const RunOptions& options, RunControl& control) { return KernelRun(options, control).run(); }

} // namespace warptree::runs
