#include "app/cli/bench_options.hpp"

#include "app/base/error.hpp"
#include "app/base/printable.hpp"
#include "app/catalogue/catalogue.hpp"
#include "app/cli/option_values.hpp"
#include "app/cli/trace_options.hpp"
#include "app/measure/timing/presets.hpp"
#include "app/run/kernel_path.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <charconv>
#include <filesystem>

namespace warptree::commands {

namespace {
// "1000", or "2^10..2^30": the first, doubled up to the last.
std::vector<std::uint64_t> sizes_of(const std::vector<std::string>& words) {
    std::vector<std::uint64_t> list;
    for (const std::string& word : words) {
        const auto dots = word.find("..");
        const std::uint64_t first = count_of("-n", word.substr(0, dots), 1, kMaxElements);
        const std::uint64_t last =
            dots == std::string::npos ? first : count_of("-n", word.substr(dots + 2), first, kMaxElements);
        for (std::uint64_t n = first; n <= last; n *= 2) {
            list.push_back(n);
        }
    }
    return list;
}

std::vector<std::uint32_t> counts_of(const char* option, const std::vector<std::string>& words, std::uint64_t least,
                                     std::uint64_t most) {
    std::vector<std::uint32_t> list;
    for (const std::string& word : words) {
        list.push_back(static_cast<std::uint32_t>(count_of(option, word, least, most)));
    }
    return list;
}

template <class T>
std::vector<T> names_of(const char* option, const std::vector<std::string>& words,
                        std::optional<T> (*from)(std::string_view), const char* names) {
    std::vector<T> list;
    for (const std::string& word : words) {
        list.push_back(named(option, word, from, names));
    }
    return list;
}

double seconds(const char* option, const std::string& text, double fallback, double least) {
    if (text.empty()) {
        return fallback;
    }
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    constexpr double kMost = 3600;
    if (error != std::errc{} || end != text.data() + text.size() || !(value >= least && value <= kMost)) {
        refuse(option, text, fmt::format("take seconds per point, {:g} to {:g}", least, kMost));
    }
    return value;
}

// A file of the user's own folder, by its id.
std::string own_file(const std::string& word) { return timing::is_known_peer(word) ? "" : own_kernel(word); }
} // namespace

std::shared_ptr<BenchOptions> BenchOptions::add_to(CLI::App& command) {
    auto o = std::make_shared<BenchOptions>();
    std::string names;
    for (const timing::Preset& p : timing::presets()) {
        names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", p.name, p.what);
    }
    command.add_option(
        "what", o->what,
        "Strategies, files of CUDA (mine.cu; sequential.cu is the strategy's own), peers (cub-reduce, cub-scan, "
        "device-copy, device-read), or one of: " +
            names + "; alone 'interpreter' measures the interpreter (default ladder)");
    const std::string group = "What to measure";
    const auto many = [&](const char* option, std::vector<std::string>& words, const char* help) {
        command.add_option(option, words, help)->delimiter(',')->allow_extra_args(false)->group(group);
    };
    many("-n", o->sizes_, "Elements: 1000, 2^20, 4M, or 2^10..2^30 for all powers of two between (default 2^22)");
    many("--type", o->types_, "i32, u32, i64, f32, f64 (default i32)");
    many("--block", o->blocks_, "Threads per block (default: each strategy's)");
    many("--grid", o->grids_, "Blocks, for strategies that stride over the input");
    many("--op", o->ops_, "sum, max, min (default sum)");
    many("--finish", o->finishes_,
         "host, relaunch, atomic, last-block, or whole: however the strategy ends in one value (default: each "
         "strategy's)");
    many("--quantity", o->quantities_,
         "kernel, pipeline (with the copy of the partials and the host's sum), launch (an empty kernel)");
    command.add_option("--mode", o->mode_, "cold, warm or both (default cold)")->group(group);
    command.add_flag("--no-peers", o->alone_, "Leave out the vendor library, copy and read")->group(group);
    for (const StrategyInfo& info : strategies()) {
        for (const Parameter& p : info.parameters) {
            const auto [it, fresh] = o->parameters_.try_emplace(std::string(p.name));
            if (fresh && timing::can_be_timed(info)) {
                many(("--" + it->first).c_str(), it->second, std::string(p.help).c_str());
            }
        }
    }
    command.add_option("--nvrtc", o->compiler_options_, "Option for the compiler of files: --nvrtc=--use_fast_math")
        ->allow_extra_args(false);
    command.add_flag("--insist", o->insist_, "Run a file on the GPU even if it goes wrong in the interpreter");
    command.add_option("--gpu-limit", o->limit_,
                       "Seconds after which a kernel that does not end is abandoned (default 10)");
    command.add_flag("--plan", o->only_plan,
                     "Measure nothing: print what would be measured, and roughly how long it takes");
    command.add_option("--min-time", o->min_time_, "Seconds to sample each point for, at least (default 0.5)");
    command.add_option("--time-limit", o->time_limit_,
                       "Seconds after which a noisy point is no longer sampled (default 5)");
    command.add_option("--seed", o->seed_, "Seed of the random input (default 1)");
    command.add_flag("--resume", o->resume, "Continue with the file of --json");
    command.add_option("--json", o->json, "Write every sample to FILE, as points are completed");
    command.add_option("--csv", o->csv, "Write one row per point to FILE");
    command.add_option("--markdown", o->markdown, "Write the table to FILE");
    refuse_empty_values(command);
    return o;
}

void BenchOptions::override(timing::Axes& a) const {
    const auto take = [](auto& axis, auto values) {
        if (!values.empty()) {
            axis = std::move(values);
        }
    };
    take(a.sizes, sizes_of(sizes_));
    take(a.types, names_of("--type", types_, element_type_from, "i32, u32, i64, f32 or f64"));
    take(a.blocks, counts_of("--block", blocks_, 1, 1024));
    take(a.grids, counts_of("--grid", grids_, 1, 0x7FFFFFFF));
    take(a.ops, names_of("--op", ops_, operator_from, "sum, max or min"));
    if (finishes_ == std::vector<std::string>{"whole"}) {
        a.finishes.clear();
        a.whole = true;
    } else {
        take(a.finishes,
             names_of("--finish", finishes_, finish_from, "host, relaunch, atomic and last-block, or whole alone"));
    }
    take(a.quantities, names_of("--quantity", quantities_, timing::quantity_from, "kernel, pipeline or launch"));
    if (mode_ == "both") {
        a.modes = {timing::Mode::cold, timing::Mode::warm};
    } else if (mode_ == "cold" || mode_ == "warm") {
        a.modes = {mode_ == "cold" ? timing::Mode::cold : timing::Mode::warm};
    } else if (!mode_.empty()) {
        refuse("--mode", mode_, "take cold, warm or both");
    }
    for (const auto& [name, words] : parameters_) {
        if (!words.empty()) {
            a.parameters[name] = counts_of(("--" + name).c_str(), words, 0, ~0U);
        }
    }
}

std::vector<timing::Axes> BenchOptions::axes() const {
    std::vector<timing::Axes> all;
    timing::Axes named;
    for (const std::string& word : what.empty() ? std::vector<std::string>{"ladder"} : what) {
        if (const timing::Preset* preset = timing::find_preset(word)) {
            for (timing::Axes& a : preset->axes()) {
                all.push_back(std::move(a));
            }
        } else if (word == "interpreter") {
            throw OptionError("'interpreter' is measured by itself; leave the others out");
        } else {
            if (runs::is_kernel_path(word) || !own_file(word).empty()) {
                continue; // in plan()
            }
            if (!timing::is_known_peer(word)) {
                require_strategy(printable(word));
            }
            named.variants.push_back(word);
        }
    }
    if (!named.variants.empty()) {
        named.sizes = {1U << 22};
        if (!alone_) {
            for (const std::string& peer : timing::peers_of(named.variants)) {
                named.variants.push_back(peer);
            }
        }
        all.push_back(std::move(named));
    }
    for (timing::Axes& a : all) {
        override(a);
        if (alone_) {
            std::erase_if(a.variants, [this](const std::string& v) {
                return timing::is_known_peer(v) && std::find(what.begin(), what.end(), v) == what.end();
            });
        }
    }
    return all;
}

runs::TimedFiles BenchOptions::files() const {
    const catalogue::Catalogue shipped(catalogue::shipped_folder(), {});
    const auto shipped_as = [&](std::string name) -> const catalogue::Entry* {
        return shipped.find(name.substr(0, name.rfind(".cu")));
    };
    runs::TimedFiles files;
    for (const std::string& word : what) {
        if (const std::string own = own_file(word); !own.empty()) {
            files.try_emplace(word, own);
            continue;
        }
        if (!runs::is_kernel_path(word)) {
            continue;
        }
        const catalogue::Entry* const entry = std::filesystem::exists(word) ? nullptr : shipped_as(word);
        const std::string name = std::filesystem::path(word).filename().string();
        constexpr std::size_t kMostName = 64; // of a row
        if (name.size() > kMostName) {
            throw OptionError(fmt::format("{}: a file's name may have at most {} bytes", printable(name), kMostName));
        }
        const auto [at, fresh] = files.try_emplace(name, entry != nullptr ? entry->path.string() : word);
        if (!fresh && at->second != word) {
            throw OptionError(fmt::format("two files named {} cannot be told apart in a table", printable(name)));
        }
    }
    return files;
}

runs::GpuOptions BenchOptions::gpu_options() const {
    runs::GpuOptions gpu_options;
    gpu_options.compiler_options = compiler_options_;
    gpu_options.insist = insist_;
    gpu_options.limit = std::chrono::milliseconds(static_cast<long>(1e3 * seconds("--gpu-limit", limit_, 10, 0.001)));
    return gpu_options;
}

std::vector<timing::Planned> BenchOptions::plan(std::uint32_t multiprocessors) const {
    std::vector<timing::Planned> all = timing::plan(axes(), multiprocessors);
    for (const auto& [name, path] : files()) {
        timing::Axes of_file;
        of_file.sizes = {1U << 22};
        override(of_file);
        for (timing::Planned& p : runs::plan_file(name, path, of_file)) {
            all.push_back(std::move(p));
        }
    }
    std::erase_if(all, [this](const timing::Planned& p) {
        return !p.skipped.empty() && timing::is_known_peer(p.what.variant) &&
               std::find(what.begin(), what.end(), p.what.variant) == what.end();
    });
    return all;
}

timing::StopRule BenchOptions::rule() const {
    timing::StopRule rule;
    rule.min_time = seconds("--min-time", min_time_, rule.min_time, 0);
    rule.time_limit = seconds("--time-limit", time_limit_, std::max(rule.time_limit, rule.min_time), rule.min_time);
    return rule;
}

std::uint64_t BenchOptions::seed() const { return seed_.empty() ? 1 : count_of("--seed", seed_, 0, ~0ULL); }

} // namespace warptree::commands
