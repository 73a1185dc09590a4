// Runs kernels that are given as text.
#pragma once

#include "app/base/error.hpp"
#include "app/base/options.hpp"
#include "app/run/kernel_run.hpp"
#include "app/trace/model/trace.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace warptree::tests {

// One block of 32 threads on the elements 0 to 31, unless `change` says otherwise.
inline Trace run_text(const std::string& text, const std::function<void(RunOptions&)>& change = {}) {
    RunOptions o;
    o.kernel.text = text;
    o.kernel.n_given = true;
    o.n = 32;
    o.block = 32;
    o.kernel.grid = "1";
    ask_for_input(o, InputKind::iota);
    if (change) {
        change(o);
    }
    RunControl control;
    return runs::run_kernel_file(o, control);
}

// The program chooses all options.
inline Trace chosen(const std::string& text, const std::function<void(RunOptions&)>& change = {}) {
    RunOptions o;
    o.kernel.text = text;
    if (change) {
        change(o);
    }
    RunControl control;
    return runs::run_kernel_file(o, control);
}

// Why a launch is refused where the program chooses what is not said; "taken" if it is not.
inline std::string why_refused(const std::string& text, const std::function<void(RunOptions&)>& change = {}) {
    try {
        chosen(text, change);
    } catch (const Error& e) {
        return e.what();
    }
    return "taken";
}

// An array that the kernel stored to, as values of T.
template <class T> std::vector<T> values(const Trace& trace, const std::string& name) {
    for (const KernelOutput& out : trace.outputs) {
        if (out.name != name) {
            continue;
        }
        std::vector<T> result;
        for (const std::uint64_t bits : out.values) {
            T value;
            std::memcpy(&value, &bits, sizeof value);
            result.push_back(value);
        }
        return result;
    }
    throw std::runtime_error("the kernel has no output " + name);
}

inline std::set<FindingKind> kinds(const Trace& trace) {
    std::set<FindingKind> result;
    for (const Launch& l : trace.launches) {
        for (const Finding& f : l.findings) {
            result.insert(f.kind);
        }
    }
    return result;
}

inline const Finding* first_of(const Trace& trace, FindingKind kind) {
    for (const Finding& f : trace.launches.front().findings) {
        if (f.kind == kind) {
            return &f;
        }
    }
    return nullptr;
}

// Requests of a kind, in the order of the trace.
inline std::vector<Request> requests(const Trace& trace, AccessKind kind) {
    std::vector<Request> result;
    std::copy_if(trace.launches.front().requests.begin(), trace.launches.front().requests.end(),
                 std::back_inserter(result), [&](const Request& r) { return r.kind == kind; });
    return result;
}

} // namespace warptree::tests
