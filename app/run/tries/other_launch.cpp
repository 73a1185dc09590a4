#include "app/run/tries/other_launch.hpp"

#include "app/base/number_list.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace warptree::runs {

namespace {
constexpr std::string_view kTimes = " \u00d7 ";

bool take_ending(std::string_view& text, std::string_view ending) {
    const bool has = text.ends_with(ending);
    text.remove_suffix(has ? ending.size() : 0);
    return has;
}

// "16 × 16" as "16,16".
std::string with_commas(std::string_view shape) {
    std::string text(shape);
    for (std::size_t at = text.find(kTimes); at != std::string::npos; at = text.find(kTimes)) {
        text.replace(at, kTimes.size(), ",");
    }
    return text;
}

bool put(RunOptions& o, const Trace& trace, std::string_view part) {
    std::uint64_t number = 0;
    const auto argument = [&](std::string_view name) {
        return std::ranges::find_if(trace.arguments, [&](const KernelArgument& a) { return a.name == name; });
    };
    if (std::string_view threads = part; take_ending(threads, " threads")) {
        o.kernel.block = with_commas(threads);
        o.block.reset();
        return o.kernel.block.find_first_not_of("0123456789,") == std::string::npos;
    }
    if (std::string_view bytes = part; take_ending(bytes, " bytes of shared memory")) {
        o.kernel.shared = bytes;
        return number_from(o.kernel.shared, number);
    }
    if (const std::size_t in = part.find(" elements in "); in != std::string_view::npos) {
        const auto array = argument(part.substr(in + std::string_view(" elements in ").size()));
        if (array == trace.arguments.end() || !number_from(std::string(part.substr(0, in)), number)) {
            return false;
        }
        o.kernel.arguments.insert_or_assign(array->name, array->value + ":" + std::to_string(number));
        return true;
    }
    const std::size_t equals = part.find(" = ");
    if (equals == std::string_view::npos) {
        return false;
    }
    const std::string name(part.substr(0, equals)), value(part.substr(equals + 3));
    if (name == "elements" && number_from(value, number)) {
        o.n = number;
        o.kernel.n_given = true;
        return true;
    }
    if (argument(name) == trace.arguments.end()) {
        return false;
    }
    o.kernel.arguments.insert_or_assign(name, value);
    return true;
}
} // namespace

std::optional<RunOptions> launched_so(const RunOptions& options, const Trace& trace, const OtherLaunch& tried) {
    RunOptions o = options;
    std::string_view rest = tried.with;
    while (!rest.empty()) {
        const std::size_t comma = std::min(rest.find(", "), rest.size());
        if (!put(o, trace, rest.substr(0, comma))) {
            return std::nullopt;
        }
        rest.remove_prefix(std::min(rest.size(), comma + 2));
    }
    return tried.with.empty() ? std::nullopt : std::optional(std::move(o));
}

} // namespace warptree::runs
