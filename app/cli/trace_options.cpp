#include "app/cli/trace_options.hpp"

#include "app/base/error.hpp"
#include "app/catalogue/catalogue.hpp"
#include "app/cli/interrupt.hpp"
#include "app/cli/option_values.hpp"
#include "app/cli/progress.hpp"
#include "app/run/array_fill.hpp"
#include "app/run/expectation.hpp"
#include "app/run/kernel_path.hpp"
#include "app/run/kernel_source.hpp"
#include "app/run/program_run.hpp"
#include "app/run/run.hpp"

#include "app/catalogue/strategy.hpp"
#include "app/trace/io/file.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>

namespace warptree::commands {

std::shared_ptr<TraceOptions> TraceOptions::add_to(CLI::App& app) {
    auto o = std::make_shared<TraceOptions>();
    const std::string group = "Trace options";
    app.add_option("-n", o->n_, "Elements: 1000, 2^20, 4M (default 1024)")->group(group);
    app.add_option("--block", o->block_, "Threads per block (default: the strategy's)")->group(group);
    app.add_option("--type", o->type_, "i32, u32, i64, f32 or f64 (default i32, where the strategy takes it)")
        ->group(group);
    app.add_option("--op", o->op_, "sum, product, min, max, xor or sum-of-squares (default sum)")->group(group);
    app.add_option("--finish", o->finish_, "host, relaunch, atomic or last-block: how partial results are combined")
        ->group(group);
    app.add_option("--host-below", o->host_below_, "With relaunch: stop at K partials and let the host finish")
        ->group(group);
    app.add_option("--input", o->input_,
                   "ones, iota, random, alternating or a FILE (default ones, of applied reductions random)")
        ->group(group);
    app.add_option("--seed", o->seed_, "Seed of random input and random warp order (default 1)")->group(group);
    app.add_option("--backend", o->backend_, "auto, cpu or cuda (default auto)")->group(group);
    app.add_option("--banks", o->banks_, "32, or 16 as on cc 1.x (default 32)")->group(group);
    app.add_option("--window", o->window_, "FIRST:COUNT, blocks traced in full (default 0:8)")->group(group);
    app.add_option("--order", o->order_, "Warp order of the interpreter: in-order, reverse, random or lockstep")
        ->group(group);
    app.add_option("--workers", o->workers_, "Threads of the interpreter (default: one per core)")->group(group);
    app.add_option("--shape", o->shape_, "Matrix product: M,N,K for M × K by K × N (default: -n for each)")
        ->group(group);
    app.add_option("--tile", o->tile_, "Matrix product: tiles of 16 or 32, in blocks of 256 or 1024")->group(group);
    const std::string files = "Options of a CUDA file";
    app.add_option("--kernel", o->kernel_, "Which kernel: NAME, or a template's 'NAME<ARGS>'")->group(files);
    app.add_option("--grid", o->grid_, "Blocks: X, X,Y or X,Y,Z; also expressions over n and B")->group(files);
    app.add_option("--shared", o->shared_, "Bytes of dynamic shared memory")->group(files);
    app.add_option(
           "--arg", o->arguments_,
           fmt::format("NAME=VALUE: {}, a count of elements, both (random:1000), an .npy file; of a number, its "
                       "value or n; NAME.MEMBER=VALUE of a struct",
                       fmt::join(runs::kFills, ", ")))
        ->group(files);
    app.add_option("--expect", o->expect_, "What the output is compared with: " + runs::expectation_list())
        ->group(files);
    app.add_option("--expect-file", o->expect_file_, "An .npy FILE that has the output's elements")->group(files);
    const std::string limits = "Limits of a run";
    app.add_option("--memory", o->memory_, "Bytes of memory: 500M, 8G (default 2G)")->group(limits);
    app.add_option("--time", o->time_, "Seconds of processor time on each core; 0: any (default 10)")->group(limits);
    app.add_option("--instructions", o->instructions_,
                   "Instructions of a block's warps, after which it counts as endless (default 2^27)")
        ->group(limits);
    app.add_option("--printed", o->printed_, "Bytes kept of what the kernel prints, up to 4M (default 1M)")
        ->group(limits);
    o->add_parameters(app, group);
    refuse_empty_values(app);
    return o;
}

// One option per name. If it is a flag in one strategy and has a value in another (--vectors), the value is optional.
void TraceOptions::add_parameters(CLI::App& app, const std::string& group) {
    struct Kinds {
        bool flag = false, value = false;
        std::vector<std::string> helps;
    };
    std::vector<std::pair<std::string, Kinds>> found; // in the order of the strategies
    for (const StrategyInfo& info : strategies()) {
        for (const Parameter& p : info.parameters) {
            auto at = std::find_if(found.begin(), found.end(), [&](const auto& f) { return f.first == p.name; });
            if (at == found.end()) {
                at = found.insert(found.end(), {std::string(p.name), {}});
            }
            (p.flag ? at->second.flag : at->second.value) = true;
            if (auto& helps = at->second.helps; std::find(helps.begin(), helps.end(), p.help) == helps.end()) {
                helps.emplace_back(p.help);
            }
        }
    }
    for (const auto& [name, kinds] : found) {
        std::string& text = parameters_[name];
        const std::string option = "--" + name, help = fmt::format("{}", fmt::join(kinds.helps, "; or "));
        if (!kinds.value) {
            app.add_flag_callback(
                   option, [&text] { text = "1"; }, help)
                ->group(group);
        } else if (!kinds.flag) {
            app.add_option(option, text, help)->group(group);
        } else {
            app.add_option_function<std::string>(
                   option, [&text](const std::string& value) { text = value.empty() ? "1" : value; }, help)
                ->expected(0, 1)
                ->type_name("[TEXT]")
                ->group(group);
        }
    }
}

bool TraceOptions::given() const {
    for (const std::string* text :
         {&n_,       &block_,  &type_,   &op_,          &finish_,  &host_below_, &input_,        &seed_,
          &backend_, &banks_,  &window_, &order_,       &workers_, &shape_,      &tile_,         &kernel_,
          &grid_,    &shared_, &expect_, &expect_file_, &memory_,  &time_,       &instructions_, &printed_}) {
        if (!text->empty()) {
            return true;
        }
    }
    return !arguments_.empty() ||
           std::any_of(parameters_.begin(), parameters_.end(), [](const auto& p) { return !p.second.empty(); });
}

namespace {
Window window_from(const std::string& text) {
    const auto colon = text.find(':');
    if (colon == std::string::npos) {
        refuse("--window", text, "take FIRST:COUNT, as in 0:8");
    }
    const auto part = [&](std::string_view digits) {
        std::uint32_t value = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error != std::errc{} || end != digits.data() + digits.size() || digits.empty()) {
            refuse("--window", text, "take FIRST:COUNT, as in 0:8");
        }
        return value;
    };
    return {part(std::string_view(text).substr(0, colon)), part(std::string_view(text).substr(colon + 1))};
}
} // namespace

// Turns the shape into parameters and the tile into a block size.
void TraceOptions::take_matrix(RunOptions& o) const {
    if (!shape_.empty()) {
        const std::string_view names[] = {"rows", "columns", "inner"};
        std::size_t at = 0;
        for (const std::string_view name : names) {
            const std::size_t comma = std::min(shape_.find(',', at), shape_.size());
            const std::string part = at <= shape_.size() ? shape_.substr(at, comma - at) : "";
            const auto value = parse_count(part);
            if (!value || *value == 0 || *value > ~0U || (name == "inner" && comma != shape_.size())) {
                refuse("--shape", shape_, "take M,N,K, as in 17,33,5");
            }
            o.parameters[std::string(name)] = static_cast<std::uint32_t>(*value);
            at = comma + 1;
        }
    }
    if (!tile_.empty()) {
        if (tile_ != "16" && tile_ != "32") {
            refuse("--tile", tile_, "take 16 or 32");
        }
        const std::uint32_t block = tile_ == "16" ? 256 : 1024;
        if (o.block && *o.block != block) {
            refuse("--tile", tile_,
                   fmt::format("a block has a thread for each element of the tile, so take --block {}", block));
        }
        o.block = block;
    }
}

// The options that strategies and kernel files share.
void TraceOptions::take_common(RunOptions& o) const {
    if (!input_.empty()) {
        o.input = InputKind::file;
        for (const InputKind kind : {InputKind::ones, InputKind::iota, InputKind::random, InputKind::alternating}) {
            if (input_ == name(kind)) {
                o.input = kind;
            }
        }
        if (o.input == InputKind::file) {
            if (std::error_code error; !std::filesystem::exists(input_, error)) {
                refuse("--input", input_, "take ones, iota, random, alternating or an existing file");
            }
            o.input_file = input_;
        }
    }
    if (!seed_.empty()) {
        o.seed = count_of("--seed", seed_, 0, ~0ULL);
    }
    if (!backend_.empty()) {
        o.backend = named("--backend", backend_, backend_from, "auto, cpu or cuda");
    }
    if (!banks_.empty()) {
        if (banks_ != "32" && banks_ != "16") {
            refuse("--banks", banks_, "take 32, or 16 for cc 1.x");
        }
        o.banks = banks_ == "32" ? 32 : 16;
    }
    if (!window_.empty()) {
        o.window = window_from(window_);
    }
    if (!order_.empty()) {
        o.order = named("--order", order_, warp_order_from, "in-order, reverse, random or lockstep");
    }
    if (!workers_.empty()) {
        o.workers = static_cast<unsigned>(count_of("--workers", workers_, 1, 1024));
    }
    take_limits(o);
}

void TraceOptions::take_limits(RunOptions& o) const {
    o.limits.time = std::chrono::seconds(time_.empty() ? 10 : count_of("--time", time_, 0, 1000000));
    if (!memory_.empty()) {
        o.limits.memory = count_of("--memory", memory_, 1U << 20, 1ULL << 50);
    }
    if (!instructions_.empty()) {
        o.kernel.most_instructions = count_of("--instructions", instructions_, 1, 1ULL << 60);
    }
    if (!printed_.empty()) {
        o.limits.printed = count_of("--printed", printed_, 0, kMostPrinted);
    }
}

void TraceOptions::take_operator(RunOptions& o) const {
    if (!type_.empty()) {
        o.type = named("--type", type_, element_type_from, "i32, u32, i64, f32 or f64");
    }
    if (!op_.empty()) {
        o.op = named("--op", op_, operator_from, "sum, product, min, max, xor or sum-of-squares");
    }
    if (!finish_.empty()) {
        o.finish = named("--finish", finish_, finish_from, "host, relaunch, atomic or last-block");
    }
    if (!host_below_.empty()) {
        o.host_below = count_of("--host-below", host_below_, 1, kMaxElements);
    }
}

RunOptions TraceOptions::parse_file(const std::string& path) const {
    for (const auto& [option, text] : {std::pair{"--shape", &shape_}, {"--tile", &tile_}}) {
        if (!text->empty()) {
            throw OptionError(fmt::format("{} is for strategies; a CUDA file decides that itself", option));
        }
    }
    RunOptions o;
    take_operator(o);
    if ((!op_.empty() || !type_.empty()) && !runs::takes_operator(path)) {
        throw OptionError(fmt::format("{} is for files that include reduction.cuh, which has T and op(a, b); this one "
                                      "decides that itself",
                                      op_.empty() ? "--type" : "--op"));
    }
    o.strategy = std::filesystem::path(path).filename().string();
    o.kernel.file = path;
    o.kernel.kernel = kernel_;
    o.kernel.grid = grid_;
    o.kernel.block = block_;
    o.kernel.shared = shared_;
    o.kernel.expect = expectation_of(expect_, expect_file_);
    o.kernel.n_given = !n_.empty();
    o.kernel.input_given = !input_.empty();
    o.n = n_.empty() ? 1024 : count_of("-n", n_, 1, kMaxElements);
    for (const std::string& argument : arguments_) {
        const std::size_t equals = argument.find('=');
        if (equals == 0 || equals == std::string::npos || equals + 1 == argument.size()) {
            refuse("--arg", argument, "take NAME=VALUE, as in in=random:1000");
        }
        o.kernel.arguments[argument.substr(0, equals)] = argument.substr(equals + 1);
    }
    for (const auto& [name, text] : parameters_) {
        if (!text.empty()) {
            o.parameters[name] = static_cast<std::uint32_t>(count_of("--" + name, text, 0, ~0U));
        }
    }
    take_common(o);
    return o;
}

RunOptions TraceOptions::parse(const std::string& strategy) const {
    RunOptions o;
    if (find_strategy(strategy) == nullptr) {
        require_strategy(printable(strategy));
    }
    o.strategy = strategy;
    for (const auto& [name, text] : parameters_) {
        if (!text.empty()) {
            o.parameters[name] = static_cast<std::uint32_t>(count_of("--" + name, text, 0, ~0U));
        }
    }
    const StrategyInfo& info = require_strategy(strategy);
    o.type = taken_type(info);
    o.input = usual_input(info);
    o.n = n_.empty() ? info.default_n : count_of("-n", n_, 1, kMaxElements);
    if (!block_.empty()) {
        o.block = static_cast<std::uint32_t>(count_of("--block", block_, 1, 1024));
    }
    if (info.answer == Answer::matrix) {
        take_matrix(o);
    } else if (!shape_.empty() || !tile_.empty()) {
        throw OptionError(
            fmt::format("{} does not apply to {}; leave it out", shape_.empty() ? "--tile" : "--shape", strategy));
    }
    take_operator(o);
    take_common(o);
    return resolve(o);
}

Trace trace_of(const std::string& named, const TraceOptions& options, bool may_be_empty) {
    std::error_code error; // of a link to itself, say: reading it tells
    const std::string own = std::filesystem::exists(named, error) ? "" : own_kernel(named);
    const std::string id_or_file = own.empty() ? named : own;
    const bool cuda = runs::is_kernel_path(id_or_file);
    const bool file = !cuda && (id_or_file.ends_with(".wtrace") ||
                                (find_strategy(id_or_file) == nullptr && std::filesystem::exists(id_or_file, error)));
    if (file) {
        if (options.given()) {
            throw OptionError(fmt::format("{} is a recorded trace and cannot be traced anew; leave the trace options "
                                          "out, or name a strategy",
                                          printable(id_or_file)));
        }
        return load(id_or_file);
    }
    const RunOptions parsed = cuda ? options.parse_file(id_or_file) : options.parse(id_or_file);
    RunControl control;
    const Interrupt interrupt(control);
    Progress progress("tracing " + id_or_file);
    control.progress = [&](double fraction) { progress.show(fraction); };
    std::string why;
    if (cuda && !options.given()) { // the file itself may say how its kernels are called
        runs::OwnLaunches own = runs::run_own_launches(parsed, control);
        if (own.trace) {
            if (own.trace->launches.empty() && !may_be_empty) {
                const ProgramStory& story = own.trace->program;
                throw OptionError(printable(id_or_file) + ": nothing is launched: " +
                                  (story.findings.empty() ? story.events.back().text : story.findings.front().text));
            }
            return std::move(*own.trace);
        }
        why = std::move(own.why);
    }
    Trace trace = runs::run_any(parsed, control);
    if (!why.empty()) {
        trace.chosen.push_back(std::string(kKernelAlone) + why);
    }
    return trace;
}

} // namespace warptree::commands
