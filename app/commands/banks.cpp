#include "app/commands/commands.hpp"
#include "app/commands/exit_code.hpp"
#include "app/commands/output.hpp"
#include "kernels/banks/request_text.hpp"

#include <CLI/CLI.hpp>

namespace warptree::commands {

void add_banks(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("banks", "Wavefronts and bank map of one shared-memory request");
    auto words = std::make_shared<banks::RequestText>();
    auto json = std::make_shared<bool>(false);
    command->add_option("--index", words->index, "Element index in t, lane, warp and s, as in '2*s*t'");
    command->add_option("--lanes", words->lanes, "Element indices, one a lane: i0,i1,...");
    command->add_option("--bytes", words->bytes, "Of an element: 4, 8 or 16")->capture_default_str();
    command->add_option("--mask", words->mask, "Active lanes, hexadecimal (default: all)");
    command->add_flag("--store", words->store, "A store, not a load");
    command->add_option("--stride", words->stride, "The value of s")->capture_default_str();
    command->add_option("--warp", words->warp, "The value of warp; t is 32 * warp + lane")->capture_default_str();
    command->add_option("--banks", words->banks, "32, or 16 as on cc 1.x")->capture_default_str();
    command->add_flag("--json", *json, "As JSON");
    command->callback([&action, words, json] {
        action = [words, json] {
            const banks::BankReport report = banks::analyze(banks::parse(*words));
            print(*json ? bank_json(report) : bank_text(report));
            return kDone;
        };
    });
}

} // namespace warptree::commands
