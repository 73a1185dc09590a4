// What arrays are filled with.
#include "app/run/array_fill.hpp"
#include "tests/support/kernel_text.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <sys/stat.h>

namespace warptree::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class T> std::vector<T> filled(const char* fill, ValueType type, std::uint64_t seed = 1, unsigned place = 0) {
    std::vector<T> out(6);
    if (const auto f = runs::array_fill(fill, type, seed, place)) {
        f(0, 6, reinterpret_cast<std::byte*>(out.data()));
    }
    return out;
}

TEST(Fills, AreWhatTheyAreCalled) {
    EXPECT_THAT(filled<int>("iota", ValueType::i32), ElementsAre(0, 1, 2, 3, 4, 5));
    EXPECT_THAT(filled<double>("iota", ValueType::f64), ElementsAre(0, 1, 2, 3, 4, 5));
    EXPECT_THAT(filled<int>("primes", ValueType::i32), ElementsAre(2, 3, 5, 7, 11, 13));
    EXPECT_THAT(filled<float>("primes", ValueType::f32, 1, 1), ElementsAre(181, 191, 193, 197, 199, 211));
    EXPECT_THAT(filled<char>("letters", ValueType::i8), ElementsAre('t', 'h', 'e', 'q', 'u', 'i'));
    EXPECT_THAT(filled<float>("ones", ValueType::f32), testing::Each(1.0F));
    EXPECT_THAT(filled<short>("alternating", ValueType::i16), ElementsAre(1, -1, 1, -1, 1, -1));
    EXPECT_THAT(filled<unsigned>("alternating", ValueType::u32), ElementsAre(1, 0, 1, 0, 1, 0));
    EXPECT_THAT(filled<int>("zeros", ValueType::i32), testing::Each(0));
    EXPECT_EQ(filled<int>("random", ValueType::i32), filled<int>("random", ValueType::i32));
    EXPECT_NE(filled<int>("random", ValueType::i32), filled<int>("random", ValueType::i32, 2));
    EXPECT_EQ(runs::scalar_bits(ValueType::u8, 300), 255U) << "cut to the range of the type";
    EXPECT_EQ(runs::scalar_bits(ValueType::f16, 1), 0x3C00U);
    EXPECT_EQ(runs::scalar_bits(ValueType::i32, -1), 0xFFFFFFFFU);
}

// Each number of a structure is filled by its own type, those of an inner one and of a base, too; the room between them
// stays zero.
TEST(Fills, OfMixedStructuresGoByTheTypeOfEachNumber) {
    const std::string text = "struct Base { short kind; };\n"
                             "struct Inner { float x[2]; };\n"
                             "struct Particle : Base { int id; Inner at; double energy; };\n"
                             "// arg: p = iota\n"
                             "__global__ void k(const Particle* p, float* out) {\n"
                             "  int i = threadIdx.x;\n"
                             "  out[6 * i] = p[i].kind;\n  out[6 * i + 1] = p[i].id;\n"
                             "  out[6 * i + 2] = p[i].at.x[0];\n  out[6 * i + 3] = p[i].at.x[1];\n"
                             "  out[6 * i + 4] = (float)p[i].energy;\n"
                             "  out[6 * i + 5] = ((const unsigned short*)&p[i])[1];\n}\n";
    for (const std::uint32_t block : {1U, 31U, 33U}) {
        const Trace trace = run_text(text, [&](RunOptions& o) { o.block = block; });
        const std::vector<float> out = values<float>(trace, "out");
        ASSERT_GE(out.size(), 6U * block);
        for (std::uint32_t i = 0; i < block; ++i) {
            const auto number = static_cast<float>(i);
            EXPECT_THAT(std::vector<float>(out.begin() + 6 * i, out.begin() + 6 * i + 6),
                        ElementsAre(number, number, number, number, number, 0))
                << i;
        }
    }
}

// No two results of the usual contents are equal, none is zero, and no two arrays share them.
TEST(Fills, OfPrimesTellResultsApart) {
    std::set<std::uint32_t> firsts;
    for (unsigned place = 0; place < 6; ++place) {
        for (const std::size_t n : {3, 8, 32, 33, 100, 256, 1000, 1024, 4096}) {
            std::vector<std::uint32_t> in(n);
            runs::array_fill("primes", ValueType::u32, 1, place)(0, n, reinterpret_cast<std::byte*>(in.data()));
            std::uint32_t sum = 0, product = 1, all_xor = 0, squares = 0;
            for (const std::uint32_t v : in) {
                sum += v;
                product *= v;
                all_xor ^= v;
                squares += v * v;
            }
            const std::set<std::uint32_t> results{0,       sum,        product,   all_xor,
                                                  squares, in.front(), in.back(), static_cast<std::uint32_t>(n)};
            EXPECT_EQ(results.size(), 8U) << n << " elements, place " << place;
            EXPECT_EQ(std::set<std::uint32_t>(in.begin(), in.end()).size(), n) << "each may be an index once";
            firsts.insert(in.front());
        }
    }
    EXPECT_EQ(firsts.size(), 6U);
    for (const ValueType type : {ValueType::i8, ValueType::u8, ValueType::f16}) { // they repeat before they overflow
        std::vector<std::uint16_t> in(100, 0xFFFF);
        runs::array_fill("primes", type, 1)(0, 100, reinterpret_cast<std::byte*>(in.data()));
        for (std::size_t i = 0; i < 100; ++i) {
            const std::uint64_t bits = type == ValueType::f16 ? in[i] : reinterpret_cast<std::uint8_t*>(in.data())[i];
            EXPECT_GT(runs::as_number(type, bits), 1);
        }
    }
    std::vector<int> late(2);
    runs::array_fill("primes", ValueType::i32, 1)((1U << 19) - 1, 2, reinterpret_cast<std::byte*>(late.data()));
    EXPECT_THAT(late, ElementsAre(7754077, 2)) << "an index into an array of unstated size, which has 2^23 elements";
}

TEST(Fills, ComeFromNpyFiles) {
    const TemporaryFolder folder;
    std::string head = "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }";
    head.resize(117, ' ');
    head += '\n';
    std::string file =
        std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(head.size()) + std::string(1, '\0') + head;
    const std::int32_t numbers[] = {7, -8, 9};
    file.append(reinterpret_cast<const char*>(numbers), sizeof numbers);
    folder.write("three.npy", file);
    folder.write("cut.npy", file.substr(0, 20));
    folder.write("no.npy", "text");
    const auto run = [&](const std::string& name, const char* type) {
        return chosen("__global__ void k(const " + std::string(type) + "* in, " + type +
                          "* out) { int t = threadIdx.x; "
                          "out[t] = in[t]; }",
                      [&](RunOptions& o) {
                          o.kernel.block = "3";
                          o.kernel.grid = "1";
                          o.kernel.arguments["in"] = (folder.path() / name).string();
                      });
    };
    EXPECT_THAT(values<int>(run("three.npy", "int"), "out"), ElementsAre(7, -8, 9));
    EXPECT_THROW(run("three.npy", "float"), FileError);
    EXPECT_THROW(run("cut.npy", "int"), FileError);
    EXPECT_THROW(run("no.npy", "int"), FileError);
    // The header and the file's size have to agree, before memory is taken.
    folder.write("sparse.npy", file);
    std::filesystem::resize_file(folder.path() / "sparse.npy", 8ULL << 30);
    EXPECT_THROW(run("sparse.npy", "int"), FileError);
    std::string lies = file;
    folder.write("lies.npy", lies.replace(lies.find("(3,)"), 21, "(17592186044416,), } "));
    EXPECT_THROW(run("lies.npy", "int"), FileError);

    // Paths in the header are relative to the kernel file, not to the working directory, and must not leave its folder.
    const auto of_header = [&](const std::string& name, const std::string& file) {
        return why_refused("// arg: in = " + name +
                               "\n__global__ void k(const int* in, int* out) { int t = threadIdx.x; "
                               "if (t < 3) out[t] = in[t]; }",
                           [&](RunOptions& o) { o.kernel.file = file; });
    };
    const std::string own = (folder.path() / "own/k.cu").string();
    folder.write("own/three.npy", file);
    folder.write("own/below/three.npy", file);
    std::filesystem::create_symlink(folder.path() / "three.npy", folder.path() / "own/link.npy");
    std::filesystem::create_directory_symlink(folder.path(), folder.path() / "own/up");
    std::filesystem::create_symlink("three.npy", folder.path() / "own/same.npy");
    for (const char* name : {"three.npy", "below/three.npy", "./three.npy", "same.npy"}) {
        EXPECT_EQ(of_header(name, own), "taken") << name;
    }
    for (const std::string name : {"../three.npy", "below/../../three.npy", "link.npy", "up/three.npy"}) {
        EXPECT_THAT(of_header(name, own), HasSubstr("in its own folder only")) << name;
    }
    EXPECT_THAT(of_header((folder.path() / "own/three.npy").string(), own), HasSubstr("in its own folder only"));
    EXPECT_THAT(of_header("none.npy", own), HasSubstr("no such file"));
    EXPECT_THAT(of_header("three.npy", ""), HasSubstr("has no file yet"));
    ASSERT_EQ(mkfifo((folder.path() / "own/pipe.npy").c_str(), 0600), 0);
    EXPECT_THAT(of_header("pipe.npy", own), HasSubstr("not a regular file"));
}

TEST(Fills, ComeFromTextOfNumbers) {
    const TemporaryFolder folder;
    folder.write("four.txt", "1 -2\n3,\t4\n");
    folder.write("words.txt", "1 two 3 4");
    folder.write("wide.txt", "1 2 3 4000000000");
    const auto run = [&](const std::string& name, const std::string& type, std::uint64_t n) {
        return chosen("__global__ void k(const " + type + "* in, " + type +
                          "* out) { int t = threadIdx.x; out[t] = in[t]; }",
                      [&](RunOptions& o) {
                          o.n = n;
                          o.kernel.n_given = o.kernel.input_given = true;
                          o.input = InputKind::file;
                          o.input_file = (folder.path() / name).string();
                          o.kernel.block = std::to_string(n);
                          o.kernel.grid = "1";
                      });
    };
    EXPECT_THAT(values<int>(run("four.txt", "int", 4), "out"), ElementsAre(1, -2, 3, 4));
    EXPECT_THAT(values<int>(run("four.txt", "int", 2), "out"), ElementsAre(1, -2)) << "as many as are asked for";
    EXPECT_THROW(run("four.txt", "int", 5), FileError) << "fewer than are asked for";
    EXPECT_THROW(run("four.txt", "unsigned", 4), FileError);
    EXPECT_THROW(run("words.txt", "int", 4), FileError);
    EXPECT_THROW(run("wide.txt", "int", 4), FileError) << "nothing is cut to its range";
    EXPECT_THAT(values<long long>(run("wide.txt", "long long", 4), "out"), ElementsAre(1, 2, 3, 4000000000LL));
    EXPECT_THROW(run("none.txt", "int", 4), FileError);
}

} // namespace
} // namespace warptree::tests
