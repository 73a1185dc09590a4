#include "app/catalogue/strategy.hpp"

#include "app/base/error.hpp"
#include "app/base/resources.hpp"
#include "app/base/type_words.hpp"
#include "app/catalogue/catalogue.hpp"
#include "app/catalogue/launch_expression.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <filesystem>
#include <numeric>

namespace warptree {

std::string_view title(Family family) {
    switch (family) {
    case Family::shared_memory: return "Shared memory";
    case Family::shuffle_atomic: return "Shuffles and atomics";
    case Family::scan: return "Scans";
    case Family::applied: return "Applied reductions";
    case Family::exhibit: break;
    }
    return "What goes wrong";
}
std::string_view name(Family family) {
    switch (family) {
    case Family::shared_memory: return "shared-memory";
    case Family::shuffle_atomic: return "shuffle-atomic";
    case Family::scan: return "scan";
    case Family::applied: return "applied";
    case Family::exhibit: break;
    }
    return "exhibit";
}

namespace {
Family family_of(std::string_view text) {
    for (const Family family : {Family::shuffle_atomic, Family::scan, Family::applied, Family::exhibit}) {
        std::string lower(title(family));
        lower.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(lower.front())));
        if (text == lower) {
            return family;
        }
    }
    return Family::shared_memory;
}

Answer answer_of(std::string_view expect) {
    return expect == "scan"                        ? Answer::scan
           : expect == "block-scan"                ? Answer::block_scan
           : expect == "segments"                  ? Answer::segments
           : expect.starts_with("matrix-product(") ? Answer::matrix
           : expect.empty() || expect == "sum"     ? Answer::total
                                                   : Answer::listed;
}

// Whether the grid is at most a number that the file itself states: "min(ceil(n / B), 1024)".
bool bounded_by_number(std::string_view grid) {
    if (!grid.starts_with("min(") || !grid.ends_with(")")) {
        return false;
    }
    const std::string most = catalogue::listed(grid.substr(4, grid.size() - 5)).back();
    return std::all_of(most.begin(), most.end(),
                       [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
}

StrategyInfo info_of(const catalogue::Entry& entry, const std::filesystem::path& folder) {
    const catalogue::KernelHeader& h = entry.header;
    StrategyInfo s;
    s.id = entry.id;
    s.title = h.title;
    s.family = family_of(h.family);
    s.lesson = h.lesson;
    s.result = h.result;
    s.blocks = h.blocks.value_or(catalogue::BlocksText{});
    s.default_block = h.block.value_or(s.default_block);
    s.default_n = catalogue::n_of(h, {}, s.default_n);
    s.source = entry.path.lexically_relative(folder).generic_string();
    s.parameters = h.parameters;
    s.finishes = entry.finishes;
    s.answer = answer_of(h.expect);
    s.strides = h.launch && bounded_by_number(h.launch->grid);
    s.racy = h.racy;
    s.deadlocks = h.deadlocks;
    s.hazard = h.hazard;
    s.on_gpu = h.on_gpu;
    s.header = h;
    s.text = entry.text;
    return s;
}
} // namespace

std::span<const StrategyInfo> strategies() {
    static const std::vector<StrategyInfo> all = [] {
        const std::filesystem::path folder = resource("kernels");
        std::vector<StrategyInfo> list;
        const catalogue::Catalogue shipped(folder, {});
        for (const catalogue::Entry& entry : shipped.entries()) {
            if (entry.problem.empty()) {
                list.push_back(info_of(entry, folder));
            }
        }
        return list;
    }();
    return all;
}

const StrategyInfo* find_strategy(std::string_view id) {
    const auto all = strategies();
    const auto it = std::find_if(all.begin(), all.end(), [&](const StrategyInfo& s) { return s.id == id; });
    return it == all.end() ? nullptr : &*it;
}

namespace {
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t here = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1] ? 1 : 0)});
            diagonal = row[j];
            row[j] = here;
        }
    }
    return row.back();
}
} // namespace

const StrategyInfo& require_strategy(std::string_view id) {
    if (const StrategyInfo* info = find_strategy(id)) {
        return *info;
    }
    if (id.size() > 64) {
        throw OptionError("no such strategy; 'warptree list' names them all");
    }
    const auto all = strategies();
    if (all.empty()) {
        throw OptionError("no strategies: the folder kernels has no kernel files");
    }
    const auto nearest = std::min_element(all.begin(), all.end(), [&](const StrategyInfo& a, const StrategyInfo& b) {
        return edit_distance(a.id, id) < edit_distance(b.id, id);
    });
    throw OptionError(
        fmt::format("no strategy '{}'; the nearest is '{}', and 'warptree list' names them all", id, nearest->id));
}

namespace {
const Parameter* find_parameter(const StrategyInfo& info, std::string_view name) {
    const auto it = std::find_if(info.parameters.begin(), info.parameters.end(),
                                 [&](const Parameter& p) { return p.name == name; });
    return it == info.parameters.end() ? nullptr : &*it;
}
} // namespace

ParameterValues arguments(const StrategyInfo& info, const ParameterValues& asked, std::uint64_t n) {
    catalogue::check_parameters(info.parameters, asked, info.id);
    ParameterValues values;
    for (const Parameter& p : info.parameters) {
        const auto it = asked.find(p.name);
        std::uint32_t value = it == asked.end() ? p.fallback : it->second;
        if (value == 0 && p.as_n) {
            value = static_cast<std::uint32_t>(std::min<std::uint64_t>(n, ~0U));
            if (n > p.most) {
                throw OptionError(
                    fmt::format("{} takes as many {} as -n, at most {}; take a smaller -n", info.id, p.name, p.most));
            }
        }
        values.emplace(p.name, value);
    }
    return values;
}

ParameterValues parameters_of(const StrategyInfo& info, const ParameterValues& values) {
    ParameterValues kept;
    for (const auto& [name, value] : values) {
        if (const Parameter* p = find_parameter(info, name); p != nullptr && catalogue::takes(*p, value)) {
            kept.emplace(name, value);
        }
    }
    return kept;
}

namespace {
// The names that the header's expressions may use, for a launch of this size.
class Expressions {
  public:
    Expressions(const StrategyInfo& info, const LaunchSize& size) : info_(info), element_(c_name(size.type)) {
        names_["n"] = static_cast<std::int64_t>(size.n);
        names_["B"] = size.block;
        catalogue::add_parameters(names_, info.header, size.parameters, size.n);
        catalogue::add_definitions(names_, info.header, element_);
    }
    std::uint64_t grid() const {
        if (!info_.header.launch) {
            return static_cast<std::uint64_t>(catalogue::evaluate("ceil(n / B)", names_, element_));
        }
        const catalogue::Extent extent = catalogue::extent_of(info_.header.launch->grid, names_, element_, "the grid");
        return std::uint64_t{extent[0]} * extent[1] * extent[2];
    }
    std::int64_t value(const std::string& text) {
        names_["G"] = static_cast<std::int64_t>(grid());
        return catalogue::evaluate(text, names_, element_);
    }

  private:
    const StrategyInfo& info_;
    std::string_view element_;
    catalogue::Names names_;
};
} // namespace

std::uint64_t grid_for(const StrategyInfo& info, const LaunchSize& size) { return Expressions(info, size).grid(); }

std::uint64_t outputs_for(const StrategyInfo& info, const LaunchSize& size) {
    if (is_scan(info)) {
        return size.n;
    }
    return info.header.outputs.empty() ? grid_for(info, size)
                                       : static_cast<std::uint64_t>(Expressions(info, size).value(info.header.outputs));
}

std::uint64_t outputs_per_block(const StrategyInfo& info, const LaunchSize& size) {
    if (!info.header.tile.empty()) {
        return static_cast<std::uint64_t>(Expressions(info, size).value(info.header.tile));
    }
    return is_scan(info) ? size.block : outputs_for(info, size) / std::max<std::uint64_t>(1, grid_for(info, size));
}

std::uint64_t left_for_host(const StrategyInfo& info, const LaunchSize& size, const RunOptions& options) {
    return left_for_host(options, info.header.outputs.empty() ? 1 : outputs_per_block(info, size));
}

std::uint32_t relaunch_block_for(const StrategyInfo& info, const LaunchSize& size) {
    return info.header.relaunch_block
               ? static_cast<std::uint32_t>(Expressions(info, size).value(*info.header.relaunch_block))
               : size.block;
}

std::string limits(const StrategyInfo& info) {
    std::string text = "block: " + catalogue::in_words(info.blocks);
    for (const Parameter& p : info.parameters) {
        text += p.flag ? fmt::format("; --{}: {}", p.name, p.help)
                       : fmt::format("; --{} {}{} to {}: {}", p.name, p.power_of_two ? "a power of two, " : "", p.least,
                                     p.most, p.help);
    }
    text += info.answer == Answer::total ? "; finish: " : "";
    const char* separator = "";
    for (const Finish f : info.answer == Answer::total ? info.finishes : std::vector<Finish>{}) {
        text += separator;
        text += name(f);
        separator = ", ";
    }
    return text;
}

namespace {
// Whether every launch leaves fewer partials than it was given, down to those left for the host.
bool relaunching_ends(const StrategyInfo& info, LaunchSize size, const RunOptions& options) {
    for (;;) {
        const std::uint64_t left = outputs_for(info, size);
        if (left <= left_for_host(info, size, options)) {
            return true;
        }
        if (left >= size.n) {
            return false;
        }
        size.block = relaunch_block_for(info, size);
        size.n = left;
    }
}

// The message of the file's first condition that is not met; nullopt: all are.
std::optional<std::string> unmet_need(const StrategyInfo& info, const LaunchSize& size) {
    Expressions expressions(info, size);
    for (const catalogue::NeedText& need : info.header.needs) {
        if (expressions.value(need.condition) == 0) {
            return need.otherwise;
        }
    }
    return std::nullopt;
}

bool takes(const std::vector<std::string>& names, std::string_view asked) {
    return names.empty() || std::find(names.begin(), names.end(), asked) != names.end();
}
} // namespace

ElementType taken_type(const StrategyInfo& info, ElementType type) {
    const std::vector<std::string>& types = info.header.types;
    return takes(types, name(type)) ? type : element_type_from(types.front()).value();
}

std::vector<ElementType> taken_types(const StrategyInfo& info) {
    std::vector<ElementType> found;
    std::copy_if(kElementTypes.begin(), kElementTypes.end(), std::back_inserter(found),
                 [&](ElementType type) { return takes(info.header.types, name(type)); });
    return found;
}

std::vector<Operator> taken_operators(const StrategyInfo& info) {
    if (info.answer == Answer::listed || info.answer == Answer::matrix) {
        return {Operator::sum};
    }
    std::vector<Operator> found;
    std::copy_if(kOperators.begin(), kOperators.end(), std::back_inserter(found),
                 [&](Operator op) { return takes(info.header.operators, name(op)); });
    return found;
}

std::string computed(const StrategyInfo& info, Operator op) {
    return info.answer == Answer::listed ? info.header.expect.substr(0, info.header.expect.find('('))
                                         : std::string(name(op));
}

InputKind usual_input(const StrategyInfo& info) {
    const auto& all = info.header.arguments;
    return !all.empty() && all.front().value == "random" ? InputKind::random : InputKind::ones;
}

std::optional<std::string> refusal(const RunOptions& o) {
    const StrategyInfo& info = require_strategy(o.strategy);
    if (o.n == 0 || o.n > kMaxElements) {
        return fmt::format("{} elements cannot be traced; take 1 to 2^31", o.n);
    }
    if (!supports(o.type, o.op)) {
        return fmt::format("{} is not defined on {}; take i32, u32 or i64, or another operator", name(o.op),
                           name(o.type));
    }
    const std::uint32_t block = o.block.value_or(info.default_block);
    if (!catalogue::takes(info.blocks, block)) {
        return fmt::format("{} does not run with a block of {}; its block must be {}", info.id, block,
                           catalogue::in_words(info.blocks));
    }
    const std::vector<std::string>&types = info.header.types, &operators = info.header.operators;
    if (!takes(types, name(o.type)) || !takes(operators, name(o.op))) {
        return fmt::format("{} has no {} of {}{}{}", info.id, name(o.op), name(o.type),
                           types.empty() ? "" : fmt::format("; take elements of {}", fmt::join(types, ", ")),
                           operators.empty() ? "" : fmt::format("; take the operators {}", fmt::join(operators, ", ")));
    }
    LaunchSize size{o.n, block, o.type, {}};
    try {
        size.parameters = arguments(info, o.parameters, o.n);
    } catch (const OptionError& e) {
        return e.what();
    }
    const std::vector<Finish>& allowed = info.finishes;
    const Finish finish = o.finish.value_or(allowed.front());
    if (std::find(allowed.begin(), allowed.end(), finish) == allowed.end()) {
        return fmt::format("{} {} and has nothing left for --finish {}; take --finish {}", info.id,
                           info.answer == Answer::total ? "combines its blocks' results in its own way"
                                                        : "has many results, not one,",
                           name(finish), name(allowed.front()));
    }
    if (info.deadlocks && o.backend == Backend::cuda) {
        return fmt::format("{} never completes and would hang the GPU; take --backend cpu", info.id);
    }
    if (o.host_below == 0) {
        return std::string("--host-below 0 leaves nothing for the host; take 1 or more");
    }
    if (o.host_below != 1 && finish != Finish::relaunch) {
        return fmt::format("--host-below goes with --finish relaunch, not {}", name(finish));
    }
    try {
        if (auto why = unmet_need(info, size)) {
            return why;
        }
        if (finish == Finish::relaunch && !relaunching_ends(info, size, o)) {
            return fmt::format(
                "{} with a block of {} leaves as many partials as there were elements, so relaunching never "
                "ends; take a larger --block",
                info.id, block);
        }
        if (const std::uint64_t grid = grid_for(info, size); grid > 0x7FFFFFFFULL) {
            return fmt::format("{} blocks are more than a grid holds; take a larger --block", grid);
        }
    } catch (const OptionError& e) {
        return e.what();
    }
    if (o.banks != 32 && o.banks != 16) {
        return fmt::format("no device has {} banks; take 32, or 16 for cc 1.x", o.banks);
    }
    if (o.input == InputKind::file && o.input_file.empty()) {
        return std::string("no input file was named");
    }
    return std::nullopt;
}

RunOptions resolve(RunOptions o) {
    if (const auto why = refusal(o)) {
        throw OptionError(*why);
    }
    const StrategyInfo& info = require_strategy(o.strategy);
    o.block = o.block.value_or(info.default_block);
    o.finish = o.finish.value_or(info.finishes.front());
    o.parameters = arguments(info, o.parameters, o.n);
    return o;
}

std::string own_kernel(std::string_view id) {
    return id.empty() || find_strategy(id) != nullptr ? "" : catalogue::own_file(id).string();
}

RunOptions of_its_file(RunOptions options) {
    options.kernel.file = catalogue::shipped_file(options.strategy).string();
    options.kernel.n_given = options.kernel.input_given = true;
    return options;
}

} // namespace warptree
