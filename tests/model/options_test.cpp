#include "app/base/options.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace warptree {
namespace {

TEST(Options, NamesReadBack) {
    for (Finish finish : {Finish::host, Finish::relaunch, Finish::atomic}) {
        EXPECT_EQ(finish_from(name(finish)), finish);
    }
    for (Backend backend : {Backend::automatic, Backend::cpu, Backend::cuda}) {
        EXPECT_EQ(backend_from(name(backend)), backend);
    }
    for (WarpOrder order : {WarpOrder::in_order, WarpOrder::reverse, WarpOrder::random}) {
        EXPECT_EQ(warp_order_from(name(order)), order);
    }
    EXPECT_EQ(name(Backend::automatic), "auto");
    EXPECT_EQ(name(WarpOrder::in_order), "in-order");
    EXPECT_EQ(name(InputKind::alternating), "alternating");
    EXPECT_FALSE(finish_from(""));
    EXPECT_FALSE(backend_from("gpu"));
    EXPECT_FALSE(warp_order_from("in_order"));
}

TEST(Options, CountsAreReadInTheirUsualForms) {
    EXPECT_EQ(parse_count("0"), 0U);
    EXPECT_EQ(parse_count("1000"), 1000U);
    EXPECT_EQ(parse_count("2^20"), 1U << 20);
    EXPECT_EQ(parse_count("10^6"), 1000000U);
    EXPECT_EQ(parse_count("4M"), 1U << 22);
    EXPECT_EQ(parse_count("64K"), 1U << 16);
    EXPECT_EQ(parse_count("64k"), 1U << 16);
    EXPECT_EQ(parse_count("1G"), 1U << 30);
    EXPECT_EQ(parse_count("2^63"), 1ULL << 63);
    EXPECT_EQ(parse_count("0^0"), 1U);
    EXPECT_EQ(parse_count("1^18446744073709551615"), 1U);
    EXPECT_EQ(parse_count("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
}

TEST(Options, WhatIsNotACountIsNothing) {
    for (const char* text : {"",
                             " ",
                             "-1",
                             "+1",
                             " 1",
                             "1 ",
                             "1.5",
                             "1e6",
                             "0x10",
                             "K",
                             "^",
                             "2^",
                             "^2",
                             "2^^3",
                             "2^3^2",
                             "4KK",
                             "4T",
                             "2^20K",
                             "18446744073709551616",
                             "2^64",
                             "10^20",
                             "99999999999999999999999999",
                             "17179869184G",
                             "18446744073709551615K",
                             "2^18446744073709551615",
                             "eins",
                             "1\n"}) {
        EXPECT_FALSE(parse_count(text)) << '"' << text << '"';
    }
    EXPECT_FALSE(parse_count(std::string_view("1\0", 2)));
    EXPECT_FALSE(parse_count(std::string(1 << 20, '9')));
}

} // namespace
} // namespace warptree
