#include "app/base/npy.hpp"

#include <gmock/gmock.h>

#include <string>

using namespace warptree;
using testing::HasSubstr;

namespace {
std::string file(const std::string& header) {
    std::string text(npy::kMagic);
    text += static_cast<char>(header.size() & 0xFF);
    text += static_cast<char>(header.size() >> 8);
    return text + header;
}
std::string described(const std::string& descr, const std::string& shape) {
    return file("{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n");
}
std::string why_refused(const std::string& text) {
    try {
        npy::read_header(text);
    } catch (const FileError& e) {
        return e.what();
    }
    return "read";
}

TEST(NpyHeader, IsThatOfNumPy) {
    const npy::Header matrix = npy::read_header(described("<f8", "(3, 4)"));
    EXPECT_EQ(matrix.dtype, "<f8");
    EXPECT_EQ(matrix.count, 12U);
    EXPECT_EQ(matrix.dimensions, 2U);
    EXPECT_EQ(npy::read_header(described("|b1", "()")).count, 1U);
    EXPECT_EQ(npy::read_header(described("<f2", "(0,)")).count, 0U);
    const std::string encoded = npy::encode("<u4", 2, std::string(8, 'x'));
    EXPECT_EQ(npy::read_header(encoded).bytes, encoded.size() - 8);
    EXPECT_TRUE(npy::decode(encoded));
    EXPECT_FALSE(npy::decode(encoded + "x"));
    EXPECT_FALSE(npy::decode(described("<u4", "(1, 2)") + std::string(8, 'x'))); // not one-dimensional
}

TEST(NpyHeader, IsRefusedWhereItLies) {
    EXPECT_THAT(why_refused("abc"), HasSubstr("not an .npy file"));
    EXPECT_THAT(why_refused(described("<f8", "(3,)").replace(6, 1, "\x02")), HasSubstr("version 1"));
    EXPECT_THAT(why_refused(described("<f8", "(3,)").substr(0, 40)), HasSubstr("truncated"));
    for (const char* dtype : {">f8", "<f1", "|O8", "<U8", "", "<f88888888888888"}) {
        EXPECT_THAT(why_refused(described(dtype, "(3,)")), HasSubstr("dtype")) << dtype;
    }
    // Products that wrap around to something small.
    for (const char* shape : {"(4294967296, 4294967296)", "(2305843009213693952,)", "(-1,)", "(1e9,)", "(3", "3",
                              "(3;4)", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"}) {
        EXPECT_THAT(why_refused(described("<f8", shape)), HasSubstr("shape")) << shape;
    }
    EXPECT_THAT(why_refused(file("{'descr': '<f8', 'fortran_order': True, 'shape': (3,), }")), HasSubstr("Fortran"));
    EXPECT_THAT(why_refused(described("<f8", "(3,), 'shape': (2,)")), HasSubstr("'shape' twice"));
}
} // namespace
