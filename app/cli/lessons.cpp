#include "app/base/error.hpp"
#include "app/base/options.hpp"
#include "app/base/printable.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/exit_code.hpp"
#include "app/cli/option_values.hpp"
#include "app/cli/output.hpp"
#include "app/cli/picture_options.hpp"
#include "app/features/lessons/lesson_check.hpp"
#include "app/features/lessons/lesson_run.hpp"
#include "app/features/lessons/lesson_sheet.hpp"
#include "app/render/cairo/cairo_picture.hpp"
#include "app/run/run.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <sstream>

namespace warptree::commands {

namespace {
using session::Lesson;

struct LessonWords {
    std::string id, n, block, stage, out;
    PictureOptions picture;
    std::vector<std::string> check;
    bool facts = false, answers = false;
};

std::string wrapped(const std::string& text, const std::string& first, const std::string& next) {
    constexpr std::size_t kWidth = 96;
    std::istringstream words{text};
    std::string out, line = first, word;
    bool empty = true;
    while (words >> word) {
        if (!empty && line.size() + word.size() + 1 > kWidth) {
            out += line + "\n";
            line = next;
            empty = true;
        }
        line += (empty ? "" : " ") + word;
        empty = false;
    }
    return out + line + "\n";
}

std::string listed(const std::vector<Lesson>& all) {
    std::string out;
    for (const Lesson& lesson : all) {
        out += fmt::format("{:<14} {:<46} {} questions\n", lesson.id, lesson.title, lesson.questions());
    }
    return out;
}

std::string facts() {
    std::string out;
    for (const session::LessonFact& fact : session::lesson_facts()) {
        if (!fact.name.starts_with("total_") && !fact.name.starts_with("all_")) {
            const std::string call = fact.arguments.empty() ? fact.name : fact.name + "(" + fact.arguments + ")";
            out += fmt::format("{:<44} {}\n", call, fact.help);
        }
    }
    return out +
           "\nFor every counter of `warptree report` there is also total_NAME([LAUNCH]), over all steps of a launch, "
           "and\nall_NAME, over all launches. An argument in brackets may be left out: it is the shown step or "
           "launch then.\n";
}

session::LessonTraces traces_of(const Lesson& lesson, std::uint64_t n, std::uint32_t block) {
    if (const auto why = session::refusal(lesson, n, block)) {
        throw OptionError(fmt::format("the lesson {} cannot be taken with n = {} and a block of {}: it needs {}",
                                      lesson.id, n, block, *why));
    }
    session::LessonTraces traces;
    for (const session::LessonTrace& trace : lesson.traces) {
        traces[trace.name] = std::make_shared<const Trace>(runs::run_any(session::options_at(trace, n, block)));
    }
    return traces;
}

std::string told(const Lesson& lesson, std::uint64_t n, std::uint32_t block, bool answers) {
    const session::LessonTraces traces = traces_of(lesson, n, block);
    std::string out = fmt::format("{}\n{}\nn = {}, block = {}\n", lesson.title, lesson.about, n, block);
    int question = 0;
    for (const session::LessonStage& stage : lesson.stages) {
        const session::LessonTeller teller(stage, traces);
        if (!teller.takes_part()) {
            continue;
        }
        out += "\n" + stage.heading + "\n";
        for (const std::string& paragraph : teller.paragraphs()) {
            out += wrapped(paragraph, "  ", "  ");
        }
        if (stage.kind == session::QuestionKind::none) {
            continue;
        }
        out += wrapped(teller.ask(), fmt::format("  {}. ", ++question), "     ");
        for (const std::string& option : teller.options()) {
            out += wrapped(option, "     - ", "       ");
        }
        if (answers) {
            out += wrapped(teller.answer_text(), "     = ", "       ");
            for (const std::string& why : teller.why()) {
                out += wrapped(why, "       ", "       ");
            }
        }
    }
    return out;
}

template <class T> T size(const char* option, const std::string& text, T fallback, std::uint64_t most) {
    if (text.empty()) {
        return fallback;
    }
    return static_cast<T>(count_of(option, text, 1, most));
}

// One stage as a picture.
void draw(const Lesson& lesson, std::uint64_t n, std::uint32_t block, const LessonWords& words) {
    const auto stage = size("--stage", words.stage, std::size_t{1}, lesson.stages.size());
    const Picture picture = words.picture.parse(words.out);
    const session::LessonTraces traces = traces_of(lesson, n, block);
    render::write_drawing(
        [&](const scene::TextMeasure& measure) {
            const topics::FigureContext context{&scene::theme(picture.theme), &measure, picture.scale};
            return topics::compose_lesson(context, static_cast<float>(picture.width),
                                          static_cast<float>(picture.height),
                                          {&lesson, stage - 1, &traces, words.answers});
        },
        {picture.width, picture.height, words.out, lesson.title});
}

int work(const LessonWords& words) {
    if (words.facts) {
        print(facts());
        return kDone;
    }
    if (!words.check.empty()) {
        std::string out;
        for (const std::string& file : words.check) {
            const Lesson lesson = session::load_lesson(file);
            const auto n = size("-n", words.n, lesson.n, 1U << 20);
            const auto block = size("--block", words.block, lesson.block, 1024);
            session::check_lesson(lesson, file, n, block);
            out += fmt::format("{}: {} stages, {} questions, each with an answer at n = {}, block = {}\n", file,
                               lesson.stages.size(), lesson.questions(), n, block);
        }
        print(out);
        return kDone;
    }
    const std::vector<Lesson> all = session::load_lessons();
    if (words.id.empty()) {
        print(listed(all));
        return kDone;
    }
    for (const Lesson& lesson : all) {
        if (lesson.id != words.id) {
            continue;
        }
        const auto n = size("-n", words.n, lesson.n, 1U << 20);
        const auto block = size("--block", words.block, lesson.block, 1024);
        if (!words.out.empty()) {
            draw(lesson, n, block, words);
        } else if (!words.stage.empty()) {
            throw OptionError("--stage chooses what is drawn; say where to with -o OUT.png, .svg or .pdf");
        } else {
            print(told(lesson, n, block, words.answers));
        }
        return kDone;
    }
    throw OptionError(fmt::format("no lesson '{}'; 'warptree lessons' lists them", printable(words.id)));
}
} // namespace

void add_lessons(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("lessons", "List the lessons, print one, or check lesson files");
    auto words = std::make_shared<LessonWords>();
    command->add_option("id", words->id, "The lesson to print");
    command->add_flag("--answers", words->answers, "With the answers, from the traces, and why");
    command->add_option("-n", words->n, "Elements (default: the lesson's)");
    command->add_option("--block", words->block, "Threads per block (default: the lesson's)");
    command->add_option("--stage", words->stage, "With -o: which stage, from 1");
    command->add_option("-o", words->out, "OUT.png, OUT.svg or OUT.pdf: a stage on one sheet, for a handout");
    words->picture.add_to(*command);
    command->add_option("--check", words->check, "Lesson files to check: each is read and worked through to its end");
    command->add_flag("--facts", words->facts, "What the expressions of a lesson can ask about a trace");
    command->callback([&action, words] { action = [words] { return work(*words); }; });
}

} // namespace warptree::commands
