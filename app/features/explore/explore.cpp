#include "app/features/explore/explore.hpp"

#include "app/catalogue/strategy.hpp"
#include "app/request/option.hpp"
#include "app/trace/explain/array_contents.hpp"
#include "app/trace/explain/origin.hpp"
#include "app/trace/explain/report_program.hpp"
#include "app/trace/io/file.hpp"
#include "app/views/changes.hpp"
#include "app/views/story.hpp"
#include "app/views/thread_of.hpp"
#include "app/views/tree/tree_index.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace warptree::session {

void Explore::run() {
    arrives_ = nullptr;
    file_.clear();
    due_.reset();
    tries_ = refused_ = false;
    if (on_kernel()) {
        options.kernel.text = kernel_->text();
        // The same text, as after Ctrl+Z, is shown as when the guess was made.
        asked_ = options;
        runner_.request(options, Runner::AsShown{was_program(), guessed_of_ == options ? std::nullopt : guess_});
        return;
    }
    if (const auto why = refusal(options)) {
        error = *why;
        refused_ = true;
        return;
    }
    error.clear();
    runner_.request(options);
}

std::string Explore::shown_name() const {
    return !file_.empty() ? file_.filename().string() : on_kernel() ? kernel_->name() : options.strategy;
}

void Explore::leave_kernel() {
    if (on_kernel()) {
        kernel_options_ = std::exchange(options, strategy_options_);
        diagnostics.clear();
    }
}

void Explore::run_strategy(const RunOptions& asked) {
    leave_kernel();
    options = asked;
    run();
}

RunOptions with_strategy(RunOptions o, std::string_view id) {
    const StrategyInfo* before = find_strategy(o.strategy);
    const bool usual = o.input == (before == nullptr ? InputKind::ones : usual_input(*before));
    o.strategy = id;
    const StrategyInfo& info = require_strategy(id);
    o.input = usual ? usual_input(info) : o.input;
    o.parameters = parameters_of(info, o.parameters);
    o.type = taken_type(info, o.type);
    const auto operators = taken_operators(info);
    o.op = std::find(operators.begin(), operators.end(), o.op) == operators.end() ? operators.front() : o.op;
    const auto& allowed = info.finishes;
    if (o.finish && std::find(allowed.begin(), allowed.end(), *o.finish) == allowed.end()) {
        request::option("finish").set(o, name(allowed.front()));
    }
    return o;
}

void Explore::select_strategy(std::string_view id) {
    leave_kernel();
    options = with_strategy(options, id);
    const StrategyInfo& info = require_strategy(id);
    if (refusal(options)) {
        options.block = info.default_block;
    }
    if (const auto why = refusal(options)) {
        const std::uint64_t many = std::exchange(options.n, info.default_n);
        if (refusal(options)) {
            options.n = many;
        } else {
            to_tell = fmt::format("{} elements, as {} do not run: {}.", options.n, many, *why);
        }
    }
    first_sight = true;
    run();
}

void Explore::next_strategy(int direction) {
    const auto all = strategies();
    const auto here = std::find_if(all.begin(), all.end(), [&](const auto& s) { return s.id == options.strategy; });
    const auto count = static_cast<std::ptrdiff_t>(all.size());
    const std::ptrdiff_t at = here == all.end() ? 0 : here - all.begin();
    select_strategy(all[static_cast<std::size_t>((at + direction + count) % count)].id);
}

bool Explore::on_program() const { return trace_ && is_program(*trace_); }

bool Explore::was_program() const {
    return on_program() && file_.empty() && trace_->options.kernel.file == options.kernel.file;
}

void Explore::show(std::shared_ptr<const Trace> trace) {
    const bool same_program =
        on_program() && is_program(*trace) && trace_->options.kernel.file == trace->options.kernel.file;
    const auto is_edit_of = [&](const Trace& before) {
        return !before.sources.empty() && !trace->sources.empty() && before.kernel == trace->kernel &&
               before.options.kernel.file == trace->options.kernel.file &&
               before.sources.front().path == trace->sources.front().path &&
               before.sources.front().text != trace->sources.front().text;
    };
    told = std::exchange(to_tell, "");
    if (on_kernel() && trace_ && is_edit_of(*trace_)) {
        const Trace& before = before_typing_ && is_edit_of(*before_typing_) ? *before_typing_ : *trace_;
        told = "By your edit: " + scene::what_changed(before, *trace);
    }
    trace_ = std::move(trace);
    scene::know_trace(trace_);
    playback.attach(*trace_);
    if (std::exchange(begins_, false)) {
        playback.first();
    }
    if (on_program() && !same_program) {
        playback.go_to_launch(scene::telling_launch(*trace_));
    }
    hover = selected = partner = {};
    chosen_finding.reset();
    mending.reset();
    walked = false;
    request = hidden_from = kNone;
    keep_place_in_launch();
    if (const auto arrive = std::exchange(arrives_, nullptr)) {
        arrive();
    }
}

bool Explore::trace_block(std::uint32_t launch, std::uint32_t wanted) {
    if (!file_.empty() || !trace_ || stale() || launch >= trace_->launches.size() ||
        wanted >= trace_->launches[launch].grid) {
        return false;
    }
    const std::uint32_t count = std::max(1U, options.window.count);
    options.window.first = wanted >= count ? wanted - count + 1 : 0;
    run();
    arrives_ = [this, launch, wanted] {
        if (launch < trace_->launches.size() && trace_->launches[launch].in_window(wanted)) {
            go_to({scene::Target::Kind::block, launch, wanted, wanted});
        }
    };
    return true;
}

void Explore::keep_place_in_launch() {
    const std::uint32_t launch = playback.moment().launch;
    if (!trace_ || trace_->launches.empty()) {
        return;
    }
    const Launch& l = trace_->launches[launch < trace_->launches.size() ? launch : trace_->launches.size() - 1];
    block = l.in_window(block) ? block : l.window_first;
    warp = warp != kNone && warp * kWarpSize < l.block ? warp : kNone;
}

void Explore::go_to_launch(std::uint32_t launch) {
    playback.pause();
    playback.go_to_launch(launch);
    selected = partner = {};
    walked = false;
    request = kNone;
    keep_place_in_launch();
}

bool Explore::go_to_origin(const scene::Target& leaf) {
    if (!trace_ || leaf.kind != scene::Target::Kind::node || leaf.launch >= trace_->launches.size() ||
        leaf.index >= trace_->launches[leaf.launch].nodes.size()) {
        return false;
    }
    const Node& node = trace_->launches[leaf.launch].nodes[leaf.index];
    const auto origin =
        node.kind == NodeKind::leaf ? origin_of(*trace_, leaf.launch, node.allocation, node.element()) : std::nullopt;
    if (!origin || origin->output == nullptr) {
        return false;
    }
    go_to_launch(origin->launch);
    playback.go_to_launch(origin->launch, origin->output->step);
    block = origin->output->block;
    select(origin->output->node != kNone
               ? scene::Target{scene::Target::Kind::node, origin->launch, block, origin->output->node}
               : scene::Target{scene::Target::Kind::thread, origin->launch, block, origin->output->thread,
                               origin->output->step});
    frame = frame == scene::Frame::free ? scene::Frame::block : frame;
    return true;
}

void Explore::next_launch(int direction) {
    const std::int64_t to = std::int64_t{playback.moment().launch} + direction;
    if (!on_program()) {
        news = "Launches follow one another in a program; this is a kernel alone";
    } else if (to < 0 || to >= std::ssize(trace_->launches)) {
        news = fmt::format("This is the program's {} launch", std::ssize(trace_->launches) == 1 ? "only"
                                                              : to < 0                          ? "first"
                                                                                                : "last");
    } else {
        go_to_launch(static_cast<std::uint32_t>(to));
    }
}

bool Explore::poll() {
    if (written_.exchange(false) && kernel_) {
        const KernelFile::Seen seen = kernel_->look();
        const bool was_gone = std::exchange(gone_, seen == KernelFile::Seen::gone);
        if (gone_ && !was_gone) {
            news = kernel_->name() + " was deleted; its text is kept here, and Ctrl+S writes it again";
        }
        disk_differs_ = seen == KernelFile::Seen::differs || (disk_differs_ && kernel_->unsaved());
        if (seen == KernelFile::Seen::taken && on_kernel()) {
            run();
            return true;
        }
    }
    auto outcome = runner_.take();
    if (!outcome) {
        return false;
    }
    diagnostics = std::move(outcome->diagnostics);
    if (outcome->guess && guess_ != outcome->guess) {
        guessed_of_ = asked_;
        guess_ = std::move(outcome->guess);
    }
    if (!outcome->trace) {
        error = outcome->error;
        return true;
    }
    if (!refused_) { // else what ends now was asked for before
        error.clear();
    }
    if (std::exchange(tries_, outcome->tries) && trace_) {
        complete(std::move(outcome->trace));
    } else {
        show(std::move(outcome->trace));
    }
    return true;
}

// The run on screen, now with what other launches tell of it.
void Explore::complete(std::shared_ptr<const Trace> trace) {
    const auto alike = [](const Launch& a, const Launch& b) { return a.steps == b.steps && a.nodes == b.nodes; };
    if (!std::equal(trace_->launches.begin(), trace_->launches.end(), trace->launches.begin(), trace->launches.end(),
                    alike)) { // another one is shown instead
        to_tell = told;
        show(std::move(trace));
        return;
    }
    trace_ = std::move(trace);
    scene::know_trace(trace_);
}

void Explore::open(const std::filesystem::path& path) { show_file(path, std::make_shared<const Trace>(load(path))); }

void Explore::show_file(const std::filesystem::path& path, std::shared_ptr<const Trace> trace) {
    runner_.cancel();
    file_ = path;
    error.clear();
    show(std::move(trace));
}

void Explore::back_to_live() {
    file_.clear();
    run();
}

void Explore::move_camera(float x, float y) {
    frame = scene::Frame::free;
    camera.pan_x += x;
    camera.pan_y += y;
}

void Explore::fit() { frame = scene::Frame::all; }

namespace {
// Whether the launch shows at most one block.
bool is_one_block(const Explore& e) {
    const std::uint32_t launch = e.playback.moment().launch;
    return e.trace() && launch < e.trace()->launches.size() && e.trace()->launches[launch].window_count < 2;
}
} // namespace

void Explore::go_in() {
    using scene::Frame;
    const bool outside = frame == Frame::all || frame == Frame::free;
    frame = outside && !is_one_block(*this) ? Frame::block : Frame::warp;
}

void Explore::go_out() {
    using scene::Frame;
    frame = (frame == Frame::warp || frame == Frame::values || frame == Frame::work) && !is_one_block(*this)
                ? Frame::block
                : Frame::all;
}

scene::Camera Explore::camera_in(const scene::ViewContext& context, const scene::Rect& area) const {
    return frame == scene::Frame::free ? camera : scene::camera_on(context, area, frame, block, warp);
}

void Explore::scale_by(int direction) {
    if (direction == 0) {
        looks.scale = 1;
        return;
    }
    const auto nearest = std::min_element(std::begin(kScales), std::end(kScales), [&](float a, float b) {
        return std::abs(a - looks.scale) < std::abs(b - looks.scale);
    });
    const auto at = std::clamp<std::ptrdiff_t>(nearest - std::begin(kScales) + direction, 0, std::ssize(kScales) - 1);
    looks.scale = kScales[at];
}

void Explore::next_theme() {
    const auto at = static_cast<std::size_t>(looks.theme);
    looks.theme = scene::kThemeNames[(at + 1) % scene::kThemeNames.size()];
}

namespace {
using Kind = scene::Target::Kind;

// The warp of a target; kNone: it has none.
std::uint32_t warp_of(const Trace& trace, const scene::Target& t) {
    if (t.launch >= trace.launches.size()) {
        return kNone;
    }
    const Launch& l = trace.launches[t.launch];
    switch (t.kind) {
    case Kind::node:
    case Kind::thread: {
        const std::uint32_t thread = scene::thread_of(l, t);
        return thread == kNone ? kNone : thread / kWarpSize;
    }
    case Kind::warp: return t.index;
    case Kind::request: return t.index < l.requests.size() ? l.requests[t.index].warp : kNone;
    default: return kNone;
    }
}
} // namespace

std::vector<std::uint32_t> Explore::shown_requests() const {
    if (!trace_) {
        return {};
    }
    const session::Moment& m = playback.moment();
    if (warp != kNone) {
        return scene::exchanges(*trace_, m, block, warp);
    }
    const std::uint32_t best = scene::default_exchange(*trace_, m, {Kind::block, m.launch, block, 0});
    if (best == kNone) {
        return {};
    }
    const auto place = scene::place_of_exchange(trace_->launches[m.launch], best);
    return scene::exchanges(*trace_, m, place.block, place.warp);
}

std::uint32_t Explore::shown_request() const {
    if (!trace_) {
        return kNone;
    }
    const session::Moment& m = playback.moment();
    if (hover.launch == m.launch && warp_of(*trace_, hover) != kNone && warp_of(*trace_, hover) != warp) {
        if (!scene::shared_requests(*trace_, m, hover.block, warp_of(*trace_, hover)).empty()) {
            return scene::default_request(*trace_, m, hover);
        }
        if (const auto there = scene::exchanges(*trace_, m, hover.block, warp_of(*trace_, hover)); !there.empty()) {
            return there.front();
        }
    }
    const auto all = shown_requests();
    if (request < all.size()) {
        return all[request];
    }
    if (warp == kNone) {
        return scene::default_exchange(*trace_, m, {Kind::block, m.launch, block, 0});
    }
    return all.empty() ? kNone
           : scene::shared_requests(*trace_, m, block, warp).empty()
               ? all.front()
               : scene::default_request(*trace_, m, {Kind::warp, m.launch, block, warp});
}

void Explore::next_request(int direction) {
    const auto all = shown_requests();
    if (all.empty()) {
        return;
    }
    const auto here = std::find(all.begin(), all.end(), shown_request()) - all.begin();
    request = static_cast<std::uint32_t>((here + direction + std::ssize(all)) % std::ssize(all));
}

void Explore::next_warp(int direction) {
    const std::uint32_t launch = playback.moment().launch;
    if (!trace_ || launch >= trace_->launches.size()) {
        return;
    }
    const Launch& l = trace_->launches[launch];
    const auto warps = static_cast<std::int64_t>((l.block + kWarpSize - 1) / kWarpSize);
    const std::uint32_t shown = shown_request();
    const std::int64_t here = warp != kNone ? warp : shown != kNone ? scene::place_of_exchange(l, shown).warp : 0;
    warp = static_cast<std::uint32_t>((here + direction + warps) % warps);
    request = kNone;
}

void Explore::show_array(const std::string& name) {
    array = name;
    element.reset();
    front = array.empty() ? (front == "memory" ? "tree" : front) : "memory"; // where it is folded
}

void Explore::show_element(const ArrayPlace& place, std::uint64_t index) {
    show_array(place.name);
    element = index;
    const Moment& m = playback.moment();
    const Launch& l = trace_->launches[m.launch];
    const std::uint32_t of = l.in_window(block) ? block : l.window_first;
    const ArrayElement held = contents(*trace_, m.launch, place, of, m.step, index, 1).front();
    if (held.thread != kNone) {
        go_to({Kind::thread, m.launch, held.block, held.thread});
    }
}

void Explore::go_to(const scene::Target& target) {
    selected = {};
    select(target);
    frame = target.kind == Kind::block ? scene::Frame::block : scene::Frame::warp;
    jump = true;
    if (target.kind != Kind::block) {
        warp = target.kind == Kind::warp ? target.index : target.index / kWarpSize;
        request = kNone;
    }
}

void Explore::next_array() {
    const std::vector<ArrayPlace> all = trace_ && playback.moment().launch < trace_->launches.size()
                                            ? arrays_of(trace_->launches[playback.moment().launch])
                                            : std::vector<ArrayPlace>();
    auto next = std::find_if(all.begin(), all.end(), [&](const ArrayPlace& a) { return a.name == array; });
    next = array.empty() ? all.begin() : next == all.end() ? next : next + 1;
    show_array(next == all.end() ? "" : next->name);
}

void Explore::select(const scene::Target& target) {
    selected = target == selected ? scene::Target{} : target;
    partner = {};
    walked = false;
    if (!trace_ || target.launch >= trace_->launches.size() ||
        !trace_->launches[target.launch].in_window(target.block)) {
        return;
    }
    if (target.kind != Kind::none && target.kind != Kind::step && target.kind != Kind::launch) {
        block = target.block;
    }
    if (const std::uint32_t to = warp_of(*trace_, target); to != kNone && to != warp) {
        warp = to;
        request = kNone;
    }
}

void Explore::scale_elements(bool up) {
    // n not given: start from the one the kernel file ran with.
    const std::uint64_t now =
        on_kernel() && !options.kernel.n_given && trace_ && file_.empty() ? trace_->options.n : options.n;
    const std::uint64_t n = up ? std::min(now * 2, kMaxElements) : std::max<std::uint64_t>(1, now / 2);
    if (n != now) {
        ask_for_elements(options, n);
        run();
    }
}

} // namespace warptree::session
