"""Kernels that mean harm to the machine that interprets them."""
import os
import unittest

from hostile import Hostile, cases

CORES = os.cpu_count() or 1
SECONDS = 2  # of processor time that each may take on a core


def body(text, before=""):
    return before + "__global__ void k(const int* in, int* out, int n) {\n  int t = threadIdx.x;\n  " + text + "\n}\n"


# A name, a kernel, exit codes, what is said, further words of the command line.
KERNELS = [
    ("takes_the_heap_in_small_pieces", body("for (;;) { char* p = (char*)malloc(16); if (!p) break; *p = 1; out[0]++; }"), (0, 1), "allocations|limit"),
    ("takes_the_heap_at_once", body("for (long s = 1L << 62; s > 0; s /= 2) { char* p = (char*)malloc(s); if (p) p[0] = p[s - 1] = 1; }"),
     (0, 1), "k"),
    ("takes_and_frees_without_end", body("for (int i = 0; i < (1 << 30); ++i) { int* p = new int[t + 1]; p[t] = i; out[t] = p[t]; delete[] p; }"),
     (0, 1), "limit|still running"),
    ("frees_twice", body("void* p = malloc(8); free(p); free(p);"), (1,), "free"),
    ("frees_what_is_none", body("free((void*)0x1234); free(out); free((void*)~0ull);"), (1,), "free"),
    ("writes_after_it_freed", body("int* p = (int*)malloc(64); free(p); p[t] = 1; out[t] = p[t];"), (1,), "out of bounds"),
    ("prints_with_stars", body(r'printf("%*.*f %*d %-*s|\n", 2147483647, 2147483647, 1.0, -2147483648, n, 1 << 30, "x");'), (0, 1), "print|format|1000"),
    ("prints_with_bad_formats", body(r'printf("%1$d %hhn %ls %m %Lf %lc %999999999999d %%%", n, out, L"x", 1.0L, 3, n);'), (0, 1), "no conversion of CUDA's printf"),
    ("prints_with_arguments_missing", body(r'printf("%s %d %f %p %s %s %s\n"); printf("%s", n); printf((const char*)in);'), (0, 1), "format|print"),
    ("prints_the_terminal_away", body(r'printf("\033]0;owned\007\033[2J\x9b" "31m%s%c", "\033[8m", 27);'), (0, 1), r"\\x1b"),
    ("prints_a_text_without_end", body(r'char* p = (char*)malloc(100); for (int i = 0; i < 100; ++i) p[i] = 65; printf("%s\n", p);'), (0, 1), "k"),
    ("prints_without_end", body(r'for (;;) printf("%1000d\n", n);'), (0, 1), "limit|printed"),
    ("recurses_without_end", body("out[t] = f(n);", "__device__ __noinline__ int f(int x) { volatile int a[64]; a[x & 63] = x; return a[3] + f(x + 1) * 3; }\n"),
     (0, 1, 2), "stack|recurs|limit|memory|deep"),
    ("recurses_in_two_ways", body("out[t] = f(60) + g(60);", "__device__ int g(int);\n__device__ __noinline__ int f(int x) { return x < 2 ? x : g(x - 1) + f(x - 2); }\n"
                                  "__device__ __noinline__ int g(int x) { return x < 2 ? x : f(x - 1) + g(x - 2); }\n"), (0, 1), "limit|still running"),
    ("calls_what_is_no_function", body("((int (*)(int))(0x1000ull + n))(3); out[t] = 1;"), (0, 1, 2), "k"),
    ("calls_null", body("int (*f)(int) = in[0] == 2 ? nullptr : (int (*)(int))in; out[t] = f(3);"), (0, 1, 2), "k"),
    ("waits_in_a_loop", body("while (true) { __syncthreads(); }"), (1, 0), "still running|limit"),
    ("waits_in_half_a_loop", body("for (;;) { if (t & 1) __syncthreads(); else __syncwarp(0x55555555); }"), (1,), "deadlock|barrier|still running|limit"),
    ("waits_at_barriers_that_are_none", body('asm volatile("bar.sync %0, %1;" :: "r"(n), "r"(t * 7)); asm volatile("bar.sync 99;");'), (1, 2), "k|barrier"),
    ("waits_for_a_mask_of_nobody", body("__syncwarp(0); out[t] = __shfl_sync(0, t, 99); out[t] += __ballot_sync(1u << (t + 1), 1);"), (0, 1), "mask"),
    ("spins_for_ever", body("while (atomicCAS(out, 0, 0) == 0) {}"), (1,), "deadlock|still running|limit"),
    ("reads_the_edges", body("out[t] = *(volatile int*)(~0ull - 3 - 4 * t) + *(volatile int*)(1ull << 63);"), (1,), "out of bounds"),
    ("reads_across_the_end", body("*(volatile long long*)(~0ull - 3) = 1; out[t] = 1;"), (1,), "out of bounds|misaligned"),
    ("reads_null", body("out[t] = *(volatile int*)(long long)(n - 1024);"), (1,), "out of bounds"),
    ("indexes_beyond_64_bits", body("out[t] = in[0x7fffffffffffffffLL / 4] + in[-0x7fffffffffffffffLL / 4] + in[(long long)n << 50];"), (1,), "out of bounds"),
    ("reads_misaligned_vectors", body("int4 v = *(const int4*)((const char*)in + 4 + t); out[t] = v.x + v.w;"), (1,), "misaligned"),
    ("writes_misaligned_vectors", body("*(double2*)((char*)out + 2 * t + 1) = make_double2(1, 2);"), (1,), "misaligned"),
    ("takes_addresses_of_other_spaces", body("__shared__ int s[4]; int l[4]; s[0] = l[0] = t; int* p = t & 1 ? s : l; p[1 << 20] = 1; out[t] = p[-1];"), (1, 2), "out of bounds|k"),
    ("has_a_huge_grid", body("out[0] = 1;"), (0, 1, 2), "k|grid|limit", "--grid", "2147483647"),
    ("has_a_grid_of_three_dimensions", body("out[0] = 1;"), (0, 1, 2), "k|grid|limit", "--grid", "2147483647,65535,65535"),
    ("has_a_grid_that_wraps", body("out[0] = 1;"), (2,), "grid", "--grid", "4294967297"),
    ("has_no_grid", body("out[0] = 1;"), (2,), "grid", "--grid", "0"),
    ("has_a_negative_grid", body("out[0] = 1;"), (2,), "grid", "--grid", "-1"),
    ("has_a_grid_by_division", body("out[0] = 1;"), (2,), "grid|zero", "--grid", "n/(B-B)"),
    ("has_a_deep_expression", body("out[0] = 1;"), (2,), "longer than 4096 characters", "--grid", "(" * 50000 + "1" + ")" * 50000),
    ("has_a_nested_expression", body("out[0] = 1;"), (0, 2), "", "--grid", "(" * 2000 + "1" + ")" * 2000),
    ("has_huge_shared_memory", body("extern __shared__ int s[]; s[t] = t; out[t] = s[t];"), (2,), "shared", "--shared", "1099511627776"),
    ("has_negative_shared_memory", body("extern __shared__ int s[]; s[t] = t; out[t] = s[t];"), (2,), "shared", "--shared", "-4"),
    ("has_a_huge_block", body("out[t] = 1;"), (2,), "block", "--block", "1024,1024,64"),
    ("has_a_negative_size", body("out[t] = 1;"), (2,), "-n|element", "-n", "-5"),
    ("has_an_array_of_everything", body("out[t] = in[t];"), (2,), "element|memory|in", "--arg", "in=2^62"),
    ("has_a_size_that_is_none", body("out[t] = in[t];"), (2,), "nan", "--arg", "in=nan"),
    ("has_a_number_that_is_none", "__global__ void k(float* out, float a, int n) { out[threadIdx.x] = a / n; }\n", (2,), "a", "--arg", "a=1e999"),
    ("has_a_limit_that_is_none", body("out[t] = 1;"), (2,), "--time", "--time", "-1"),
    ("divides_by_zero", body("out[t] = n / (t - t) + (-2147483647 - 1) / (t - t - 1) + n % (t - t); out[t] += (int)(0.0f / (t - t));"), (0, 1), "k"),
    ("shifts_by_everything", body("out[t] = (n << n) + (n >> -t) + __funnelshift_l(n, t, 1 << 30) + (int)(1e30f) + __clz(0) + __ffs(0);"), (0, 1), "k"),
    ("launches_itself", body("k<<<1 << 30, 1024>>>(in, out, n);"), (0, 1, 2), "k|dynamic"),
    ("asserts_everywhere", "#include <cassert>\n" + body('assert(n == 3 && "\\033[31m"); out[t] = 1;'), (1,), "assert"),
    ("traps", body("__trap(); out[t] = 1;"), (1,), "trap"),
    ("copies_everything", body("memcpy(out, in, 1ull << 40); memset(out, 0, ~0ull);"), (1,), "out of bounds|limit"),
    ("copies_itself_for_ever", body("for (;;) memmove(out + 1, out, 1 << 20);"), (0, 1), "limit|still running|out of bounds"),
    ("sleeps_for_ever", body("for (;;) __nanosleep(1000000000);"), (0, 1), "limit|still running"),
    ("asks_the_clock_for_ever", body("while (clock64() < (1ll << 60)) {}"), (0, 1), "limit|still running"),
    ("counts_by_atomics_of_odd_addresses", body("atomicAdd((int*)((char*)out + t), 1); atomicAdd((unsigned long long*)(out + 1), 1ull);"), (1,), "misaligned"),
]


@cases(KERNELS, lambda self, *rest: self.interpret(*rest))
class Kernels(Hostile):
    def interpret(self, text, codes, says, *words):
        self.write("k.cu", text)
        self.holds(["report", self.folder / "k.cu", "--time", str(SECONDS), *words], codes, says,
                   seconds=SECONDS * CORES * 2 + 8, silent_about=("\033", "\x9b"))


if __name__ == "__main__":
    unittest.main()
