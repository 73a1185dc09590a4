// The kernel file of the Explore screen: opening, editing, watching and saving it.
#include "app/catalogue/strategy.hpp"
#include "app/document/kernel_template.hpp"
#include "app/document/opened_files.hpp"
#include "app/features/explore/explore.hpp"
#include "app/run/run.hpp"
#include "app/trace/explain/findings.hpp"
#include "app/trace/explain/told_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warptree::session {

bool Explore::on_kernel() const { return kernel_ != nullptr && runs::is_kernel_file(options); }

void Explore::open_kernel(const std::filesystem::path& path) { begin_kernel(std::make_unique<KernelFile>(path)); }

void Explore::open_text(const std::string& stem, const std::string& text) {
    keep_kernel_safe(); // reserves the previous one's name
    begin_kernel(std::make_unique<KernelFile>(KernelFile::free_path(stem, text), text));
}

void Explore::new_kernel(const std::string& text) {
    playback.pause();
    open_text("kernel", text);
    begins_ = true;
    kernel_->keep_safe();
}

bool Explore::has_copy_of(std::string_view strategy) const {
    return kernel_ != nullptr && !strategy.empty() && kernel_->copied_from() == strategy;
}

bool Explore::copy_strategy() {
    const RunOptions before = options;
    const std::string text = strategy_text(before.strategy);
    if (text.empty()) {
        return false;
    }
    keep_kernel_safe();
    const std::filesystem::path path = KernelFile::free_path(before.strategy + "-copy", text);
    begin_kernel(std::make_unique<KernelFile>(path, text, before.strategy));
    kernel_->keep_safe();
    const std::uint32_t block = before.block.value_or(require_strategy(before.strategy).default_block);
    RunOptions o = options;
    o.n = before.n;
    o.kernel.n_given = true;
    o.kernel.block = std::to_string(block);
    o.type = before.type;
    o.op = before.op;
    o.finish = before.finish;
    o.parameters = before.parameters;
    o.input = before.input;
    o.kernel.input_given = true;
    o.seed = before.seed;
    o.order = before.order;
    call_kernel_with(o);
    return true;
}

void Explore::begin_kernel(std::unique_ptr<KernelFile> kernel) {
    keep_kernel_safe();
    RunOptions o;
    o.banks = options.banks;
    o.window = options.window;
    o.workers = options.workers;
    leave_kernel();
    kernel_ = std::move(kernel);
    note_opened_file(kernel_->path());
    guess_.reset();
    kernel_options_ = o;
    disk_differs_ = gone_ = false;
    block = 0; // nothing of the file before
    warp = request = kNone;
    selected = partner = {};
    array.clear();
    element.reset();
    frame = scene::Frame::all;
    first_sight = jump = true;
    watch_kernel();
    show_kernel();
}

void Explore::watch_kernel() {
    watch_.reset();
    watch_ = std::make_unique<FileWatch>(kernel_->path(), [this] {
        written_ = true;
        wake_();
    });
}

void Explore::show_kernel() {
    if (!on_kernel()) {
        strategy_options_ = std::exchange(options, kernel_options_);
    }
    options.kernel.file = kernel_->path().string();
    run();
}

void Explore::call_kernel_with(const RunOptions& o) {
    options = o;
    options.kernel.file = kernel_->path().string();
    run();
}

void Explore::edit_kernel(std::string text, double now) {
    const std::size_t was = kernel_->text().size(), is = text.size();
    const bool typing = std::max(was, is) - std::min(was, is) <= 2 && before_typing_ && now - typed_ <= kPause;
    before_typing_ = typing ? before_typing_ : trace_;
    typed_ = now;
    kernel_->edit(std::move(text));
    due_ = now + kQuiet;
}

bool Explore::may_mend() const {
    if (!on_kernel() || !trace_ || stale() || !file_.empty()) {
        return false;
    }
    if (fails(trace_->program)) {
        return true;
    }
    const std::vector<runs::FindingPlace> places = runs::finding_places(*trace_);
    if (places.empty()) {
        return !costs().empty() || runs::may_begin_otherwise(*trace_);
    }
    return std::any_of(places.begin(), places.end(), [this](const runs::FindingPlace& place) {
        return runs::finding_at(*trace_, place).severity != Severity::cost &&
               !runs::possible_remedies(*trace_, place).empty();
    });
}

const std::vector<LineCost>& Explore::costs() const {
    if (costs_of_.lock() != trace_ || !trace_) {
        costs_of_ = trace_;
        costs_.clear();
        if (trace_ && on_kernel() && file_.empty() && trace_->completed() && runs::finding_places(*trace_).empty()) {
            costs_ = line_costs(*trace_);
        }
    }
    return costs_;
}

void Explore::advance(double now) {
    if (due_ && *due_ <= now) {
        due_.reset();
        keep_kernel_safe();
        if (on_kernel()) {
            run();
        }
    }
}

void Explore::keep_kernel_safe() const {
    if (kernel_) {
        kernel_->keep_safe();
    }
}

void Explore::save_kernel() {
    kernel_->save();
    disk_differs_ = gone_ = false;
}

void Explore::save_kernel_as(const std::filesystem::path& path) {
    const std::filesystem::path before = kernel_->path();
    kernel_->save_as(path);
    rename_opened_file(before, kernel_->path());
    disk_differs_ = gone_ = false;
    options.kernel.file = kernel_->path().string();
    watch_kernel();
    run();
}

void Explore::take_disk() {
    kernel_->take_disk();
    disk_differs_ = false;
    run();
}

bool Explore::stale() const {
    if (!trace_ || !file_.empty()) {
        return false;
    }
    if (!on_kernel()) {
        return refused_;
    }
    const KernelOptions& ran = trace_->options.kernel;
    return ran.file != options.kernel.file || ran.text != kernel_->text();
}

bool Explore::dimmed() const {
    return (stale() && (!diagnostics.empty() || !error.empty())) || (file_.empty() && runner_.lasting() && !tries());
}

void Explore::go_to_finding(std::uint32_t launch, const Finding& finding) {
    if (!trace_ || launch >= trace_->launches.size()) {
        return;
    }
    const Launch& l = trace_->launches[launch];
    if (!l.in_window(finding.block) && trace_block(launch, finding.block)) {
        arrives_ = [this, launch, finding] {
            if (launch >= trace_->launches.size() || !trace_->launches[launch].in_window(finding.block)) {
                return;
            }
            go_to_finding(launch, finding);
            const auto& all = trace_->launches[launch].findings;
            const auto same = std::ranges::find_if(all, [&](const Finding& f) {
                return f.kind == finding.kind && f.line == finding.line && f.block == finding.block &&
                       f.thread == finding.thread;
            });
            if (same != all.end()) {
                chosen_finding = {launch, static_cast<std::uint32_t>(same - all.begin())};
            }
        };
        return;
    }
    std::uint32_t place = 0;
    for (std::uint32_t before = 0; before < launch; ++before) {
        place += static_cast<std::uint32_t>(trace_->launches[before].steps.size());
    }
    playback.pause();
    playback.go_to_place(place + std::min<std::uint32_t>(finding.step, static_cast<std::uint32_t>(l.steps.size()) - 1));
    const auto thread = [&](std::uint32_t of, std::uint32_t index) {
        return l.in_window(of) && index < l.block
                   ? scene::Target{scene::Target::Kind::thread, launch, of, index, finding.step}
                   : scene::Target{};
    };
    selected = {};
    select(thread(finding.block, finding.thread));
    partner = finding.other_thread == kNobody ? scene::Target{} : thread(finding.other_block, finding.other_thread);
}

void Explore::next_finding(int by) {
    if (!trace_ || stale()) {
        return;
    }
    const std::vector<ToldFinding> all = told_findings(*trace_);
    if (all.empty()) {
        news = "Nothing is found in this run";
        return;
    }
    const auto place_of = [&](const ToldFinding& f) {
        const auto& findings = trace_->launches[f.launch].findings;
        return runs::FindingPlace{static_cast<std::uint32_t>(f.launch),
                                  static_cast<std::uint32_t>(f.finding - findings.data())};
    };
    const auto now = std::ranges::find_if(all, [&](const ToldFinding& f) { return chosen_finding == place_of(f); });
    const auto count = static_cast<std::ptrdiff_t>(all.size());
    const std::ptrdiff_t at = now != all.end() ? now - all.begin() : by > 0 ? -1 : 0;
    const ToldFinding& next = all[static_cast<std::size_t>((at + by + count) % count)];
    go_to_finding(static_cast<std::uint32_t>(next.launch), *next.finding);
    chosen_finding = place_of(next);
    told = fmt::format("{}: {}{}", title(*next.finding),
                       sentence(*trace_, trace_->launches[next.launch], *next.finding), said_besides(*trace_, next));
}

} // namespace warptree::session
