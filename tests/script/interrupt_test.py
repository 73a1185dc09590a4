"""Ctrl+C and SIGTERM end every command that runs foreign code within half a second, with nothing left running.

Measured is until the command has ended and its pipes are closed: half a second of processor time after the signal for each of
its processes, however busy the machine is. With WARPTREE_QUIET=1, on a machine that does nothing else,
half a second of time, too.
"""
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BINARY = os.environ.get("WARPTREE_BINARY", str(ROOT / "build/dev/bin/warptree"))
SECONDS = 0.5
QUIET = os.environ.get("WARPTREE_QUIET") == "1"
ENDLESS = "for (unsigned i = 1; i; i += 2) "
KERNELS = {
    "stores": "__global__ void k(const int* in, int* out) { " + ENDLESS + "out[i % 64] = i; }",
    "prints": "#include <cstdio>\n__global__ void k(int* out) { " + ENDLESS + 'printf("%d %s\\n", i, "text"); }',
    "allocates": "__global__ void k(int** out) { int* p = (int*)malloc(1 << 12); " + ENDLESS + "if (p) *p = i; }",
    # For the compiler alone, which answers nobody meanwhile.
    "compiles": "template <int D, int I> struct B { B<D - 1, I * 2> l; B<D - 1, I * 2 + 1> r; };\n"
                "template <int I> struct B<0, I> { int x; };\n"
                "__global__ void k(int* a) { a[0] = sizeof(B<26, 1>); }",
}
PROGRAMS = {
    "computes": "int main() { volatile int x = 0; for (;;) x = x + 1; }",
    "waits": "#include <unistd.h>\nint main() { for (;;) sleep(1000); }",
    "is deaf": "#include <csignal>\n#include <pthread.h>\nvoid* f(void*) { for (volatile int x = 0;;) x = 1; }\n"
               "int main() { for (int s : {SIGINT, SIGTERM, SIGHUP}) signal(s, SIG_IGN);\n"
               "  pthread_t t; for (int i = 0; i < 8; ++i) pthread_create(&t, 0, f, 0); f(0); }",
    "prints": '#include <cstdio>\nint main() { for (;;) puts("text"); }',
    "constructs": "struct S { S() { for (volatile int x = 0;;) x = 1; } } s;\nint main() {}",
    "launches": "__global__ void k(int* p) { " + ENDLESS + "p[0] = i; }\n"
                "int main() { int* p; cudaMalloc(&p, 4); k<<<8, 64>>>(p); cudaDeviceSynchronize(); }",
}


def descendants(process):
    found = set()
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            children = task.read_text().split()
        except OSError:
            continue
        for child in children:
            found |= {child} | descendants(child)
    return found


def runs(process):
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False


def catches(process, number):
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("SigCgt:"):
            return bool(int(line.split()[1], 16) >> (number - 1) & 1)
    return False


def processor_time(process):
    """Of a process and of those that it has waited for, in seconds; 0: it is gone."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")


class Interrupt(unittest.TestCase):
    def setUp(self):
        self.holder = tempfile.TemporaryDirectory()
        self.addCleanup(self.holder.cleanup)
        self.folder = Path(self.holder.name)

    def stopped(self, words, number, wait):
        """Starts the command, waits until it would hear the signal and `wait` seconds more, and stops it."""
        process = subprocess.Popen([BINARY, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   env={**os.environ, "WARPTREE_DATA": str(ROOT)})
        while process.poll() is None and not catches(process.pid, number):
            time.sleep(0.005)
        time.sleep(wait)
        self.assertIsNone(process.poll(), f"{words}: ended by itself: {process.stderr.read() if process.poll() else ''}")
        started = descendants(process.pid)
        begin, used = time.monotonic(), sum(map(processor_time, {process.pid, *started}))
        process.send_signal(number)
        errors = process.stderr.read()
        status, usage = os.wait4(process.pid, 0)[1:]
        took = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stderr.close()
        self.assertEqual(process.returncode, 128 + number, (words, errors))
        self.assertEqual(errors.count(b"warptree: stopped"), 1, errors)
        self.assertLess(usage.ru_utime + usage.ru_stime - used, SECONDS * (1 + len(started)), words)
        if QUIET:
            self.assertLess(took, SECONDS, words)
        while any(runs(one) for one in started):  # else the test does not end
            time.sleep(0.005)

    def each(self, words, name, text, wait=0.3):
        file = self.folder / f"{name.replace(' ', '_')}.cu"
        file.write_text(text + "\n")
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(command=words[0], file=name, signal=number.name):
                self.stopped([word.replace("FILE", str(file)) for word in words], number, wait)

    def test_report(self):
        for name, text in KERNELS.items():
            self.each(["report", "--time", "0", "FILE"], name, text)

    def test_record_leaves_no_file(self):
        for name, text in KERNELS.items():
            self.each(["record", "--time", "0", "FILE", "-o", str(self.folder / "out.wtrace")], name, text)
        self.assertEqual([one.name for one in self.folder.iterdir() if one.suffix != ".cu"], [])

    def test_run(self):
        for name, text in PROGRAMS.items():
            self.each(["run", "FILE"], name, text)

    def test_check(self):
        for name, text in KERNELS.items():
            self.each(["check", "FILE", "--jobs", "4"] + 7 * ["FILE"], name, text)

    # While as many processes compute as make every core three times as busy.
    def test_on_a_busy_machine(self):
        busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(3 * (os.cpu_count() or 1))]
        try:
            self.each(["report", "--time", "0", "FILE"], "stores", KERNELS["stores"])
            self.each(["check", "FILE", "FILE"], "stores", KERNELS["stores"])
            self.each(["run", "FILE"], "computes", PROGRAMS["computes"])
        finally:
            for one in busy:
                one.kill()
                one.wait()


if __name__ == "__main__":
    unittest.main()
