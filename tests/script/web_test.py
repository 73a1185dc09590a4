"""The machine in WebAssembly, as script/web builds it: what it records is what the program records, byte for byte."""
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BINARY = os.environ.get("WARPTREE_BINARY", str(ROOT / "build/dev/bin/warptree"))
WEB = Path(os.environ.get("WARPTREE_WEB", str(ROOT / "build/web")))
NODE = shutil.which("node")
MODULE = WEB / "bin/warptree-web.js"

RUNNER = """
const fs = require('fs'), path = require('path');
const [program, data, out, ...words] = process.argv.slice(2);
require(program)({wasmBinary: fs.readFileSync(program.replace(/js$/, 'wasm'))}).then(m => {
    const copy = (from, to) => {
        m.FS.mkdirTree(to);
        for (const entry of fs.readdirSync(from, {withFileTypes: true}))
            if (entry.isDirectory()) copy(path.join(from, entry.name), to + '/' + entry.name);
            else m.FS.writeFile(to + '/' + entry.name, fs.readFileSync(path.join(from, entry.name)));
    };
    copy(data, '/data');
    const status = m.callMain(words);
    if (m.FS.analyzePath('/out').exists) fs.writeFileSync(out, m.FS.readFile('/out'));
    process.exit(status);
});
"""


def why_not():
    if NODE is None:
        return "node is not installed"
    if not MODULE.exists():
        return f"{MODULE} is not there: script/web builds it where emscripten is installed"
    return ""


@unittest.skipIf(why_not(), why_not())
class Web(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "run.js").write_text(RUNNER)

    def web(self, *words):
        out = self.folder / "web.wtrace"
        out.unlink(missing_ok=True)
        ran = subprocess.run([NODE, str(self.folder / "run.js"), str(MODULE.resolve()), str(WEB / "data"), str(out), *words],
                             capture_output=True, text=True)
        return ran, out.read_bytes() if out.exists() else None

    def record(self, identity, **values):
        return self.web("record", identity, "/out", *(f"{key}={value}" for key, value in values.items()))

    def native(self, identity, **values):
        out = self.folder / "native.wtrace"
        words = []
        for key, value in values.items():
            words += ["-n" if key == "n" else f"--{key}", str(value)]
        subprocess.run([BINARY, "record", identity, "-o", str(out), "--backend", "cpu", "--workers", "1", *words], check=True)
        return out.read_bytes()

    def test_records_what_the_program_records(self):
        for values in ({"n": 1}, {"n": 31, "block": 32}, {"n": 33, "block": 64, "type": "f32", "input": "random"},
                       {"n": 1000, "block": 128, "type": "f64", "op": "max", "input": "random", "seed": 7},
                       {"n": 1000, "block": 64, "type": "i64", "op": "sum-of-squares", "input": "iota"},
                       {"n": 100000, "block": 256, "finish": "relaunch"}):
            with self.subTest(**values):
                ran, bytes_ = self.record("sequential", **values)
                self.assertEqual((ran.returncode, ran.stderr), (0, ""))
                self.assertEqual(bytes_, self.native("sequential", **values))

    def test_begins_with_what_a_strategy_usually_takes(self):  # random input, the first of its types
        for identity, values in (("argmax", {"n": 100, "block": 64}), ("softmax-rows", {"n": 1000, "block": 128}),
                                 ("scan-blelloch", {"n": 1000, "block": 128}), ("tiled-matmul", {"n": 33})):
            if not (WEB / "data/programs" / f"{identity.replace('-', '_')}.cu.kept").exists():
                continue  # script/web was asked for others
            with self.subTest(identity):
                ran, bytes_ = self.record(identity, **values)
                self.assertEqual((ran.returncode, ran.stderr), (0, ""))
                self.assertEqual(bytes_, self.native(identity, **values))

    def test_says_what_is_wrong(self):
        for values, words in (({"n": "x"}, "n=x"), ({"block": 33}, "block"), ({"type": "f16"}, "type=f16"),
                              ({"colour": 1}, "colour=1")):
            with self.subTest(**values):
                ran, bytes_ = self.record("sequential", **values)
                self.assertEqual(ran.returncode, 2)
                self.assertIn(words, ran.stderr)
                self.assertIsNone(bytes_)

    def test_says_what_is_not_there(self):
        ran, bytes_ = self.record("no-such-strategy")
        self.assertEqual((ran.returncode, bytes_), (2, None))
        self.assertIn("no-such-strategy", ran.stderr)

    def test_says_that_a_kernel_was_not_compiled(self):
        kept = WEB / "data/programs"
        others = [p.stem for p in (ROOT / "kernels/reduce").glob("*.cu") if not (kept / f"{p.name}.kept").exists()]
        if not others:
            self.skipTest("every strategy was compiled")
        ran, bytes_ = self.record(others[0].replace("_", "-"))
        self.assertEqual((ran.returncode, bytes_), (2, None))
        self.assertIn("not among the kernels that were compiled", ran.stderr)


if __name__ == "__main__":
    unittest.main()
