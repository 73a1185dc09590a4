"""How script/wild judges what check says of a file."""
import importlib.machinery
import importlib.util
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
loader = importlib.machinery.SourceFileLoader("wild", str(ROOT / "script/wild"))
wild = importlib.util.module_from_spec(importlib.util.spec_from_loader("wild", loader))
loader.exec_module(wild)


def file(**members):
    return {"file": "a.cu", "kernel": "k", "pass": False, "failed": [], **members}


def error(text):
    return {"file": "a.cu", "line": 1, "column": 1, "error": True, "text": text}


class Judge(unittest.TestCase):
    def outcome(self, **members):
        return wild.judge(file(**members))[0]

    def test_files_that_do_not_compile(self):
        self.assertEqual(self.outcome(reason="x", diagnostics=[error("use of undeclared identifier 'N_ROWS'")]), "incomplete")
        self.assertEqual(self.outcome(reason="x", diagnostics=[error("unknown type name 'Matrix'")]), "incomplete")
        self.assertEqual(self.outcome(reason="x", diagnostics=[error("'mine.h' file not found")]), "incomplete")
        self.assertEqual(self.outcome(reason="x", diagnostics=[error("expected ';'")]), "error")
        # What CUDA defines is no excuse.
        for name in ("__shfl_down", "atomicAdd", "curandState", "float4", "erfcinvf", "cudaTextureObject_t", "j0f", "tex2D"):
            self.assertEqual(self.outcome(reason="x", diagnostics=[error(f"use of undeclared identifier '{name}'")]),
                             "error", name)
        self.assertEqual(self.outcome(reason="a.cu: the compiler failed on it: signal 11"), "crash")

    def test_runs(self):
        def run(reason, *kinds):
            return [{"reason": reason, "findings": [{"kind": k} for k in kinds]}]
        self.assertEqual(self.outcome(), "ends")
        self.assertEqual(self.outcome(failed=run("race", "race-shared")), "ends")
        self.assertEqual(self.outcome(failed=run("out", "race-shared", "out-of-bounds")), "stopped")
        self.assertEqual(self.outcome(failed=run("it was still running after 10 s")), "late")
        self.assertEqual(self.outcome(failed=run("the file has no __global__ function; write one")), "no-kernel")
        self.assertEqual(self.outcome(failed=run("a block of 2048 threads")), "refused")

    def test_table_counts_what_is_complete(self):
        rows = [{"outcome": o, "reason": "r", "findings": ""} for o in
                ("ends", "ends", "ends", "stopped", "error", "incomplete", "no-kernel")]
        text = wild.table(rows)
        self.assertRegex(text, r"complete by themselves +5\b")
        self.assertRegex(text, r"compile +4 +80.0 %")
        self.assertRegex(text, r"run to their end +3 +60.0 %")

    def test_a_header_before_the_file_moves_no_line(self):
        with tempfile.TemporaryDirectory() as source, tempfile.TemporaryDirectory() as folder:
            (Path(source) / "a.cu").write_text("first\nsecond\n")
            (Path(source) / "own.h").write_text("x")
            copy = wild.with_header("curand_kernel.h", Path(source) / "a.cu", folder)
            self.assertEqual(copy.read_text(), "#include <curand_kernel.h>\n#line 1\nfirst\nsecond\n")
            self.assertTrue((Path(folder) / "own.h").exists())


if __name__ == "__main__":
    unittest.main()
