#include "app/run/file_timing.hpp"

#include "app/base/build_info.hpp"
#include "app/base/operators.hpp"
#include "app/base/printable.hpp"
#include "app/catalogue/catalogue.hpp"
#include "app/gpu/stopwatch.hpp"
#include "app/measure/timing/expected.hpp"
#include "app/measure/timing/in_parts.hpp"
#include "app/run/kernel_run.hpp"
#include "app/trace/explain/findings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>

namespace warptree::runs {

using timing::Configuration;

namespace {
constexpr std::uint64_t kFirstElements = 4096; // of the interpreted run

RunOptions options_of(const Configuration& what, const std::string& path, std::uint64_t seed) {
    RunOptions o;
    o.strategy = std::filesystem::path(path).filename().string();
    o.kernel.file = path;
    o.kernel.n_given = o.kernel.input_given = true;
    o.n = what.n;
    o.type = what.type;
    o.op = what.op;
    o.finish = what.finish;
    if (what.block != 0) {
        o.block = what.block;
    }
    if (what.grid != 0) {
        o.kernel.grid = std::to_string(what.grid);
    }
    o.parameters = what.parameters;
    o.input = InputKind::random;
    o.seed = seed;
    return o;
}

// Every combination of the values given for the parameters that the file has; the others at their default.
std::vector<ParameterValues> combinations(const catalogue::KernelHeader& header, const timing::Axes& axes) {
    std::vector<ParameterValues> all{{}};
    for (const catalogue::ParameterText& p : header.parameters) {
        const auto given = axes.parameters.find(p.name);
        const std::vector<std::uint32_t> values =
            given == axes.parameters.end() ? std::vector{p.fallback} : given->second;
        std::vector<ParameterValues> next;
        for (const ParameterValues& so_far : all) {
            for (const std::uint32_t value : values) {
                next.push_back(so_far);
                next.back().insert_or_assign(p.name, value);
            }
        }
        all = std::move(next);
    }
    return all;
}
} // namespace

std::vector<timing::Planned> plan_file(const std::string& variant, const std::string& path, const timing::Axes& axes) {
    std::vector<timing::Planned> all;
    RunOptions first;
    first.kernel.file = path;
    const KernelSource source(first); // throws what makes the file no kernel
    const auto append = [&](Configuration c) {
        timing::Planned planned{c, {}};
        try {
            if (c.quantity != timing::Quantity::kernel) {
                throw OptionError(fmt::format("a file has no {} figure", name(c.quantity)));
            }
            const RunOptions o = options_of(c, path, 1);
            KernelSource asked(o);
            const KernelSource::Compiled compiled = asked.compile(o, true);
            const KernelLaunch launch = choose_launch(*compiled.program, compiled.kernel, asked.header(), o);
            const compile::Kernel& kernel = compiled.program->kernels[compiled.kernel];
            const std::uint32_t of = launch.input != compile::kNone ? launch.input : launch.output;
            const auto type = of == compile::kNone ? std::nullopt : element_of(kernel.parameters[of].element);
            if (!type) {
                throw OptionError("its arrays have elements of a type that is not timed");
            }
            planned.what.type = *type;
            planned.what.block = static_cast<std::uint32_t>(simt::volume(launch.block));
            planned.what.op =
                expected_from(launch.expect, asked.has_operator() ? std::optional(c.op) : std::nullopt).op;
            if (launch.n != c.n) {
                throw OptionError(fmt::format("its n is {}", launch.n));
            }
        } catch (const Error& e) {
            planned.skipped = e.what();
        }
        const auto same = [&](const timing::Planned& p) { return p.what == planned.what; };
        if (std::none_of(all.begin(), all.end(), same)) {
            all.push_back(std::move(planned));
        }
    };
    const std::vector<Finish> own{source.finish()};
    for (const ElementType type : source.has_operator() ? axes.types : std::vector{axes.types.front()}) {
        for (const std::uint64_t n : axes.sizes) {
            for (const Operator op : source.has_operator() ? axes.ops : std::vector{axes.ops.front()}) {
                for (const timing::Quantity quantity : axes.quantities) {
                    for (const timing::Mode mode : axes.modes) {
                        for (const std::uint32_t block : axes.blocks.empty() ? std::vector{0U} : axes.blocks) {
                            for (const std::uint32_t grid : axes.grids.empty() ? std::vector{0U} : axes.grids) {
                                for (const Finish finish : axes.finishes.empty() ? own : axes.finishes) {
                                    for (ParameterValues& values : combinations(source.header(), axes)) {
                                        append({variant, n, block, grid, type, op, finish, std::move(values), mode,
                                                quantity});
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    return all;
}

namespace {
// Each input once, and each result once; partial ones not.
timing::Traffic traffic_of(const RunOptions& o) {
    KernelSource source(o);
    const KernelSource::Compiled compiled = source.compile(o, true);
    const KernelLaunch launch = choose_launch(*compiled.program, compiled.kernel, source.header(), o);
    const compile::Kernel& kernel = compiled.program->kernels[compiled.kernel];
    const Expected expected = expected_from(launch.expect, source.has_operator() ? std::optional(o.op) : std::nullopt);
    const bool results = expected.kind != Expected::Kind::total && expected.kind != Expected::Kind::dot;
    timing::Traffic traffic;
    for (std::uint32_t p = 0; p < kernel.parameters.size(); ++p) {
        const compile::Parameter& parameter = kernel.parameters[p];
        if (parameter.kind != compile::Parameter::Kind::array) {
            continue;
        }
        const ArgumentValue& value = launch.arguments[p];
        const std::uint64_t each = std::max(1U, parameter.element_bytes / std::max(1U, parameter.components));
        const bool writes = parameter.stores || parameter.updates;
        if (p == launch.input) {
            traffic.read += launch.n * std::max(1U, parameter.components) * each;
        } else if (!writes && (parameter.loads || parameter.constant)) {
            traffic.read += value.count * each;
        }
        if (results && p == launch.output) {
            traffic.written += launch.outputs.value_or(value.count) * each;
        }
    }
    return traffic;
}

// What the interpreter found out on few elements.
struct Interpreted {
    std::string refusal;
    RunOptions options;
    std::vector<KernelOutput> outputs;
    std::map<std::string, double> reached; // elements of an array for each of n
    std::uint64_t depth = 0;               // of a tree over n elements, at most
};

Interpreted interpreted(const RunOptions& asked, bool insist) {
    Interpreted found;
    found.options = asked;
    found.options.n = std::min(asked.n, kFirstElements);
    found.options.kernel.grid.clear();
    try {
        RunControl control;
        const Trace trace = run_kernel_file(found.options, control);
        for (const Launch& launch : trace.launches) {
            for (const Finding& f : launch.findings) {
                if (ends_the_run(f.kind) && !insist) {
                    found.refusal =
                        fmt::format("the interpreter found it to go wrong: {}; --insist runs it all the same",
                                    sentence(trace, launch, f));
                    return found;
                }
            }
        }
        if (!trace.pass && !insist) {
            found.refusal = "its result is wrong in the interpreter";
        }
        found.outputs = trace.outputs;
        for (const Allocation& a : trace.launches.front().allocations) {
            if (a.reached != 0) {
                found.reached[a.name] =
                    static_cast<double>(a.reached) / static_cast<double>(std::max<std::uint64_t>(trace.options.n, 1));
            }
        }
        found.depth = (trace.tree.depth + 1) * std::max<std::uint64_t>(1, asked.n / found.options.n) + 64;
    } catch (const Error& e) {
        found.refusal = e.what();
    }
    return found;
}

std::string told(const Verdict& v, const Numbers& output) {
    if (v.pass) {
        return {};
    }
    const auto type = element_of(output.type).value_or(ElementType::i32);
    return fmt::format("{} instead of {}{}", to_string(Scalar{type, v.result}), to_string(Scalar{type, v.reference}),
                       v.first_wrong ? fmt::format(", at {}", *v.first_wrong) : "");
}

class FileExperiment final : public timing::Experiment {
  public:
    FileExperiment(const Configuration& what, const RunOptions& options, const GpuWishes& wishes, RealCode& code,
                   gpu::Stopwatch& watch, const Interpreted& found)
        : what_(what), wishes_(wishes), code_(code), watch_(watch), found_(found),
          run_(options, wishes, code, found.reached) {}

    std::string check() override {
        if (run_.expected().kind == Expected::Kind::none) {
            if (std::string wrong = compare_with_interpreter(); !wrong.empty()) {
                return wrong;
            }
            run_.run();
            return {};
        }
        const Operator op = run_.expected().op;
        const bool exact = run_.random_input() && is_floating(what_.type) &&
                           run_.expected().kind != Expected::Kind::matrix &&
                           (op == Operator::sum || op == Operator::min || op == Operator::max);
        if (exact) { // every bit is told apart
            run_.fill(true);
            run_.run();
            const std::string wrong = compare(timing::Data::whole, 0);
            run_.fill(false);
            if (!wrong.empty()) {
                return wrong;
            }
        }
        run_.run();
        return compare(timing::Data::random, found_.depth);
    }

    double sample() override {
        if (what_.mode == timing::Mode::cold) {
            watch_.overwrite_cache();
        }
        run_.reset();
        return watch_.time([this] { run_.enqueue(); });
    }

  private:
    std::string compare(timing::Data data, std::uint64_t depth) {
        const Expected& expected = run_.expected();
        const Numbers output = run_.output();
        if (what_.n <= RealRun::kMostKept && !run_.inputs().empty()) {
            return told(judge(expected, run_.inputs(), output, run_.n(), run_.block(), run_.blocks(), depth), output);
        }
        const bool known = run_.random_input() && (expected.op == Operator::sum || expected.op == Operator::min ||
                                                   expected.op == Operator::max);
        if (expected.kind == Expected::Kind::total && known) {
            return compare_total(data, output, depth);
        }
        if (expected.kind == Expected::Kind::scan && known && expected.op == Operator::sum) {
            return data == timing::Data::random && is_floating(what_.type) ? "" : compare_scan(data, output);
        }
        return fmt::format("more than {} elements are checked for totals and sums of random input only",
                           RealRun::kMostKept);
    }

    std::string compare_total(timing::Data data, const Numbers& output, std::uint64_t depth) {
        std::vector<std::byte> partials(output.size() * bytes(what_.type));
        for (std::size_t i = 0; i < output.size(); ++i) {
            std::memcpy(partials.data() + i * bytes(what_.type), &output.bits[i], bytes(what_.type));
        }
        const Scalar got = timing::host_total(what_.type, run_.expected().op, partials.data(), output.size());
        const Reference want =
            timing::expected_total(data, run_.n(), what_.type, run_.expected().op, run_.input_seed(), depth);
        double error = 0;
        return agrees(got, want, error) ? "" : fmt::format("{} instead of {}", to_string(got), to_string(want.value));
    }

    // Each element against the one before it: sums are exact.
    std::string compare_scan(timing::Data data, const Numbers& output) {
        const Expected& e = run_.expected();
        const std::uint64_t n = std::min<std::uint64_t>(run_.n(), output.size());
        const std::uint64_t tile = !e.by_block ? n : e.tile.value_or(run_.block());
        return visit_element(what_.type, [&](auto t) -> std::string {
            using T = decltype(t);
            const auto wrong = timing::in_parts(n, [&](std::uint64_t first, std::uint64_t end) {
                for (std::uint64_t i = first; i < end; ++i) {
                    const auto at = [&](std::uint64_t k) { return Scalar{what_.type, output.bits[k]}.as<T>(); };
                    const auto in = [&](std::uint64_t k) { return timing::element<T>(data, run_.input_seed(), k); };
                    const bool begins = i % tile == 0;
                    const T own = e.exclusive ? (begins ? T(0) : in(i - 1)) : in(i);
                    if (!(at(i) == (begins ? own : apply(Operator::sum, at(i - 1), own)))) {
                        return i;
                    }
                }
                return ~std::uint64_t{0};
            });
            const std::uint64_t where = *std::min_element(wrong.begin(), wrong.end());
            return n < run_.n()                 ? fmt::format("{} results of {}", n, run_.n())
                   : where != ~std::uint64_t{0} ? fmt::format("element {} is wrong", where)
                                                : "";
        });
    }

    // Where nothing is expected: on the few elements that the interpreter had, whatever it stored.
    std::string compare_with_interpreter() {
        RealRun few(found_.options, wishes_, code_, found_.reached);
        few.run();
        const std::vector<KernelOutput> got = few.outputs();
        for (const KernelOutput& want : found_.outputs) {
            const auto same = std::find_if(got.begin(), got.end(), [&](const auto& o) { return o.name == want.name; });
            const std::size_t count = same == got.end() ? 0 : std::min(same->values.size(), want.values.size());
            for (std::size_t i = 0; i < count; ++i) {
                if (!near(want.type, same->values[i], want.values[i])) {
                    return fmt::format("{}[{}] is not what the interpreter stores there", want.name, i);
                }
            }
        }
        return {};
    }

    static bool near(ValueType type, std::uint64_t a, std::uint64_t b) {
        const auto element = element_of(type);
        if (a == b || !element || !is_floating(*element)) {
            return a == b;
        }
        const double x = Scalar{*element, a}.as_double(), y = Scalar{*element, b}.as_double();
        constexpr double kRounding = 1e-4; // orders of additions and functions differ
        return std::abs(x - y) <= kRounding * std::max({1.0, std::abs(x), std::abs(y)}) ||
               (std::isnan(x) && std::isnan(y));
    }

    Configuration what_;
    GpuWishes wishes_;
    RealCode& code_;
    gpu::Stopwatch& watch_;
    const Interpreted& found_;
    RealRun run_;
};
} // namespace

struct FileDevice::Shared {
    TimedFiles files;
    std::uint64_t seed;
    GpuWishes wishes;
    RealCode code;
    gpu::Stopwatch watch;
    CompileOnce once;
    std::map<std::string, Interpreted> interpreted_runs;
    std::map<std::string, std::string> notes; // by variant

    const std::string& path(const Configuration& what) const { return files.find(what.variant)->second; }
    RunOptions options(const Configuration& what) const {
        RunOptions o = options_of(what, path(what), seed);
        RunOptions plain;
        plain.kernel.file = o.kernel.file;
        const KernelSource source(plain); // an id of the catalogue may have parameters that its file has not
        std::erase_if(o.parameters, [&](const auto& p) {
            return std::none_of(source.header().parameters.begin(), source.header().parameters.end(),
                                [&](const catalogue::ParameterText& q) { return q.name == p.first; });
        });
        return o;
    }
    const Interpreted& before(const Configuration& what) {
        const RunOptions o = options(what);
        const std::string key =
            fmt::format("{} {} {} {} {} {} {} {}", what.variant, std::min(what.n, kFirstElements), what.n, what.block,
                        name(what.type), name(what.op), name(what.finish), fmt::join(what.parameters, ","));
        const auto [at, fresh] = interpreted_runs.try_emplace(key);
        if (fresh) {
            at->second = interpreted(o, wishes.insist);
        }
        return at->second;
    }
};

FileDevice::FileDevice(TimedFiles files, std::uint64_t seed, GpuWishes wishes)
    : shared_(new Shared{std::move(files),
                         seed,
                         wishes,
                         RealCode(wishes.compiler_options),
                         gpu::Stopwatch(wishes.limit),
                         {},
                         {},
                         {}}) {}

FileDevice::~FileDevice() = default;

timing::Provenance FileDevice::provenance() const {
    const gpu::DeviceFacts& f = gpu::facts();
    timing::Provenance p;
    p.device = f.name;
    p.compute_capability = fmt::format("{}.{}", f.compute_major, f.compute_minor);
    p.driver = fmt::format("CUDA {}.{}", gpu::driver_version() / 1000, gpu::driver_version() % 1000 / 10);
    p.toolkit = gpu::has_nvrtc() ? gpu::nvrtc_version() : "LLVM -O3, as NVRTC is not here";
    p.compiler_flags =
        fmt::format("{} {}", gpu::nvrtc_version(),
                    fmt::join(gpu::usual_options(f.architecture(), shared_->wishes.compiler_options), " "));
    p.commit = build_info().commit;
    p.multiprocessors = f.multiprocessors;
    p.core_clock_khz = f.core_clock_khz;
    p.memory_clock_khz = f.memory_clock_khz;
    p.memory_bus_bits = f.memory_bus_bits;
    p.l2_bytes = f.l2_bytes;
    p.flush_bytes = shared_->watch.flush_bytes();
    p.seed = shared_->seed;
    p.theoretical_bytes_per_second = f.theoretical_bytes_per_second();
    return p;
}

std::string FileDevice::refusal(const Configuration& what) const {
    if (shared_->files.find(what.variant) == shared_->files.end()) {
        return fmt::format("{} is no text: it is compiled by nvcc, which this build was made without", what.variant);
    }
    return shared_->before(what).refusal;
}

timing::Traffic FileDevice::traffic(const Configuration& what) const {
    const auto known = shared_->files.find(what.variant);
    if (known == shared_->files.end()) {
        return timing::traffic(what);
    }
    try {
        return traffic_of(shared_->options(what));
    } catch (const Error&) {
        return {};
    }
}

void FileDevice::prepare(std::uint64_t, ElementType) {}

std::unique_ptr<timing::Experiment> FileDevice::open(const Configuration& what) {
    const RunOptions o = shared_->options(what);
    try {
        return std::make_unique<FileExperiment>(what, o, shared_->wishes, shared_->code, shared_->watch,
                                                shared_->before(what));
    } catch (const gpu::RtcError& e) {
        throw OptionError(e.what());
    } catch (const gpu::OutOfMemory& e) {
        throw OptionError(e.what());
    }
}

std::vector<std::string> FileDevice::notes() const { return shared_->code.notes(); }

} // namespace warptree::runs
