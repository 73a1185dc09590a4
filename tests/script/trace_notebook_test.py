"""docs/sharing.md says how a notebook reads a trace file: its text is run as it stands, and gives what the report says.

Where NumPy is not installed, a few lines that read .npy files stand in for it.
"""
import array
import contextlib
import io
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import types
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BINARY = os.environ.get("WARPTREE_BINARY", str(ROOT / "build/dev/bin/warptree"))


class Archive:
    def __init__(self, path):
        self.zip = zipfile.ZipFile(path)

    def __getitem__(self, name):
        if name == "manifest.json":
            return self.zip.read(name)
        data = self.zip.read(name + ".npy")
        after = 10 + struct.unpack("<H", data[8:10])[0]
        code = re.search(rb"'descr': '[|<](\w+)'", data[:after]).group(1).decode()
        return array.array({"u1": "B", "u2": "H", "u4": "I", "u8": "Q", "i4": "i", "i8": "q", "f4": "f", "f8": "d"}[code],
                           data[after:])


def notebook():
    text = (ROOT / "docs/sharing.md").read_text()
    return re.search(r"# A trace in a notebook\n.*?```python\n(.*?)```", text, re.S).group(1)


class TraceInANotebook(unittest.TestCase):
    def run_on(self, *arguments):
        """What the text defines, after `warptree record ARGUMENTS`, what it prints, and the report."""
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([BINARY, "record", *arguments, "-o", f"{folder}/run.wtrace"], check=True)
            report = json.loads(subprocess.run([BINARY, "report", *arguments, "--json"], capture_output=True).stdout)
            printed, here = io.StringIO(), os.getcwd()
            names = {}
            before = sys.modules.get("numpy")
            try:
                try:
                    import numpy  # noqa: F401
                except ImportError:
                    sys.modules["numpy"] = types.SimpleNamespace(load=Archive)
                os.chdir(folder)
                with contextlib.redirect_stdout(printed):
                    exec(notebook(), names)
            finally:
                os.chdir(here)
                if before is None:
                    sys.modules.pop("numpy", None)
            # Read while the file is there.
            names["columns"] = {name: names["trace"][name] for name in
                                ("index", "watched", "node_step", "request_step", "request_kind", "request_first_index",
                                 "request_index_shape", "request_mask", "request_wavefronts", "watch_first_value",
                                 "watch_shape", "watch_mask", "watch_variable")}
            return names, printed.getvalue(), report

    def test_rows_belong_to_launches(self):
        names, printed, report = self.run_on("sequential", "-n", "300", "--block", "64", "--finish", "relaunch",
                                             "--window", "0:100")
        self.assertEqual(len(report["launches"]), 2)
        columns = names["columns"]
        for number, launch in enumerate(report["launches"]):
            requests = names["rows"]("request", number)
            for step, said in enumerate(launch["steps"]):
                waves = sum(int(w) for w, s, k in zip(columns["request_wavefronts"][requests],
                                                      columns["request_step"][requests],
                                                      columns["request_kind"][requests]) if s == step and k == 0)
                self.assertEqual(waves, said["shared_load_wavefronts"], (number, step))
        self.assertEqual(len(printed.splitlines()), 4)

    def test_lanes_have_their_indices(self):
        names, printed, _ = self.run_on("interleaved-strided", "-n", "128", "--block", "64")
        columns = names["columns"]
        index = columns["index"][names["rows"]("index")]
        found = [names["lanes"](index, *(int(columns[f"request_{c}"][k]) for c in ("first_index", "index_shape", "mask")))
                 for k in range(names["rows"]("request").stop)]
        shapes = {int(s) for s in columns["request_index_shape"]}
        self.assertTrue(shapes >= {1, 2}, shapes)
        # The first requests load in[t] and store s[t].
        self.assertEqual(found[0], {lane: lane for lane in range(32)})
        self.assertIn(str({lane: lane for lane in range(32)}), printed)
        # s = 1: s[2t] and s[2t + 1].
        self.assertIn({lane: 2 * lane for lane in range(32)}, found)
        self.assertIn({lane: 2 * lane + 1 for lane in range(32)}, found)

    def test_variables_have_their_values(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "k.cu"
            path.write_text("__global__ void k(const int* in, int* out) { int t = threadIdx.x, down = 31 - t, odd = t * t; "
                            "__syncthreads(); out[t] = in[down] + in[t] + odd; }\n")
            names, _, _ = self.run_on(str(path), "-n", "32", "--block", "32", "--grid", "1")
        variables = [v["name"] for v in names["launches"][0]["kernel"]["variables"]]
        columns, values = names["columns"], {}
        for k in range(names["rows"]("watch").stop):
            values[variables[columns["watch_variable"][k]]] = names["lanes"](
                columns["watched"], *(int(columns[f"watch_{c}"][k]) for c in ("first_value", "shape", "mask")))
        self.assertEqual(values["down"], {t: 31 - t for t in range(32)})
        self.assertEqual(values["odd"], {t: t * t for t in range(32)})


if __name__ == "__main__":
    unittest.main()
