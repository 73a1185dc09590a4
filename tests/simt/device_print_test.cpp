// printf of device code: held against what an NVIDIA H100 printed, and what a hostile format may not do.
#include "app/simt/device_print.hpp"
#include "app/trace/explain/report.hpp"
#include "tests/support/kernel_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace warptree::tests {
namespace {

using simt::DevicePrinted;
using simt::DeviceText;
using testing::HasSubstr;

constexpr std::uint64_t kWord = 0x1000, kOpenEnd = 0x2000, kLong = 0x3000; // addresses of texts

DeviceText read(std::uint64_t address, std::size_t most) {
    if (address == kWord) {
        return {std::string("word").substr(0, most), most > 4};
    }
    if (address == kOpenEnd) { // three bytes of memory, without a null character
        return {std::string("abc").substr(0, most), false};
    }
    return address == kLong ? DeviceText{std::string(most, 'x'), false} : DeviceText{"", false};
}

// Packs the arguments as a compiler does.
struct Packed {
    std::vector<std::byte> bytes;
    std::string types;

    template <class T> void add(T value) {
        const std::size_t at = (bytes.size() + sizeof value - 1) / sizeof value * sizeof value;
        bytes.resize(at + sizeof value);
        std::memcpy(&bytes[at], &value, sizeof value);
        types += std::is_same_v<T, double> ? 'd' : std::is_same_v<T, std::uint64_t> ? 'p' : sizeof(T) == 4 ? 'i' : 'l';
    }
};

template <class... Arguments> DevicePrinted print(const std::string& format, Arguments... arguments) {
    Packed packed;
    (packed.add(arguments), ...);
    return simt::device_print(format, {packed.bytes, packed.types}, read);
}

template <class... Arguments> DevicePrinted print_untyped(const std::string& format, Arguments... arguments) {
    Packed packed;
    (packed.add(arguments), ...);
    return simt::device_print(format, {packed.bytes, std::nullopt}, read);
}

constexpr double kPi = 3.14159265358979;
constexpr long long kBig = -1234567890123LL;
constexpr std::uint64_t kNull = 0;

#define EXPECT_PRINTS(printed, expected, count)                                                                        \
    do {                                                                                                               \
        const DevicePrinted p_ = (printed);                                                                            \
        EXPECT_EQ(p_.text, expected);                                                                                  \
        EXPECT_EQ(p_.parsed, count);                                                                                   \
        EXPECT_EQ(p_.doubt, "");                                                                                       \
    } while (false)

// What an H100 printed and returned (CUDA 13.0, driver 580).
TEST(DevicePrint, FormatsAsAGpuDoes) {
    EXPECT_PRINTS(print("plain"), "plain", 0);
    EXPECT_PRINTS(print("%%"), "%", 0);
    EXPECT_PRINTS(print("%d %i %u", -1, -2, 3U), "-1 -2 3", 3);
    EXPECT_PRINTS(print("%o %x %X %#x %#o", 8, 255, 255, 255, 8), "10 ff FF 0xff 010", 5);
    EXPECT_PRINTS(print("%+d % d %05d %-5d| %5d", 3, 3, 3, 3, 3), "+3  3 00003 3    |     3", 5);
    EXPECT_PRINTS(print("%.3d %8.3d %-8.3d| %08.3d", 7, 7, 7, 7), "007      007 007     |      007", 4);
    EXPECT_PRINTS(print("%.0d|", 0), "|", 1);
    EXPECT_PRINTS(print("%hd %hu", 70000, 70000), "4464 4464", 2);
    EXPECT_PRINTS(print("%ld %lu %lld %llu", kBig, 123456789012LL, kBig, 123456789012LL),
                  "-1234567890123 123456789012 -1234567890123 123456789012", 4);
    EXPECT_PRINTS(print("%f %F %e %E %g %G %a %A", kPi, kPi, kPi, kPi, kPi, kPi, kPi, kPi),
                  "3.141593 3.141593 3.141593e+00 3.141593E+00 3.14159 3.14159 0x1.921fb54442d11p+1 "
                  "0X1.921FB54442D11P+1",
                  8);
    EXPECT_PRINTS(print("%.2f %10.2f %-10.2f| %+.1f %#.0f %010.2f", kPi, kPi, kPi, kPi, kPi, kPi),
                  "3.14       3.14 3.14      | +3.1 3. 0000003.14", 6);
    EXPECT_PRINTS(print("%*d|", 5, 1), "    1|", 2);
    EXPECT_PRINTS(print("%-*d|", 5, 1), "1    |", 2);
    EXPECT_PRINTS(print("%*d|", -5, 1), "1    |", 2);
    EXPECT_PRINTS(print("%*d|%d", 5, 1, 2), "    1|2", 3);
    EXPECT_PRINTS(print("%c %5c %-5c|", 'x' + 0, 'y' + 0, 'z' + 0), "x     y z    |", 3);
    EXPECT_PRINTS(print("%s %10s %-10s| %.2s", kWord, kWord, kWord, kWord), "word       word word      | wo", 4);
    EXPECT_PRINTS(print("%s", kNull), "(null)", 1);
    EXPECT_PRINTS(print("%p %20p", std::uint64_t{0x1234}, std::uint64_t{0x1234}), "0x1234               0x1234", 2);
    EXPECT_PRINTS(print("%p|%-20p|", kNull, kNull), "(nil)|(nil)               |", 2);
    EXPECT_PRINTS(print("%lf %hf|%hs|%lc", kPi, kPi, kWord, 'a' + 0), "3.141593 3.141593|word|a", 4);
    EXPECT_PRINTS(print("%f %f", std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()),
                  "inf -inf", 2);
    EXPECT_PRINTS(print("%x %llx %hx %lx", -1, -1LL, -1, -1LL), "ffffffff ffffffffffffffff ffff ffffffffffffffff", 4);
    EXPECT_PRINTS(print("%-+8.3e|%#g|%.f|%.s|", kPi, 1.0, kPi, kWord), "+3.142e+00|1.00000|3||", 4);
    EXPECT_PRINTS(print("%-05d|%+s|%05s|%+u|%#d|%.5c|%+c|", 3, kWord, kWord, 4, 5, 'r' + 0, 'q' + 0),
                  "3    |word| word|4|5|r|q|", 7);
    EXPECT_PRINTS(print("%c|", 0), std::string("\0|", 2), 1);
}

// A GPU prints these as they stand, too.
TEST(DevicePrint, LeavesWhatCudaDoesNotDocument) {
    for (const std::string format :
         {"%zu",  "%jd", "%td",   "%q",    "%",  "abc %5", "%'d", "%b",   "%5%", "%I64d", "%D",   "%m",
          "%C",   "%U",  "%.-3d", "%zx",   "%w", "%v",     "%Lf", "%.*f", "%k",  "%n",    "%hhn", "%nlld",
          "%3$d", "%S",  "%ls",   "%\x01", "%-", "%#",     "%l",  "%ll",  "%h",  "%.",    "%*"}) {
        const DevicePrinted p = print(format, 5, kPi, kWord, kWord);
        EXPECT_EQ(p.text, format);
        EXPECT_EQ(p.parsed, 0) << format;
        EXPECT_NE(p.doubt, "") << format;
        EXPECT_THAT(p.doubt, Not(HasSubstr("\x01")));
    }
    EXPECT_EQ(print("%zu and %d", 7).text, "%zu and 7");
    EXPECT_THAT(print("%zu and %d", 7).doubt, HasSubstr("'%zu'"));
    EXPECT_THAT(print("%ls|", kWord).doubt, HasSubstr("'%ls'"));
}

TEST(DevicePrint, BoundsWidthAndPrecision) {
    EXPECT_EQ(print("%1000d|", 5).text.size(), 1001U);
    EXPECT_EQ(print("%1000d|", 5).doubt, "");
    for (const DevicePrinted& p : {print("%2000d|", 5), print("%*d|", 1500, 3), print("%99999999999999999999d|", 3),
                                   print("%-*d|", std::numeric_limits<int>::min(), 3), print("%1001s|", kWord)}) {
        EXPECT_EQ(p.text.size(), 1001U);
        EXPECT_THAT(p.doubt, HasSubstr("more than 1000"));
    }
    EXPECT_EQ(print("%1000.1000f", -1e308).text.size(), 1U + 309 + 1 + 1000);
    EXPECT_EQ(print("%.2000f|", 0.5).text.size(), 1003U);
    EXPECT_EQ(print("%.1000a", 1.0).text.size(), 7U + 1000);
    EXPECT_EQ(print("%.1000lld", -1LL).text.size(), 1001U);
}

TEST(DevicePrint, FormatsAnArgumentByItsOwnType) {
    EXPECT_EQ(print("%d|%d", kPi, 7).text, "3.141593|7");
    EXPECT_EQ(print("%.3f|%d", 1, 2.5).text, "1|2.500000");
    EXPECT_EQ(print("%d %d", kBig, 7).text, "-1234567890123 7");
    EXPECT_EQ(print("%lld %x", 5, 255).text, "5 ff");
    EXPECT_EQ(print("%s|%d", 65, 7).text, "65|7") << "no address";
    EXPECT_EQ(print("%s", kPi).text, "3.141593");
    EXPECT_EQ(print("%d", kWord).text, "0x1000");
    EXPECT_THAT(print("%d", kPi).doubt, HasSubstr("'%d' is for a 32-bit integer, and its argument is a double"));
    EXPECT_PRINTS(print("%lx %p", kWord, 0x10LL), "1000 0x10", 2);
    EXPECT_PRINTS(print_untyped("%d %f %lld %s", 1, 2.0, kBig, kWord), "1 2.000000 -1234567890123 word", 4);
}

TEST(DevicePrint, LeavesConversionsWithoutAnArgument) {
    EXPECT_EQ(print("%d %d %f|", 1).text, "1 %d %f|");
    EXPECT_EQ(print("%d %d %f|", 1).parsed, 1);
    EXPECT_THAT(print("%d %d %f|", 1).doubt, HasSubstr("'%d' has no argument"));
    EXPECT_EQ(print_untyped("%d %s", 1).text, "1 %s");
    EXPECT_EQ(print("%*d", 5).text, "%*d");
    EXPECT_EQ(print("%d", 1, 2, 3).text, "1");
    std::string format, expected;
    Packed packed;
    for (int i = 0; i < 34; ++i) {
        format += "%d ";
        expected += i < 32 ? std::to_string(i) + " " : "%d ";
        packed.add(i);
    }
    const DevicePrinted p = simt::device_print(format, {packed.bytes, packed.types}, read);
    EXPECT_EQ(p.text, expected);
    EXPECT_EQ(p.parsed, 32);
    EXPECT_THAT(p.doubt, HasSubstr("at most 32 arguments"));
}

TEST(DevicePrint, ReadsTextsWithinTheirMemory) {
    EXPECT_EQ(print("%s|", kOpenEnd).text, "abc|");
    EXPECT_THAT(print("%s|", kOpenEnd).doubt, HasSubstr("does not end within its memory"));
    EXPECT_PRINTS(print("%.3s|", kOpenEnd), "abc|", 1);
    EXPECT_THAT(print("%.4s|", kOpenEnd).doubt, HasSubstr("does not end"));
    EXPECT_EQ(print("%s", std::uint64_t{0xDEAD}).text, "");
    EXPECT_THAT(print("%s", std::uint64_t{0xDEAD}).doubt, HasSubstr("0xdead"));
    EXPECT_EQ(print("%s", kLong).text.size(), simt::kMostPrintText);
    EXPECT_THAT(print("%s", kLong).doubt, HasSubstr("more than 65536 characters"));
}

const std::string kHead = "#include <cstdio>\n";

// In a kernel: of every memory, through pointers, with what printf returns.
TEST(DevicePrint, ReadsEveryMemory) {
    const Trace trace = run_text(
        kHead + "__device__ char g[8] = \"global\"; __constant__ char c[8] = \"const\";\n"
                "__global__ void k(int* out) {\n"
                "  __shared__ char s[8]; char l[8];\n"
                "  for (int i = 0; i < 5; ++i) { s[i] = 'a' + i; l[i] = 'A' + i; }\n"
                "  s[5] = l[5] = 0;\n"
                "  const char* none = nullptr;\n"
                "  if (threadIdx.x == 0) { out[0] = printf(\"%s %s %s %s %s|\", g, c, s, l, \"text\");\n"
                "    out[1] = printf(none); out[2] = printf(\"no argument \"); char f[4] = {'%', 'd', '\\n', 0};\n"
                "    out[3] = printf(f, 5); }\n}");
    EXPECT_EQ(trace.launches.front().printed, "global const abcde ABCDE text|no argument 5\n");
    EXPECT_THAT(values<int>(trace, "out"), testing::ElementsAre(5, -1, 0, 1));
    EXPECT_THAT(kinds(trace), testing::Not(testing::Contains(FindingKind::print_format)));
}

TEST(DevicePrint, TellsWhatItDoesNotUnderstand) {
    const Trace trace =
        run_text(kHead + "__global__ void k(int* out, long long v) {\n"
                         "  if (threadIdx.x == 0) printf(\"%nlld %S %3$lld %zu|\", v, out, 7, (size_t)1);\n"
                         "  out[threadIdx.x] = 1;\n}");
    EXPECT_EQ(trace.launches.front().printed, "%nlld %S %3$lld %zu|");
    const Finding* const f = first_of(trace, FindingKind::print_format);
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(f->line.line(), 3U);
    EXPECT_THAT(f->text, HasSubstr("'%n' is no conversion"));
    EXPECT_EQ(f->severity, Severity::risk);
    EXPECT_TRUE(trace.launches.front().findings.size() == 1 && !ends_the_run(f->kind));
}

TEST(DevicePrint, ReadsNothingOutsideAnArray) {
    const Trace trace =
        run_text(kHead + "__global__ void k(int* out) {\n  __shared__ char s[4];\n"
                         "  for (int i = 0; i < 4; ++i) s[i] = 'a';\n"
                         "  if (threadIdx.x == 0) printf(\"%s|%s|\", s, (const char*)0x123456789abcdefULL);\n"
                         "  out[threadIdx.x] = 1;\n}");
    EXPECT_EQ(trace.launches.front().printed, "aaaa||");
    ASSERT_NE(first_of(trace, FindingKind::print_format), nullptr);
    EXPECT_THAT(first_of(trace, FindingKind::print_format)->text, HasSubstr("does not end within its memory"));
}

// Whatever bytes a kernel prints: the report is UTF-8 without control characters, and JSON can be written.
TEST(DevicePrint, LetsNoEscapeCodesOut) {
    const Trace trace = run_text(
        kHead + "__global__ void k(int* out) {\n  if (threadIdx.x == 0) printf(\"a\\tb\\n\\033[31m%c%c\", 0xff, "
                "0x9b);\n  out[threadIdx.x] = 1;\n}");
    EXPECT_EQ(trace.launches.front().printed, "a\tb\n\033[31m\uFFFD\uFFFD");
    const std::string text = report_text(trace), json = report_json(trace);
    EXPECT_THAT(text, HasSubstr("a\tb\n\\x1b[31m\uFFFD\uFFFD"));
    EXPECT_THAT(text, Not(HasSubstr("\033")));
    EXPECT_THAT(json, HasSubstr("\"a\\tb\\n\\u001b[31m\uFFFD\uFFFD\""));
}

} // namespace
} // namespace warptree::tests
