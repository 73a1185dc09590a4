// The launch options of a kernel file.
#include "app/base/type_words.hpp"
#include "app/features/explore/panels/fields.hpp"
#include "app/run/array_fill.hpp"
#include "app/run/judge/expectation.hpp"
#include "app/trace/explain/report_program.hpp"
#include "app/views/summary_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace warptree::panels {

void kernel_fields(Fields& f, RunOptions& o, const Trace* trace) {
    if (trace != nullptr &&
        ((trace->kernel.empty() && !is_program(*trace)) || trace->options.kernel.file != o.kernel.file)) {
        trace = nullptr;
    }
    KernelOptions& k = o.kernel;
    const bool program = trace != nullptr && is_program(*trace);
    const std::uint32_t shown = program ? f.context().explore.playback.moment().launch : 0;
    const Launch* launch = trace == nullptr || shown >= trace->launches.size() ? nullptr : &trace->launches[shown];
    if (trace != nullptr && trace->kernels.size() > 1) {
        std::string now = !k.kernel.empty() ? k.kernel : program && launch != nullptr ? launch->kernel : trace->kernel;
        if (f.choice<std::string>("kernel", now, trace->kernels,
                                  [](const std::string& name) { return name.ends_with('<') ? name + "…>" : name; })) {
            k.kernel = now.ends_with('<') ? now.substr(0, now.size() - 1) : now;
            k.arguments.clear();
        }
    }
    const std::uint64_t n = k.n_given || trace == nullptr ? o.n : trace->options.n;
    if (program) { // it says itself how many elements there are
    } else if (std::uint64_t typed = n; f.elements(typed)) {
        o.n = std::min<std::uint64_t>(typed, kMaxElements);
        k.n_given = true;
    } else if (f.emptied()) {
        k.n_given = false;
    }
    f.text("grid", k.grid, launch == nullptr ? "" : scene::option_text(launch->grid_shape, launch->grid));
    std::string block = k.block.empty() && o.block ? std::to_string(*o.block) : k.block;
    if (f.text("block", block, launch == nullptr ? "" : scene::option_text(launch->block_shape, launch->block))) {
        k.block = block;
        o.block.reset();
    }
    const bool has_operator =
        trace != nullptr && std::any_of(trace->sources.begin(), trace->sources.end(),
                                        [](const SourceFile& s) { return s.path.ends_with("reduction.cuh"); });
    if (has_operator) {
        f.choice<ElementType>("type", o.type, kElementTypes, [](ElementType t) { return std::string(c_name(t)); });
        f.choice<Operator>("operator", o.op, kOperators, [](Operator op) { return std::string(name(op)); });
    }
    if (launch != nullptr && (launch->shared_bytes != 0 || !k.shared.empty())) {
        f.text("shared bytes", k.shared, std::to_string(launch->shared_bytes));
    }
    if (trace != nullptr) {
        for (const KernelArgument& a : program&& launch != nullptr ? launch->arguments : trace->arguments) {
            const auto asked = k.arguments.find(a.name);
            std::string value = asked == k.arguments.end() ? std::string() : asked->second;
            const std::string label = a.name + "##argument";
            const bool array = a.type.ends_with('*') && !program;
            const std::vector<std::string> usual(runs::kFills.begin(), runs::kFills.end());
            if (array ? f.text(label.c_str(), value, a.value, usual) : f.text(label.c_str(), value, a.value)) {
                if (value.empty()) {
                    k.arguments.erase(a.name);
                } else {
                    k.arguments.insert_or_assign(a.name, value);
                }
            }
        }
    }
    std::vector<std::string> expected{""};
    expected.insert(expected.end(), runs::kExpectations.begin(), runs::kExpectations.end());
    if (trace != nullptr) {
        for (const std::string& other : trace->kernels) {
            if (other != trace->kernel && !other.ends_with('<')) {
                expected.push_back("kernel " + other);
            }
        }
    }
    f.choice<std::string>("expect", k.expect, expected, [&](const std::string& e) {
        const bool said = trace != nullptr && !program && !trace->expected.empty(); // a program judges itself
        return !e.empty() ? e : said ? trace->expected + " (file)" : std::string("not said");
    });
    if (o.order == WarpOrder::random) {
        f.whole("seed", o.seed, 0);
    }
}

} // namespace warptree::panels
