// The smallest n and block for which the kernel file on screen goes wrong, and its tree.
#include "app/shell/screen.hpp"
#include "app/views/summary_kernel.hpp"

#include <fmt/format.h>

#include <utility>

namespace warptree::window {

void Screen::find_smallest() {
    if (!explore_.on_kernel() || !explore_.trace() || explore_.trace()->launches.empty() || !explore_.file().empty()) {
        notify("the smallest n and block that go wrong are looked for in a kernel file of your own that ran");
        return;
    }
    if (explore_.on_program()) {
        notify(
            "a program says itself how large its launches are; set a value in the fields, and its kernel runs alone");
        return;
    }
    if (search_.busy() || explore_.stale()) {
        return;
    }
    const Launch& launch = explore_.trace()->launches.front();
    const std::string block = searched_block_ = scene::option_text(launch.block_shape, launch.block);
    RunOptions o = explore_.options;
    o.kernel.text = searched_ = explore_.kernel()->text();
    smallest_ = std::make_shared<runs::SmallestFailure>();
    search_.start(
        "looking for the smallest run of " + explore_.kernel()->name() + " that goes wrong",
        [o, block, found = smallest_](RunControl& control) { *found = runs::smallest_failure(o, block, control); });
}

void Screen::take_smallest() {
    const auto outcome = smallest_ ? search_.take() : std::nullopt;
    if (!outcome) {
        return;
    }
    frames_left_ = kFramesToSettle;
    const runs::SmallestFailure found = *std::exchange(smallest_, nullptr);
    if (outcome->cancelled || !outcome->error.empty()) {
        notify(outcome->cancelled ? "cancelled; nothing was found" : outcome->error);
    } else if (!explore_.on_kernel() || explore_.kernel()->text() != searched_) {
        notify("the text was changed meanwhile; Shift+N looks again");
    } else if (found.reason.empty()) {
        notify(found.compared
                   ? fmt::format("nothing goes wrong up to n = {} in blocks of {}", found.most_n, searched_block_)
                   : fmt::format("no race and no fault up to n = {} in blocks of {}; results are compared once "
                                 "you choose what to expect, beside the verdict",
                                 found.most_n, searched_block_));
    } else {
        RunOptions o = explore_.options;
        o.n = found.n;
        o.kernel.n_given = true;
        o.kernel.block = found.block;
        o.block.reset();
        explore_.first_sight = true;
        explore_.call_kernel_with(o);
        const std::string words =
            found.of_all
                ? fmt::format("he smallest that goes wrong: n = {}, block {}: {}", found.n, found.block, found.reason)
                : fmt::format("he smallest found that goes wrong: n = {}, block {} (n = {} does not): {}", found.n,
                              found.block, found.n - 1, found.reason);
        explore_.to_tell = "T" + words + (words.ends_with('.') ? " " : ". ") + "Ctrl+Z goes back.";
        notify("t" + words);
    }
}

} // namespace warptree::window
