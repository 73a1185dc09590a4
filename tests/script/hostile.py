"""Runs the program on a file that means harm: it ends by itself, with a code and a line as documented, takes no more than it may
and leaves nothing behind, neither files nor processes."""
import ctypes
import os
import re
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BINARY = os.environ.get("WARPTREE_BINARY", str(ROOT / "build/dev/bin/warptree"))
SANITIZED = b"__asan_init" in Path(BINARY).read_bytes()
PR_SET_CHILD_SUBREAPER = 36
MOST_BYTES = 4 << 30  # resident, of the largest process: what a run may take and the program itself
MOST_OUTPUT = 96 << 20  # what a program may print, and a report of it


def children():
    """Of this process, orphans of what it started among them: it is their reaper."""
    return {int(word) for task in Path("/proc/self/task").glob("*/children") for word in task.read_text().split()}


class Hostile(unittest.TestCase):
    longMessage = True

    @classmethod
    def setUpClass(cls):
        if SANITIZED:
            raise unittest.SkipTest("sanitizers take memory and time beyond the limits that are tested here")
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def held(self):
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*"))

    def holds(self, words, codes=(2,), says="", seconds=15, silent_about=()):
        """codes: one of them is the exit code; says: a pattern in what it prints; seconds: of processor time, of all its
        processes; silent_about: what is nowhere in its output."""
        held = self.held()
        others = children()
        with tempfile.TemporaryFile() as out:
            process = subprocess.Popen([BINARY, *map(str, words)], stdout=out, stderr=subprocess.STDOUT,
                                       stdin=subprocess.DEVNULL, cwd=self.folder, start_new_session=True,
                                       env={**os.environ, "WARPTREE_DATA": str(ROOT), "TMPDIR": str(self.temporary),
                                            "HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder)})
            alarm = time.monotonic() + 1800  # only against a test that hangs
            status = 0
            while True:
                pid, status, used = os.wait4(process.pid, os.WNOHANG)
                if pid != 0:
                    break
                if time.monotonic() > alarm or os.fstat(out.fileno()).st_size > MOST_OUTPUT:
                    os.killpg(process.pid, signal.SIGKILL)
                    os.wait4(process.pid, 0)
                    process.returncode = -9
                    self.fail("it did not end, or printed without end")
                time.sleep(0.01)
            process.returncode = code = os.waitstatus_to_exitcode(status)
            out.seek(0)
            text = out.read().decode(errors="replace")
        shown = text[:600] + (" … " + text[-600:] if len(text) > 1200 else text[600:])
        self.assertIn(code, codes, shown)
        self.assertRegex(text, re.compile(says, re.S), shown[:300])
        self.assertNotRegex(text, r"AddressSanitizer|runtime error:|what\(\):|Stack dump|Assertion `", shown)
        if code == 2 and "\n" in text.strip() and not words[0] in ("run", "report", "check"):
            self.fail("more than a line: " + shown)
        for word in silent_about:
            self.assertNotIn(word, text)
        self.assertLess(used.ru_utime + used.ru_stime, seconds, "processor time")
        self.assertLess(used.ru_maxrss * 1024, MOST_BYTES, "memory")
        self.assertEqual(self.held(), held, "files are left")
        patience = time.monotonic() + 60
        while (left := children() - others) and time.monotonic() < patience:
            for pid in left:
                try:
                    os.waitpid(pid, os.WNOHANG)
                except ChildProcessError:
                    pass
            time.sleep(0.02)
        self.assertEqual(left, set(), "processes are left")
        return text


def cases(table, action):
    """A test for each line of a table, by its name."""
    def add(kind):
        for name, *rest in table:
            def test(self, rest=rest):
                action(self, *rest)
            assert not hasattr(kind, "test_" + name), name
            setattr(kind, "test_" + name, test)
        return kind
    return add
