#include "app/features/compare/column_options.hpp"

#include "app/base/error.hpp"
#include "app/base/printable.hpp"
#include "app/base/type_words.hpp"
#include "app/catalogue/catalogue.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/document/kernel_options.hpp"
#include "app/document/opened_files.hpp"
#include "app/run/kernel_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

namespace warptree::session {

namespace {
std::uint32_t own_value(const RunOptions& o, const Parameter& p) {
    const auto it = o.parameters.find(p.name);
    return it == o.parameters.end() ? p.fallback : it->second;
}

Finish finish_of(const RunOptions& o, const StrategyInfo& info) { return o.finish.value_or(info.finishes.front()); }

template <class All> std::vector<std::string> names(const All& all) {
    std::vector<std::string> out;
    for (const auto value : all) {
        out.emplace_back(name(value));
    }
    return out;
}

std::uint32_t number(std::string_view id, std::string_view value, std::uint32_t least, std::uint32_t most) {
    const auto count = parse_count(value);
    if (!count || *count < least || *count > most) {
        refuse_option(id, value, fmt::format("{} to {}", least, most));
    }
    return static_cast<std::uint32_t>(*count);
}
bool of_kernel(const RunOptions& o) { return !o.kernel.file.empty(); }

// Strategies that ship, then the user's own by their ids, then the files that were opened.
std::vector<std::string> strategy_ids() {
    std::vector<std::string> ids;
    for (const StrategyInfo& s : strategies()) {
        ids.push_back(s.id);
    }
    for (const catalogue::Entry& e : catalogue::own_entries()) {
        if (find_strategy(e.id) == nullptr) {
            ids.push_back(e.id);
        }
    }
    for (const std::filesystem::path& path : opened_files()) {
        const std::string file = path.filename().string();
        if (opened_file(file) == path && std::find(ids.begin(), ids.end(), file) == ids.end()) {
            ids.push_back(file);
        }
    }
    return ids;
}

std::vector<ColumnOption> kernel_options(const RunOptions& o) {
    std::vector<std::string> ids = strategy_ids();
    const std::filesystem::path path = o.kernel.file;
    const std::string id = catalogue::id_of(path);
    const auto& own = catalogue::own_entries();
    const bool listed = std::any_of(own.begin(), own.end(), [&](const auto& e) { return e.path == path; }) &&
                        std::find(ids.begin(), ids.end(), id) != ids.end();
    const std::string file = listed ? id : path.filename().string();
    if (!listed && std::find(ids.begin(), ids.end(), file) == ids.end()) {
        ids.insert(ids.begin(), file);
    }
    return {{"strategy", "kernel", file, ids},
            {"block", "block", o.kernel.block, {}},
            {"banks", "banks", std::to_string(o.banks), {"32", "16"}},
            {"order", "warp schedule", std::string(name(o.order)), names(kWarpOrders)}};
}
} // namespace

void refuse_option(std::string_view id, std::string_view value, std::string_view works) {
    throw OptionError(fmt::format("{}={} is not usable; take {}", id, printable(value), works));
}

std::vector<ColumnOption> column_options(const RunOptions& o) {
    if (of_kernel(o)) {
        return kernel_options(o);
    }
    const StrategyInfo& info = require_strategy(o.strategy);
    std::vector<std::string> blocks, warp_orders = names(kWarpOrders);
    for (std::uint32_t b = 1; b <= 1024; b *= 2) {
        RunOptions with = o;
        with.block = b;
        if (!refusal(with)) {
            blocks.push_back(std::to_string(b));
        }
    }
    const std::string block = std::to_string(o.block.value_or(info.default_block));
    if (std::find(blocks.begin(), blocks.end(), block) == blocks.end()) {
        blocks.push_back(block);
    }
    std::vector<ColumnOption> all{
        {"strategy", "strategy", o.strategy, strategy_ids()},
        {"block", "block", block, blocks},
        {"type", "type", std::string(name(o.type)), names(kElementTypes)},
        {"finish", "finish", std::string(name(finish_of(o, info))), names(info.finishes)},
        {"banks", "banks", std::to_string(o.banks), {"32", "16"}},
        {"order", "warp schedule", std::string(name(o.order)), warp_orders},
    };
    for (const Parameter& p : info.parameters) {
        std::vector<std::string> choices;
        if (p.flag) {
            choices = {"0", "1"};
        } else if (p.power_of_two) {
            for (std::uint64_t v = p.least; v <= p.most; v *= 2) {
                choices.push_back(std::to_string(v));
            }
        }
        all.push_back({std::string(p.name), std::string(p.name), std::to_string(own_value(o, p)), choices});
    }
    return all;
}

void change_strategy(RunOptions& o, std::string_view named) {
    std::string own = own_kernel(named);
    own = own.empty() ? opened_file(named).string() : own;
    const std::string_view id = own.empty() ? named : std::string_view(own);
    if (runs::is_kernel_path(id)) {
        if (o.kernel.file != id) {
            o.kernel = {};
            o.parameters.clear();
        }
        o.kernel.file = id;
        o.kernel.n_given = o.kernel.input_given = true;
        o.block.reset();
        o.finish.reset();
        return;
    }
    const StrategyInfo& info = require_strategy(std::string(id));
    const StrategyInfo* before = find_strategy(o.strategy);
    const bool usual = o.input == (before == nullptr ? InputKind::ones : usual_input(*before));
    o.kernel = {};
    o.strategy = info.id;
    o.input = usual ? usual_input(info) : o.input;
    o.parameters = parameters_of(info, o.parameters);
    o.type = taken_type(info, o.type);
    const auto allowed = info.finishes;
    if (o.finish && std::find(allowed.begin(), allowed.end(), *o.finish) == allowed.end()) {
        o.finish.reset();
    }
    if (refusal(o)) {
        o.block.reset();
    }
}

void set_column_option(RunOptions& o, std::string_view id, std::string_view value) {
    if (of_kernel(o) && set_kernel_option(o, id, value)) {
        return;
    }
    if (id == "strategy") {
        if (!of_kernel(o) || value != std::filesystem::path(o.kernel.file).filename().string()) {
            change_strategy(o, value);
        }
    } else if (id == "block") {
        o.block = number(id, value, 1, 1024);
    } else if (id == "type") {
        o.type = taken(id, value, element_type_from(value), "i32, u32, i64, f32 or f64");
    } else if (id == "finish") {
        o.finish = taken(id, value, finish_from(value), "host, relaunch, atomic or last-block");
    } else if (id == "host-below") {
        o.host_below = number(id, value, 1, ~0U);
    } else if (id == "order") {
        o.order = taken(id, value, warp_order_from(value), "in-order, reverse, random or lockstep");
    } else if (id == "banks") {
        o.banks = value == "16" || value == "32" ? (value == "16" ? 16 : 32)
                                                 : taken(id, value, std::optional<int>(), "32, or 16 for cc 1.x");
    } else if (of_kernel(o)) {
        throw OptionError(fmt::format(
            "a kernel file has no option '{}'; a column of one takes type, finish, host-below, banks, order, {}",
            printable(id), kernel_option_names()));
    } else {
        const StrategyInfo& info = require_strategy(o.strategy);
        const auto own = std::find_if(info.parameters.begin(), info.parameters.end(),
                                      [&](const Parameter& p) { return p.name == id; });
        if (own == info.parameters.end()) {
            throw OptionError(
                fmt::format("{} has no option '{}'; a column takes block, type, finish, host-below, banks, "
                            "order and what 'warptree list' says of its strategy",
                            o.strategy, printable(id)));
        }
        o.parameters[std::string(own->name)] = number(id, value, own->as_n ? 0 : own->least, own->most);
    }
}

ColumnText parse_column(const std::string& text) {
    const std::size_t colon = text.find(':');
    ColumnText column;
    column.what = text.substr(0, colon);
    if (const std::string own = own_kernel(column.what); !own.empty()) {
        column.what = own;
    }
    std::error_code error; // of a name that is too long, say
    if (runs::is_kernel_path(column.what)) {
        if (!std::filesystem::exists(column.what, error)) {
            throw OptionError(fmt::format("there is no file {}", printable(column.what)));
        }
    } else if (find_strategy(column.what) == nullptr) {
        if (text.ends_with(".wtrace") || std::filesystem::exists(text, error)) {
            return {text, {}, true};
        }
        require_strategy(printable(column.what));
    }
    for (std::size_t at = colon == std::string::npos ? text.size() : colon + 1; at < text.size();) {
        const std::size_t comma = std::min(text.find(',', at), text.size());
        const std::string part = text.substr(at, comma - at);
        const std::size_t equals = part.find('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == part.size()) {
            throw OptionError(
                fmt::format("'{}' is not an option of a column; write NAME=VALUE, as in {}:block=128,type=f32",
                            printable(part), column.what));
        }
        column.options.emplace_back(part.substr(0, equals), part.substr(equals + 1));
        at = comma + 1;
    }
    return column;
}

RunOptions apply(const ColumnText& column, RunOptions options) {
    change_strategy(options, column.what);
    for (const auto& [id, value] : column.options) {
        if (id == "strategy") {
            throw OptionError("strategy= is not an option of a column; its id goes before the colon");
        }
        set_column_option(options, id, value);
    }
    return options;
}

std::string column_text(const RunOptions& o) {
    std::vector<std::string> parts;
    const auto add = [&](bool differs, const std::string& id, const std::string& value) {
        if (differs) {
            parts.push_back(id + "=" + value);
        }
    };
    if (of_kernel(o)) {
        for (const auto& [name, value] : asked_kernel_options(o)) {
            add(true, name, value);
        }
        add(o.type != ElementType::i32, "type", std::string(name(o.type)));
        add(o.finish.has_value(), "finish", std::string(name(o.finish.value_or(Finish::host))));
        add(o.host_below != 1, "host-below", std::to_string(o.host_below));
        add(o.banks != 32, "banks", std::to_string(o.banks));
        add(o.order != WarpOrder::in_order, "order", std::string(name(o.order)));
        return parts.empty() ? o.kernel.file : fmt::format("{}:{}", o.kernel.file, fmt::join(parts, ","));
    }
    const StrategyInfo& info = require_strategy(o.strategy);
    add(o.block.has_value(), "block", std::to_string(o.block.value_or(0)));
    add(o.type != ElementType::i32, "type", std::string(name(o.type)));
    add(o.finish && *o.finish != info.finishes.front(), "finish", std::string(name(finish_of(o, info))));
    add(o.host_below != 1, "host-below", std::to_string(o.host_below));
    add(o.banks != 32, "banks", std::to_string(o.banks));
    add(o.order != WarpOrder::in_order, "order", std::string(name(o.order)));
    for (const Parameter& p : info.parameters) {
        add(own_value(o, p) != p.fallback, std::string(p.name), std::to_string(own_value(o, p)));
    }
    return parts.empty() ? o.strategy : fmt::format("{}:{}", o.strategy, fmt::join(parts, ","));
}

std::string column_note(const RunOptions& o) {
    const StrategyInfo* info = find_strategy(o.strategy);
    if (info == nullptr) {
        return fmt::format("B = {}, {}", o.block.value_or(0), c_name(o.type));
    }
    std::string note = fmt::format("B = {}, {}", o.block.value_or(info->default_block), c_name(o.type));
    if (o.banks != 32) {
        note += fmt::format(", {} banks", o.banks);
    }
    if (o.finish && *o.finish != info->finishes.front()) {
        note += fmt::format(", {}", name(*o.finish));
    }
    if (o.order != WarpOrder::in_order) {
        note += fmt::format(", {}", name(o.order));
    }
    for (const Parameter& p : info->parameters) {
        if (own_value(o, p) != p.fallback) {
            note += p.flag ? fmt::format(", {}", p.name) : fmt::format(", {} {}", p.name, own_value(o, p));
        }
    }
    return note;
}

} // namespace warptree::session
