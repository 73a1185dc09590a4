#include "app/views/banks/bank_plan.hpp"

#include "app/theory/banks/rules.hpp"
#include "app/views/parts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <map>

#include <fmt/format.h>

namespace warptree::scene {

BankPlan make_bank_plan(const Launch& launch, const Request& request, int banks) {
    BankPlan plan;
    for (std::uint32_t rest = request.mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        plan.index[lane] = launch.index_of(request, lane);
        plan.word[lane] = banks::banked(plan.index[lane], request.bytes);
    }
    const banks::PassRule rule = banks::pass_rule(plan.word.data(), request.mask, request.bytes, banks,
                                                  request.kind == AccessKind::shared_store);
    plan.slots = std::max(1U, rule.slots);
    plan.lanes = rule.lanes;
    plan.pairs = banks == 32 && rule.lanes * request.bytes > 128;
    for (unsigned group = 0; group * rule.lanes < 32; ++group) {
        const std::uint32_t mask = request.mask & banks::lanes_of_group(group, rule.lanes);
        std::vector<BankPlan::Word> words;
        std::array<unsigned, 32> depth{};
        unsigned most = 0;
        for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(rest));
            const std::uint32_t index = plan.word[lane];
            const auto found =
                std::find_if(words.begin(), words.end(), [&](const BankPlan::Word& w) { return w.index == index; });
            if (found != words.end() && request.kind != AccessKind::shared_atomic) { // those do not share it
                found->lanes |= 1U << lane;
                continue;
            }
            const unsigned slot = index % plan.slots;
            words.push_back({slot, depth[slot], index, 1U << lane, false});
            most = std::max(most, ++depth[slot]);
        }
        for (BankPlan::Word& word : words) {
            word.extra = word.row > 0; // a pass without conflicts takes one wavefront
        }
        if (mask != 0) {
            plan.groups.push_back({group * rule.lanes, plan.rows});
        }
        for (unsigned part = 0; part < rule.parts; ++part) {
            for (BankPlan::Word word : words) {
                word.row += plan.rows;
                plan.words.push_back(word);
            }
            plan.rows += most;
        }
    }
    return plan;
}

std::string index_expression(const Request& request, const BankPlan& plan) {
    const auto first = static_cast<unsigned>(std::countr_zero(request.mask));
    const std::uint32_t rest = request.mask & (request.mask - 1);
    if (rest == 0) {
        return fmt::format("index {}", plan.index[first]);
    }
    const auto second = static_cast<unsigned>(std::countr_zero(rest));
    const auto rise = static_cast<std::int64_t>(plan.index[second]) - static_cast<std::int64_t>(plan.index[first]);
    const auto run = static_cast<std::int64_t>(second - first);
    const std::int64_t slope = rise / run;
    const std::int64_t start = static_cast<std::int64_t>(plan.index[first]) - slope * first;
    for (std::uint32_t lanes = request.mask; lanes != 0; lanes &= lanes - 1) {
        const int lane = std::countr_zero(lanes);
        if (static_cast<std::int64_t>(plan.index[static_cast<std::size_t>(lane)]) != start + slope * lane) {
            return {};
        }
    }
    if (slope == 0) {
        return fmt::format("index {} for every lane", start);
    }
    std::string text = slope == 1    ? "index = lane"
                       : slope == -1 ? "index = −lane"
                                     : fmt::format("index = {} × lane", slope);
    return start == 0 ? text : text + fmt::format(" {} {}", start > 0 ? "+" : "−", std::abs(start));
}

namespace {
std::map<std::uint32_t, unsigned> updates_by_word(const BankPlan& plan) {
    std::map<std::uint32_t, unsigned> all;
    for (const BankPlan::Word& word : plan.words) {
        ++all[word.index];
    }
    return all;
}
} // namespace

unsigned most_updates(const BankPlan& plan) {
    unsigned most = 0;
    for (const auto& [word, updates] : updates_by_word(plan)) {
        most = std::max(most, updates);
    }
    return most;
}

std::string verdict(const Request& request, const BankPlan& plan) {
    const auto lanes = static_cast<unsigned>(std::popcount(request.mask));
    unsigned most = 0;
    bool shared = false;
    std::array<unsigned, 32> count{};
    for (const BankPlan::Word& word : plan.words) {
        shared = shared || std::popcount(word.lanes) > 1;
        most = std::max(most, ++count[word.slot]);
    }
    const auto used =
        static_cast<unsigned>(std::count_if(count.begin(), count.end(), [](unsigned c) { return c != 0; }));
    if (request.kind == AccessKind::shared_atomic) {
        const std::size_t all = updates_by_word(plan).size();
        return fmt::format("{} {} {} in {}{}", plural(lanes, "lane"), lanes == 1 ? "updates" : "update",
                           plural(all, "word"), plural(used, "bank"),
                           all < plan.words.size() ? "; those of one word happen one after another." : ".");
    }
    const char* unit = request.bytes > 4 ? "bank group" : "bank";
    std::string text = fmt::format("{} {} {}", plural(lanes, "lane"), lanes == 1 ? "asks" : "ask", plural(used, unit));
    if (request.wavefronts > request.ideal) {
        text += fmt::format("; the busiest serves {} words, one per wavefront.", most);
    } else if (request.ideal > 1 && request.bytes > 4) {
        text += fmt::format("; {}-byte elements take {} passes.", request.bytes, request.ideal);
    } else if (request.ideal > 1) {
        text += "; 16 banks serve half a warp at a time.";
    } else {
        text += "; no bank conflict.";
    }
    if (plan.pairs) {
        text += fmt::format(" Partner lanes are inactive or read the same element, so {} lanes are served at a time.",
                            plan.lanes);
    }
    return shared ? text + " Lanes with the same word share it." : text;
}

} // namespace warptree::scene
