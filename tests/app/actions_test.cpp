// Palette, help and menu list the same actions, and the keys they show work.
#include "app/features/screen.hpp"
#include "app/shell/actions.hpp"

#include <GLFW/glfw3.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace warptree::window {
namespace {

class Actions : public ::testing::Test {
  protected:
    Actions() : pages_(pages::make_pages({})), actions_(make_actions(explore_, {})) {
        for (const auto& page : pages_) {
            for (Action& a : page->actions()) {
                a.page = page->id();
                actions_.push_back(std::move(a));
            }
        }
    }
    session::Explore explore_{[] {}};
    std::vector<std::unique_ptr<pages::Page>> pages_;
    std::vector<Action> actions_;
};

// Parses a key such as "Ctrl+Shift+Right".
std::pair<int, int> named_key(std::string text) {
    int modifiers = 0;
    for (const auto& [name, bit] : {std::pair{"Ctrl+", kControl}, {"Alt+", kAlt}, {"Shift+", kShift}}) {
        if (text.size() > std::string(name).size() && text.starts_with(name)) {
            modifiers |= bit;
            text = text.substr(std::string(name).size());
        }
    }
    static const std::map<std::string, int> kNames{
        {"Space", GLFW_KEY_SPACE},     {"Right", GLFW_KEY_RIGHT},     {"Left", GLFW_KEY_LEFT},
        {"Up", GLFW_KEY_UP},           {"Down", GLFW_KEY_DOWN},       {"Home", GLFW_KEY_HOME},
        {"End", GLFW_KEY_END},         {"Page Up", GLFW_KEY_PAGE_UP}, {"Page Down", GLFW_KEY_PAGE_DOWN},
        {"Enter", GLFW_KEY_ENTER},     {"Tab", GLFW_KEY_TAB},         {"Esc", GLFW_KEY_ESCAPE},
        {"Insert", GLFW_KEY_INSERT},   {"Delete", GLFW_KEY_DELETE},   {"[", GLFW_KEY_LEFT_BRACKET},
        {"]", GLFW_KEY_RIGHT_BRACKET}, {"+", GLFW_KEY_EQUAL},         {"-", GLFW_KEY_MINUS},
        {".", GLFW_KEY_PERIOD},        {",", GLFW_KEY_COMMA},         {"Backspace", GLFW_KEY_BACKSPACE}};
    if (const auto found = kNames.find(text); found != kNames.end()) {
        return {found->second, modifiers};
    }
    if (text == ">" || text == "<") {
        return {text == ">" ? GLFW_KEY_PERIOD : GLFW_KEY_COMMA, modifiers | kShift};
    }
    if (text.size() == 1 && ((text[0] >= 'A' && text[0] <= 'Z') || (text[0] >= '0' && text[0] <= '9'))) {
        return {text[0], modifiers}; // GLFW's codes of letters and digits
    }
    if (text.size() > 1 && text[0] == 'F') {
        return {GLFW_KEY_F1 + std::stoi(text.substr(1)) - 1, modifiers};
    }
    return {0, 0};
}

TEST_F(Actions, OfPagesAreFoundByTheIdsInTheList) {
    for (const pages::PageMaker& maker : pages::page_makers()) {
        EXPECT_STREQ(maker.make({})->id(), maker.id);
        EXPECT_STREQ(pages::make_page(maker.id, {})->id(), maker.id);
    }
    EXPECT_EQ(pages::make_page("nowhere", {}), nullptr);
}

TEST_F(Actions, NameTheKeyThatDoesThem) {
    for (const Action& a : actions_) {
        EXPECT_EQ(a.keys.empty(), a.key == 0) << a.id;
        if (!a.keys.empty()) {
            EXPECT_EQ(named_key(a.keys), (std::pair{a.key, a.modifiers})) << a.id << ": " << a.keys;
        }
        EXPECT_FALSE(a.title.empty()) << a.id;
    }
}

TEST_F(Actions, HaveAKeyForThemselvesOnEachPage) {
    std::set<std::string> ids;
    for (const Action& a : actions_) {
        EXPECT_TRUE(ids.insert(a.id).second) << "twice: " << a.id;
    }
    for (const auto& page : pages_) {
        std::map<std::pair<int, int>, std::string> taken;
        for (const Action& a : actions_) {
            if (a.key != 0 && (a.page.empty() || a.page == page->id())) {
                const auto [at, fresh] = taken.emplace(std::pair{a.key, a.modifiers}, a.id);
                EXPECT_TRUE(fresh) << page->id() << ": " << a.keys << " is of " << at->second << " and of " << a.id;
            }
        }
    }
}

TEST_F(Actions, AreAllInThePaletteAndThoseWithKeysInTheHelp) {
    const auto all = named_actions(actions_, "");
    EXPECT_EQ(all.size(), actions_.size());
    std::set<const Action*> helped;
    for (const auto& page : pages_) {
        for (const Action* a : keyed_actions(actions_, page->id())) {
            helped.insert(a);
        }
    }
    for (const Action* a : keyed_actions(actions_, "")) {
        helped.insert(a);
    }
    for (const Action& a : actions_) {
        EXPECT_EQ(helped.contains(&a), a.key != 0) << a.id;
        const auto found = named_actions(actions_, a.title);
        EXPECT_TRUE(std::find(found.begin(), found.end(), &a) != found.end()) << a.title;
    }
}

TEST_F(Actions, OfAPageAreAllInItsMenu) {
    for (const auto& page : pages_) {
        std::multiset<const Action*> listed;
        for (const ActionGroup& group : grouped_actions(actions_, page->id(), page->title())) {
            EXPECT_FALSE(group.actions.empty()) << group.name;
            listed.insert(group.actions.begin(), group.actions.end());
        }
        for (const Action& a : actions_) {
            EXPECT_EQ(listed.count(&a), a.page.empty() || a.page == page->id() ? 1U : 0U) << page->id() << ": " << a.id;
        }
    }
    EXPECT_EQ(grouped_actions(actions_, "theory", "Theory").front().name, "Theory") << "the page's own come first";
}

TEST_F(Actions, AreFoundByLettersOfTheirTitles) {
    EXPECT_EQ(named_actions(actions_, "fit the view").front()->id, "fit");
    const auto strewn = named_actions(actions_, "FTV");
    EXPECT_TRUE(std::any_of(strewn.begin(), strewn.end(), [](const Action* a) { return a->id == "fit"; }));
    EXPECT_TRUE(named_actions(actions_, "no such thing at all").empty());
}

TEST_F(Actions, AreFoundByTheSubjectOfWhatTheyShow) {
    const auto finds = [&](const char* words, const char* id) {
        const auto found = named_actions(actions_, words);
        return std::any_of(found.begin(), found.end(), [&](const Action* a) { return a->id == id; });
    };
    EXPECT_TRUE(finds("coalescing", "topic-memory"));
    EXPECT_TRUE(finds("coalescing", "lesson-cascading"));
    EXPECT_TRUE(finds("roofline", "topic-intensity"));
    EXPECT_TRUE(finds("deadlock", "strategy-barrier-in-branch"));
    EXPECT_TRUE(finds("race", "lesson-races"));
    EXPECT_TRUE(finds("bank conflict", "lesson-banks"));
    EXPECT_TRUE(finds("conflict bank", "lesson-banks"));
    EXPECT_EQ(named_actions(actions_, "race").front()->id, "lesson-races") << "not what has it within 'trace'";
    EXPECT_FALSE(finds("roofline", "lesson-races"));
    EXPECT_FALSE(finds("deadlock", "strategy-sequential"));
}

} // namespace
} // namespace warptree::window
