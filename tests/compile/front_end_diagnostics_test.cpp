#include "tests/support/compile_text.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

namespace warptree::tests {
namespace {

using namespace compile;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using Severity = Diagnostic::Severity;

TEST(FrontEndDiagnostics, HaveEveryField) {
    const Compiled c = compile_text("__global__ void k(int* data) {\n    data[1] = 3\n    data[0] = 1 + daat[1];\n}\n");
    ASSERT_TRUE(c.module == nullptr);
    ASSERT_EQ(c.diagnostics.size(), 3);
    const Diagnostic& semicolon = c.diagnostics[0];
    EXPECT_EQ(semicolon.severity, Severity::error);
    EXPECT_EQ(semicolon.file, "test.cu");
    EXPECT_EQ(semicolon.line, 2);
    EXPECT_EQ(semicolon.column, 16);
    EXPECT_EQ(semicolon.message, "expected ';' after expression");
    EXPECT_THAT(semicolon.fix_its, ElementsAre(Diagnostic::FixIt{{2, 16, 16}, ";"}));
    const Diagnostic& typo = c.diagnostics[1];
    EXPECT_EQ(typo.message, "use of undeclared identifier 'daat'; did you mean 'data'?");
    EXPECT_THAT(typo.ranges, ElementsAre(Diagnostic::Range{3, 19, 23}));
    EXPECT_THAT(typo.fix_its, ElementsAre(Diagnostic::FixIt{{3, 19, 23}, "data"}));
    const Diagnostic& note = c.diagnostics[2];
    EXPECT_EQ(note.severity, Severity::note);
    EXPECT_EQ(note.line, 1);
    EXPECT_EQ(note.column, 24);
    EXPECT_EQ(note.message, "'data' declared here");
}

TEST(FrontEndDiagnostics, AreThereForAStructureThatIsNotDefined) {
    for (const std::string use : {"Sum own = {1, 0};", "Sum own;", "Sum own[2] = {{1, 0}};", "__shared__ Sum own;"}) {
        const Compiled c =
            compile_text("struct Sum;\nstruct More : Sum { int i; };\n__global__ void k(int* out) {\n    " + use +
                         "\n    More more;\n    out[0] = more.i;\n}\n");
        EXPECT_TRUE(c.module == nullptr) << use;
        EXPECT_THAT(told(c.diagnostics, Severity::error), Contains(HasSubstr("incomplete type"))) << use;
    }
}

// UTF-7, SCSU, GB-18030, UTF-16 and UTF-32 by their marks: Clang refuses them before it knows of any declaration.
TEST(FrontEndDiagnostics, AreThereForOtherEncodings) {
    using namespace std::string_literals;
    for (const std::string& mark : {"+/v"s, "\x0e\xfe\xff"s, "\xf7\x64\x4c"s, "\xfe\xff"s, "\xff\xfe"s, "\xff\xfe\0\0"s,
                                    "\0\0\xfe\xff"s, "\xdd\x73\x66\x73"s, "\xfb\xee\x28"s}) {
        const Compiled c = compile_text(mark + "__global__ void k(int* out) { out[0] = 1; }\n");
        EXPECT_TRUE(c.module == nullptr) << testing::PrintToString(mark);
        EXPECT_FALSE(told(c.diagnostics, Severity::error).empty()) << testing::PrintToString(mark);
    }
}

TEST(FrontEndDiagnostics, HaveRangesAndStandInMacrosWhereTheyAreUsed) {
    const Compiled c = compile_text("#define SUM(a, b) ((a) + (b))\nstruct S {};\n"
                                    "__global__ void k(int* a, S s) { a[0] = SUM(a[1], s); }");
    ASSERT_FALSE(c.diagnostics.empty());
    const Diagnostic& d = c.diagnostics[0];
    EXPECT_EQ(d.message, "invalid operands to binary expression ('int' and 'S')");
    EXPECT_EQ(d.line, 3);
    EXPECT_EQ(d.column, 41);
    EXPECT_FALSE(d.ranges.empty());
    EXPECT_THAT(told(c.diagnostics, Severity::note), Contains("test.cu:1:24: expanded from macro 'SUM'"));
}

TEST(FrontEndDiagnostics, AreOfTheHeaderThatHasThem) {
    const TemporaryFolder folder;
    folder.write("sub/own.cuh", "__device__ int f() {\n    return nowhere;\n}\n");
    const Compiled c = compile_text("#include \"sub/own.cuh\"\n", {}, folder.string());
    EXPECT_THAT(errors(c), ElementsAre("sub/own.cuh:2:12: use of undeclared identifier 'nowhere'"));
    EXPECT_THAT(told(c.diagnostics, Severity::note), ElementsAre("test.cu:1:10: in file included from test.cu:1:"));
}

TEST(FrontEndDiagnostics, StandInTheTextWhateverALineDirectiveSays) {
    const Compiled c = compile_text("#line 100 \"/etc/passwd\"\n__device__ int f() { return nowhere; }\n");
    EXPECT_THAT(errors(c), ElementsAre("test.cu:2:29: use of undeclared identifier 'nowhere'"));
}

TEST(FrontEndDiagnostics, AreNotEndless) {
    std::string text = "__device__ void f() {\n";
    for (int i = 0; i < 5000; ++i) text += "x" + std::to_string(i) + ";\n";
    const Compiled c = compile_text(text + "}");
    EXPECT_EQ(errors(c).size(), 200);
    const Compiled deep =
        compile_text("template <class T> struct P { P<P<T>> x; };\n__global__ void k() { P<int> p; }");
    EXPECT_THAT(deep.diagnostics, testing::SizeIs(testing::Le(14)));
    for (const Diagnostic& d : deep.diagnostics) EXPECT_LE(d.message.size(), 1010);
}

TEST(FrontEndDiagnostics, WarnOfWhatClangWarns) {
    const Compiled c = compile_text("__global__ void k(int* a) { int x; a[0] = x; if (a[1] = 2) a[2] = 0; }");
    EXPECT_THAT(errors(c), IsEmpty());
    EXPECT_THAT(warnings(c), ElementsAre(HasSubstr("using the result of an assignment as a condition"),
                                         HasSubstr("variable 'x' is uninitialized")));
    const Compiled quiet = compile_text(R"(
__global__ void k(volatile int* s) { register int t = threadIdx.x; s[t] += s[t + 32]; char x[2] = {t, 1}; s[0] = x[0];
    #pragma unroll
    for (int i = 0; i < 4; ++i) s[i] = i; }
)");
    EXPECT_THAT(quiet.diagnostics, IsEmpty()) << "nvcc takes these in silence";
}

TEST(FrontEndHostCode, StopsNothing) {
    const Compiled c = compile_text(R"(
#include <opencv2/core.hpp>
__global__ void k(int* a) { a[0] = 1; }
cv::Mat image;
struct Window { cv::Mat picture; void show(); };
void Window::show() { cv::imshow("x", picture); }
template <class T> void run(T x) { x.show(undefined); }
int main() {
    auto gui = cv::open();
    int* p = gui.pointer();
    k<<<1, 128>>>(p);
    return unknown;
}
)");
    EXPECT_THAT(errors(c), IsEmpty());
    ASSERT_EQ(c.kernels.size(), 1);
    EXPECT_EQ(c.kernels[0].launched_block[0], 128);
    EXPECT_THAT(warnings(c), Contains(HasSubstr("test.cu:2:10: opencv2/core.hpp: not in the folder of the file")));
    EXPECT_THAT(warnings(c),
                Contains("test.cu:12:12: in host code, which is not run: use of undeclared identifier 'unknown'"));
    EXPECT_LE(warnings(c).size(), 9);
}

TEST(FrontEndHostCode, TakesNoDeviceCodeWithItWhereItsSyntaxIsBroken) {
    const Compiled c = compile_text(R"(
template <int B> __global__ void before(int* a) { a[0] = B; }
void launches(int* p) { before<64><<<1, 64>>>(p); }
void broken() { int x = f(; }
__global__ void after(int* a) { a[0] = 1; }
int main() { after<<<1, 32>>>(nullptr); }
)");
    EXPECT_THAT(errors(c), IsEmpty());
    ASSERT_EQ(c.kernels.size(), 2);
    EXPECT_EQ(c.kernels[0].name, "before<64>");
    EXPECT_EQ(c.kernels[0].launched_block[0], 64);
    EXPECT_EQ(c.kernels[1].name, "after");
    EXPECT_THAT(warnings(c), Contains("test.cu:4:27: in host code, which is not run: expected expression"));
    EXPECT_THAT(errors(compile_text("void broken() { int x = f(; }\n__global__ void k(int* a) { a[0] = nowhere; }")),
                ElementsAre("test.cu:2:36: use of undeclared identifier 'nowhere'"));
}

TEST(FrontEndHostCode, StopsWhenDeviceCodeNeedsIt) {
    const auto stops = [](const char* text) { return compile_text(text).module == nullptr; };
    EXPECT_TRUE(stops("flaot scale;\n__global__ void k(float* a) { a[0] = scale; }"));
    EXPECT_TRUE(stops("struct P { flaot x; int y; };\n__global__ void k(P* a) { a->y = 1; a->x = 2; }"));
    EXPECT_TRUE(stops("__device__ flaot f();\n__global__ void k(float* a) { a[0] = f(); }"));
    EXPECT_TRUE(stops("__constant__ flaot table[4];\n__global__ void k(float* a) { a[0] = table[0]; }"));
    EXPECT_TRUE(stops("constexpr int n = undefined;\n__global__ void k(float* a) { a[0] = n; }"));
    EXPECT_TRUE(stops("template <int N> struct F { static constexpr int v = 1 / N; };\n"
                      "__global__ void k(int* a) { a[0] = F<0>::v; }"));
    EXPECT_TRUE(stops("__global__ void k(float* a) {} }\n"));
    EXPECT_TRUE(stops("void host() { auto f = [] __device__ (int x) { return x + undefined; }; }"));
    EXPECT_TRUE(stops("int host(); __device__ int f() { return host(); } __global__ void k(int* a) { a[0] = f(); }"));
    EXPECT_FALSE(stops("flaot scale;\n__global__ void k(float* a) { a[0] = 1; }"));
    EXPECT_FALSE(stops("void f(flaot x) {}\n__global__ void k(float* a) { a[0] = 1; }"));
}

TEST(FrontEndMissing, IsNamedInOneLine) {
    const auto first = [](const char* text) {
        const auto lines = errors(compile_text(text));
        return lines.empty() ? std::string() : lines[0];
    };
    EXPECT_THAT(first("// my kernel\n\n#include <cudnn.h>\n__global__ void k(cudnnHandle_t* s) {}"),
                StartsWith("test.cu:3:10: cudnn.h: cuDNN is not part of warptree"));
    EXPECT_THAT(first("texture<float, 1> t;\n__global__ void k(float* a) { a[0] = tex1Dfetch(t, 0); }"),
                AllOf(StartsWith("test.cu:2:"), HasSubstr("texture references, which CUDA 12 no longer has")));
    EXPECT_EQ(first("__global__ void k(float* a, cudaTextureObject_t t) { a[0] = tex2D<float>(t, 1, 2); }"), "");
    EXPECT_THAT(first("#include <mma.h>\nusing namespace nvcuda;\n__global__ void k() { wmma::fragment<int> f; }"),
                HasSubstr("mma.h: tensor cores (wmma, wgmma) are not part of warptree"));
    EXPECT_THAT(first("#include <cub/block/block_histogram.cuh>\n__global__ void k() { cub::BlockHistogram<int> r; }"),
                HasSubstr("cub/block/block_histogram.cuh: this part of CUB is not part of warptree"));
    EXPECT_THAT(first("__global__ void c(int*);\n__global__ void k(int* a) { c<<<1, 1>>>(a); }"),
                HasSubstr("dynamic parallelism (kernels that launch kernels) is not part of warptree"));
    const Compiled unused = compile_text("#include <cudnn.h>\n#include <thrust/device_vector.h>\n"
                                         "__global__ void k(int* a) {}\n"
                                         "int main() { thrust::device_vector<int> v(3); }");
    EXPECT_THAT(errors(unused), IsEmpty());
    EXPECT_EQ(unused.kernels.size(), 1);
}

// Files outside the folder cannot be read, however they are named.
struct Forgotten {
    const char* header;
    const char* use;
};

// With the header, nothing is said of it; without, it is what to add.
TEST(FrontEndMissing, NamesTheHeaderThatIsForgotten) {
    constexpr Forgotten kAll[] = {{"limits", "int i = std::numeric_limits<int>::max();"},
                                  {"algorithm", "int i = std::clamp(1, 2, 3);"},
                                  {"array", "std::array<int, 3> a;"},
                                  {"vector", "std::vector<int> v;"},
                                  {"tuple", "std::tuple<int> t;"},
                                  {"functional", "std::plus<int> f;"},
                                  {"numeric", "int i = std::gcd(4, 2);"},
                                  {"bit", "int i = std::bit_cast<int>(1.0f);"},
                                  {"complex", "std::complex<float> c;"},
                                  {"string", "std::string s;"},
                                  {"iostream", "std::cout << 1;"},
                                  {"random", "std::mt19937 g;"},
                                  {"cooperative_groups.h", "auto g = cooperative_groups::this_thread_block();"},
                                  {"cooperative_groups.h", "thread_block g = this_thread_block();"},
                                  {"curand_kernel.h", "curandState s;"},
                                  {"curand_kernel.h", "curandStatePhilox4_32_10_t s;"},
                                  {"cuComplex.h", "cuFloatComplex c;"},
                                  {"helper_math.h", "float3 a = {}; float3 b = normalize(a);"},
                                  {"helper_math.h", "float3 a = {}, b = a + 1.0f;"},
                                  {"helper_math.h", "int2 a = {}, b = -a;"},
                                  {"math_constants.h", "float f = CUDART_INF_F;"}};
    for (const auto& [header, use] : kAll) {
        const std::string kernel = std::string("__global__ void k() { ") + use + " }\n";
        const std::string missing = std::string("#include <") + header + "> ";
        const Compiled without = compile_text(kernel);
        EXPECT_THAT(errors(without), testing::Contains(HasSubstr(missing))) << use;
        for (const Diagnostic& d : without.diagnostics)
            EXPECT_THAT(d.message, testing::Not(testing::AnyOf(HasSubstr("__warptree"), HasSubstr("__coop")))) << use;
        const Compiled with = compile_text(std::string("#include <") + header + ">\n" + kernel);
        for (const std::string& error : errors(with)) EXPECT_EQ(error.find("#include"), std::string::npos) << error;
    }
}

TEST(FrontEndMissing, SuggestsNoNameThatProgramsDoNotKnow) {
    EXPECT_THAT(errors(compile_text("#include <algorithm>\n__global__ void f(int* a) { a[threadIdx.x] = "
                                    "std::numeric_limits<int>::max(); }")),
                ElementsAre("test.cu:2:46: no template named 'numeric_limits' in namespace 'std'; #include <limits> is "
                            "missing"));
    const Compiled c = compile_text("using namespace cooperative_groups;\n__global__ void f(int* a) {\n"
                                    "    thread_block g = this_thread_block();\n    a[threadIdx.x] = 1;\n"
                                    "    barrier(g);\n}");
    EXPECT_THAT(errors(c), testing::Contains("test.cu:1:17: no namespace named 'cooperative_groups'; #include "
                                             "<cooperative_groups.h> is missing"));
    EXPECT_THAT(told(c.diagnostics, Severity::note), testing::Each(testing::Not(HasSubstr("defined here"))));
    // A name of one's own is still suggested.
    EXPECT_THAT(errors(compile_text("__device__ int total;\n__global__ void f() { totl = 1; }")),
                ElementsAre(HasSubstr("did you mean 'total'?")));
}

// Operators of other types, and what macros are made of, say nothing of vectors.
TEST(FrontEndMissing, NamesNoOperatorsOfOtherTypes) {
    const Compiled c = compile_text("__global__ void f(float3* a) {\n    a[0] = a[1] + a[2];\n    a[0] *= 2.0f;\n"
                                    "    a[1] = make_float3(1.0f);\n}");
    EXPECT_THAT(errors(c), testing::Contains("test.cu:2:17: invalid operands to binary expression ('float3' and "
                                             "'float3'); CUDA has no operators for float3: #include <helper_math.h> "
                                             "has some"));
    EXPECT_THAT(told(c.diagnostics, Severity::note),
                testing::Each(testing::AllOf(testing::Not(HasSubstr("__half")), testing::Not(HasSubstr("test.cu:0")),
                                             testing::Not(StartsWith(":")))));
}

// What is doubtful is not looked for where Clang has put something of its own in place of what is wrong.
TEST(FrontEndMissing, LivesThroughCodeWithErrors) {
    EXPECT_THAT(errors(compile_text("__device__ float dot(float3 a, float3 b) { return a.x * b.x; }\n"
                                    "__global__ void k(float* o, float3* p) {\n    float3 d(p[0] - p[1]);\n"
                                    "    float s(dot(d, p[2])), t = unknown, u = t / s;\n"
                                    "    auto f = [=](int i) { float q(gone(i) / 2); int r = q / s; return r; };\n"
                                    "    o[f(1)] = s + u;\n}")),
                testing::Contains(HasSubstr("'unknown'")));
}

TEST(FrontEndSandbox, ReadsNothingOutside) {
    const TemporaryFolder outer;
    outer.write("secret.h", "#define SECRET 1\n");
    outer.write("in/own.h", "int own;\n");
    ASSERT_EQ(symlink("../secret.h", (outer.path() / "in/link.h").c_str()), 0);
    ASSERT_EQ(symlink("..", (outer.path() / "in/up").c_str()), 0);
    ASSERT_EQ(mkfifo((outer.path() / "in/pipe.h").c_str(), 0600), 0);
    const std::string folder = (outer.path() / "in").string(), secret = (outer.path() / "secret.h").string();
    const std::string end = "\n#ifdef SECRET\n#error it was read\n#endif\n__global__ void k(int* a) {}\n";
    for (const std::string& name :
         {std::string("/etc/passwd"), secret, std::string("../secret.h"), std::string("link.h"),
          std::string("up/secret.h"), std::string("pipe.h"), std::string("./../secret.h"), folder + "/own.h",
          std::string("/dev/zero"), std::string("/proc/self/maps"), std::string("sub/../../secret.h"),
          std::string("/source/../../etc/passwd")}) {
        for (const std::string& line : {"#include \"" + name + "\"", "#include <" + name + ">",
                                        "#import \"" + name + "\"", "#include_next \"" + name + "\""}) {
            const Compiled c = compile_text(line + end, {}, folder);
            EXPECT_THAT(errors(c), IsEmpty()) << line;
            EXPECT_THAT(warnings(c), Contains(HasSubstr(name))) << line;
            EXPECT_EQ(c.files.size(), 1) << line;
        }
        EXPECT_THAT(errors(compile_text("const char x[] = {\n#embed \"" + name + "\"\n};" + end, {}, folder)),
                    Contains(HasSubstr("file not found")));
        const Compiled has =
            compile_text("#if __has_include(\"" + name + "\")\n#error it is there\n#endif" + end, {}, folder);
        EXPECT_THAT(errors(has), IsEmpty()) << name;
    }
}

TEST(FrontEndSandbox, SaysWhyAFileIsNotRead) {
    const TemporaryFolder folder;
    folder.write("real.h", "");
    ASSERT_EQ(symlink("real.h", (folder.path() / "link.h").c_str()), 0);
    folder.write("huge.h", "");
    std::filesystem::resize_file(folder.path() / "huge.h", (16ULL << 20) + 1);
    const auto said = [&](const char* name) {
        const Compiled c =
            compile_text(std::string("#include \"") + name + "\"\n__global__ void k() {}", {}, folder.string());
        return warnings(c).empty() ? std::string() : warnings(c)[0];
    };
    EXPECT_THAT(said("link.h"), HasSubstr("link.h: not read: symbolic links are not followed"));
    EXPECT_THAT(said("huge.h"), HasSubstr("huge.h: not read: larger than 16 MB"));
    EXPECT_THAT(said("../x.h"), HasSubstr("../x.h: only headers in the folder of the file, and below it, are read"));
    EXPECT_THAT(said("none.h"), HasSubstr("none.h: not in the folder of the file"));
}

TEST(FrontEndSandbox, KnowsNoModules) {
    EXPECT_THAT(errors(compile_text("#pragma clang module import std\n__global__ void k() {}")),
                Each(HasSubstr("'#pragma clang module' is not part of warptree")));
    EXPECT_TRUE(compile_text("#pragma clang module build m\nmodule m {}\n#pragma clang module contents\nint x;\n"
                             "#pragma clang module endbuild\n__global__ void k() {}")
                    .module == nullptr);
    const Compiled c = compile_text("import foo;\n__global__ void k() {}");
    EXPECT_THAT(errors(c), IsEmpty());
    EXPECT_FALSE(warnings(c).empty());
}

} // namespace
} // namespace warptree::tests
