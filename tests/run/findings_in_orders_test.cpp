// What is found does not depend on the order in which warps and blocks happen to run: kinds, severities and lines are the
// same in all of them, of the cases in tests/field and of the catalogue.
#include "app/base/error.hpp"
#include "app/run/run.hpp"
#include "tests/run/cpu_run.hpp"
#include "tests/run/field_case.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace warptree {
namespace {

// Those whose data changes the path with the order, and how.
const std::map<std::string, std::string> kOtherPath = {};

// Those that touch or write millions of elements: two orders do.
const std::set<std::string> kLarge = {"limit-of-growth", "guide_matrix_struct"};

// What differs from the first order; empty: nothing.
std::string differences_of_orders(const std::string& id, const std::function<Trace(WarpOrder)>& run) {
    std::string out;
    std::set<std::string> first;
    for (const WarpOrder order : kWarpOrders) {
        if (kLarge.contains(id) && order != WarpOrder::in_order && order != WarpOrder::reverse) {
            continue;
        }
        std::set<std::string> found;
        try {
            found = field::findings_of(run(order));
        } catch (const Error& e) {
            found = {e.what()};
        }
        if (order == kWarpOrders.front()) {
            first = found;
        } else if (found != first) {
            out += fmt::format("{}: {}\n{}: {}\n", name(kWarpOrders.front()), fmt::join(first, "; "), name(order),
                               fmt::join(found, "; "));
        }
    }
    return out;
}

void expect_same(const std::string& id, const std::string& differences) {
    if (kOtherPath.contains(id)) {
        EXPECT_NE(differences, "") << "is the same now: take it out of kOtherPath";
    } else {
        EXPECT_EQ(differences, "");
    }
}

std::vector<std::string> of_catalogue() {
    std::vector<std::string> all;
    for (const StrategyInfo& s : strategies()) {
        all.emplace_back(s.id);
    }
    return all;
}

std::string as_name(const testing::TestParamInfo<std::string>& info) {
    std::string text = info.param;
    std::replace(text.begin(), text.end(), '-', '_');
    return text;
}

class FieldInOrders : public testing::TestWithParam<std::string> {};

TEST_P(FieldInOrders, HasTheSameFindings) {
    const field::Json right = field::right_of(GetParam());
    if (right.contains("seconds")) {
        GTEST_SKIP() << "where it is stopped is chance";
    }
    if (right.value("large", false)) {
        GTEST_SKIP() << "a million elements that no two threads share";
    }
    expect_same(GetParam(), differences_of_orders(GetParam(), [&](WarpOrder order) {
                    return field::trace_of(GetParam(), right, order);
                }));
}
INSTANTIATE_TEST_SUITE_P(Cases, FieldInOrders, testing::ValuesIn(field::cases()), as_name);

class CatalogueInOrders : public testing::TestWithParam<std::string> {};

TEST_P(CatalogueInOrders, HasTheSameFindings) {
    expect_same(GetParam(), differences_of_orders(GetParam(), [&](WarpOrder order) {
                    RunOptions o = cpu(GetParam(), require_strategy(GetParam()).answer == Answer::matrix ? 33 : 1000);
                    o.order = order;
                    o.input = InputKind::random;
                    return runs::run_any(o);
                }));
}
INSTANTIATE_TEST_SUITE_P(All, CatalogueInOrders, testing::ValuesIn(of_catalogue()), as_name);

} // namespace
} // namespace warptree
