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


class Programs(unittest.TestCase):
    def outcome(self, code, out="", err=""):
        return wild.wild_programs.judge(code, out, err, wild.undefined, wild.foreign)[0]

    def test_how_programs_end(self):
        self.assertEqual(self.outcome(0, "PASS"), "ends")
        self.assertEqual(self.outcome(2, "my own code"), "code")
        self.assertEqual(self.outcome(2, err="warptree: leak (risk): a is never freed (4 bytes).\n"), "code")
        self.assertEqual(self.outcome(124, err="warptree: the program was still running after 10 s\n"), "late")
        self.assertEqual(self.outcome(139, err="warptree: crash: line 3: it reads\nwarptree: the program ended by SIGSEGV\n"),
                         "crash")
        self.assertEqual(self.outcome(126, err="warptree: the program was stopped: socket\n"), "forbidden")
        self.assertEqual(self.outcome(2, err="a.cu:3:4: error: 'mine.h' file not found\n"), "incomplete")
        self.assertEqual(self.outcome(2, err="a.cu:3:4: error: use of undeclared identifier 'cudaNew'\n"), "error")
        self.assertEqual(self.outcome(2, err="a.cu:3:4: error: 'cufft.h' file not found; cuFFT is not part of warptree\n"),
                         "library")
        self.assertEqual(self.outcome(2, err="warptree: the program was stopped: line 3: k is launched, and cannot run: "
                                             "dynamic parallelism (kernels that launch kernels) is not part of warptree\n"),
                         "library")
        self.assertEqual(self.outcome(2, err="warptree: a.cu: undefined reference to cudaNew\n"), "error")
        self.assertEqual(self.outcome(2, err="warptree: a.cu: undefined reference to _Z4helpv\n"), "incomplete")

    def test_sources_and_folders_of_a_program(self):
        with tempfile.TemporaryDirectory() as text:
            root = Path(text).resolve()
            for name, content in {
                "one/main.cu": '#include "kernel.h"\n#include <shared.h>\nint main() {}\n',
                "one/kernel.cu": "__global__ void k() {}\n",
                "one/kernel.h": "",
                "many/a.cu": "int main() {}\n",
                "many/b.cu": "// int main() {}\nint main(int, char**) {}\n",
                "common/inc/shared.h": "",
            }.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(content)
            collection = wild.wild_programs.Collection(root)
            self.assertEqual([str(p.relative_to(root)) for p in collection.programs()],
                             ["many/a.cu", "many/b.cu", "one/main.cu"])
            files = collection.sources(root / "one/main.cu")
            self.assertEqual([p.name for p in files], ["main.cu", "kernel.cu"])
            self.assertEqual(collection.sources(root / "many/a.cu"), [root / "many/a.cu"])
            self.assertEqual(collection.folders(files), [root / "common/inc"])


if __name__ == "__main__":
    unittest.main()
