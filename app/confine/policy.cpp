#include "app/confine/policy.hpp"

namespace warptree::confine {

Policy compiler_policy() {
    Policy policy;
    policy.name = "the compiler";
    policy.limits.descriptors = 64;
    policy.trusted_with_files = true;
    return policy;
}

Policy submission_policy() {
    Policy policy;
    policy.name = "a submission";
    policy.limits.descriptors = 256;
    policy.trusted_with_files = true;
    return policy;
}

Policy program_policy() {
    Policy policy;
    policy.name = "a program";
    policy.limits = {60, 8ULL << 30, 64, 256};
    policy.refusal = Refusal::signal;
    return policy;
}

} // namespace warptree::confine
