#include "app/measure/clocks/clocks.hpp"
#include "app/base/build_info.hpp"
#include "app/base/error.hpp"
#include "app/base/whole_file.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/exit_code.hpp"
#include "app/cli/output.hpp"
#include "app/cli/trace_options.hpp"
#include "app/document/recordings.hpp"
#include "app/gpu/driver.hpp"
#include "app/measure/counters/counters.hpp"
#include "app/measure/gpu/clocked_run.hpp"

#include <CLI/CLI.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <memory>

namespace warptree::commands {

namespace {
struct ClocksWords {
    std::string id, n, block, type = "i32", out;
    bool json = false, recorded = false;
};

RunOptions options_of(const ClocksWords& words) {
    const StrategyInfo& info = require_strategy(printable(words.id));
    // For a matrix product, n is the number of rows and columns of each matrix.
    const auto n = words.n.empty() ? std::optional<std::uint64_t>(info.answer == Answer::matrix ? 512 : 1U << 19)
                                   : parse_count(words.n);
    const auto block =
        words.block.empty() ? std::optional<std::uint64_t>(info.default_block) : parse_count(words.block);
    const auto type = element_type_from(words.type);
    if (!n || *n == 0) {
        throw OptionError(fmt::format("-n '{}' is not usable; take 1 or more, as in 1000 or 2^10", printable(words.n)));
    }
    if (!block || *block == 0 || *block > 1024) {
        throw OptionError(fmt::format("--block '{}' is not usable; take 1 to 1024", printable(words.block)));
    }
    if (!type) {
        throw OptionError(
            fmt::format("--type '{}' is not usable; take i32, u32, i64, f32 or f64", printable(words.type)));
    }
    return resolve(counters::options_of(words.id, *n, static_cast<std::uint32_t>(*block), *type));
}

clocks::Recording measure(const RunOptions& o) {
    if (!gpu::usable()) {
        throw MissingDevice("reading clocks inside a kernel needs a GPU: " + gpu::why_not() +
                            "; 'warptree clocks ID --recorded' shows what was recorded");
    }
    clocks::Recording r = runs::measure_clocks(of_its_file(o));
    r.strategy = o.strategy;
    r.commit = build_info().commit;
    r.date = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
    return r;
}

const clocks::Recording& recorded(const RunOptions& o) {
    const clocks::Recording* r = session::nearest_clocks(o.strategy, *o.block, o.type);
    if (r == nullptr) {
        throw OptionError(fmt::format("no clock readings of {} ship with this program; 'warptree clocks {}' records "
                                      "them on a GPU",
                                      o.strategy, o.strategy));
    }
    return *r;
}

int show_clocks(const ClocksWords& words) {
    const RunOptions o = options_of(words);
    const clocks::Recording r = words.recorded ? recorded(o) : measure(o);
    if (!words.out.empty()) {
        write_whole(words.out, clocks::to_json(r));
    }
    print(words.json ? clocks::to_json(r) : clocks::to_text(r));
    return kDone;
}
} // namespace

void add_clocks(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand(
        "clocks", "Cycles of each step inside the real kernel, and which multiprocessor ran each block when");
    auto words = std::make_shared<ClocksWords>();
    command->add_option("id", words->id, "A strategy")->required();
    command->add_option("-n", words->n, "Elements: 1000, 2^20, 4M (default 2^19; matrices: edge, default 512)");
    command->add_option("--block", words->block, "Threads per block (default: the strategy's)");
    command->add_option("--type", words->type, "i32, u32, i64, f32 or f64")->capture_default_str();
    command->add_flag("--recorded", words->recorded, "Measure nothing: show the nearest recording that ships");
    command->add_option("-o", words->out, "Write the readings to FILE.json");
    command->add_flag("--json", words->json, "As JSON");
    command->callback([&action, words] { action = [words] { return show_clocks(*words); }; });
}

} // namespace warptree::commands
