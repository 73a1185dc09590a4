#include "app/base/error.hpp"
#include "app/base/json_text.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/exit_code.hpp"
#include "app/cli/output.hpp"
#include "app/cli/trace_options.hpp"
#include "app/document/recordings.hpp"
#include "app/measure/counters/explanations.hpp"
#include "app/run/run.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>

namespace warptree::commands {

namespace {
using Json = nlohmann::ordered_json;

struct CountersWords {
    std::string id, file;
    bool json = false;
};

// The recorded rows of one strategy, or of all that still exist; predictions are computed anew.
std::vector<counters::Row> rows_of(const counters::Recording& recording, const std::string& id) {
    std::vector<counters::Row> rows;
    for (counters::Row row : recording.rows) {
        if ((!id.empty() && row.strategy != id) || find_strategy(row.strategy) == nullptr) {
            continue;
        }
        const RunOptions o = counters::options_of(row.strategy, row.n, row.block, row.type);
        if (const auto why = refusal(o)) {
            throw FileError(fmt::format("a recorded launch can no longer be traced: {}", *why));
        }
        const counters::Prediction p = counters::predict(runs::run_any(o));
        row.predicted = p.counters;
        row.predicted_lanes = p.lanes;
        rows.push_back(std::move(row));
    }
    return rows;
}

Json as_json(const counters::Recording& recording, const std::vector<counters::Row>& rows) {
    Json out{{"device", recording.device}, {"compute_capability", recording.compute_capability},
             {"driver", recording.driver}, {"toolkit", recording.toolkit},
             {"ncu", recording.ncu},       {"commit", recording.commit},
             {"date", recording.date},     {"rows", Json::array()}};
    for (const counters::Row& row : rows) {
        Json compared = Json::object();
        for (const CounterField& field : counters::compared_fields()) {
            compared[field.name] = {{"predicted", row.predicted.*field.member}, {"counted", row.counted.*field.member}};
        }
        for (const counters::Difference& d : counters::differences(row, session::explanations())) {
            compared[std::string(d.field)]["why"] = d.why;
        }
        out["rows"].push_back({{"variant", row.strategy},
                               {"n", row.n},
                               {"block", row.block},
                               {"type", name(row.type)},
                               {"grid", row.grid},
                               {"counters", std::move(compared)},
                               {"lanes",
                                {{"trace", row.predicted_lanes},
                                 {"on_the_path", row.active_lanes},
                                 {"predicated_on", row.predicated_on_lanes}}},
                               {"divergent_branches", row.divergent_branches},
                               {"compiled", counters::how_compiled(row)}});
    }
    return out;
}

std::string summary_line(const counters::Row& row, std::size_t different, std::size_t unexplained) {
    return fmt::format("{:<22}{:>5} {:<5}{:<46}{}\n", row.strategy, row.block, name(row.type), counters::headline(row),
                       different == 0     ? std::string("all equal")
                       : unexplained == 0 ? fmt::format("{} differ, explained", different)
                                          : fmt::format("{} differ, {} NOT EXPLAINED", different, unexplained));
}

std::string details(const counters::Row& row) {
    std::string out =
        fmt::format("{}: n = {}, B = {}, {}, {} blocks\n", row.strategy, row.n, row.block, name(row.type), row.grid);
    const auto differences = counters::differences(row, session::explanations());
    for (const CounterField& field : counters::compared_fields()) {
        std::string label = field.name;
        for (char& c : label) {
            c = c == '_' ? ' ' : c;
        }
        const std::uint64_t predicted = row.predicted.*field.member, counted = row.counted.*field.member;
        if (predicted + counted == 0) {
            continue;
        }
        out += fmt::format("  {:<24} predicted {}, counted {}", label, predicted, counted);
        if (row.grid > 1 && predicted == counted && predicted % row.grid == 0) {
            out += fmt::format(" ({} a block)", predicted / row.grid);
        }
        out += "\n";
        for (const counters::Difference& d : differences) {
            if (d.field == field.name) {
                out += "    " +
                       (!d.why.empty()     ? d.why
                        : d.denied.empty() ? std::string("NOT EXPLAINED")
                                           : "NOT EXPLAINED: an explanation gives " + d.denied) +
                       "\n";
            }
        }
    }
    out +=
        fmt::format("  {:<24} {:.1f} of a combining warp in the trace, {:.1f} on the path and {:.1f} predicated on of "
                    "an issued instruction\n",
                    "lanes", row.predicted_lanes, row.active_lanes, row.predicated_on_lanes);
    out += fmt::format("  {:<24} {}\n", "the compiler", counters::how_compiled(row));
    if (row.code) {
        out += fmt::format("  {:<24} {} instructions: {} conditional branches, {} predicated, {} shared loads, {} "
                           "shared stores\n",
                           "machine code", row.code->instructions, row.code->branches, row.code->predicated,
                           row.code->shared_loads, row.code->shared_stores);
    }
    return out;
}

int show_counters(const CountersWords& words) {
    if (!words.id.empty()) {
        require_strategy(printable(words.id));
    }
    std::vector<counters::Recording> read;
    if (!words.file.empty()) {
        read.push_back(counters::load_recording(words.file));
    }
    const auto& recordings = words.file.empty() ? session::recorded_counters() : read;
    Json json = Json::array();
    std::string text;
    std::size_t shown = 0, all_unexplained = 0;
    for (const counters::Recording& r : recordings) {
        const auto rows = rows_of(r, words.id);
        shown += rows.size();
        text += fmt::format("{}, cc {}, driver {}, CUDA {}, Nsight Compute {}; recorded {} at {}\n"
                            "Sums over one launch of the real kernel, predicted by a trace and counted by the GPU.\n\n",
                            r.device, r.compute_capability, r.driver, r.toolkit, r.ncu, r.date, r.commit);
        for (const counters::Row& row : rows) {
            const auto different = counters::differences(row, session::explanations());
            const auto unexplained = static_cast<std::size_t>(
                std::count_if(different.begin(), different.end(), [](const auto& d) { return d.why.empty(); }));
            all_unexplained += unexplained;
            text += words.id.empty() ? summary_line(row, different.size(), unexplained) : details(row) + "\n";
        }
        json.push_back(as_json(r, rows));
    }
    if (shown == 0) {
        throw OptionError(words.id.empty() ? "no counters were recorded; script/counters records them on a GPU"
                                           : fmt::format("no counters of {} were recorded; 'warptree counters' lists "
                                                         "those that were, script/counters records on a GPU",
                                                         words.id));
    }
    print(words.json ? json_text(json, 2) + "\n" : text);
    return all_unexplained == 0 ? kDone : kWrong;
}
} // namespace

void add_counters(CLI::App& app, Action& action) {
    CLI::App* command =
        app.add_subcommand("counters", "Compare what traces predict with a GPU's own counters of the real kernels");
    auto words = std::make_shared<CountersWords>();
    command->add_option("id", words->id, "A strategy, in detail (default: all, a line per launch)");
    command->add_option("--file", words->file, "A recording of script/counters (default: those that ship)");
    command->add_flag("--json", words->json, "As JSON");
    command->callback([&action, words] { action = [words] { return show_counters(*words); }; });
}

} // namespace warptree::commands
