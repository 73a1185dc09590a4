"""Whole programs whose host half means harm: what it tries is refused by name or fails, and nothing of it is left."""
import json
import os
import subprocess
import unittest

from hostile import BINARY, ROOT, Hostile, cases

SECONDS = 2
HEAD = """#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
static long ask(const char* name, long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
    long r = syscall(number, a, b, c, d, e, f);
    printf("%s gave %ld\\n", name, r < 0 ? -1L : r);
    fflush(stdout);
    return r;
}
"""
REFUSED = (126,)  # by the filter, which names the call
FAILS = (0, 126)  # by the filter, or by itself: it gives -1 then


def call(name, arguments="", setup=""):
    """One system call, raw: it is refused, or fails."""
    return f"{setup}\nint main() {{ return ask(\"{name}\", SYS_{name}{', ' if arguments else ''}{arguments}) >= 0 ? 77 : 0; }}\n"


CALLS = [
    ("clone3", "(long)\"\\0\\0\\0\\0\\0\\0\\0\\0\", 64"), ("vfork", ""), ("io_uring_setup", "8, (long)calloc(1, 256)"),
    ("memfd_create", "(long)\"x\", 0"), ("execveat", "-100, (long)\"/bin/true\", 0, 0, 0"), ("userfaultfd", "0"),
    ("ptrace", "0"), ("prctl", "4, 1"), ("mount", "(long)\"none\", (long)\"/tmp\", (long)\"tmpfs\""), ("unshare", "0x10000000"),
    ("bpf", "0, (long)calloc(1, 128), 128"), ("perf_event_open", "(long)calloc(1, 128), 0, -1, -1, 0"),
    ("process_vm_readv", "getppid(), 0, 0, 0, 0, 0"), ("process_vm_writev", "getppid(), 0, 0, 0, 0, 0"),
    ("inotify_init1", "0"), ("fanotify_init", "0, 0"), ("kcmp", "getpid(), getppid(), 0, 0, 0"), ("pidfd_open", "getppid(), 0"),
    ("pidfd_getfd", "3, 0, 0"), ("setsid", ""), ("setpgid", "0, 0"), ("keyctl", "0, -1"), ("open_by_handle_at", "-1, 0, 0"),
    ("name_to_handle_at", "-100, (long)\"/\", 0, 0, 0"), ("setns", "3, 0"), ("pivot_root", "(long)\"/\", (long)\"/\""),
    ("init_module", "0, 0, (long)\"\""), ("reboot", "0xfee1dead, 672274793, 0"), ("swapon", "(long)\"/x\", 0"),
    ("personality", "0x0040000"), ("shmget", "5, 4096, 01600"), ("msgget", "5, 01600"), ("semget", "5, 1, 01600"),
    ("mq_open", "(long)\"/x\", 0102, 0600, 0"), ("sched_setscheduler", "0, 1, (long)\"\\1\\0\\0\""), ("chroot", "(long)\"/\""),
    ("symlinkat", "(long)\"/etc\", -100, (long)\"/tmp/warptree-x\""), ("mknodat", "-100, (long)\"/tmp/warptree-x\", 010600, 0"),
    ("truncate", "(long)\"/tmp/x\", 0"), ("fchmodat", "-100, (long)\"/tmp\", 0777"), ("openat2", "-100, (long)\"/etc/passwd\", (long)calloc(1, 24), 24"),
    ("timer_create", "0, 0, (long)calloc(1, 8)"), ("seccomp", "2, 0, 0"),
]
FAMILIES = "".join(f'    if (syscall(SYS_socket, {family}, {kind}, 0) >= 0) return 77;\n'
                   for family in (1, 2, 10, 16, 17, 31, 38, 40, 44) for kind in (1, 2, 3))

PROGRAMS = [
    ("opens_sockets_of_all_families", "int main() {\n" + FAMILIES + "    return 0;\n}\n", FAILS, ""),
    ("makes_pairs_of_sockets", "#include <sys/socket.h>\nint main() { int s[2]; return socketpair(1, 1, 0, s) == 0 ? 77 : 0; }\n", FAILS, ""),
    ("signals_everybody", 'int main() { return kill(-1, 9) == 0 ? 77 : 0; }\n', FAILS, ""),
    ("signals_its_parent", 'int main() { return kill(getppid(), 9) == 0 || syscall(SYS_tkill, getppid(), 9) == 0 ? 77 : 0; }\n', FAILS, ""),
    ("queues_a_signal", 'int main() { siginfo_t i = {}; i.si_code = -1; return syscall(SYS_rt_sigqueueinfo, getppid(), 9, &i) == 0 ? 77 : 0; }\n', FAILS, ""),
    ("raises_its_limits", "#include <sys/resource.h>\nint main() { rlimit l = {~0ul, ~0ul}; return setrlimit(RLIMIT_CPU, &l) == 0 ? 77 : 0; }\n", FAILS, ""),
    ("closes_everything", "int main() { for (int i = 0; i < 4096; ++i) close(i); int* d; cudaMalloc(&d, 4); cudaDeviceSynchronize(); return 3; }\n",
     tuple(range(1, 256)), ""),
    ("closes_a_range", "int main() { ask(\"close_range\", SYS_close_range, 0, ~0u, 0); int* d; return cudaMalloc(&d, 4); }\n", tuple(range(1, 256)), ""),
    ("ignores_signals", "int main() { for (int s = 1; s < 65; ++s) signal(s, SIG_IGN); for (volatile long i = 0;; ++i) {} }\n", (124, 126), "time"),
    ("blocks_signals", "int main() { sigset_t all; sigfillset(&all); sigprocmask(SIG_SETMASK, &all, nullptr); for (volatile long i = 0;; ++i) {} }\n", (124, 126), "time"),
    ("sleeps_for_ever", "int main() { for (;;) pause(); }\n", (124, 126), "time|pause"),
    ("never_ends_to_end", "struct E { ~E() { for (volatile long i = 0;; ++i) {} } } e;\nint main() { return 0; }\n", (124,), "time"),
    ("never_ends_at_exit", "int main() { atexit([] { for (;;) sleep(1); }); return 0; }\n", (124,), "time"),
    ("never_begins", "struct B { B() { for (volatile long i = 0;; ++i) {} } } b;\nint main() { return 0; }\n", (2, 124), "time|load"),
    ("crashes_before_it_begins", "struct B { B() { *(volatile int*)8 = 1; } } b;\nint main() { return 0; }\n", (2, 139), ""),
    ("recurses_without_end", "int f(volatile int x) { volatile char a[4096]; a[x & 4095] = 1; return f(x + 1) + a[7]; }\nint main() { return f(0); }\n", (139,), ""),
    ("throws_what_nobody_catches", "int main() { throw 7; }\n", (134,), "SIGABRT"),
    ("prints_without_end", "int main() { for (;;) puts(\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"); }\n", (124, 125), ""),
    ("complains_without_end", "int main() { for (;;) fputs(\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\\n\", stderr); }\n", (124, 125), ""),
    ("takes_all_memory", "int main() { for (;;) { char* p = (char*)malloc(1 << 20); if (!p) return 5; memset(p, 1, 1 << 20); } }\n", (5, 125, 139, 137), ""),
    ("maps_all_memory", "int main() { long n = 0; for (; n < 1000000; ++n) { char* p = (char*)mmap(0, 1 << 20, 3, 0x22, -1, 0); if (p == MAP_FAILED) break; p[0] = 1; } return n < 1000000 ? 5 : 77; }\n",
     (5,), ""),
    ("starts_threads_without_end", "#include <thread>\nint main() { try { for (;;) std::thread([] { for (;;) pause(); }).detach(); } catch (...) { return 5; } }\n", (5, 124, 126, 134), ""),
    ("takes_all_device_memory", "int main() { void* p; int n = 0; while (cudaMalloc(&p, 64 << 20) == cudaSuccess) { cudaMemset(p, 1, 64 << 20); if (++n > 10000) return 77; } return 5; }\n", (5, 124, 2), ""),
    ("asks_for_odd_amounts", "int main() { void* p = 0; int e = 0; for (size_t s : {size_t(0), ~size_t(0), size_t(1) << 63, size_t(1) << 48}) e += cudaMalloc(&p, s) == 0 && s > 1; return e ? 77 : 0; }\n", (0,), ""),
    ("copies_over_itself", "int main() { int* d; cudaMalloc(&d, 64); int r = cudaMemcpy(d, (void*)main, 1ul << 40, cudaMemcpyHostToDevice) == 0; r += cudaMemcpy((void*)8, d, 64, cudaMemcpyDeviceToHost) == 0; return r ? 77 : 0; }\n",
     (0, 139), ""),
    ("frees_what_is_none", "int main() { int x; int r = cudaFree(&x) == 0; r += cudaFree((void*)~0ul) == 0; r += cudaFreeHost(&x) == 0; return r ? 77 : 0; }\n", (0,), ""),
    ("launches_what_is_none", "int main() { void* none[1] = {}; int r = cudaLaunchKernel((const void*)main, dim3(1), dim3(1), none, 0, 0) == 0; return r ? 77 : 0; }\n", (0, 2), ""),
    ("launches_too_much", "__global__ void k() {}\nint main() { k<<<dim3(~0u, ~0u, ~0u), dim3(~0u, 1, 1), ~0u>>>(); return cudaGetLastError() == 0 ? 77 : 0; }\n", (0,), ""),
    ("launches_without_end", "__global__ void k(int* a) { for (int i = 0; i < 1000; ++i) atomicAdd(a, 1); }\nint main() { int* a; cudaMalloc(&a, 4); for (;;) k<<<8, 256>>>(a); }\n", (124,), "time"),
    ("forges_a_launch", "int main() { unsigned long long ask[12]; for (int i = 0; i < 200; ++i) { memset(ask, 0, sizeof ask); *(unsigned*)ask = i; for (int w = 1; w < 12; ++w) ask[w] = 0x0101010101010101ull * (i % 7); ask[11] = 0; if (write(3, ask, 88) < 0) break; } sleep(30); }\n",
     (2, 124, 125, 126), ""),
    ("sends_half_a_message", "int main() { write(3, \"xxxx\", 4); sleep(30); }\n", (124, 125, 126), ""),
    ("scribbles_over_what_is_shared", "int main() { int* m; cudaMallocManaged(&m, 4096); for (long i = -64; i < 64; ++i) m[i * 1024] = -1; return 0; }\n", (0, 139), ""),
    ("reads_the_environment", "extern char** environ;\nint main() { for (char** e = environ; *e; ++e) if (strstr(*e, \"SECRET\")) return 77; return getenv(\"SECRET\") ? 77 : 0; }\n", (0,), ""),
    ("reads_other_files", "int main() { int n = 0; for (const char* f : {\"/etc/passwd\", \"/proc/self/environ\", \"/proc/1/cmdline\", \"/dev/tty\", \"/proc/self/mem\", \"program.cu\", \"../..\"}) n += fopen(f, \"r\") != nullptr; return n ? 77 : 0; }\n", (0,), ""),
    ("leaves_files", "int main() { int n = 0; for (const char* f : {\"left\", \"/tmp/warptree-left\", \"/dev/shm/left\"}) { fopen(f, \"w\"); n += fopen(f, \"r\") != nullptr; } n += mkdtemp(strdup(\"/tmp/leftXXXXXX\")) != nullptr; return n ? 77 : 0; }\n", FAILS, ""),
    ("runs_other_programs", "int main() { return system(\"true\") == 0 || popen(\"true\", \"r\") ? 77 : 0; }\n", FAILS, ""),
    ("makes_code_of_its_own", "int main() { auto* p = (unsigned char*)mmap(0, 4096, 7, 0x22, -1, 0); if (p == MAP_FAILED) return 0; memcpy(p, \"\\xb8\\x39\\0\\0\\0\\x0f\\x05\\xc3\", 8); return ((int (*)())p)() == 0 ? 77 : 78; }\n", (0, 126, 139), ""),
    ("calls_as_another_architecture", "int main() { int r = 20; asm volatile(\"int $0x80\" : \"+a\"(r)); return r > 0 ? 77 : 0; }\n", (0, 126, 139, 159), ""),
    ("prints_to_the_terminal_of_the_pipe", "int main() { fputs(\"\\033[2J\", stderr); return 0; }\n", (0,), ""),
]
PROGRAMS += [("calls_" + name, call(name, arguments), FAILS, "") for name, arguments in CALLS]


@cases(PROGRAMS, lambda self, *rest: self.host(*rest))
class Programs(Hostile):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        facts = json.loads(subprocess.run([BINARY, "device", "--json"], stdout=subprocess.PIPE, check=False,
                                          env={**os.environ, "WARPTREE_DATA": str(ROOT)}).stdout)
        if not facts["confinement"]["programs_run"]:
            raise unittest.SkipTest("this system confines no programs, so that none is run")

    def host(self, text, codes, says):
        os.environ["SECRET"] = "SECRET"
        self.write("program.cu", HEAD + text)
        allowed = SECONDS if 124 in codes else 600  # of the clock, of which a busy machine may give a program little
        self.holds(["run", "--time", str(allowed), "--memory", "512M", self.folder / "program.cu"], codes, says, seconds=4 * SECONDS + 8)


if __name__ == "__main__":
    unittest.main()
