// What mends a finding of the kernel file on screen: looked for by runs of changed texts, shown as a difference, then written.
#include "app/run/tries/other_launch.hpp"
#include "app/shell/screen.hpp"
#include "app/views/verdict.hpp"

#include <algorithm>
#include <utility>

namespace warptree::window {

void Screen::mend() {
    if (!explore_.may_mend()) {
        const auto& trace = explore_.trace();
        const auto tried = trace ? std::ranges::find_if(trace->tried, [](const OtherLaunch& o) { return o.wrong; })
                                 : std::vector<OtherLaunch>::const_iterator();
        if (explore_.on_kernel() && trace && tried != trace->tried.end()) {
            notify("nothing goes wrong as it is called here: call it with " + tried->with +
                   (runs::launched_so(explore_.options, *trace, *tried) ? " (a click on its message in Source does)"
                                                                        : "") +
                   ", and then a change can be looked for");
            return;
        }
        notify(explore_.on_kernel() ? "nothing was found here that a small change may mend"
                                    : "a change that mends is looked for in files of your own: open one, or New");
        return;
    }
    explore_.front = "source"; // where it is shown
    if (explore_.mending && explore_.mending->of == explore_.trace()) {
        const session::Explore::Mending mending = *std::exchange(explore_.mending, std::nullopt);
        const runs::Remedy& remedy = mending.remedy;
        for (const runs::DifferenceLine& line : mending.lines) {
            if (line.kind == runs::DifferenceLine::Kind::comes) {
                explore_.line_asked = line.line;
                break;
            }
        }
        mended_ = {explore_.kernel()->text(), remedy.text};
        explore_.edit_kernel(remedy.text, clock_.now());
        notify(remedy.words + "; Ctrl+Z takes it back");
        return;
    }
    if (search_.busy()) {
        return;
    }
    RunOptions o = explore_.options;
    o.kernel.text = explore_.kernel()->text();
    mending_ = std::make_shared<std::optional<session::Explore::Mending>>();
    search_.start(
        "looking for what mends " + explore_.kernel()->name(),
        [o, trace = explore_.trace(), only = explore_.chosen_finding, found = mending_](RunControl& control) {
            if (const auto mended = runs::find_remedy(o, *trace, only, control)) {
                *found = {trace, mended->place, mended->remedy, runs::difference(*o.kernel.text, mended->remedy.text)};
            }
        });
}

bool Screen::take_back_mending(bool forward) {
    const auto& [from, to] = forward ? mended_ : std::pair(mended_.second, mended_.first);
    if (!explore_.on_kernel() || from == to || explore_.kernel()->text() != from) {
        return false;
    }
    explore_.edit_kernel(to, clock_.now());
    return true;
}

void Screen::take_mending() {
    const auto outcome = mending_ ? search_.take() : std::nullopt;
    if (!outcome) {
        return;
    }
    frames_left_ = kFramesToSettle;
    auto found = std::move(*std::exchange(mending_, nullptr));
    if (outcome->cancelled || !outcome->error.empty()) {
        notify(outcome->cancelled ? "cancelled; nothing was found" : outcome->error);
    } else if (!found) {
        notify("no small change that was tried mends it");
        if (!explore_.stale()) {
            explore_.unmended = explore_.trace();
            explore_.unmended_finding = explore_.chosen_finding;
        }
    } else if (explore_.trace() == found->of && !explore_.stale()) {
        explore_.mending = std::move(found);
    }
}

} // namespace warptree::window
