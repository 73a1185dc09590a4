#include "app/base/error.hpp"
#include "app/base/options.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/exit_code.hpp"
#include "app/cli/output.hpp"
#include "app/cli/picture_options.hpp"
#include "app/render/cairo/cairo_picture.hpp"
#include "app/theory/banks/request_text.hpp"
#include "app/views/banks/request_trace.hpp"

#include <CLI/CLI.hpp>

namespace warptree::commands {

namespace {
void draw(const banks::BankRequest& request, const std::string& warp, const Picture& picture, const std::string& out) {
    const Trace trace = scene::trace_of(request, static_cast<unsigned>(parse_count(warp).value_or(0)));
    render::write_drawing(
        [&](const scene::TextMeasure& measure) {
            return scene::compose_request(trace, scene::theme(picture.theme), measure, picture.scale,
                                          static_cast<float>(picture.width), static_cast<float>(picture.height));
        },
        {picture.width, picture.height, out, "banks"});
}
} // namespace

void add_banks(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("banks", "Wavefronts and bank map of one shared-memory request");
    auto words = std::make_shared<banks::RequestText>();
    struct Ways {
        bool json = false, csv = false, markdown = false;
        std::string out;
        PictureOptions picture;
    };
    auto ways = std::make_shared<Ways>();
    command->add_option("--index", words->index, "Element index in t, lane, warp and s, as in '2*s*t'");
    command->add_option("--lanes", words->lanes, "Element indices, one per lane: i0,i1,...");
    command->add_option("--bytes", words->bytes, "Bytes of an element: 4, 8 or 16")->capture_default_str();
    command->add_option("--mask", words->mask, "Active lanes, hexadecimal (default: all)");
    command->add_flag("--store", words->store, "A store, not a load");
    command->add_option("--stride", words->stride, "The value of s")->capture_default_str();
    command->add_option("--warp", words->warp, "The value of warp; t is 32 * warp + lane")->capture_default_str();
    command->add_option("--banks", words->banks, "32, or 16 as on cc 1.x")->capture_default_str();
    command->add_flag("--json", ways->json, "As JSON");
    command->add_flag("--csv", ways->csv, "The banks as CSV");
    command->add_flag("--markdown", ways->markdown, "The banks as Markdown");
    command->add_option("-o", ways->out, "OUT.png, OUT.svg or OUT.pdf: the bank view as a picture");
    ways->picture.add_to(*command);
    command->callback([&action, words, ways] {
        action = [words, ways] {
            if (ways->json + ways->csv + ways->markdown + !ways->out.empty() > 1) {
                throw OptionError("--json, --csv, --markdown and -o exclude one another; take one of them");
            }
            const banks::BankRequest request = banks::parse(*words);
            if (!ways->out.empty()) {
                draw(request, words->warp, ways->picture.parse(ways->out), ways->out);
                return kDone;
            }
            const banks::BankReport report = banks::analyze(request);
            print(ways->json       ? bank_json(report)
                  : ways->csv      ? table_text(bank_table(report), TableFormat::csv)
                  : ways->markdown ? table_text(bank_table(report), TableFormat::markdown)
                                   : bank_text(report));
            return kDone;
        };
    });
}

} // namespace warptree::commands
