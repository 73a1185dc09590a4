#include "app/cli/trace_options.hpp"

#include "app/base/error.hpp"
#include "app/catalogue/catalogue.hpp"
#include "app/cli/interrupt.hpp"
#include "app/cli/option_values.hpp"
#include "app/cli/progress.hpp"
#include "app/request/said.hpp"
#include "app/run/array_fill.hpp"
#include "app/run/kernel_path.hpp"
#include "app/run/kernel_source.hpp"
#include "app/run/program/run.hpp"
#include "app/run/run.hpp"

#include "app/trace/io/file.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace warptree::commands {

std::shared_ptr<TraceOptions> TraceOptions::add_to(CLI::App& app) {
    auto o = std::make_shared<TraceOptions>();
    for (const request::Option& option : request::options()) {
        add_option(app, option, o->words_[option.id])->group(option.group);
    }
    const std::string& group = request::option("n").group;
    app.add_option("--shape", o->shape_, "Matrix product: M,N,K for M × K by K × N (default: -n for each)")
        ->group(group);
    app.add_option("--tile", o->tile_, "Matrix product: tiles of 16 or 32, in blocks of 256 or 1024")->group(group);
    const std::string& files = request::option("kernel").group;
    app.add_option(
           "--arg", o->arguments_,
           fmt::format("NAME=VALUE: {}, a count of elements, both (random:1000), an .npy file; of a number, its "
                       "value or n; NAME.MEMBER=VALUE of a struct",
                       fmt::join(runs::kFills, ", ")))
        ->group(files);
    app.add_option("--expect-file", o->expect_file_, "An .npy FILE that has the output's elements")->group(files);
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
    const auto said = [](const auto& p) { return !p.second.empty(); };
    return std::ranges::any_of(words_, said) || std::ranges::any_of(parameters_, said) || !arguments_.empty() ||
           !shape_.empty() || !tile_.empty() || !expect_file_.empty();
}

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
        if (!word("block").empty() && *o.block != block) {
            refuse("--tile", tile_,
                   fmt::format("a block has a thread for each element of the tile, so take --block {}", block));
        }
        o.block = block;
    }
}

// What strategies and kernel files share: all that was typed.
void TraceOptions::take(RunOptions& o) const {
    o.limits.time = std::chrono::seconds(10);
    for (const auto& [name, text] : parameters_) {
        if (!text.empty()) {
            o.parameters[name] = static_cast<std::uint32_t>(count_of("--" + name, text, 0, ~0U));
        }
    }
    for (const request::Option& option : request::options()) {
        if (const std::string& text = word(option.id); !text.empty()) {
            request::set(o, option, text, request::Spelling::command_line);
        }
    }
    if (std::error_code error; o.input == InputKind::file && !std::filesystem::exists(o.input_file, error)) {
        refuse("--input", o.input_file, "take ones, iota, random, alternating or an existing file");
    }
}

RunOptions TraceOptions::parse_file(const std::string& path) const {
    for (const auto& [option, text] : {std::pair{"--shape", &shape_}, {"--tile", &tile_}}) {
        if (!text->empty()) {
            throw OptionError(fmt::format("{} is for strategies; a CUDA file decides that itself", option));
        }
    }
    RunOptions o;
    o.strategy = std::filesystem::path(path).filename().string();
    o.kernel.file = path;
    take(o);
    if ((!word("op").empty() || !word("type").empty()) && !runs::takes_operator(path)) {
        throw OptionError(fmt::format("{} is for files that include reduction.cuh, which has T and op(a, b); this one "
                                      "decides that itself",
                                      word("op").empty() ? "--type" : "--op"));
    }
    o.kernel.expect = expectation_of(o.kernel.expect, expect_file_);
    take_arguments(o, arguments_);
    return o;
}

RunOptions TraceOptions::parse(const std::string& strategy) const {
    if (find_strategy(strategy) == nullptr) {
        require_strategy(printable(strategy));
    }
    const StrategyInfo& info = require_strategy(strategy);
    RunOptions o = request::usual(info);
    take(o);
    if (info.answer == Answer::matrix) {
        take_matrix(o);
    } else if (!shape_.empty() || !tile_.empty()) {
        throw OptionError(
            fmt::format("{} does not apply to {}; leave it out", shape_.empty() ? "--tile" : "--shape", strategy));
    }
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
    std::string alone;
    if (cuda && !runs::states_a_call(parsed)) { // the file itself may say how its kernels are called
        runs::OwnLaunches own = runs::run_own_launches(parsed, control);
        if (own.trace) {
            if (own.trace->launches.empty() && !may_be_empty) {
                const ProgramStory& story = own.trace->program;
                throw OptionError(printable(id_or_file) + ": nothing is launched: " +
                                  (story.findings.empty() ? story.events.back().text : story.findings.front().text));
            }
            return std::move(*own.trace);
        }
        alone = own.alone();
    }
    Trace trace = runs::run_any(parsed, control);
    if (!alone.empty()) {
        trace.chosen.push_back(std::move(alone));
    }
    return trace;
}

} // namespace warptree::commands
