// Hostile files: the worker reports one clear line within its limits, and compiles the next file as usual.
#include "app/compile/client/compiler.hpp"
#include "app/compile/client/wire.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>

namespace warptree::tests {
namespace {

using namespace compile;
using namespace std::chrono_literals;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kGood = "__global__ void good(int* a) { a[0] = 1; }\n";

std::string times(int count, const std::string& text) {
    std::string result;
    for (int i = 0; i < count; ++i) result += text;
    return result;
}

class HostileFile : public testing::Test {
  protected:
    // The message thrown, else the first error, else "compiled".
    std::string outcome(const std::string& text, Limits limits = {20s, 512ULL << 20}) {
        Compiler compiler({}, limits);
        compiler.compile({"good.cu", kGood, "", {}, {}});
        std::string said = "compiled";
        try {
            const Program program = compiler.compile({"bad.cu", text, "", {}, {}});
            for (const Diagnostic& d : program.diagnostics)
                if (d.severity == Diagnostic::Severity::error && said == "compiled") said = d.message;
        } catch (const CompileError& error) {
            said = error.what();
        }
        EXPECT_THAT(said, Not(HasSubstr("\n"))) << "one line";
        EXPECT_EQ(compiler.compile({"good.cu", kGood, "", {}, {}}).kernels.size(), 1) << "the next is as before";
        return said;
    }
};

// Clang has pragmas that make it crash, to test itself.
TEST_F(HostileFile, AsksForACrash) {
    const auto refused = HasSubstr("'#pragma clang __debug' is not part of warptree; remove it");
    for (const char* form :
         {"assert", "crash", "parser_crash", "llvm_fatal_error", "llvm_unreachable", "overflow_stack", "captured",
          "dump k", "diag_mapping x", "macro X", "module_map a", "sloc_usage", "nonsense", ""}) {
        EXPECT_THAT(outcome(std::string("#pragma clang __debug ") + form + "\n"), refused) << form;
    }
    EXPECT_THAT(outcome("_Pragma(\"clang __debug crash\")\n"), refused);
    EXPECT_THAT(outcome(std::string("#pragma clang __debug crash\n") + kGood), refused) << "before all else";
    EXPECT_THAT(outcome(std::string("#pragma clang module build a\n") + kGood), HasSubstr("is not part of warptree"));
    EXPECT_THAT(outcome(kGood + std::string("\n#pragma clang __debug crash\n")), refused) << "behind all else";
    EXPECT_THAT(outcome("#define P(x) _Pragma(x)\n#define Q P(\"clang __debug overflow_stack\")\nQ int a;\n"), refused);
    EXPECT_THAT(outcome("__global__ void k(int* a) {\n_Pragma(\"clang __debug parser_crash\") a[0] = 1; }\n"), refused);
    EXPECT_THAT(outcome("%:pragma clang __de\\\nbug crash\n"), refused);
    EXPECT_THAT(outcome("__pragma(clang __debug crash)\n"), Not(HasSubstr("the compiler failed")));
}

TEST_F(HostileFile, NestsTooDeeply) {
    if (tests::kEmulated) GTEST_SKIP() << "qemu-user answers for it";
    // Where AddressSanitizer detects the stack overflow first, it ends the worker with its own message.
    const auto deep = HasSubstr(std::string("bad.cu: the compiler failed on it: ") +
                                (tests::kSanitized ? "" : "the code is nested too deeply"));
    EXPECT_THAT(outcome("__global__ void k(int* a) { a[0] = " + times(300000, "!") + "1; }"), deep);
    EXPECT_THAT(outcome("__global__ void k(int* a) { a[0] = " + times(100000, "(int)") + "1; }"), deep);
    EXPECT_THAT(outcome("__global__ void k(int" + times(200000, "*") + " a) {}"), deep);
    EXPECT_THAT(outcome("__global__ void k(int* a) { a[0] = " + times(100000, "(") + "1" + times(100000, ")") + "; }"),
                HasSubstr("bracket nesting level exceeded maximum of 256"));
    EXPECT_THAT(outcome("#include \"bad.cu\"\n"), HasSubstr("#include nested too deeply"));
}

TEST_F(HostileFile, TakesTooLong) {
    if (tests::kEmulated) GTEST_SKIP() << "qemu-user answers for it";
    const Limits limits{1500ms, 512ULL << 20};
    const auto late = HasSubstr("bad.cu: compiling took more than 1500 ms of processor time and was stopped");
    EXPECT_THAT(
        outcome("constexpr long f(long n) { long s = 0; for (long i = 0; i < n; ++i) for (long j = 0; j < n; ++j) s += "
                "i ^ j; return s; }\n__global__ void k(int* a) { constexpr int x = f(1000000000); a[0] = x; }",
                limits),
        AnyOf(late, HasSubstr("constexpr")));
    EXPECT_THAT(outcome("template <int D, int I> struct B { B<D - 1, I * 2> l; B<D - 1, I * 2 + 1> r; };\n"
                        "template <int I> struct B<0, I> { int x; };\n"
                        "__global__ void k(int* a) { a[0] = sizeof(B<26, 1>); }",
                        limits),
                AnyOf(late, HasSubstr("of memory and was stopped")));
    std::string macros = "#define H 1 +\n";
    for (char name = 'G'; name >= 'A'; --name)
        macros += std::string("#define ") + name + times(12, std::string(" ") + static_cast<char>(name + 1)) + "\n";
    EXPECT_THAT(outcome(macros + "__global__ void k(int* a) { a[0] = A 1; }", limits),
                AnyOf(late, HasSubstr("of memory and was stopped")));
    EXPECT_THAT(outcome("constexpr int f() { while (1); return 1; }\n__global__ void k(int* a) { constexpr int x = "
                        "f(); a[0] = x; }",
                        limits),
                HasSubstr("constexpr"));
}

TEST_F(HostileFile, TakesTooMuchMemory) {
    if (tests::kEmulated) GTEST_SKIP() << "qemu-user answers for it";
    if (tests::kSanitized) GTEST_SKIP() << "the sanitizer's own maps go beyond every limit of address space";
    EXPECT_THAT(outcome("__device__ int x[] = {" + times(3000000, "1,") + "};\n" + kGood, {20s, 64ULL << 20}),
                HasSubstr("MB of memory and was stopped"));
}

TEST_F(HostileFile, IsHuge) {
    EXPECT_EQ(outcome("/*" + std::string(100 << 20, 'x') + "*/"), "bad.cu: a kernel file may have at most 16 MB");
    EXPECT_EQ(outcome("/*" + std::string(15 << 20, 'x') + "*/" + kGood, {20s, 512ULL << 20}), "compiled");
    EXPECT_EQ(outcome("int " + std::string(5 << 20, 'a') + ";\n" + kGood, {20s, 512ULL << 20}), "compiled");
}

TEST_F(HostileFile, IsNoText) {
    std::string noise;
    for (unsigned i = 0; i < 100000; ++i) noise.push_back(static_cast<char>(i * 7919 >> 3));
    EXPECT_NE(outcome(noise), "compiled");
    EXPECT_EQ(outcome(std::string("__global__ void k(int* a) { a[0] = 1;\0 }", 40)), "compiled");
    EXPECT_NE(outcome("__global__ void k(int* a) { a[0] = 1;\n/* never"), "compiled");
    EXPECT_NE(outcome("const char* s = R\"(\n"), "compiled");
    EXPECT_EQ(outcome(""), "compiled");
}

TEST_F(HostileFile, AsksForWhatThereIsNot) {
    EXPECT_THAT(outcome("#pragma clang module import std\n"),
                HasSubstr("'#pragma clang module' is not part of warptree"));
    EXPECT_THAT(outcome("#pragma GCC dependency \"/etc/passwd\"\n"), HasSubstr("file not found"));
    EXPECT_THAT(outcome("asm(\".incbin \\\"/etc/passwd\\\"\");\n" + std::string(kGood)), Not(HasSubstr("root")));
    EXPECT_EQ(outcome("#pragma omp parallel\n#pragma weird (((\n#pragma\n" + std::string(kGood)), "compiled");
    EXPECT_THAT(outcome("#error one\n"), HasSubstr("one"));
}

TEST(Wire, BringsWhatWasSent) {
    const Request request{
        "a.cu", std::string("text\0with zero", 14), "/folder", {{"T", "int"}, {"N", ""}}, {"k<3>", "k<4>"}};
    const std::string frame = frame_of(request);
    EXPECT_EQ(frame_length(frame), frame.size() - kLengthBytes);
    EXPECT_EQ(request_from(std::string_view(frame).substr(kLengthBytes)), request);
    const std::string answered = frame_of(Answer{Answer::Kind::refused, true, "why"});
    const Answer answer = answer_from(std::string_view(answered).substr(kLengthBytes));
    EXPECT_EQ(answer.kind, Answer::Kind::refused);
    EXPECT_TRUE(answer.leaves);
    EXPECT_EQ(answer.bytes, "why");
}

TEST(Wire, BringsFiles) {
    const Question question = question_from(bytes_of({Tree::kernels, "reduce/warp.cuh"}));
    EXPECT_EQ(question.tree, Tree::kernels);
    EXPECT_EQ(question.path, "reduce/warp.cuh");
    FoundFile found{FoundFile::Kind::file, std::string("a\0b", 3), "why"};
    const std::string frame = frame_of(found);
    const FoundFile same = found_from(std::string_view(frame).substr(kLengthBytes));
    EXPECT_EQ(same.kind, found.kind);
    EXPECT_EQ(same.text, found.text);
    EXPECT_EQ(same.refusal, "why");
    EXPECT_THROW(found_from(""), CompileError);
    EXPECT_THROW(found_from("\x07"), CompileError);
    EXPECT_THROW(question_from("\x07x"), CompileError);
}

// What a worker asks for that a file took over: its client gives it no more than a compilation may read.
TEST(Wire, GivesNothingElse) {
    const TemporaryFolder folder;
    folder.write("inside/mine.h", "x");
    folder.write("secret", "x");
    std::filesystem::create_symlink("../secret", folder.path() / "inside/link");
    RequestFiles files((folder.path() / "inside").string(), "");
    EXPECT_EQ(files.find(Tree::source, "mine.h").kind, FoundFile::Kind::file);
    for (const std::string path :
         {"../secret", "link", "/etc/passwd", "", ".", "..", "mine.h/x", "a//b", "../inside/mine.h"})
        EXPECT_EQ(files.find(Tree::source, path).kind, FoundFile::Kind::none) << path;
    EXPECT_EQ(files.find(Tree::kernels, "mine.h").kind, FoundFile::Kind::none);
}

TEST(Wire, RefusesWhatWasCutOff) {
    const std::string frame = frame_of(Request{"a.cu", "text", "", {{"T", "int"}}, {"k<3>"}});
    for (std::size_t length = kLengthBytes; length < frame.size(); ++length)
        EXPECT_THROW(request_from(std::string_view(frame).substr(kLengthBytes, length - kLengthBytes)), CompileError);
    EXPECT_THROW(answer_from(""), CompileError);
    EXPECT_THROW(answer_from("\x09\x01"), CompileError);
    EXPECT_THROW(request_from(std::string(64, '\xFF')), CompileError);
}

} // namespace
} // namespace warptree::tests
