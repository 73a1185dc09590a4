#include "app/request/said.hpp"

#include "app/base/error.hpp"
#include "app/base/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

namespace warptree::request {

namespace {
constexpr std::string_view kArgument = "arg.", kParameter = "parameter.";

template <class All> std::vector<std::string> names_of(const All& all) {
    std::vector<std::string> words;
    std::ranges::transform(all, std::back_inserter(words), [](auto one) { return std::string(name(one)); });
    return words;
}

Option parameter_option(const Parameter& p) {
    Option option{.id = p.name,
                  .label = p.name,
                  .help = p.help,
                  .group = {},
                  .choices = {},
                  .works = fmt::format("{} to {}", p.as_n ? 0 : p.least, p.most),
                  .count = true,
                  .flag = p.flag,
                  .least = p.as_n ? 0 : p.least,
                  .most = p.most,
                  .places = kState | kColumn,
                  .get =
                      [p](const RunOptions& o) {
                          const auto found = o.parameters.find(p.name);
                          return std::to_string(found == o.parameters.end() ? p.fallback : found->second);
                      },
                  .set =
                      [p](RunOptions& o, std::string_view value) {
                          const auto number = parse_count(value);
                          if (!number || *number < (p.as_n ? 0 : p.least) || *number > p.most) {
                              return false;
                          }
                          o.parameters.insert_or_assign(p.name, static_cast<std::uint32_t>(*number));
                          return true;
                      }};
    if (p.flag) {
        option.choices = {"0", "1"};
    } else if (p.power_of_two) {
        for (std::uint64_t v = p.least; v <= p.most; v *= 2) {
            option.choices.push_back(std::to_string(v));
        }
    }
    return option;
}

unsigned place(const RunOptions& o, Spelling spelling) {
    if (o.kernel.given()) {
        return spelling == Spelling::column ? kFileColumn : kFileState;
    }
    return spelling == Spelling::column ? kColumn : kState;
}

// The options that may be said there.
std::vector<Option> taken(const RunOptions& o, Spelling spelling) {
    std::vector<Option> all = o.kernel.given() ? options() : options_of(require_strategy(o.strategy));
    std::erase_if(all, [where = place(o, spelling)](const Option& option) { return (option.places & where) == 0; });
    return all;
}
} // namespace

RunOptions usual(const StrategyInfo& info) {
    RunOptions o;
    o.strategy = info.id;
    o.n = info.default_n;
    o.block = info.default_block;
    o.type = taken_type(info);
    o.input = usual_input(info);
    return o;
}

std::vector<Option> options_of(const StrategyInfo& info) {
    std::vector<Option> all;
    for (const Option& option : options()) {
        if ((option.places & (kState | kColumn)) == 0) {
            continue;
        }
        Option& mine = all.emplace_back(option);
        if (mine.id == "type") {
            mine.choices = names_of(taken_types(info));
        } else if (mine.id == "op") {
            mine.choices = names_of(taken_operators(info));
        } else if (mine.id == "finish") {
            mine.choices = names_of(info.finishes);
            mine.get = [&info](const RunOptions& o) {
                return std::string(name(o.finish.value_or(info.finishes.front())));
            };
        } else if (mine.id == "block") {
            mine.get = [&info](const RunOptions& o) { return std::to_string(o.block.value_or(info.default_block)); };
        } else if (mine.id == "host-below") {
            std::ranges::transform(info.parameters, std::back_inserter(all), parameter_option);
        }
    }
    return all;
}

void refuse(Spelling spelling, std::string_view id, std::string_view value, std::string_view works) {
    switch (spelling) {
    case Spelling::command_line:
        throw OptionError(
            fmt::format("{}{} '{}' is not usable; take {}", id.size() == 1 ? "-" : "--", id, printable(value), works));
    case Spelling::state:
        throw OptionError(fmt::format("{}={} in a state is not usable; take {}", id, printable(value), works));
    case Spelling::column: break;
    }
    throw OptionError(fmt::format("{}={} is not usable; take {}", id, printable(value), works));
}

void set(RunOptions& options, const Option& option, std::string_view value, Spelling spelling) {
    if (!option.set(options, value)) {
        const bool typed = spelling == Spelling::command_line && option.count && option.id != "banks";
        refuse(spelling, option.id, value, option.works + (typed ? ", as in 1000, 2^10 or 4M" : ""));
    }
}

bool set(RunOptions& o, std::string_view id, std::string_view value, Spelling spelling) {
    if (o.kernel.given() && id.starts_with(kArgument) && id != kArgument) {
        o.kernel.arguments.insert_or_assign(std::string(id.substr(kArgument.size())), std::string(value));
        return true;
    }
    if (o.kernel.given() && id.starts_with(kParameter) && id != kParameter) {
        const auto count = parse_count(value);
        if (!count || *count > ~0U) {
            refuse(spelling, printable(id), value, "a number");
        }
        o.parameters.insert_or_assign(std::string(id.substr(kParameter.size())), static_cast<std::uint32_t>(*count));
        return true;
    }
    const StrategyInfo* strategy = o.kernel.given() ? nullptr : &require_strategy(o.strategy);
    std::optional<Option> own;
    const Option* found = nullptr;
    if (const auto common = std::ranges::find(options(), id, &Option::id); common != options().end()) {
        found = &*common;
    } else if (strategy != nullptr) {
        const auto parameter = std::ranges::find(strategy->parameters, id, &Parameter::name);
        found = parameter == strategy->parameters.end() ? nullptr : &own.emplace(parameter_option(*parameter));
    }
    if (found == nullptr || (found->places & place(o, spelling)) == 0) {
        return false;
    }
    set(o, *found, value, spelling);
    return true;
}

std::string names(const RunOptions& o, Spelling spelling) {
    std::string all;
    for (const Option& option : taken(o, spelling)) {
        all += (all.empty() ? "" : ", ") + option.id;
    }
    return o.kernel.given() ? fmt::format("{}, {}NAME and {}NAME", all, kArgument, kParameter) : all;
}

Said said(const RunOptions& o, Spelling spelling) {
    Said all;
    const bool file = o.kernel.given(), column = spelling == Spelling::column;
    RunOptions before;
    if (file) {
        before.kernel.file = o.kernel.file;
        before.kernel.text = o.kernel.text;
    } else if (!column) {
        before = usual(require_strategy(o.strategy));
    }
    for (const Option& option : taken(o, spelling)) {
        const std::string value = option.get(o);
        // A state always says these two; a column changes the block of the one before it.
        const bool always = !file && (option.id == "block" ? !column || o.block : option.id == "n");
        if (always || (file && option.said ? option.said(o) : value != option.get(before))) {
            all.emplace_back(option.id, value);
        }
    }
    if (file) {
        for (const auto& [name, value] : o.kernel.arguments) {
            all.emplace_back(std::string(kArgument) + name, value);
        }
        for (const auto& [name, value] : o.parameters) {
            all.emplace_back(std::string(kParameter) + name, std::to_string(value));
        }
    }
    return all;
}

} // namespace warptree::request
