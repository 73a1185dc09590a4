#include "app/request/option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace warptree::request {

namespace {
constexpr const char* kTrace = "Trace options";
constexpr const char* kFile = "Options of a CUDA file";
constexpr const char* kLimits = "Limits of a run";
constexpr unsigned kStates = kState | kFileState, kColumns = kColumn | kFileColumn;
constexpr std::uint64_t kMost = ~std::uint64_t{0};

template <class Get, class Put>
Option count(std::string id, std::string label, std::string help, const char* group, std::uint64_t least,
             std::uint64_t most, unsigned places, Get get, Put put) {
    return {.id = std::move(id),
            .label = std::move(label),
            .help = std::move(help),
            .group = group,
            .choices = {},
            .works = fmt::format("{} to {}", least, most),
            .count = true,
            .flag = false,
            .least = least,
            .most = most,
            .places = places,
            .get = [get](const RunOptions& o) { return std::to_string(get(o)); },
            .set =
                [put, least, most](RunOptions& o, std::string_view value) {
                    const auto number = parse_count(value);
                    if (!number || *number < least || *number > most) {
                        return false;
                    }
                    put(o, *number);
                    return true;
                }};
}

// help: with {} for the names.
template <class T, std::size_t N, class Get, class Put>
Option choice(std::string id, std::string label, std::string_view help, const std::array<T, N>& all, unsigned places,
              Get get, Put put) {
    Option option;
    option.id = std::move(id);
    option.label = std::move(label);
    for (const T value : all) {
        option.choices.emplace_back(name(value));
    }
    option.works = listed(option.choices);
    option.help = fmt::format(fmt::runtime(help), option.works);
    option.group = kTrace;
    option.places = places;
    option.get = [get](const RunOptions& o) { return std::string(name(get(o))); };
    option.set = [put, all](RunOptions& o, std::string_view value) {
        const auto found = std::find_if(all.begin(), all.end(), [&](T one) { return name(one) == value; });
        if (found == all.end()) {
            return false;
        }
        put(o, *found);
        return true;
    };
    return option;
}

Option text(std::string id, std::string label, std::string help, std::string KernelOptions::*member) {
    return {.id = std::move(id),
            .label = std::move(label),
            .help = std::move(help),
            .group = kFile,
            .choices = {},
            .works = "a text",
            .count = false,
            .places = kFileState | kFileColumn,
            .get = [member](const RunOptions& o) { return o.kernel.*member; },
            .set =
                [member](RunOptions& o, std::string_view value) {
                    o.kernel.*member = value;
                    return true;
                }};
}

std::optional<Window> window_from(std::string_view value) {
    const std::size_t colon = value.find(':');
    if (colon == std::string_view::npos) {
        return {};
    }
    Window window;
    for (const auto& [digits, part] :
         {std::pair{value.substr(0, colon), &window.first}, {value.substr(colon + 1), &window.count}}) {
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), *part);
        if (error != std::errc{} || end != digits.data() + digits.size()) {
            return {};
        }
    }
    return window;
}

Option elements() {
    Option option = count(
        "n", "elements", "Elements: 1000, 2^20, 4M (default 1024)", kTrace, 1, kMaxElements, kStates | kSettings,
        [](const RunOptions& o) { return o.n; }, ask_for_elements);
    option.said = [](const RunOptions& o) { return o.kernel.n_given; };
    return option;
}

// A number of a strategy; of a file also the shape of a block.
Option block() {
    constexpr std::array kBlocks{1U, 2U, 4U, 8U, 16U, 32U, 64U, 128U, 256U, 512U, 1024U};
    Option option = count(
        "block", "block", "Threads per block (default: the strategy's)", kTrace, 1, 1024,
        kStates | kColumns | kSettings, [](const RunOptions& o) { return o.block.value_or(0); },
        [](RunOptions& o, std::uint64_t threads) { o.block = static_cast<std::uint32_t>(threads); });
    std::ranges::transform(kBlocks, std::back_inserter(option.choices), [](auto b) { return std::to_string(b); });
    option.get = [](const RunOptions& o) {
        return !o.kernel.block.empty() ? o.kernel.block : o.block ? std::to_string(*o.block) : std::string();
    };
    option.set = [of_strategy = std::move(option.set)](RunOptions& o, std::string_view value) {
        if (!o.kernel.given()) {
            return of_strategy(o, value);
        }
        o.kernel.block = value;
        o.block.reset();
        return true;
    };
    return option;
}

Option input() {
    Option option = choice(
        "input", "input", "{} or a FILE (default ones, of applied reductions random)",
        std::array{InputKind::ones, InputKind::iota, InputKind::random, InputKind::alternating}, kStates | kSettings,
        [](const RunOptions& o) { return o.input; },
        [](RunOptions& o, InputKind kind) {
            ask_for_input(o, kind);
            o.input_file.clear();
        });
    option.help = "ones, iota, random, alternating or a FILE (default ones, of applied reductions random)";
    option.works = "ones, iota, random, alternating or an existing file";
    option.get = [named = option.get](const RunOptions& o) {
        return o.input == InputKind::file ? o.input_file : named(o);
    };
    option.set = [by_name = std::move(option.set)](RunOptions& o, std::string_view value) {
        if (!by_name(o, value)) {
            ask_for_input(o, InputKind::file);
            o.input_file = value;
        }
        return true;
    };
    option.said = [](const RunOptions& o) { return o.kernel.input_given; };
    return option;
}

Option finish() {
    Option option = choice(
        "finish", "finish", "{}: how partial results are combined",
        std::array{Finish::host, Finish::relaunch, Finish::atomic, Finish::last_block},
        kStates | kColumns | kSettings | kManifest, [](const RunOptions& o) { return o.finish.value_or(Finish::host); },
        [](RunOptions& o, Finish finish) {
            o.finish = finish;
            o.host_below = finish == Finish::relaunch ? o.host_below : 1;
        });
    option.said = [](const RunOptions& o) { return o.finish.has_value(); };
    return option;
}

Option banks() {
    Option option = count(
        "banks", "banks", "32, or 16 as on cc 1.x (default 32)", kTrace, 16, 32,
        kStates | kColumns | kSettings | kManifest, [](const RunOptions& o) { return o.banks; },
        [](RunOptions& o, std::uint64_t banks) { o.banks = static_cast<int>(banks); });
    option.choices = {"32", "16"};
    option.works = "32, or 16 for cc 1.x";
    option.set = [counted = std::move(option.set)](RunOptions& o, std::string_view value) {
        return (value == "32" || value == "16") && counted(o, value);
    };
    return option;
}

Option window() {
    return {.id = "window",
            .label = "blocks traced",
            .help = "FIRST:COUNT, blocks traced in full (default 0:8)",
            .group = kTrace,
            .choices = {},
            .works = "FIRST:COUNT, as in 0:8",
            .count = false,
            .places = kStates,
            .get = [](const RunOptions& o) { return fmt::format("{}:{}", o.window.first, o.window.count); },
            .set =
                [](RunOptions& o, std::string_view value) {
                    const auto window = window_from(value);
                    o.window = window.value_or(o.window);
                    return window.has_value();
                }};
}

std::vector<Option> made() {
    std::vector<Option> all;
    all.push_back(elements());
    all.push_back(block());
    all.push_back(choice(
        "type", "type", "{} (default i32, where the strategy takes it)", kElementTypes,
        kStates | kColumns | kSettings | kManifest, [](const RunOptions& o) { return o.type; },
        [](RunOptions& o, ElementType type) { o.type = type; }));
    all.push_back(choice(
        "op", "operator", "{} (default sum)", kOperators, kStates | kSettings | kManifest,
        [](const RunOptions& o) { return o.op; }, [](RunOptions& o, Operator op) { o.op = op; }));
    all.push_back(input());
    all.push_back(count(
        "seed", "seed", "Seed of random input and random warp order (default 1)", kTrace, 0, kMost,
        kStates | kSettings | kManifest, [](const RunOptions& o) { return o.seed; },
        [](RunOptions& o, std::uint64_t seed) { o.seed = seed; }));
    all.push_back(finish());
    all.push_back(count(
        "host-below", "finish on the host below", "With relaunch: stop at K partials and let the host finish", kTrace,
        1, kMaxElements, kStates | kColumns | kSettings | kManifest, [](const RunOptions& o) { return o.host_below; },
        [](RunOptions& o, std::uint64_t partials) { o.host_below = partials; }));
    all.push_back(choice(
        "order", "warp schedule", "Warp order of the interpreter: {}", kWarpOrders,
        kStates | kColumns | kSettings | kManifest, [](const RunOptions& o) { return o.order; },
        [](RunOptions& o, WarpOrder order) { o.order = order; }));
    all.push_back(banks());
    all.push_back(window());
    all.push_back(choice(
        "backend", "backend", "{} (default auto)", std::array{Backend::automatic, Backend::cpu, Backend::cuda},
        kState | kSettings | kManifest, [](const RunOptions& o) { return o.backend; },
        [](RunOptions& o, Backend backend) { o.backend = backend; }));
    all.push_back(count(
        "workers", "threads", "Threads of the interpreter (default: one per core)", kTrace, 1, 1024, 0,
        [](const RunOptions& o) { return o.workers; },
        [](RunOptions& o, std::uint64_t threads) { o.workers = static_cast<unsigned>(threads); }));

    all.push_back(text("kernel", "kernel", "Which kernel: NAME, or a template's 'NAME<ARGS>'", &KernelOptions::kernel));
    all.push_back(text("grid", "grid", "Blocks: X, X,Y or X,Y,Z; also expressions over n and B", &KernelOptions::grid));
    all.push_back(text("shared", "shared bytes", "Bytes of dynamic shared memory", &KernelOptions::shared));
    all.push_back(text("expect", "expect", "What the output is compared with", &KernelOptions::expect));

    all.push_back(count(
        "memory", "memory", "Bytes of memory: 500M, 8G (default 2G)", kLimits, 1U << 20, 1ULL << 50, 0,
        [](const RunOptions& o) { return o.limits.memory; },
        [](RunOptions& o, std::uint64_t bytes) { o.limits.memory = bytes; }));
    all.push_back(count(
        "time", "seconds", "Seconds of processor time on each core; 0: any (default 10)", kLimits, 0, 1000000, 0,
        [](const RunOptions& o) { return std::chrono::floor<std::chrono::seconds>(o.limits.time).count(); },
        [](RunOptions& o, std::uint64_t seconds) { o.limits.time = std::chrono::seconds(seconds); }));
    all.push_back(count(
        "instructions", "instructions",
        "Instructions of a block's warps, after which the run is cut short (default 2^27)", kLimits, 1, 1ULL << 60, 0,
        [](const RunOptions& o) { return o.kernel.most_instructions; },
        [](RunOptions& o, std::uint64_t most) { o.kernel.most_instructions = most; }));
    all.push_back(count(
        "printed", "bytes printed", "Bytes kept of what the kernel prints, up to 4M (default 1M)", kLimits, 0,
        kMostPrinted, 0, [](const RunOptions& o) { return o.limits.printed; },
        [](RunOptions& o, std::uint64_t bytes) { o.limits.printed = bytes; }));
    return all;
}

std::vector<Option>& table() {
    static std::vector<Option> all = made();
    return all;
}
} // namespace

const std::vector<Option>& options() { return table(); }

const Option& option(std::string_view id) { return *std::ranges::find(table(), id, &Option::id); }

AddedOption::AddedOption(Option option) { table().push_back(std::move(option)); }
AddedOption::~AddedOption() { table().pop_back(); }

std::string json_key(const Option& option) {
    std::string key = option.id;
    std::ranges::replace(key, '-', '_');
    return key;
}

std::string listed(const std::vector<std::string>& words) {
    std::string all;
    for (std::size_t i = 0; i < words.size(); ++i) {
        all += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
    }
    return all;
}

} // namespace warptree::request
