// Confines this process, for good, before it handles a byte of a foreign file.
#pragma once

#include "app/base/error.hpp"
#include "app/confine/policy.hpp"

#include <string>
#include <vector>

namespace warptree::confine {

struct ConfineError : Error {
    using Error::Error;
};

// What the system gave.
struct Achieved {
    bool filter = false;              // only the system calls of the list
    int landlock = 0;                 // version of its interface; 0: none, files are kept from it by the filter alone
    bool no_network = false;          // neither a socket nor a connection can be made
    bool own_network = false;         // a network namespace of its own, with nothing in it
    bool counts_threads = false;      // Limits::threads holds
    bool limits = false;              // hard limits on time, memory, descriptors, file sizes, core dumps
    std::vector<std::string> missing; // a sentence for each thing that the system did not give, with its reason

    // Whether foreign machine code may run: it is filtered, and can reach no file but those given.
    bool holds_programs() const { return filter && no_network && limits; }
};

// Applies the policy to this process, which has one thread so far. Ends it at once if its parent is already gone.
// Throws ConfineError if there are more threads, which some of this would not reach. What the system does not give is
// in the result, and it is for the caller not to go on.
Achieved confine(const Policy& policy);

// What a process has here that is confined by the policy: a child tries. Throws ConfineError if there can be no child.
Achieved tried(const Policy& policy);

} // namespace warptree::confine
