#include "app/features/compare/column_options.hpp"

#include "app/base/error.hpp"
#include "app/base/printable.hpp"
#include "app/base/type_words.hpp"
#include "app/catalogue/catalogue.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/document/opened_files.hpp"
#include "app/request/said.hpp"
#include "app/run/kernel_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

namespace warptree::session {

namespace {
using request::Spelling;

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
    std::vector<ColumnOption> all{{"strategy", "kernel", file, ids}, {"block", "block", o.kernel.block, {}}};
    for (const char* id : {"order", "banks"}) {
        const request::Option& option = request::option(id);
        all.push_back({option.id, option.label, option.get(o), option.choices});
    }
    return all;
}
} // namespace

std::vector<ColumnOption> column_options(const RunOptions& o) {
    if (of_kernel(o)) {
        return kernel_options(o);
    }
    const StrategyInfo& info = require_strategy(o.strategy);
    std::vector<ColumnOption> all{{"strategy", "strategy", o.strategy, strategy_ids()}};
    for (const request::Option& option : request::options_of(info)) {
        if ((option.places & request::kColumn) == 0 || option.id == "host-below") {
            continue;
        }
        all.push_back({option.id, option.label, option.get(o), option.choices});
        ColumnOption& mine = all.back();
        if (option.id == "block") {
            std::erase_if(mine.choices, [&](const std::string& threads) {
                RunOptions with = o;
                option.set(with, threads);
                return threads != mine.value && refusal(with);
            });
            if (std::find(mine.choices.begin(), mine.choices.end(), mine.value) == mine.choices.end()) {
                mine.choices.push_back(mine.value);
            }
        }
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

std::uint32_t block_beside(const std::vector<const RunOptions*>& columns) {
    for (const RunOptions* o : columns) {
        if (o != nullptr && !of_kernel(*o)) {
            return o->block.value_or(require_strategy(o->strategy).default_block);
        }
    }
    return KernelOptions{}.usual_block;
}

void set_column_option(RunOptions& o, std::string_view id, std::string_view value) {
    if (id == "strategy") {
        if (!of_kernel(o) || value != std::filesystem::path(o.kernel.file).filename().string()) {
            change_strategy(o, value);
        }
    } else if (!request::set(o, id, value, Spelling::column)) {
        throw OptionError(fmt::format("{} has no option '{}'; a column takes {}",
                                      of_kernel(o) ? "a kernel file" : o.strategy, printable(id),
                                      request::names(o, Spelling::column)));
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
    std::string text = of_kernel(o) ? o.kernel.file : o.strategy;
    char before = ':';
    for (const auto& [id, value] : request::said(o, Spelling::column)) {
        text += before + id + "=" + value;
        before = ',';
    }
    return text;
}

std::string column_note(const RunOptions& o) {
    const StrategyInfo* info = find_strategy(o.strategy);
    if (info == nullptr) {
        return fmt::format("B = {}, {}", o.block.value_or(0), c_name(o.type));
    }
    std::string note = fmt::format("B = {}, {}", o.block.value_or(info->default_block), c_name(o.type));
    for (const auto& [id, value] : request::said(o, Spelling::column)) {
        const auto own = std::ranges::find(info->parameters, id, &Parameter::name);
        if (own != info->parameters.end()) {
            note += own->flag ? fmt::format(", {}", id) : fmt::format(", {} {}", id, value);
        } else if (id == "banks") {
            note += fmt::format(", {} banks", value);
        } else if (id == "finish" || id == "order") {
            note += ", " + value;
        }
    }
    return note;
}

} // namespace warptree::session
