// The code that compilers generate for a kernel: PTX and SASS, each line with the source lines that it came from.
#include "app/base/error.hpp"
#include "app/base/whole_file.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/exit_code.hpp"
#include "app/cli/output.hpp"
#include "app/cli/trace_options.hpp"
#include "app/document/recordings.hpp"
#include "app/measure/gpu/code_listing.hpp"
#include "app/run/kernel_path.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace warptree::commands {

namespace {
struct CodeWords {
    std::string id, architecture, out;
    bool recorded = false;
};

// "last_block.cuh:20 < 93" for line 20 of an included file, called from line 93 of the kernel's own.
std::string places_text(const code::Listing& listing, const code::Line& line) {
    std::string text;
    for (const code::Place& place : line.places) {
        const std::string& file = listing.files[place.file];
        const std::string short_name = file.substr(file.rfind('/') + 1);
        const bool own = &place == &line.places.back();
        text += fmt::format("{}{}{}", text.empty() ? "" : " < ", own ? "" : short_name + ":", place.line);
    }
    return text;
}

std::string listing_text(code::Language language, const code::Disassembly& code) {
    const code::Listing& listing = code.of(language);
    const std::string_view called = code::name(language);
    if (listing.empty()) {
        const std::string& why = language == code::Language::ptx ? code.ptx_missing : code.sass_missing;
        return fmt::format("{}: {}\n", called, why);
    }
    std::string text =
        fmt::format("{} of {} for {}, by {}\n\n", called, code.kernel, code.architecture, listing.compiler);
    for (const code::Line& line : listing.lines) {
        text += fmt::format("{:>32}  {}\n", places_text(listing, line), line.text);
    }
    return text;
}

int show_code(const CodeWords& words, const TraceOptions& options) {
    const std::string own = own_kernel(words.id), id = own.empty() ? words.id : own;
    const bool is_file = runs::is_kernel_path(id);
    if (is_file && !words.out.empty()) {
        throw OptionError("--record is for the strategies that ship; leave it out for a file");
    }
    const RunOptions o = is_file ? options.parse_file(id) : resolve(options.parse(id));
    const std::string architecture = words.architecture.empty() ? runs::listed_architecture() : words.architecture;
    const code::Recording* recorded = is_file || !words.out.empty() ? nullptr : session::recorded_code(o.strategy);
    if (words.recorded && recorded == nullptr) {
        throw OptionError(fmt::format("no code of {} ships with this program", printable(words.id)));
    }
    code::Disassembly code = words.recorded ? recorded->code : runs::disassemble(o, architecture, recorded);
    if (!words.out.empty()) {
        if (code.ptx.empty() || code.sass.empty()) {
            throw OptionError("a recording has PTX and SASS; " +
                              (code.ptx.empty() ? code.ptx_missing : code.sass_missing));
        }
        code.what = fmt::format("{}, B = {}", name(o.type), *o.block);
        write_whole(words.out, code::to_json({o.strategy, o.type, code}));
        return kDone;
    }
    print(listing_text(code::Language::ptx, code) + "\n" + listing_text(code::Language::sass, code));
    return kDone;
}
} // namespace

void add_code(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("code", "PTX and SASS of a kernel, with the lines of its source");
    auto words = std::make_shared<CodeWords>();
    command->add_option("id", words->id, "A strategy, or a file of CUDA")->required();
    command->add_option("--arch", words->architecture, "sm_75 or later (default: this machine's GPU, else sm_90)");
    command->add_flag("--recorded", words->recorded, "Show the recording that ships, whatever compilers are installed");
    command->add_option("--record", words->out, "Write a strategy's listings to FILE, in the format of assets/code");
    auto options = TraceOptions::add_to(*command);
    command->callback([&action, words, options] { action = [words, options] { return show_code(*words, *options); }; });
}

} // namespace warptree::commands
