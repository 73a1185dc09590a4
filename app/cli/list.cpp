#include "app/base/json_text.hpp"
#include "app/base/printable.hpp"
#include "app/catalogue/catalogue.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/cli/json_command.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sstream>

namespace warptree::commands {

namespace {
// The user's own files; one that cannot be parsed is listed with the reason.
std::vector<catalogue::Entry> own() { return catalogue::Catalogue({}, catalogue::own_folder()).entries(); }

std::string list_as_json() {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const StrategyInfo& s : strategies()) {
        all.push_back({{"id", s.id},
                       {"title", s.title},
                       {"family", name(s.family)},
                       {"limits", limits(s)},
                       {"lesson", s.lesson},
                       {"result", s.result},
                       {"default_block", s.default_block},
                       {"default_n", s.default_n},
                       {"racy", s.racy},
                       {"deadlocks", s.deadlocks},
                       {"source", s.source}});
        if (s.family == Family::exhibit) {
            all.back()["hazard"] = s.hazard;
            all.back()["on_gpu"] = s.on_gpu;
            all.back()["racy"] = s.racy;
            all.back()["deadlocks"] = s.deadlocks;
        }
    }
    for (const catalogue::Entry& e : own()) {
        all.push_back({{"id", e.id},
                       {"title", e.title()},
                       {"family", "own"},
                       {"lesson", e.header.lesson},
                       {"result", e.header.result},
                       {"file", e.path.string()},
                       {"problem", e.problem}});
    }
    return json_text(all, 2) + "\n";
}

std::string wrapped(std::string_view text, std::size_t width, const std::string& indent) {
    std::istringstream words{std::string(text)};
    std::string out, line = indent, word;
    while (words >> word) {
        if (line.size() + word.size() + 1 > width && line != indent) {
            out += line + "\n";
            line = indent;
        }
        line += (line == indent ? "" : " ") + word;
    }
    return out + line + "\n";
}

std::string list_as_text() {
    std::string out;
    std::string_view family;
    for (const StrategyInfo& s : strategies()) {
        if (title(s.family) != family) {
            family = title(s.family);
            out += fmt::format("{}{}\n\n", out.empty() ? "" : "\n", family);
        }
        out += fmt::format("  {:<20} {}\n", s.id, s.title);
        out += wrapped(s.lesson, 96, "      ");
        if (s.family == Family::exhibit) {
            out += wrapped(fmt::format("Hazard: {}", s.hazard), 96, "      ");
            out += wrapped(fmt::format("On a GPU: {}", s.on_gpu), 96, "      ");
        }
        out += fmt::format("      {}\n", limits(s));
    }
    const std::vector<catalogue::Entry> mine = own();
    out += fmt::format("\nYour own ({})\n\n", printable(catalogue::own_folder().string()));
    for (const catalogue::Entry& e : mine) {
        out += fmt::format("  {:<20} {}\n", printable(e.id), printable(e.title()));
        out += e.problem.empty() ? "" : wrapped(printable(e.problem), 96, "      ");
        out += e.header.lesson.empty() ? "" : wrapped(printable_lines(e.header.lesson), 96, "      ");
    }
    out += mine.empty() ? "  none: a kernel file that you put there is listed here and in the window\n" : "";
    return out;
}
} // namespace

void add_list(CLI::App& app, Action& action) {
    add_json_command(app, action, "list", "Strategies: id, title, family, limits, lesson", list_as_text, list_as_json);
}

} // namespace warptree::commands
