// Compiles a kernel to be read, away from the thread that draws.
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
    // `wake` is called from another thread when there is something new.
    explicit CodeReader(std::function<void()> wake) : wake_(std::move(wake)) {}
    // What was compiled for the kernel of this trace; null: it is being compiled, or `problem` says why not.
    const code::Disassembly* of(const std::shared_ptr<const Trace>& trace);
    const std::string& problem() const { return outcome_.problem; } // one line; empty: none
    bool busy() const { return running_.valid(); }

  private:
    struct Outcome {
        std::unique_ptr<code::Disassembly> code;
        std::string problem;
    };
    static Outcome made_for(const Trace& trace);

    std::function<void()> wake_;
    std::shared_ptr<const Trace> asked_, shown_; // what runs, or ran, is for the first; the outcome for the second
    Outcome outcome_;
    std::future<Outcome> running_;
};

} // namespace warptree::session
