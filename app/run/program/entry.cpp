#include "app/run/program/entry.hpp"

#include "app/base/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace warptree::runs {

namespace {

// A filter is shorter than what it filters.
bool is_short(std::string_view name) {
    for (const std::string_view part : {"filter", "kernel", "mask", "window", "radius", "Filter", "Kernel", "Mask"}) {
        if (name.find(part) != std::string_view::npos) {
            return true;
        }
    }
    return false;
}

std::string fill_of(const RunOptions& options, const std::string& type, bool floating, const std::string& kind) {
    if (kind == "zeros") {
        return "0";
    }
    if (kind == "ones") {
        return "1";
    }
    if (kind == "iota") {
        return fmt::format("static_cast<{}>(warptree_i)", type);
    }
    if (kind == "alternating") {
        return fmt::format("static_cast<{}>(warptree_i % 2 == 0 ? 1 : -1)", type);
    }
    // Small numbers, which sum exactly in any order.
    return fmt::format("static_cast<{}>(static_cast<int>((warptree_i * 2654435761ULL + {}ULL) >> 16 & 15){})", type,
                       options.seed, floating ? " - 7" : "");
}

} // namespace

const compile::HostEntry& choose_entry(const compile::HostCode& host, const std::string& name) {
    if (host.entries.empty()) {
        throw OptionError(
            "it has neither a main nor a function that launches kernels and takes only numbers and arrays "
            "of them; 'warptree report' runs its kernel");
    }
    if (name.empty()) {
        return host.entries.back();
    }
    const auto found = std::find_if(host.entries.begin(), host.entries.end(),
                                    [&](const compile::HostEntry& e) { return e.name == name; });
    if (found == host.entries.end()) {
        std::vector<std::string> names;
        std::transform(host.entries.begin(), host.entries.end(), std::back_inserter(names),
                       [](const compile::HostEntry& e) { return e.name; });
        throw OptionError(
            fmt::format("no function {} launches kernels and takes only numbers and arrays of them; take {}", name,
                        fmt::join(names, " or ")));
    }
    return *found;
}

EntryCall call_of(const compile::HostEntry& entry, const RunOptions& options, bool squared) {
    using Parameter = compile::HostEntry::Parameter;
    EntryCall call;
    const auto integers = std::count_if(entry.parameters.begin(), entry.parameters.end(),
                                        [](const Parameter& p) { return !p.pointer && !p.floating; });
    const std::uint64_t n = options.kernel.n_given || integers < 2 ? options.n : 64;
    // Several sizes differ from one another, so that mixing them up shows.
    constexpr std::array<std::uint64_t, 6> kSizes = {64, 48, 80, 32, 16, 8};
    std::string body;
    std::vector<std::string> arguments;
    std::uint64_t elements = 1;
    std::size_t next = 0;
    const auto given = [&](const Parameter& p) {
        const auto found = options.kernel.arguments.find(p.name);
        return found == options.kernel.arguments.end() ? std::string() : found->second;
    };
    for (const Parameter& p : entry.parameters) {
        if (p.pointer) {
            continue;
        }
        std::string value = given(p);
        if (value.empty() && p.floating) {
            value = "0.5";
        } else if (value.empty()) {
            const std::uint64_t size = integers >= 2 && !options.kernel.n_given ? kSizes[next++ % kSizes.size()] : n;
            value = std::to_string(p.compared != 0    ? static_cast<std::uint64_t>(p.compared)
                                   : is_short(p.name) ? 5
                                                      : size);
        } else if (value == "n") {
            value = std::to_string(n);
        }
        double number = 0;
        if (const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
            error != std::errc{} || end != value.data() + value.size()) {
            throw OptionError(fmt::format("--arg {}={}: it takes a number", p.name, value));
        }
        if (!p.floating && number >= 1) {
            elements *= static_cast<std::uint64_t>(number);
        }
        body += fmt::format("    {} {} = static_cast<{}>({});\n", p.type, p.name, p.type, value);
        call.chosen.push_back(fmt::format("{} = {}", p.name, value));
    }
    constexpr std::uint64_t kMost = 1ULL << 24;
    elements = integers == 0 ? n : elements;
    elements = std::clamp<std::uint64_t>(squared ? elements * std::max<std::uint64_t>(n, 1) : elements, 1, kMost);
    for (const Parameter& p : entry.parameters) {
        arguments.push_back(p.name);
        if (!p.pointer) {
            continue;
        }
        std::string fill = given(p);
        if (fill.empty()) {
            fill = options.kernel.input_given ? name(options.input) : "random";
        }
        std::uint64_t count = elements;
        if (const std::size_t colon = fill.find(':'); colon != std::string::npos) {
            std::from_chars(fill.data() + colon + 1, fill.data() + fill.size(), count);
            fill.resize(colon);
        }
        body += fmt::format("    {0}* {1} = nullptr;\n    cudaMallocManaged(&{1}, {2}ULL * sizeof({0}));\n"
                            "    for (unsigned long long warptree_i = 0; warptree_i < {2}ULL; ++warptree_i)\n"
                            "        {1}[warptree_i] = {3};\n",
                            p.type, p.name, count, fill_of(options, p.type, p.floating, fill));
        call.chosen.push_back(fmt::format("{} = {}:{}", p.name, fill, count));
    }
    std::string list;
    for (const std::string& argument : arguments) {
        list += (list.empty() ? "" : ", ") + argument;
    }
    body += fmt::format("    ::{}({});\n    cudaDeviceSynchronize();\n", entry.name, list);
    for (const Parameter& p : entry.parameters) {
        if (p.pointer) {
            body += fmt::format("    cudaFree({});\n", p.name);
        }
    }
    call.text = "\nint main() {\n" + body + "    return 0;\n}\n";
    return call;
}

} // namespace warptree::runs
