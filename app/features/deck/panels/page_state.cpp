#include "app/features/deck/panels/page_state.hpp"

#include "app/base/error.hpp"
#include "app/base/printable.hpp"
#include "app/features/explore/explore_state.hpp"

#include <fmt/format.h>

namespace warptree::pages {

session::StateString state_of(const Page& page, const Values& at_first) {
    session::StateString state;
    state.screen = page.id();
    for (const auto& [key, value] : page.values()) {
        const auto first = at_first.find(key);
        if (key == page.subject()) {
            state.subject = value;
        } else if (page.in_state(key) && !value.empty() && (first == at_first.end() || first->second != value)) {
            state.values[key] = value;
        }
    }
    return state;
}

void show_state(Page& page, const Values& at_first, const session::StateString& state) {
    const Values before = page.values();
    Values wanted;
    std::string known;
    for (const auto& [key, value] : at_first) {
        if (page.in_state(key)) {
            wanted[key] = value;
            known += (known.empty() ? "" : ", ") + key;
        }
    }
    Values asked = state.values;
    if (!state.subject.empty()) {
        asked[page.subject()] = state.subject;
    }
    for (const auto& [key, value] : asked) {
        if (!wanted.contains(key)) {
            throw OptionError(
                key.empty() ? fmt::format("the screen {} has no subject '{}'; leave it out", page.id(),
                                          printable(state.subject))
                            : fmt::format("'{}' is no state key of {}; it knows {}", printable(key), page.id(), known));
        }
        wanted[key] = value;
    }
    page.restore(wanted);
    const Values now = page.values();
    for (const auto& [key, value] : asked) {
        const auto taken = now.find(key);
        const std::string& first = at_first.at(key);
        if (value != first && (taken == now.end() || taken->second == first)) {
            page.restore(before);
            throw OptionError(fmt::format("{}={} in a state cannot be shown by the screen {}; it starts with {}", key,
                                          printable(value), page.id(), first));
        }
    }
}

void check_state(session::StateString state) {
    session::take_looks(state);
    if (state.screen == "explore") {
        session::explore_state(state);
        return;
    }
    if (const auto page = make_page(state.screen, {})) {
        show_state(*page, page->values(), state);
        return;
    }
    std::string known;
    for (const PageMaker& maker : page_makers()) {
        known += (known.empty() ? "" : ", ") + std::string(maker.id);
    }
    throw OptionError(fmt::format("there is no screen '{}'; take {}", printable(state.screen), known));
}

} // namespace warptree::pages
