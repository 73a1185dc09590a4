"""How script/wild judges what check says of a file, and what a suite's labels mean."""
import importlib.machinery
import importlib.util
import os
import struct
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
loader = importlib.machinery.SourceFileLoader("wild", str(ROOT / "script/wild"))
wild = importlib.util.module_from_spec(importlib.util.spec_from_loader("wild", loader))
loader.exec_module(wild)
suites = wild.suites


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
            copy = wild.copy_behind("#include <curand_kernel.h>\n", Path(source) / "a.cu", folder)
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


class Suites(unittest.TestCase):
    """Labels and launches, of small texts in the form of each suite."""
    def cases(self, suite, **files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = Path(folder) / name.replace("__", "/")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.with_suffix(".cu").write_text(text)
            return {case.file.stem: case for case in suites.SUITES[suite](Path(folder))}

    def test_gpuverify(self):
        cases = self.cases(
            "gpuverify",
            free="//pass\n//--blockDim=[64,64] --gridDim=2 -DWIDTH=7\n__global__ void k(int w) {\n  __requires(w == 3 * 4 /* columns */);\n}",
            race="//xfail:NOT_ALL_VERIFIED\n//--blockDim=8 --gridDim=1\n//possible write-write race\n",
            holds="//xfail:NOT_ALL_VERIFIED\n//--blockDim=8 --gridDim=1\n__global__ void k() { __assert(false); }",
            proof="//xfail:NOT_ALL_VERIFIED\n//--blockDim=8 --gridDim=1\n//loop invariant might not be maintained\n",
            own="//xfail:BUGLE_ERROR\n//--blockDim=8 --gridDim=1\n",
            lockstep="//pass\n//--warp-sync=32 --blockDim=32 --gridDim=1\n")
        self.assertEqual(cases["free"].wanted, frozenset())
        self.assertEqual(cases["free"].options, ["--block", "64,16", "--grid", "2", "--arg=w=3*4"])
        self.assertIn("#define WIDTH 7\n", cases["free"].before)
        self.assertEqual(cases["race"].wanted, suites.RACE)
        self.assertEqual(cases["holds"].wanted, suites.ASSERTION)
        self.assertTrue(cases["proof"].apart and cases["own"].apart and cases["lockstep"].apart)
        self.assertFalse(cases["free"].apart or cases["race"].apart or cases["holds"].apart)

    def test_names_that_are_labels(self):
        text = "#define NBLOCKS  2\n#define TPERBLK  33\n"
        cases = self.cases("scor", race_a=text, norace_b=text)
        self.assertEqual((cases["race_a"].wanted, cases["norace_b"].wanted), (suites.RACE, frozenset()))
        self.assertEqual(cases["race_a"].options[:4], ["--grid", "2", "--block", "33"])
        cases = self.cases("sanitizer", Racecheck__a="", Initcheck__b="", Other__c="")
        self.assertEqual(set(cases), {"a", "b"})
        self.assertIn("uninitialised", cases["b"].wanted)
        cases = self.cases("faial", x_datarace="//--blockDim=8", free="//pass", comment="// DATA RACE: no barrier")
        self.assertEqual([bool(cases[name].wanted) for name in ("x_datarace", "free", "comment")], [True, False, True])

    def test_indigo(self):
        cases = self.cases("indigo", push_node="", push_node_guardBug="", push_node_boundsBug_last="", path_compression="")
        self.assertEqual([cases[name].wanted for name in ("push_node", "push_node_guardBug", "push_node_boundsBug_last")],
                         [frozenset(), suites.RACE, suites.BOUNDS])
        index = numbers(cases["push_node"].beside["nindex.npy"])
        neighbours = numbers(cases["push_node"].beside["nlist.npy"])
        self.assertEqual((index[0], index[1], index[-1]), (0, 0, len(neighbours)))  # the first and last vertex have none
        self.assertEqual(index[-2], index[-1])
        self.assertTrue(all(a <= b for a, b in zip(index, index[1:])) and max(neighbours) < len(index) - 1)
        parents = numbers(cases["path_compression"].beside["data1.npy"])
        self.assertTrue(all(parent <= v for v, parent in enumerate(parents)))

    def test_judgement(self):
        free, racy = suites.Case(Path("a")), suites.Case(Path("a"), suites.RACE)
        fault, risk = ("race-global", "fault", 3), ("race-global", "risk", 3)
        self.assertEqual([suites.judge(free, found, "")[0] for found in ([], [risk], [fault])], ["right", "right", "alarm"])
        self.assertEqual([suites.judge(racy, found, "")[0] for found in ([], [risk], [("deadlock", "fault", 1)])],
                         ["missed", "right", "missed"])
        self.assertEqual(suites.judge(free, [], "a.cu:1: error: x")[0], "refused")
        self.assertEqual(suites.judge(suites.Case(Path("a"), refused="undeclared"), [], "use of undeclared 'f'")[0], "right")
        self.assertEqual(suites.judge(suites.Case(Path("a"), apart="why"), [fault], ""), ("apart", "why"))
        text = wild.suite_table("own", [{"file": "a", "outcome": o, "said": "s"} for o in
                                        ("right", "right", "missed", "alarm", "refused", "apart")])
        self.assertTrue(text.startswith("own: 2 of 4 as labelled; 1 missed, 1 alarms; 1 not run, 1 cannot be compared\n"))

    def test_a_suite_is_run(self):
        program = built()
        if program is None:
            self.skipTest("the program is not built")
        with tempfile.TemporaryDirectory() as folder:
            for name, guard in (("norace_own", "if (threadIdx.x == 0) "), ("race_own", "")):
                (Path(folder) / f"{name}.cu").write_text(
                    "#define NBLOCKS 1\n#define TPERBLK 64\n"
                    f"__global__ void k(unsigned* data) {{ {guard}data[0] = threadIdx.x; }}\n")
            cases = list(suites.SUITES["scor"](Path(folder)))
            judged = {case.file.stem: suites.judge(case, *wild.report(program, case, 10, "in-order")) for case in cases}
        self.assertEqual({name: outcome for name, (outcome, _) in judged.items()}, {"norace_own": "right", "race_own": "right"})
        self.assertIn("race-global (fault) in 3", judged["race_own"][1])


def numbers(file):
    """The integers of a .npy file."""
    size = struct.unpack("<H", file[8:10])[0]
    return struct.unpack(f"<{(len(file) - 10 - size) // 4}i", file[10 + size:])


def built():
    """A program that is there, of the build that a test is part of or another."""
    builds = [Path(os.environ["WARPTREE_BUILD"])] if "WARPTREE_BUILD" in os.environ else sorted((ROOT / "build").glob("*"))
    return next((b / "bin/warptree" for b in builds if (b / "bin/warptree").exists()), None)


if __name__ == "__main__":
    unittest.main()
