"""warptree check as a course's CI runs it: whole documents whatever happens, and an end when it is told to end."""
import json
import os
import signal
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BINARY = os.environ.get("WARPTREE_BINARY", str(ROOT / "build/dev/bin/warptree"))
SUM = """__global__ void k(const int* in, int* out, int n) {
  __shared__ int s[256];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0; __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) { if (t < d) s[t] += s[t + d]; __syncthreads(); }
  if (t == 0) out[blockIdx.x] = s[0];
}
"""
SLOW = "__global__ void k(const int* in, int* out) { for (unsigned i = 1; i; i += 2) out[i % 64] = i; }\n"
SLOWER = """__global__ void k(const int* in, int* out) {
  if (threadIdx.x == 0) for (int i = 0; i < 100000; ++i) out[i % 64] = in[i % 32];
}
"""


def children(process):
    found = set()
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        found |= set(task.read_text().split())
    return found


def alive(process):
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


class Check(unittest.TestCase):
    def setUp(self):
        self.holder = tempfile.TemporaryDirectory()
        self.addCleanup(self.holder.cleanup)
        self.folder = Path(self.holder.name)

    def file(self, name, text):
        path = os.fsencode(self.folder) + b"/" + (name if isinstance(name, bytes) else name.encode())
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def start(self, *words):
        return subprocess.Popen([BINARY, "check", "--expect", "sum", *words], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env={**os.environ, "WARPTREE_DATA": str(ROOT)})

    def test_lines_come_in_order_and_make_up_the_document(self):
        files = [self.file(f"s{i}.cu", SLOWER if i == 0 else SUM) for i in range(5)]
        outputs = {}
        for jobs in ("1", "4"):
            out, _ = self.start("-n", "33", "--jsonl", "--jobs", jobs, *files).communicate()
            outputs[jobs] = [json.loads(line) for line in out.splitlines()]
        self.assertEqual(outputs["1"], outputs["4"])
        self.assertEqual([os.fsencode(one["file"]) for one in outputs["1"]], files)
        out, _ = self.start("-n", "33", "--json", *files).communicate()
        self.assertEqual(json.loads(out)["files"], outputs["1"])

    def test_interrupted_writes_what_was_done(self):
        junit = self.folder / "out.xml"
        files = [self.file("right.cu", SUM)] + [self.file(f"slow{i}.cu", SLOW) for i in range(50)]
        running = self.start("-n", "64", "--jsonl", "--jobs", "1", "--junit", str(junit), *files)
        first = json.loads(running.stdout.readline())
        self.assertTrue(first["pass"])
        running.send_signal(signal.SIGINT)
        rest, errors = running.communicate()
        self.assertEqual(running.returncode, 130)
        lines = [json.loads(line) for line in rest.splitlines()]
        self.assertEqual(len(lines), 50)
        self.assertEqual(lines[-1]["reason"], "stopped before it was done")
        self.assertIn(b"stopped", errors)
        self.assertEqual(len(xml.parse(junit).getroot()), 51)

    def test_terminated_ends_the_document(self):
        junit = self.folder / "out.xml"
        files = [self.file("right.cu", SUM)] + [self.file(f"slow{i}.cu", SLOW) for i in range(50)]
        running = self.start("-n", "64", "--json", "--jobs", "4", "--junit", str(junit), *files)
        while len(children(running.pid)) < 5:  # compilers, then submissions
            pass
        running.send_signal(signal.SIGTERM)
        out, _ = running.communicate()
        self.assertEqual(running.returncode, 143)
        results = json.loads(out)["files"]
        self.assertEqual([os.fsencode(one["file"]) for one in results], files)
        for one in results:
            self.assertTrue(one["pass"] or one["reason"] == "stopped before it was done", one)
        self.assertEqual(len(xml.parse(junit).getroot()), 51)

    def test_killed_leaves_nothing_running(self):
        running = self.start("-n", ",".join(["64"] * 50), "--jobs", "2", self.file("a.cu", SLOW), self.file("b.cu", SLOW))
        started = set()
        while len(started) < 4:  # two submissions, two compilers
            started |= children(running.pid)
        running.kill()
        running.communicate()
        while any(alive(process) for process in started):
            pass

    def test_names_that_are_no_text(self):
        junit = self.folder / "out.xml"
        files = [self.file(b"\xff\x1b[2J\xc2\x9b&.cu", SUM), self.file(b"right.cu", SUM)]
        out, _ = self.start("-n", "33", "--json", "--junit", str(junit), *files).communicate()
        self.assertEqual([one["pass"] for one in json.loads(out.decode("utf-8"))["files"]], [True, True])
        self.assertEqual(len(xml.parse(junit).getroot()), 2)
        out, _ = self.start("-n", "33", *files).communicate()
        text = out.decode("utf-8")
        self.assertIn("\\xff\\x1b[2J\\xc2\\x9b&.cu", text)
        self.assertNotIn("\x1b", text)

    def test_refuses_what_makes_no_sense(self):
        for words in (["--jobs", "0"], ["--jobs", "x"], ["--json", "--jsonl"]):
            running = self.start(*words, self.file("a.cu", SUM))
            running.communicate()
            self.assertEqual(running.returncode, 2, words)


if __name__ == "__main__":
    unittest.main()
