// Small kernels of the kinds that courses and hand-ins hold (tests/field), each with what is right beside it:
//   run       options: n, grid, block, shared, kernel, expect, input, arguments {NAME: VALUE}; without them the file's own
//             launches run, if it has any, as 'warptree report FILE' does it
//   findings  all that there are: {kind, severity, lines}; the lines of a race are those of both sides, ascending
//   pass      whether the result is right; null: nothing is expected
//   equals    what the output is recognised as; null: nothing
//   outputs   {NAME: first values}
//   says, does_not_say   parts of the report, or of the message where the file is refused
//   orders    false: only in order, as the others add nothing
//   seconds   of processor time that it may take, where it would take longer
//   large     true: a million elements that no two threads share; one run is enough, and none under a sanitizer
//   pending   why this is not so yet: the test then fails as soon as it is
#include "app/base/error.hpp"
#include "app/run/kernel_run.hpp"
#include "app/trace/explain/report.hpp"
#include "app/trace/explain/report_kernel.hpp"
#include "tests/run/field_case.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/sanitizer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace warptree {
namespace {

using field::finding_text;
using field::findings_of;
using field::Json;

// What is not as the case says; empty: all is.
std::string differences(const std::string& name, const Json& right, WarpOrder order) {
    std::string out, text;
    const auto differs = [&](const std::string& what) { out += what + "\n"; };
    const auto listed = [](const std::set<std::string>& of) { return fmt::format("{}", fmt::join(of, "; ")); };
    try {
        const Trace t = field::trace_of(name, right, order);
        text = report_text(t);
        if (right.contains("findings")) {
            std::set<std::string> wanted;
            for (const Json& f : right.at("findings")) {
                wanted.insert(finding_text(f.at("kind"), f.at("severity"), f.at("lines")));
            }
            if (const std::set<std::string> found = findings_of(t); found != wanted) {
                differs(fmt::format("findings: {}\nshould be: {}", listed(found), listed(wanted)));
            }
        }
        if (right.contains("pass") &&
            (right.at("pass").is_null() ? !expects_nothing(t) : right.at("pass").get<bool>() != t.pass)) {
            differs(fmt::format("pass is {}", t.pass));
        }
        if (right.contains("equals") &&
            t.equals != (right.at("equals").is_null() ? std::string() : right.at("equals").get<std::string>())) {
            differs("it equals '" + t.equals + "'");
        }
        if (right.contains("outputs")) {
            const Json outputs = Json::parse(report_json(t)).at("outputs");
            for (const auto& [output, values] : right.at("outputs").items()) {
                const Json all = outputs.value(output, Json::array());
                for (std::size_t i = 0; i < values.size(); ++i) {
                    if (i >= all.size() || all[i] != values[i]) {
                        differs(fmt::format("{}[{}] is {}, not {}", output, i,
                                            i < all.size() ? all[i].dump() : "missing", values[i].dump()));
                        break;
                    }
                }
            }
        }
    } catch (const std::exception& e) {
        text = e.what();
        if (right.contains("findings") || right.contains("outputs") || right.contains("pass")) {
            differs("refused: " + text);
        }
    }
    for (const Json& part : right.value("says", Json::array())) {
        if (text.find(part.get<std::string>()) == std::string::npos) {
            differs("does not say '" + part.get<std::string>() + "'");
        }
    }
    for (const Json& part : right.value("does_not_say", Json::array())) {
        if (text.find(part.get<std::string>()) != std::string::npos) {
            differs("says '" + part.get<std::string>() + "'");
        }
    }
    return out;
}

class Field : public testing::TestWithParam<std::string> {};

TEST_P(Field, IsAsItsFirstLineSaysInEveryOrder) {
    const std::string file = (tests::source_dir() / "tests/field" / (GetParam() + ".json")).string();
    ASSERT_TRUE(std::filesystem::exists(file)) << "a case without what is right: " << file;
    const Json right = field::right_of(GetParam());
    if (tests::kSanitized && right.value("large", false)) {
        GTEST_SKIP() << "takes too long under a sanitizer";
    }
    std::string all;
    for (const WarpOrder order : kWarpOrders) {
        if (order == WarpOrder::in_order || right.value("orders", true)) {
            if (const std::string wrong = differences(GetParam(), right, order); !wrong.empty()) {
                all += fmt::format("{}: {}", name(order), wrong);
            }
        }
    }
    if (right.contains("pending")) {
        EXPECT_NE(all, "") << "is right now: take 'pending' out of " << file;
    } else {
        EXPECT_EQ(all, "");
    }
}

INSTANTIATE_TEST_SUITE_P(Cases, Field, testing::ValuesIn(field::cases()), [](const auto& info) {
    std::string text = info.param;
    std::replace(text.begin(), text.end(), '-', '_');
    return text;
});

} // namespace
} // namespace warptree
