#include "app/theory/kernel_resources.hpp"

#include "app/base/error.hpp"
#include "app/base/json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

namespace warptree::theory {

namespace {
using Json = nlohmann::ordered_json;

std::uint32_t count(const Json& j, const char* key) {
    const auto value = whole_number(j.at(key), std::numeric_limits<std::uint32_t>::max());
    if (!value) {
        throw FileError(std::string("\"") + key + "\" is not a count");
    }
    return static_cast<std::uint32_t>(*value);
}

KernelResources kernel_from(const Json& j) {
    KernelResources k;
    k.strategy = j.at("strategy").get<std::string>();
    const auto type = element_type_from(j.at("type").get<std::string>());
    const auto op = operator_from(j.at("op").get<std::string>());
    if (!type || !op) {
        throw FileError("a kernel of " + k.strategy + " has a type or an operator that this version does not know");
    }
    k.type = *type;
    k.op = *op;
    k.block = count(j, "block");
    k.registers = count(j, "registers");
    k.shared_bytes = count(j, "shared_bytes");
    k.local_bytes = count(j, "local_bytes");
    k.stack_bytes = count(j, "stack_bytes");
    return k;
}

// Smaller is better: the requested block size itself, then larger ones, then smaller ones.
std::uint32_t distance(std::uint32_t has, std::uint32_t wanted) {
    return has == 0 ? 0 : has >= wanted ? has - wanted : 4096 + wanted - has;
}
} // namespace

ResourceTable parse_resources(const std::string& text, const std::string& file) {
    try {
        const Json j = parse_json(text);
        if (!j.is_object() || j.value("format", "") != "warptree.kernel-resources") {
            throw FileError("not a table of kernel resources; script/kernel-resources writes one");
        }
        if (j.at("version") != 1) {
            throw FileError("written by a newer version than this program reads");
        }
        ResourceTable table{j.at("architecture").get<std::string>(), j.value("cuda", ""), {}};
        for (const Json& kernel : j.at("kernels")) {
            table.kernels.push_back(kernel_from(kernel));
        }
        return table;
    } catch (const FileError& e) {
        throw FileError(file + ": " + e.what());
    } catch (const Json::exception& e) {
        throw FileError(file + ": not a table of kernel resources: " + e.what());
    }
}

std::vector<KernelResources> select(const ResourceTable& table, ElementType type, Operator op, std::uint32_t block) {
    std::vector<KernelResources> all;
    for (const KernelResources& k : table.kernels) {
        if (k.type != type || k.op != op) {
            continue;
        }
        const auto same =
            std::find_if(all.begin(), all.end(), [&](const KernelResources& a) { return a.strategy == k.strategy; });
        if (same == all.end()) {
            all.push_back(k);
        } else if (distance(k.block, block) < distance(same->block, block)) {
            *same = k;
        }
    }
    return all;
}

} // namespace warptree::theory
