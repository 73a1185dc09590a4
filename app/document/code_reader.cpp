#include "app/document/code_reader.hpp"

#include "app/base/background.hpp"
#include "app/base/error.hpp"
#include "app/document/recordings.hpp"
#include "app/measure/gpu/code_listing.hpp"
#include "app/run/run.hpp"

#include <chrono>

namespace warptree::session {

CodeReader::Outcome CodeReader::made_for(const Trace& trace, const std::string& kernel) {
    Outcome outcome;
    if (trace.sources.empty()) {
        outcome.problem = "This trace does not hold the text of its kernel.";
        return outcome;
    }
    const std::string& text = trace.sources.front().text;
    try {
        RunOptions o = trace.options;
        const bool file = runs::is_kernel_file(o);
        if (file) {
            o.kernel.text = text; // the text that ran, not what the file now holds
            o.kernel.kernel = kernel.empty() ? o.kernel.kernel : kernel;
        }
        auto code = runs::disassemble(o, runs::listed_architecture(), file ? nullptr : recorded_code(o.strategy));
        if (code.source != code::source_key(text)) {
            outcome.problem = "The traced text differs from this program's, which has no code for it.";
            return outcome;
        }
        outcome.code = std::make_unique<code::Disassembly>(std::move(code));
    } catch (const Error& e) {
        outcome.problem = e.what();
    }
    return outcome;
}

const code::Disassembly* CodeReader::of(const std::shared_ptr<const Trace>& trace, const std::string& kernel) {
    if (running_.valid() && running_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
        outcome_ = running_.get();
        shown_ = asked_;
    }
    const Asked wanted{trace, kernel};
    if (trace && !(asked_ == wanted) && !running_.valid()) {
        asked_ = wanted;
        running_ = in_background([wanted, wake = wake_] {
            Outcome outcome = made_for(*wanted.trace, wanted.kernel);
            wake();
            return outcome;
        });
    }
    return shown_ == wanted ? outcome_.code.get() : nullptr;
}

} // namespace warptree::session
