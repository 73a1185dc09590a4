"""Sources that mean harm to the compiler, and kernels that mean harm to the machine."""
import os
import unittest

from hostile import Hostile, cases

KERNEL = "__global__ void k(int* out) { out[threadIdx.x] = 1; }\n"
INT = "__global__ void k(int* out) { out[0] = %s; }\n"
CORES = os.cpu_count() or 1


def doubled(start, times, join="{0} {0}"):
    """Macros of which each is twice the one before: exponential in its length."""
    lines = [f"#define M0 {start}"]
    for i in range(times):
        lines.append(f"#define M{i + 1} " + join.format(f"M{i}"))
    return "\n".join(lines) + f"\n"


# What the compiler refuses or bears: code 2 with a line, or 0 where the source is right however odd it is.
SOURCES = [
    ("includes_itself", '#include "a.cu"\n' + KERNEL, (2,), "nested too deeply|#include"),
    ("includes_each_other", {"a.cu": '#include "b.cuh"\n' + KERNEL, "b.cuh": '#include "c.cuh"\n#include "c.cuh"\n',
                             "c.cuh": '#include "b.cuh"\n#include "b.cuh"\n'}, (2,), "nested too deeply|#include|took"),
    ("includes_twice_as_many_at_each_level",
     {"a.cu": '#include "l0.cuh"\n' + KERNEL,
      **{f"l{i}.cuh": f'#include "l{i + 1}.cuh"\n' * 2 for i in range(40)}, "l40.cuh": "// end\n"}, (2,), "a.cu"),
    ("expands_macros_without_end", doubled("x", 60) + "int a = M60;\n" + KERNEL, (2,), "a.cu"),
    ("pastes_tokens_without_end",
     "#define P(a, b) a##b\n#define Q(a, b) P(a, b)\n" + doubled("x", 40, "Q({0}, {0})") + "int M40;\n" + KERNEL, (2,), "a.cu"),
    ("makes_strings_without_end", doubled('"ab"', 40) + "const char* s = M40;\n" + KERNEL, (2,), "a.cu"),
    ("asks_the_preprocessor_without_end", doubled("1", 40, "{0} + {0}") + "#if M40\n#endif\n" + KERNEL, (2,), "a.cu"),
    ("computes_constants_without_end",
     "constexpr long f() { long s = 0; for (long i = 0; i < (1L << 50); ++i) s += i; return s; }\nconstexpr long v = f();\n" +
     INT % "v", (2,), "constant expression|a.cu"),
    ("allocates_in_a_constant",
     "constexpr long f() { long s = 0; for (int i = 0; i < 100000; ++i) { int* p = new int[100000]{}; s += p[i % 100000]; "
     "delete[] p; } return s; }\nconstexpr long v = f();\n" + INT % "v", (2,), "a.cu"),
    ("recurses_in_a_constant", "constexpr long f(long n) { return n < 2 ? n : f(n - 1) + f(n - 2); }\nconstexpr long v = f(90);\n" +
     INT % "v", (2,), "a.cu"),
    ("instantiates_a_tree", "template <int N, int P> struct T { static constexpr long v = T<N - 1, 2 * P>::v + T<N - 1, 2 * P + 1>::v; };\n"
     "template <int P> struct T<0, P> { static constexpr long v = P; };\n" + INT % "T<28, 1>::v", (2,), "a.cu"),
    ("instantiates_without_end", "template <class X> struct W { using type = typename W<W<X>>::type; };\nW<int>::type x;\n" + KERNEL,
     (2,), "a.cu"),
    ("folds_a_million_packs", "template <int... I> struct S {};\n" + INT % "sizeof(S<__integer_pack(100000000)...>)" , (2,), "a.cu"),
    ("makes_a_sequence_of_a_billion", "template <class T, T... I> struct S { static constexpr long v = sizeof...(I); };\n" +
     INT % "__make_integer_seq<S, long, 1000000000>::v", (2,), "a.cu"),
    ("solves_constraints_without_end",
     "template <class T> concept C = requires { typename T::next; } && C<typename T::next>;\nstruct N { using next = N; };\nstatic_assert(C<N>);\n" + KERNEL, (0, 2), "a.cu"),
    ("overloads_in_every_way", "struct A { template <class T> operator T(); };\n" +
     "".join(f"void f(int (*)[{i + 1}], long (*)[{i + 1}]);\n" for i in range(3000)) + "void g() { f(A(), A()); }\n" + KERNEL,
     (0, 2), "a.cu"),
    ("has_a_huge_array", "__device__ int big[1ull << 40];\n" + INT % "big[3]", (2,), "line 1: big takes 4398046511104 bytes"),
    ("has_a_huge_shared_array", "__global__ void k(int* out) { __shared__ int s[1 << 28]; s[threadIdx.x] = 1; out[0] = s[0]; }\n",
     (2,), "line 1: s takes 1073741824 bytes of shared memory"),
    ("wraps_the_size_of_shared_memory",
     "__global__ void k(int* out) { __shared__ int s[(1ull << 30) + 1]; s[threadIdx.x] = 1; out[0] = s[0]; }\n", (2,),
     "s takes 4294967300 bytes"),
    ("has_many_large_shared_arrays", "__global__ void k(int* out, int n) {\n" + "".join(
        f"__shared__ int s{i}[1 << 20]; s{i}[n] = n; out[{i}] = s{i}[n / 2];\n" for i in range(1100)) + "}\n", (2,),
     "shared memory"),
    ("has_a_huge_local_array", "__global__ void k(int* out, int n) { int a[1 << 28]; a[n] = 1; out[0] = a[n / 2]; }\n", (0, 1, 2),
     "a.cu"),
    ("has_a_huge_initializer", "__constant__ int big[] = {[1 << 29] = 1};\n" + INT % "big[3]", (2,), "a.cu"),
    ("has_a_huge_parameter", "struct S { int x[1 << 26]; };\n__global__ void k(S s, int* out) { out[0] = s.x[3]; }\n", (2,), "268435464 bytes of parameters"),
    ("has_a_huge_literal", INT % ("9" * 200000), (2,), "a.cu"),
    ("has_a_huge_number_of_bits", "__global__ void k(int* out) { unsigned _BitInt(8388608) x = 3; x *= x; x /= 7; out[0] = (int)x; }\n",
     (2,), "a.cu"),
    ("has_a_line_of_10_MB", "int a = 0" + " + 1" * 2500000 + ";\n" + KERNEL, (0, 2), "a.cu"),
    ("has_a_name_of_a_megabyte", f"int {'x' * (1 << 20)};\n" + INT % "1", (0, 2), "a.cu"),
    ("has_a_comment_without_end", KERNEL + "/*" + "*" * (1 << 20), (2,), "a.cu"),
    ("has_a_raw_string_without_end", 'const char* s = R"(' + "x\n" * (1 << 18) + KERNEL, (2,), "a.cu"),
    ("has_a_switch_of_every_number", "__global__ void k(int* out, int n) { switch (n) {\n" +
     "".join(f"case {i}: out[{i}] = {i}; break;\n" for i in range(60000)) + "} }\n", (0, 2), "a.cu"),
    ("jumps_everywhere", "__global__ void k(int* out, int n) {\n" + "".join(
        f"L{i}: if (n == {i}) goto L{(i * 7919) % 3000}; out[n] += {i};\n" for i in range(3000)) + "}\n", (0, 1, 2), "a.cu"),
    ("reads_dev_zero", '#include "/dev/zero"\n' + KERNEL, (0,), "out = 1"),
    ("reads_itself_by_proc", '#include "/proc/self/environ"\n' + KERNEL, (0,), "out = 1"),
    ("reads_by_a_descriptor", '#include "/proc/self/fd/0"\n' + KERNEL, (0,), "out = 1"),
    ("reads_by_the_next_header", "#include_next </etc/passwd>\n" + KERNEL, (0,), "out = 1"),
    ("reads_by_a_macro", '#define F "/etc/" "passwd"\n#include F\n' + KERNEL, (0,), "out = 1"),
    ("asks_whether_a_file_is_there", '#if __has_include("/etc/passwd")\n#error it is there\n#endif\n' + KERNEL, (0,), "a.cu"),
    ("embeds_a_file", "const char p[] = {\n#embed \"/etc/passwd\"\n};\n" + KERNEL, (2,), "embed"),
    ("asks_whether_it_may_embed", '#if defined(__has_embed)\n#if __has_embed("/etc/passwd")\n#error it is there\n#endif\n#endif\n' + KERNEL,
     (0, 2), "a.cu"),
    ("embeds_a_file_by_the_assembler", 'asm(".incbin \\"/etc/passwd\\"");\n' + KERNEL, (0, 2), "a.cu"),
    ("embeds_a_file_in_a_kernel", '__global__ void k(int* out) { asm volatile(".incbin \\"/etc/passwd\\";"); out[0] = 1; }\n', (1, 2),
     "assembly|instruction"),
    ("imports_a_module", "#pragma clang module import std\n" + KERNEL, (2,), "module"),
    ("loads_a_module_map", "#pragma clang module load /etc/passwd\nimport std;\n" + KERNEL, (2,), "a.cu"),
    ("has_a_pragma_by_operator", '_Pragma("clang __debug crash")\n' + KERNEL, (2,), "__debug"),
    ("has_a_pragma_with_a_file", '#pragma GCC dependency "/etc/passwd"\n' + KERNEL, (0, 2), "a.cu"),
    ("depends_on_a_huge_file", {"a.cu": '#include "big.cuh"\n' + KERNEL, "big.cuh": b"\n" * (17 << 20) + b"#error it is there\n"}, (0,), "out = 1"),
    ("says_it_is_another_file", '#line 1 "/etc/passwd"\nint 5;\n' + KERNEL, (0, 2), ""),
    ("says_it_is_on_a_line_that_is_none", '#line 2147483647 "a\\033[31m.cu"\nint 5;\n' + KERNEL.replace("1;", "undeclared;"), (2,), "undeclared"),
    ("has_zero_bytes", b"__global__ void k(int* o\0ut) { *out = 1; }\n", (2,), "zero byte|binary|text"),
    ("begins_with_three_marks", b"\xef\xbb\xbf" * 3 + KERNEL.encode(), (0, 2), "a.cu"),
    ("is_no_utf_8", b"__global__ void k(int* out) { out[0] = 1; } // \xff\xfe\xc0\x80\xed\xa0\x80\n", (0, 2), "a.cu"),
    ("turns_text_around", "__global__ void k(int* out) { /*\u202e } \u2066if (false)\u2069 \u2066*/ out[0] = 1; }\n", (0, 2), "a.cu"),
    ("has_trigraphs_and_carriage_returns", "__global__ void k(int* out) { out[0] = 1; }" + "\r" * 100000 + "??/\n", (0, 2), "a.cu"),
    ("has_splices_without_end", "__global__ void k(int* out) { out[0] = 1" + "\\\n" * 300000 + "; }\n", (0, 2), "a.cu"),
    ("has_attributes_without_end", "[[" + "a," * 200000 + "a]] int x;\n" + KERNEL, (0, 2), "a.cu"),
    ("has_a_type_of_a_thousand_pointers", "typedef int P0;\n" + "".join(f"typedef P{i}* P{i + 1};\n" for i in range(20000)) +
     "__global__ void k(P20000 p, int* out) { out[0] = p != nullptr; }\n", (0, 2), "a.cu"),
    ("has_lambdas_in_lambdas", INT % ("[] { return " * 200 + "1" + "; }()" * 200), (0, 2), "a.cu"),
    ("has_a_header_that_never_ends", "/*\nlaunch: " + "n" * 200000 + "\narg: in = " + "9" * 200000 + "\n*/\n" + KERNEL, (0, 2), ""),
]


@cases(SOURCES, lambda self, *rest: self.compile(*rest))
class Sources(Hostile):
    def compile(self, files, codes, says):
        for name, content in (files if isinstance(files, dict) else {"a.cu": files}).items():
            self.write(name, content)
        self.holds(["report", "--expect", "none", "--time", "2", "--instructions", "2^18", self.folder / "a.cu"], codes, says,
                   seconds=2 * CORES + 18, silent_about=("root:x:0", "it is there"))


if __name__ == "__main__":
    unittest.main()
