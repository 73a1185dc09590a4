#include "app/document/kernel_options.hpp"

#include "app/base/error.hpp"
#include "app/base/printable.hpp"

#include <fmt/format.h>

namespace warptree::session {

namespace {
constexpr std::pair<std::string_view, std::string KernelOptions::*> kNamed[] = {
    {"kernel", &KernelOptions::kernel}, {"grid", &KernelOptions::grid},     {"block", &KernelOptions::block},
    {"shared", &KernelOptions::shared}, {"expect", &KernelOptions::expect},
};
constexpr std::string_view kArgument = "arg.", kParameter = "parameter.";
} // namespace

bool set_kernel_option(RunOptions& options, std::string_view name, std::string_view value) {
    for (const auto& [known, member] : kNamed) {
        if (name == known) {
            options.kernel.*member = value;
            if (known == "block") {
                options.block.reset();
            }
            return true;
        }
    }
    if (name.starts_with(kArgument) && name != kArgument) {
        options.kernel.arguments.insert_or_assign(std::string(name.substr(kArgument.size())), std::string(value));
        return true;
    }
    if (name.starts_with(kParameter) && name != kParameter) {
        const auto count = parse_count(value);
        if (!count || *count > ~0U) {
            throw OptionError(fmt::format("{}={} is not usable; take a number", printable(name), printable(value)));
        }
        options.parameters.insert_or_assign(std::string(name.substr(kParameter.size())),
                                            static_cast<std::uint32_t>(*count));
        return true;
    }
    return false;
}

std::vector<std::pair<std::string, std::string>> asked_kernel_options(const RunOptions& options) {
    std::vector<std::pair<std::string, std::string>> all;
    for (const auto& [name, member] : kNamed) {
        if (const std::string& value = options.kernel.*member; !value.empty()) {
            all.emplace_back(name, value);
        } else if (name == "block" && options.block) {
            all.emplace_back(name, std::to_string(*options.block));
        }
    }
    for (const auto& [name, value] : options.kernel.arguments) {
        all.emplace_back(std::string(kArgument) + name, value);
    }
    for (const auto& [name, value] : options.parameters) {
        all.emplace_back(std::string(kParameter) + name, std::to_string(value));
    }
    return all;
}

std::string kernel_option_names() {
    std::string names;
    for (const auto& [name, member] : kNamed) {
        names += (names.empty() ? "" : ", ") + std::string(name);
    }
    return fmt::format("{}, {}NAME and {}NAME", names, kArgument, kParameter);
}

} // namespace warptree::session
