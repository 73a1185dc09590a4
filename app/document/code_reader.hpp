// Compiles a kernel to PTX and SASS for display, on a background thread.
#pragma once

#include "app/base/options.hpp"
#include "app/measure/code/listing.hpp"
#include "app/trace/model/trace.hpp"

#include <functional>
#include <future>
#include <memory>
#include <string>

namespace warptree::session {

class CodeReader {
  public:
    // `wake` is called from another thread when there is a result.
    explicit CodeReader(std::function<void()> wake) : wake_(std::move(wake)) {}
    // The code of this trace's kernel, of a program's that of this name; null: still compiling, or `problem` says why there is
    // none.
    const code::Disassembly* of(const std::shared_ptr<const Trace>& trace, const std::string& kernel);
    const std::string& problem() const { return outcome_.problem; } // one line; empty: none
    bool busy() const { return running_.valid(); }

  private:
    struct Outcome {
        std::unique_ptr<code::Disassembly> code;
        std::string problem;
    };
    static Outcome made_for(const Trace& trace, const std::string& kernel);

    std::function<void()> wake_;
    struct Asked {
        std::shared_ptr<const Trace> trace;
        std::string kernel;
        bool operator==(const Asked& other) const { return trace == other.trace && kernel == other.kernel; }
    };
    Asked asked_, shown_; // asked_: last requested; shown_: that of the outcome
    Outcome outcome_;
    std::future<Outcome> running_;
};

} // namespace warptree::session
