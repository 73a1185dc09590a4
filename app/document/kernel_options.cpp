#include "app/document/kernel_options.hpp"

namespace warptree::session {

namespace {
constexpr std::pair<std::string_view, std::string KernelOptions::*> kNamed[] = {
    {"kernel", &KernelOptions::kernel}, {"grid", &KernelOptions::grid},     {"block", &KernelOptions::block},
    {"shared", &KernelOptions::shared}, {"expect", &KernelOptions::expect},
};
constexpr std::string_view kArgument = "arg.";
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
    return all;
}

std::string kernel_option_names() {
    std::string names;
    for (const auto& [name, member] : kNamed) {
        names += (names.empty() ? "" : ", ") + std::string(name);
    }
    return names + " and " + std::string(kArgument) + "NAME";
}

} // namespace warptree::session
