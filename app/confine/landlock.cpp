#include "app/confine/landlock.hpp"

#include <cstdint>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Older headers have less than newer kernels: what is used of <linux/landlock.h> is declared here.
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

namespace warptree::confine {
namespace {

struct RulesetAttributes {
    std::uint64_t files = 0, network = 0, scopes = 0;
};
struct [[gnu::packed]] PathRule {
    std::uint64_t allowed = 0;
    std::int32_t path = -1;
};
constexpr int kPathBeneath = 1, kVersionFlag = 1;
constexpr std::uint64_t kReadFile = 1 << 2, kReadFolder = 1 << 3;
constexpr std::uint64_t kTcp = 0b11, kScopes = 0b11; // bind, connect; abstract sockets, signals

// Every right over files that this version knows: 13 in the first one, then refer, truncate, device ioctls.
std::uint64_t every_right(int version) {
    const int rights = version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : 13;
    return (std::uint64_t{1} << rights) - 1;
}

std::size_t known_size(int version) {
    return version >= 6 ? sizeof(RulesetAttributes) : version >= 4 ? 2 * sizeof(std::uint64_t) : sizeof(std::uint64_t);
}

void allow(int rules, const std::string& path) {
    PathRule rule;
    rule.path = open(path.c_str(), O_PATH | O_CLOEXEC);
    struct stat facts {};
    if (rule.path < 0) return; // it is not there, so nobody reads it
    if (fstat(rule.path, &facts) == 0) {
        rule.allowed = S_ISDIR(facts.st_mode) ? kReadFile | kReadFolder : kReadFile;
        syscall(SYS_landlock_add_rule, rules, kPathBeneath, &rule, 0);
    }
    close(rule.path);
}

} // namespace

int landlock_version() {
    const long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, kVersionFlag);
    return version > 0 ? static_cast<int>(version) : 0;
}

int keep_to(const std::vector<std::string>& readable) {
    const int version = landlock_version();
    if (version == 0) return 0;
    const RulesetAttributes attributes{every_right(version), version >= 4 ? kTcp : 0, version >= 6 ? kScopes : 0};
    const int rules = static_cast<int>(syscall(SYS_landlock_create_ruleset, &attributes, known_size(version), 0));
    if (rules < 0) return 0;
    for (const std::string& path : readable) allow(rules, path);
    const bool done = syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return done ? version : 0;
}

} // namespace warptree::confine
