#include "app/features/compare/comparison.hpp"

#include "app/base/error.hpp"
#include "app/base/printable.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/features/compare/column_options.hpp"
#include "app/request/said.hpp"
#include "app/trace/io/file.hpp"
#include "app/views/tree/tree_index.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace warptree::session {

namespace {
constexpr std::uint64_t kMostRestored = 1U << 20; // starting up never begins a long run

std::optional<InputKind> input_from(std::string_view text) {
    for (const InputKind kind : {InputKind::ones, InputKind::iota, InputKind::random, InputKind::alternating}) {
        if (text == name(kind)) {
            return kind;
        }
    }
    return std::nullopt;
}

// The options of a recorded trace, as a starting point for changes.
void take_over(Comparison::Column& column) {
    if (find_strategy(column.trace->options.strategy) != nullptr) {
        column.options = column.trace->options;
        column.options.backend = Backend::automatic;
    }
}
} // namespace

Comparison::Comparison(std::function<void()> wake) : wake_(std::move(wake)) {
    input_ = InputKind::iota;
    for (const char* id : {"interleaved-modulo:block=64", "interleaved-strided:block=64"}) {
        columns_.push_back(
            {.options = apply(parse_column(id), {}), .file = {}, .launch = 0, .trace = nullptr, .error = {}});
    }
}

bool Comparison::busy() const {
    return std::any_of(runners_.begin(), runners_.end(), [](const auto& r) { return r->busy(); });
}

std::optional<double> Comparison::progress(std::size_t c) const {
    return c < runners_.size() && runners_[c]->busy() ? std::optional(runners_[c]->progress()) : std::nullopt;
}

bool Comparison::ready() const { return !aligned_.empty(); }

void Comparison::start() {
    if (started_) {
        return;
    }
    started_ = true;
    for (std::size_t i = 0; i < kMost; ++i) {
        runners_.push_back(std::make_unique<Runner>(wake_));
    }
    run_all();
}

void Comparison::cancel() {
    for (const auto& runner : runners_) {
        runner->cancel();
    }
}

void Comparison::run_all() {
    for (std::size_t c = 0; c < size(); ++c) {
        run(c);
    }
    for (std::size_t c = size(); c < runners_.size(); ++c) {
        runners_[c]->cancel();
    }
}

void Comparison::run_alone(std::size_t c) {
    Column& column = columns_[c];
    if (column.launch != 0) {
        if (started_) {
            runners_[c]->cancel();
        }
        return;
    }
    column.options.n = n_;
    column.options.op = op_;
    column.options.input = input_;
    if (column.options.kernel.given()) {
        column.options.kernel.input_given = gives_input();
    }
    if (!started_) {
        return;
    }
    column.error.clear();
    if (!column.file.empty()) {
        runners_[c]->cancel();
        if (!column.trace) {
            try {
                column.trace = std::make_shared<const Trace>(load(column.file));
                take_over(column);
            } catch (const Error& e) {
                column.error = e.what();
            }
            changed();
        }
        return;
    }
    if (const auto why = column.options.kernel.file.empty() ? refusal(column.options) : std::nullopt) {
        runners_[c]->cancel();
        column.error = *why;
        return;
    }
    if (column.options.kernel.given()) {
        column.options.kernel.usual_block = usual_block();
    }
    runners_[c]->request(column.options);
}

void Comparison::run(std::size_t c) {
    run_alone(c);
    for (std::size_t d = 0; d < size(); ++d) {
        const KernelOptions& kernel = columns_[d].options.kernel;
        if (columns_[d].file.empty() && columns_[d].launch == 0 && kernel.given() &&
            (kernel.usual_block != usual_block() || kernel.input_given != gives_input())) {
            run_alone(d);
        }
    }
}

bool Comparison::gives_input() const {
    return input_said_ || std::any_of(columns_.begin(), columns_.end(), [](const Column& c) {
               return c.file.empty() && c.launch == 0 && !c.options.kernel.given();
           });
}

std::uint32_t Comparison::usual_block() const {
    std::vector<const RunOptions*> live;
    for (const Column& column : columns_) {
        live.push_back(column.file.empty() && column.launch == 0 ? &column.options : nullptr);
    }
    return block_beside(live);
}

bool Comparison::poll() {
    bool any = false;
    for (std::size_t c = 0; c < runners_.size(); ++c) {
        auto outcome = runners_[c]->take();
        if (!outcome || c >= size() || !columns_[c].file.empty()) {
            continue;
        }
        any = true;
        columns_[c].error = outcome->error;
        if (outcome->trace) {
            columns_[c].trace = std::move(outcome->trace);
        }
    }
    if (any) {
        changed();
    }
    return any;
}

void Comparison::changed() {
    ++version_;
    aligned_.clear();
    sets_.clear();
    trees_.clear();
    std::vector<const Trace*> traces;
    for (const Column& column : columns_) {
        if (!column.trace) {
            return;
        }
        traces.push_back(column.trace.get());
        scene::know_trace(column.trace);
    }
    aligned_ = align(traces, alignment_);
    for (const Trace* trace : traces) {
        auto& sets = sets_.emplace_back();
        for (const Launch& launch : trace->launches) {
            sets.emplace_back(launch);
        }
    }
    for (const Trace* a : traces) {
        for (const Trace* b : traces) {
            trees_.push_back(a == b ? Trees::same_and_threads : compare_trees(*a, *b));
        }
    }
    std::vector<std::string> labels;
    for (const AlignedStep& aligned_step : aligned_) {
        labels.push_back(aligned_step.label);
    }
    playback.attach({labels});
}

Trees Comparison::trees(std::size_t a, std::size_t b) const { return trees_[a * size() + b]; }

void Comparison::set_shared(std::string_view id, std::string_view value) {
    RunOptions o;
    o.n = n_;
    o.op = op_;
    o.input = input_;
    request::set(o, request::option(id), value, request::Spelling::column);
    if (o.input == InputKind::file) {
        request::refuse(request::Spelling::column, id, value, request::listed(request::option(id).choices));
    }
    n_ = o.n;
    op_ = o.op;
    input_ = o.input;
    input_said_ = input_said_ || id == "input";
    run_all();
}

void Comparison::set(std::size_t c, std::string_view option, std::string_view value) {
    RunOptions options = columns_[c].options;
    set_column_option(options, option, value);
    columns_[c].options = options;
    columns_[c].launch = 0;
    if (!columns_[c].file.empty()) {
        columns_[c].file.clear();
        columns_[c].trace.reset();
    }
    run(c);
}

void Comparison::set_columns(const std::vector<std::string>& texts) {
    if (texts.size() < kLeast || texts.size() > kMost) {
        throw OptionError(fmt::format("{} columns cannot be compared; take {} to {}", texts.size(), kLeast, kMost));
    }
    std::vector<Column> columns;
    for (const std::string& text : texts) {
        const ColumnText parsed = parse_column(text);
        Column& column = columns.emplace_back();
        if (parsed.is_file) {
            column.file = parsed.what;
        } else {
            column.options = apply(parsed, {});
        }
    }
    columns_ = std::move(columns);
    front = std::min(front, size() - 1);
    changed();
    run_all();
}

void Comparison::add() {
    if (size() < kMost) {
        columns_.insert(columns_.begin() + static_cast<std::ptrdiff_t>(front) + 1, Column(columns_[front]));
        ++front;
        changed();
        run_all();
    }
}

void Comparison::remove() {
    if (size() > kLeast) {
        columns_.erase(columns_.begin() + static_cast<std::ptrdiff_t>(front));
        front = std::min(front, size() - 1);
        changed();
        run_all();
    }
}

bool Comparison::takes_elements() const {
    return std::any_of(columns_.begin(), columns_.end(), [](const Column& column) {
        return column.file.empty() && column.launch == 0 &&
               (column.trace == nullptr || column.trace->program.entry.empty());
    });
}

void Comparison::scale_elements(bool up) {
    const std::uint64_t n = up ? std::min(n_ * 2, kMaxElements) : std::max<std::uint64_t>(1, n_ / 2);
    if (n != n_) {
        n_ = n;
        run_all();
    }
}

void Comparison::show_file(std::size_t c, const std::filesystem::path& path, std::shared_ptr<const Trace> trace) {
    columns_[c].file = path;
    columns_[c].launch = 0;
    columns_[c].trace = std::move(trace);
    take_over(columns_[c]);
    changed();
    run(c);
}

void Comparison::show_launch(std::size_t c, const RunOptions& options, const Trace& program, std::uint32_t launch) {
    Column& column = columns_[c];
    column = Column{};
    column.options = options;
    column.launch = launch + 1;
    column.trace = std::make_shared<const Trace>(launch_alone(program, launch));
    changed();
    run(c);
}

void Comparison::take_saved(std::size_t c, const RunOptions& options) {
    RunOptions o = options;
    o.kernel.text.reset();
    take_options(c, o);
    columns_[c].saved = true;
}

void Comparison::take_options(std::size_t c, const RunOptions& options) {
    columns_[c].options = options;
    columns_[c].saved = false;
    columns_[c].options.backend = Backend::automatic;
    if (!options.kernel.file.empty()) { // its trace has the file's name as strategy
        columns_[c].options.strategy = RunOptions{}.strategy;
        columns_[c].options.kernel.n_given = columns_[c].options.kernel.input_given = true;
    }
    columns_[c].file.clear();
    columns_[c].launch = 0;
    run(c);
}

void Comparison::take(const Preset& preset) {
    n_ = preset.n;
    alignment_ = preset.alignment;
    set_columns(preset.columns);
    playback.pause();
    playback.first();
}

void Comparison::begin_with(const RunOptions& explored) {
    const auto of_it = [&]() -> std::size_t {
        const auto found = std::find_if(columns_.begin(), columns_.end(), [&](const Column& c) {
            return c.file.empty() && c.launch == 0 && c.options.kernel.file.empty() &&
                   c.options.strategy == explored.strategy;
        });
        return static_cast<std::size_t>(found - columns_.begin());
    };
    if (of_it() == size()) {
        std::vector<std::string> texts;
        for (const Preset& preset : presets()) {
            const bool has = std::any_of(preset.columns.begin(), preset.columns.end(), [&](const std::string& column) {
                return parse_column(column).what == explored.strategy;
            });
            if (has && texts.empty()) {
                texts = preset.columns;
                alignment_ = preset.alignment;
            }
        }
        if (texts.empty()) {
            const auto all = strategies();
            const auto at =
                std::find_if(all.begin(), all.end(), [&](const auto& s) { return s.id == explored.strategy; });
            if (at == all.end()) {
                return;
            }
            const auto beside = std::next(at) != all.end() && std::next(at)->family == at->family ? std::next(at)
                                : at != all.begin()                                               ? std::prev(at)
                                                                                                  : std::next(at);
            texts = {std::string(at->id), std::string(beside->id)};
        }
        set_columns(texts);
    }
    n_ = explored.n;
    op_ = explored.op;
    input_ = explored.input == InputKind::file ? input_ : explored.input;
    front = of_it();
    for (std::size_t c = 0; c < size(); ++c) {
        RunOptions& o = columns_[c].options;
        RunOptions like = c == front ? explored : o;
        like.n = n_;
        like.op = op_;
        like.input = input_;
        like.block = explored.block;
        like.type = explored.type;
        like.backend = Backend::automatic;
        like.window = o.window;
        const bool live = columns_[c].file.empty() && o.kernel.file.empty();
        o = live && !refusal(like) ? like : o;
    }
    changed();
    run_all();
}

bool Comparison::begin_beside(const std::string& strategy, const Trace& explored, std::uint32_t launch) {
    if (!explored.program.entry.empty() && launch < explored.launches.size()) {
        const Launch& l = explored.launches[launch];
        const auto side = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(l.elements)));
        n_ = std::max<std::uint64_t>(1,
                                     strategy == "tiled-matmul" ? side : l.elements); // n: a matrix has n × n elements
    }
    RunOptions o;
    if (!strategy.empty()) {
        o = apply(parse_column(strategy), {});
        o.n = n_;
        o.op = op_;
        o.input = input_;
        RunOptions as_wide = o;
        as_wide.block = launch < explored.launches.size() ? explored.launches[launch].block : o.block;
        o = refusal(as_wide) ? o : as_wide;
    }
    if (strategy.empty() || refusal(o)) {
        columns_.erase(columns_.begin() + static_cast<std::ptrdiff_t>(1 - front));
        front = 0;
        changed();
        return false;
    }
    take_options(1 - front, o);
    return true;
}

void Comparison::set_alignment(Alignment alignment) {
    alignment_ = alignment;
    changed();
}

ColumnMoment Comparison::moment(std::size_t c) const {
    const Moment& m = playback.moment();
    return column_moment(*columns_[c].trace, aligned_, c, m.step, m.phase);
}

std::uint32_t Comparison::first_difference() const {
    for (std::uint32_t place = 0; place < aligned_.size(); ++place) {
        std::optional<Counters> first;
        for (std::size_t c = 0; c < size(); ++c) {
            const ColumnMoment at = column_moment(*columns_[c].trace, aligned_, c, place, 1);
            const auto& launches = columns_[c].trace->launches;
            const bool has = !at.waits && at.moment.launch < launches.size() &&
                             at.moment.step < launches[at.moment.launch].steps.size();
            const Counters counters = has ? launches[at.moment.launch].steps[at.moment.step].counters : Counters{};
            if (first && *first != counters) {
                return place;
            }
            first = counters;
        }
    }
    return 0;
}

scene::Target Comparison::counterpart(std::size_t from, const scene::Target& target, std::size_t to) const {
    using Kind = scene::Target::Kind;
    if (!ready() || from == to || target.kind == Kind::none) {
        return from == to ? target : scene::Target{};
    }
    const Trace &a = *columns_[from].trace, &b = *columns_[to].trace;
    if (target.launch >= a.launches.size() || target.launch >= b.launches.size()) {
        return {};
    }
    const Launch &here = a.launches[target.launch], &there = b.launches[target.launch];
    const ColumnMoment now = moment(to);
    scene::Target out = target;
    out.step = now.moment.step;
    switch (target.kind) {
    case Kind::block: return target.index < there.grid ? out : scene::Target{};
    case Kind::warp: return target.index < there.warps() && target.block < there.grid ? out : scene::Target{};
    case Kind::thread:
    case Kind::lane: return target.index < there.block && target.block < there.grid ? out : scene::Target{};
    case Kind::word:
    case Kind::launch: return out;
    case Kind::step: {
        std::uint32_t place = target.index;
        for (std::uint32_t l = 0; l < target.launch; ++l) {
            place += static_cast<std::uint32_t>(a.launches[l].steps.size());
        }
        for (std::uint32_t aligned_step = 0; aligned_step < aligned_.size(); ++aligned_step) {
            if (aligned_[aligned_step].places[from] == place && aligned_[aligned_step].places[to]) {
                const ColumnMoment m = column_moment(b, aligned_, to, aligned_step, 1);
                out.launch = m.moment.launch;
                out.index = out.step = m.moment.step;
                return out.launch == target.launch ? out : scene::Target{};
            }
        }
        return {};
    }
    case Kind::node: break;
    default: return {};
    }
    if (target.index >= here.nodes.size()) {
        return {};
    }
    const Node& node = here.nodes[target.index];
    out.index = warptree::counterpart(here, sets_[from][target.launch], target.index, there, sets_[to][target.launch]);
    if (out.index == kNone && now.moment.launch == target.launch) {
        for (std::uint32_t i = 0; i < there.nodes.size(); ++i) { // of several in the same step, the last
            const Node& other = there.nodes[i];
            const bool done = now.begun && other.step <= now.moment.step;
            if (done && other.block == node.block && other.thread == node.thread &&
                (out.index == kNone || other.step >= there.nodes[out.index].step)) {
                out.index = i;
            }
        }
    }
    if (out.index == kNone) {
        return {};
    }
    out.block = there.nodes[out.index].block;
    out.step = there.nodes[out.index].step;
    return out;
}

std::map<std::string, std::string> Comparison::values() const {
    std::map<std::string, std::string> all{{"n", std::to_string(n_)},
                                           {"op", std::string(name(op_))},
                                           {"input", gives_input() ? std::string(name(input_)) : ""},
                                           {"align", std::string(name(alignment_))}};
    for (std::size_t c = 0; c < kMost; ++c) { // empty: no such column
        all[fmt::format("column-{}", c + 1)] = c >= size()                ? std::string()
                                               : columns_[c].file.empty() ? column_text(columns_[c].options)
                                                                          : columns_[c].file.string();
    }
    return all;
}

void Comparison::restore(const std::map<std::string, std::string>& values) {
    const auto value = [&](const std::string& id) {
        const auto found = values.find(id);
        return found == values.end() ? std::string() : found->second;
    };
    n_ = std::min(parse_count(value("n")).value_or(n_), kMostRestored);
    n_ = std::max<std::uint64_t>(n_, 1);
    op_ = operator_from(value("op")).value_or(op_);
    input_ = input_from(value("input")).value_or(input_);
    input_said_ = input_ != InputKind::iota;
    alignment_ = alignment_from(value("align")).value_or(alignment_);
    std::vector<std::string> columns;
    for (std::size_t c = 1; c <= kMost && !value(fmt::format("column-{}", c)).empty(); ++c) {
        columns.push_back(value(fmt::format("column-{}", c)));
    }
    try {
        set_columns(columns);
    } catch (const OptionError&) { // from an older version, or edited: keep the defaults
    }
}

} // namespace warptree::session
