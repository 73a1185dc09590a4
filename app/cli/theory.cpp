#include "app/features/theory/topic.hpp"

#include "app/base/error.hpp"
#include "app/base/json_text.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/exit_code.hpp"
#include "app/cli/interrupt.hpp"
#include "app/cli/output.hpp"
#include "app/cli/picture_options.hpp"
#include "app/cli/progress.hpp"
#include "app/cli/trace_options.hpp"
#include "app/render/cairo/cairo_picture.hpp"
#include "app/run/judge/rounding.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace warptree::commands {

namespace {
using topics::Field;

struct TheoryWords {
    std::string topic, block, out;
    std::map<Field, std::string> fields;
    PictureOptions picture;
    bool json = false, csv = false, markdown = false, orders = false;
};

// "256" or "16x16"
void take_block(topics::Choices& choices, const std::string& text) {
    const auto x = text.find('x');
    choices.block = {1, 1, 1};
    topics::set(choices, Field::block_x, text.substr(0, x));
    if (x != std::string::npos) {
        topics::set(choices, Field::block_y, text.substr(x + 1));
    }
}

// The field of the topic that an option sets: one option has several where topics take different values. Throws for one that
// the topic does not use, rather than ignore it.
Field followed(const topics::Topic& topic, Field field, const char* option) {
    const Field narrower = field == Field::any_type   ? Field::float_type
                           : field == Field::recorded ? Field::summed
                                                      : field;
    for (const Field own : topic.fields()) {
        if (own == field || own == narrower) {
            return own;
        }
    }
    throw OptionError(fmt::format("{} does not apply to {}; leave it out", option, topic.id()));
}

const char* option_of(Field field) {
    switch (field) {
    case Field::elements: return "-n";
    case Field::processors: return "--processors";
    case Field::device: return "--device";
    case Field::registers: return "--registers";
    case Field::shared: return "--shared";
    case Field::tile: return "--tile";
    case Field::any_type: return "--type";
    case Field::input: return "--input";
    case Field::seed: return "--seed";
    case Field::recorded:
    case Field::summed: return "--kernel";
    default: return "--block";
    }
}

std::string list_topics() {
    std::string out;
    for (const auto& topic : topics::topics()) {
        out += fmt::format("{:<12} {}\n", topic->id(), topic->title());
    }
    return out;
}

int theory_command(const TheoryWords& words) {
    if (words.topic.empty()) {
        print(list_topics());
        return kDone;
    }
    if (words.orders && words.topic != "error") {
        throw OptionError("--orders applies to error; leave it out");
    }
    const topics::Topic& topic = topics::require_topic(words.orders ? "orders" : printable(words.topic));
    topics::Subject subject;
    if (!words.block.empty()) {
        followed(topic, Field::block_x, "--block");
        take_block(subject, words.block);
    }
    for (const auto& [field, text] : words.fields) {
        if (text.empty()) {
            continue;
        }
        topics::set(subject, followed(topic, field, option_of(field)), printable(text));
    }
    if (words.json + words.csv + words.markdown + !words.out.empty() > 1) {
        throw OptionError("--json, --csv, --markdown and -o exclude one another; take one of them");
    }
    if (const auto needed = topic.runs(subject)) {
        RunControl control;
        const Interrupt interrupt(control);
        Progress progress(needed->orders == 0 ? "running every strategy" : "running " + needed->strategy);
        control.progress = [&](double fraction) { progress.show(fraction); };
        subject.rounding = std::make_shared<const runs::RoundingTable>(runs::rounding(*needed, control));
    }
    if (!words.out.empty()) {
        const Picture picture = words.picture.parse(words.out);
        render::write_drawing(
            [&](const scene::TextMeasure& measure) {
                const topics::FigureContext context{&scene::theme(picture.theme), &measure, picture.scale};
                return topics::compose(topic, context, static_cast<float>(picture.width),
                                       static_cast<float>(picture.height), subject);
            },
            {picture.width, picture.height, words.out, topic.title()});
        return kDone;
    }
    print(words.json ? json_text(topic.json(subject), 2) + "\n"
                     : written(topic, subject,
                               words.csv        ? TableFormat::csv
                               : words.markdown ? TableFormat::markdown
                                                : TableFormat::text));
    return kDone;
}
} // namespace

void add_theory(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("theory", "Warps, occupancy, work, memory, resources, rounding error");
    auto words = std::make_shared<TheoryWords>();
    command->add_option("topic", words->topic, "Which topic; without it they are listed");
    const auto field = [&](Field f, const char* help) { command->add_option(option_of(f), words->fields[f], help); };
    field(Field::elements, "Elements, also 2^20 or 4M");
    command->add_option("--block", words->block, "Threads per block: 256, or 16x16");
    field(Field::processors, "Processors P");
    field(Field::device, "A generation, as in fermi or hopper");
    field(Field::registers, "Registers per thread");
    field(Field::shared, "Bytes of shared memory per block");
    field(Field::tile, "Width of a tile of a matrix product; 1: none");
    field(Field::any_type, "Element type");
    field(Field::input, "ones, iota, random or alternating");
    field(Field::seed, "Of the random input");
    field(Field::recorded, "A strategy: with recorded clock readings, or that sums");
    command->add_flag("--orders", words->orders, "Of error: one kernel in a thousand orders, as the topic orders");
    command->add_flag("--json", words->json, "As JSON");
    command->add_flag("--csv", words->csv, "The table as CSV, with exact numbers");
    command->add_flag("--markdown", words->markdown, "As Markdown");
    command->add_option("-o", words->out, "OUT.png, OUT.svg or OUT.pdf: the figure as a picture");
    words->picture.add_to(*command);
    command->callback([&action, words] { action = [words] { return theory_command(*words); }; });
}

} // namespace warptree::commands
