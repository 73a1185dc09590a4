// Times a kernel compiled from source.
#include "app/base/operators.hpp"
#include "app/base/printable.hpp"
#include "app/measure/gpu/timing_experiments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

namespace warptree::runs {

namespace {
using timing::Configuration;

std::string told(const Verdict& v, const Numbers& output) {
    if (v.pass) {
        return {};
    }
    const auto type = element_of(output.type).value_or(ElementType::i32);
    return fmt::format("{} instead of {}{}", to_string(Scalar{type, v.result}), to_string(Scalar{type, v.reference}),
                       v.first_wrong ? fmt::format(", at {}", *v.first_wrong) : "");
}

bool near(ValueType type, std::uint64_t a, std::uint64_t b) {
    const auto element = element_of(type);
    if (a == b || !element || !is_floating(*element)) {
        return a == b;
    }
    const double x = Scalar{*element, a}.as_double(), y = Scalar{*element, b}.as_double();
    constexpr double kRounding = 1e-4; // order of additions and math functions differ
    return std::abs(x - y) <= kRounding * std::max({1.0, std::abs(x), std::abs(y)}) || (std::isnan(x) && std::isnan(y));
}

class KernelExperiment final : public timing::Experiment {
  public:
    KernelExperiment(TimingBench& bench, RealCode& code, const GpuOptions& gpu_options, const KernelToTime& kernel)
        : bench_(bench), code_(code), gpu_options_(gpu_options), kernel_(kernel), what_(kernel.what),
          run_(kernel.options, gpu_options, code,
               kernel.found != nullptr ? kernel.found->reached : std::map<std::string, double>{}, &bench.arrays) {
        if (what_.quantity == timing::Quantity::pipeline && !is_total()) {
            throw OptionError(fmt::format("{} leaves nothing for the host to combine", what_.variant));
        }
    }

    std::string check() override {
        try {
            return check_result();
        } catch (const WritesBehindEnd& e) {
            return e.what();
        }
    }

    double sample() override {
        if (what_.mode == timing::Mode::cold) {
            bench_.watch.overwrite_cache();
        }
        run_.reset();
        if (what_.quantity != timing::Quantity::pipeline) {
            return bench_.watch.time([this] { run_.enqueue(); });
        }
        gpu::wait(bench_.limit());
        const auto begin = std::chrono::steady_clock::now();
        run_.enqueue();
        total_ = combined();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }

  private:
    std::string check_result() {
        if (run_.expected().kind == Expected::Kind::none) {
            std::string wrong = compare_with_interpreter();
            if (wrong.empty()) {
                run_.run();
            }
            return wrong;
        }
        const Operator op = run_.expected().op;
        const bool exact = run_.random_input() && is_floating(what_.type) &&
                           run_.expected().kind != Expected::Kind::matrix &&
                           (op == Operator::sum || op == Operator::min || op == Operator::max);
        if (exact) { // every bit must be equal
            run_.fill(true);
            run_.run();
            const std::string wrong = compare(timing::Data::whole, 0);
            run_.fill(false);
            if (!wrong.empty()) {
                return wrong;
            }
        }
        run_.run();
        return compare(timing::Data::random, kernel_.depth);
    }

    bool is_total() const { return run_.expected().kind == Expected::Kind::total; }
    Scalar combined() { return bench_.combined(run_.output_address(), what_.type, run_.expected().op, run_.results()); }

    std::string compare(timing::Data data, std::uint64_t depth) {
        const Expected& expected = run_.expected();
        const Contents in{what_.type, run_.n(), run_.input_seed(), data};
        if (run_.random_input() && run_.element() == what_.type && run_.results() != 0) {
            const bool sum = expected.op == Operator::sum;
            if (is_total() && (sum || expected.op == Operator::min || expected.op == Operator::max)) {
                return bench_.wrong_in_total(combined(), in, expected.op, depth);
            }
            if (expected.kind == Expected::Kind::scan && sum) {
                const std::uint64_t tile = !expected.by_block ? in.n : expected.tile.value_or(run_.block());
                return run_.results() < in.n
                           ? fmt::format("{} results of {}", run_.results(), in.n)
                           : bench_.wrong_in_scan(run_.output_address(), in, tile, expected.exclusive, kernel_.scan);
            }
        }
        const std::vector<Numbers> inputs = run_.inputs();
        if (inputs.empty()) {
            return fmt::format("more than {} elements are checked only for totals and sums of random input",
                               RealRun::kMostKept);
        }
        const Numbers output = run_.output();
        return told(judge(expected, inputs, output, run_.n(), run_.block(), run_.blocks(), depth), output);
    }

    // If nothing is expected: compares with what the interpreter stored, on few elements.
    std::string compare_with_interpreter() {
        if (kernel_.found == nullptr) {
            return {};
        }
        RealRun few(kernel_.found->options, gpu_options_, code_, kernel_.found->reached);
        few.run();
        const std::vector<KernelOutput> got = few.outputs();
        for (const KernelOutput& want : kernel_.found->outputs) {
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

    TimingBench& bench_;
    RealCode& code_;
    const GpuOptions& gpu_options_;
    KernelToTime kernel_;
    Configuration what_;
    RealRun run_;
    Scalar total_; // of the last pipeline run
};
} // namespace

std::unique_ptr<timing::Experiment> open_kernel(TimingBench& bench, RealCode& code, const GpuOptions& gpu_options,
                                                const KernelToTime& kernel) {
    return std::make_unique<KernelExperiment>(bench, code, gpu_options, kernel);
}

} // namespace warptree::runs
