"""What a program prints controls no terminal, and comes whole through a pipe."""
import os
import pty
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BINARY = os.environ.get("WARPTREE_BINARY", str(ROOT / "build/dev/bin/warptree"))
PRINTED = rb"\033]0;title\007\033[2J\302\233H\302\240\342\202\254|"
PROGRAM = b"""#include <cstdio>
#include <unistd.h>
__global__ void k() { printf("kernel TEXT%c[31m\\n", 27); }
int main() {
  printf("host TEXT\\377\\r\\tover\\n");
  fprintf(stderr, "errors TEXT\\n");
  for (char c : "\\342\\202\\254\\n\\033c") { putchar(c); fflush(stdout); usleep(1000); }
  puts("");
  k<<<1, 1>>>();
  cudaDeviceSynchronize();
}
""".replace(b"TEXT", PRINTED)
RAW = PRINTED.decode("unicode_escape").encode("latin-1")


class Terminal(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.file = Path(holder.name) / "p.cu"
        self.file.write_bytes(PROGRAM)
        self.environment = {**os.environ, "WARPTREE_DATA": str(ROOT)}

    def on_terminal(self, *words):
        ours, theirs = pty.openpty()
        process = subprocess.Popen([BINARY, *words, str(self.file)], stdin=theirs, stdout=theirs, stderr=theirs,
                                   env=self.environment)
        os.close(theirs)
        text = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # Linux: all have closed it
                part = b""
            if not part:
                break
            text += part
        os.close(ours)
        self.assertEqual(process.wait(), 0, text)
        return text.replace(b"\r\n", b"\n")

    def test_gets_nothing_that_controls_it(self):
        for words in (["run"], ["run", "--report"], ["run", "--json"]):
            text = self.on_terminal(*words)
            self.assertNotIn(b"\x1b", text, words)
            self.assertNotIn(b"\x9b", text, words)
            self.assertNotIn(b"\x07", text, words)
            text.decode("utf-8")
        text = self.on_terminal("run")
        shown = rb"\x1b]0;title\x07\x1b[2J\xc2\x9bH" + "\u00a0\u20ac|".encode()
        self.assertIn(b"host " + shown + rb"\xff" + b"\r\tover\n", text)
        errors = b"errors " + shown + b"\n"
        self.assertIn(errors, text)
        self.assertIn(b"kernel " + shown + rb"\x1b[31m" + b"\n", text)
        output = text.replace(errors, b"")  # comes on a stream of its own: anywhere between
        self.assertIn("\u20ac\n".encode() + rb"\x1bc", output)  # byte by byte

    def test_pipe_gets_every_byte(self):
        done = subprocess.run([BINARY, "run", str(self.file)], capture_output=True, env=self.environment, check=True)
        self.assertIn(b"host " + RAW + b"\xff\r\tover\n", done.stdout)
        self.assertIn(b"kernel " + RAW + b"\x1b[31m\n", done.stdout)
        self.assertIn(b"errors " + RAW, done.stderr)


if __name__ == "__main__":
    unittest.main()
