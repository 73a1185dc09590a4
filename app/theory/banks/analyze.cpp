#include "app/theory/banks/analyze.hpp"

#include "app/base/json_text.hpp"
#include "app/theory/banks/rules.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>

namespace warptree::banks {

BankReport analyze(const BankRequest& r) {
    BankReport report;
    report.request = r;
    report.wavefronts = wavefronts(r.index.data(), r.mask, r.bytes, r.banks, r.store);
    report.ideal = ideal_wavefronts(r.index.data(), r.mask, r.bytes, r.banks, r.store);
    report.pass_lanes = pass_rule(r.index.data(), r.mask, r.bytes, r.banks, r.store).lanes;
    report.requests = r.mask != 0 ? 1 : 0;
    report.banks.resize(static_cast<std::size_t>(r.banks));
    for (unsigned lane = 0; lane < 32; ++lane) {
        if ((r.mask >> lane & 1U) == 0) {
            continue;
        }
        for (unsigned part = 0; part < r.bytes / 4; ++part) {
            const std::uint32_t word = r.index[lane] * (r.bytes / 4) + part;
            auto& words = report.banks[word % static_cast<unsigned>(r.banks)];
            const auto met =
                std::find_if(words.begin(), words.end(), [&](const BankWord& w) { return w.word == word; });
            (met != words.end() ? *met : words.emplace_back(BankWord{word, {}})).lanes.push_back(lane);
        }
    }
    return report;
}

std::string passes_text(const BankReport& report) {
    const BankRequest& r = report.request;
    if (r.bytes == 4 && r.banks == 32) {
        return {};
    }
    const bool pairs = r.banks == 32 && report.pass_lanes > 128 / r.bytes;
    return fmt::format("{} lanes are served at a time{}", report.pass_lanes,
                       pairs ? ", twice as many as usual: each lane's partner, lane ^ 1 or lane ^ 2, is inactive or "
                               "accesses the same element"
                             : "");
}

std::string bank_json(const BankReport& report) {
    nlohmann::ordered_json banks = nlohmann::ordered_json::array();
    for (std::size_t bank = 0; bank < report.banks.size(); ++bank) {
        nlohmann::ordered_json words = nlohmann::ordered_json::array();
        for (const BankWord& w : report.banks[bank]) {
            words.push_back({{"word", w.word}, {"lanes", w.lanes}});
        }
        banks.push_back({{"bank", bank}, {"words", std::move(words)}});
    }
    const BankRequest& r = report.request;
    const nlohmann::ordered_json out{{"wavefronts", report.wavefronts},
                                     {"ideal", report.ideal},
                                     {"requests", report.requests},
                                     {"pass_lanes", report.pass_lanes},
                                     {"bytes", r.bytes},
                                     {"mask", fmt::format("{:#010x}", r.mask)},
                                     {"store", r.store},
                                     {"index", r.index},
                                     {"banks", std::move(banks)}};
    return json_text(out, 2) + "\n";
}

std::string bank_text(const BankReport& report) {
    const BankRequest& r = report.request;
    const std::string passes = passes_text(report);
    std::string out =
        fmt::format("{} of {} lanes, {}-byte elements: {} wavefront{}, ideal {}\n{}{}\nbank  words (lanes)\n",
                    r.store ? "store" : "load", std::popcount(r.mask), r.bytes, report.wavefronts,
                    report.wavefronts == 1 ? "" : "s", report.ideal, passes, passes.empty() ? "" : "\n");
    for (std::size_t bank = 0; bank < report.banks.size(); ++bank) {
        if (report.banks[bank].empty()) {
            continue;
        }
        out += fmt::format("{:>4} ", bank);
        for (const BankWord& w : report.banks[bank]) {
            out += w.lanes.size() > 4 ? fmt::format(" {} ({} lanes)", w.word, w.lanes.size())
                                      : fmt::format(" {} ({})", w.word, fmt::join(w.lanes, ","));
        }
        out += "\n";
    }
    return out;
}

Table bank_table(const BankReport& report) {
    Table table{{{"bank", true}, {"distinct words", true}, {"words"}, {"lanes"}}, {}};
    for (std::size_t bank = 0; bank < report.banks.size(); ++bank) {
        std::vector<std::string> words, lanes;
        for (const BankWord& w : report.banks[bank]) {
            words.push_back(std::to_string(w.word));
            lanes.push_back(fmt::format("{}", fmt::join(w.lanes, " ")));
        }
        if (!words.empty()) {
            table.rows.push_back({std::to_string(bank), std::to_string(words.size()),
                                  fmt::format("{}", fmt::join(words, ", ")),
                                  fmt::format("{}", fmt::join(lanes, ", "))});
        }
    }
    return table;
}

} // namespace warptree::banks
