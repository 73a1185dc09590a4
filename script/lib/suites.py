"""Public collections of kernels that say what is wrong with each: how each says so, and how its kernels are launched.

A suite makes cases of a folder that somebody fetched. Nothing of a suite's text is here.
"""
import dataclasses
import itertools
import random
import re
import struct
from pathlib import Path

RACE = frozenset({"race-shared", "race-global"})
BOUNDS = frozenset({"out-of-bounds"})
BARRIER = frozenset({"barrier-divergence", "deadlock"})
ASSERTION = frozenset({"assertion"})
# Faults that a program labelled free must not have.
ALARMS = RACE | BOUNDS | BARRIER | ASSERTION | {"bad-mask", "misaligned"}


@dataclasses.dataclass
class Case:
    file: Path
    wanted: frozenset = frozenset()  # kinds, one of which is to be found; empty: the program is free of faults
    options: list = dataclasses.field(default_factory=list)
    before: str = ""  # text in front of the file's first line
    beside: dict = dataclasses.field(default_factory=dict)  # files in its folder, by name: bytes
    program: bool = False  # runs by its own host code
    refused: str = ""  # right is an error that has this in it
    apart: str = ""  # why it cannot be compared


def judge(case, findings, error):
    """Outcome (right, missed, alarm, refused, apart) and what was said. findings: (kind, severity, line)."""
    said = "; ".join(dict.fromkeys(f"{kind} ({severity}) in {line}" for kind, severity, line in findings)) or "nothing"
    if case.apart:
        return "apart", case.apart
    if case.refused:
        return ("right" if case.refused in error else "missed"), error or said
    if error:
        return "refused", error
    if case.wanted:
        return ("right" if any(kind in case.wanted for kind, _, _ in findings) else "missed"), said
    return ("alarm" if any(kind in ALARMS and severity == "fault" for kind, severity, _ in findings) else "right"), said


def text_of(path):
    return path.read_text(encoding="utf-8", errors="replace")


def size_of(text, most):
    """A launch's size, as --block and --grid have it, with no more than so many in all."""
    size = [int(v) for v in re.findall(r"\d+", text)]
    for k, v in enumerate(size):
        size[k] = max(1, min(v, most))
        most //= size[k]
    return ",".join(map(str, size))


# GPUVerify and what follows it: //pass or //xfail:WHAT, then the launch, then patterns of messages. Its annotations are
# functions that its compiler knows; those that one run can hold true or false are checked as the run goes.
ANNOTATIONS = """#include <cassert>
#include <cooperative_groups.h>
#include <curand_kernel.h>
#define __requires(...) ((void)0)
#define __ensures(...) ((void)0)
#define __assume(...) ((void)0)
#define __invariant(...) true
#define __global_invariant(...) ((void)0)
#define __assert(...) assert(__VA_ARGS__)
#define __implies(a, b) (!(a) || (b))
"""
PROOF = "about what a proof takes for granted, not a run"


def launch_in(text):
    """The options of the comment that says how to launch, and those that it requires of arguments."""
    options = []
    for option, of, most in (("--block", "blockDim", 1024), ("--grid", "gridDim", 1 << 16)):
        if size := re.search(rf"^//.*--{of}=(\S+)", text, re.M):
            options += [option, size_of(size[1], most)]
    if re.search(r"^//.*--only-intra-group", text, re.M):  # what several blocks do together is not said
        options = [*options[:2], "--grid", "1"]
    values = {"offset": "1"} if re.search(r"__global__[^)]*\bint offset\b", text) else {}
    values |= dict.fromkeys(re.findall(r"^\s*__(?:requires|assume)\((\w+) (?:[<>]=?|!=) \w+\);", text, re.M), "1")
    values |= {name: value.replace(" ", "")
               for name, value in re.findall(r"^\s*__requires\((\w+) == (\d[\d *+]*?)\s*(?:/\*.*?\*/)?\s*\);", text, re.M)}
    values |= {name: value.replace("blockDim.x", "B").replace("gridDim.x", "G").replace(" ", "")
               for name, value in re.findall(r"^\s*__requires\((\w+) == ([\w.* ]*\b(?:block|grid)Dim\.x[\w.* ]*)\);", text, re.M)}
    values |= dict(re.findall(r"^//(\w+) = (\w+)$", text, re.M))  # what the message gives as an example
    return options + [f"--arg={name}={value}" for name, value in values.items()]


def gpuverify(folder):
    for path in sorted(folder.rglob("*.cu")):
        text = text_of(path)
        first, *rest = text.splitlines()
        first = first.strip().lower()
        expected = "\n".join(itertools.takewhile(lambda line: line.startswith("//"), rest[1:]))
        macros = re.findall(r"-D(\w+)=(\w+)", rest[0])
        case = Case(path, options=launch_in(text),
                    before="".join(f"#define {name} {value}\n" for name, value in macros) + ANNOTATIONS)
        if "__axiom" in text or "__requires_fresh_array" in text or re.search(r"invariant might|null pointer|0-sized", expected):
            case.apart = PROOF
        elif "bugle_error" in first:
            case.apart = "what its own translator cannot do"
        elif "clang_error" in first:
            case.refused = "undeclared identifier"
        elif "the host is free to change" in text:
            case.apart = "about what a host might write"
        elif first != "//pass":
            case.wanted = (ASSERTION if "__assert" in text else BARRIER if "divergen" in str(path) + rest[0] else
                           BOUNDS | {"trap"} if re.search(r"null|constant memory|funcType", expected + path.parent.name + text)
                           else RACE)
        elif "--warp-sync" in rest[0]:
            case.apart = "right only where a warp runs in lockstep, which CUDA does not promise"
        yield case


FAIAL_APART = {
    "parse-gv.cu": "about one of several blocks, which race with one another",
    "racy-2d.cu": "more shared memory than a GPU has",
    "racy-atomics.cu": "no C++: atomicInc of an int",
    "racy-device.cu": "a pointer that only a host sets",
}


def faial(folder):
    """Faial's own examples (racy- or drf- in the name, of one block unless it says so), its tutorial (no label but in its pages)
    and Faial-MCP's kernels: what is racy says so in its name or comments."""
    racy = {"saxpy-buggy.cu", "racy-grid-level.cu", "read-index.cu", "example.cu"}
    for path in sorted(folder.rglob("*.cu")):
        text = text_of(path)
        own = path.name.startswith(("racy-", "drf-", "macro"))
        apart = ("a block of more threads than a GPU takes" if re.search(r"^//.*--blockDim=(?:2048|\[512,512)", text, re.M) else
                 FAIAL_APART.get(path.name, ""))
        wrong = path.name in racy or path.name.startswith("racy-") or "datarace" in path.name or "DATA RACE" in text
        options = launch_in(text) or (["--grid", "2"] if "grid-level" in path.name else ["--grid", "1"] if own else [])
        if "-warp" in path.name:
            options += ["--block", "32"]
        if "get(array" in text:
            options += ["--arg=array=letters"]  # offsets by which some meet
        if path.name == "macro.cu":  # its own tests define it so
            for value, racing in (("", False), ("+ 0", False), ("+ 1", True)):
                yield Case(path, RACE if racing else frozenset(), options, f"#define MACRO {value}\n" + ANNOTATIONS)
            continue
        yield Case(path, RACE if wrong else frozenset(), options, ANNOTATIONS, apart=apart)


def scor(folder):
    """ScoR's microbenchmarks: race_ or norace_ in the name, the launch as two macros."""
    for path in sorted(folder.rglob("*race_*.cu")):
        size = dict(re.findall(r"#define (NBLOCKS|TPERBLK)\s+(\d+)", text_of(path)))
        yield Case(path, RACE if path.name.startswith("race") else frozenset(),
                   ["--grid", size["NBLOCKS"], "--block", size["TPERBLK"], "--arg=data=zeros:16"])


def sanitizer(folder):
    """NVIDIA's samples of compute-sanitizer, a fault each, named by the tool that finds it."""
    tools = {"Racecheck": RACE, "Synccheck": BARRIER | {"bad-mask"}, "Initcheck": frozenset({"uninitialised"}),
             "Memcheck": BOUNDS | {"misaligned"}}
    for path in sorted(folder.rglob("*.cu")):
        if path.parent.name in tools:
            yield Case(path, tools[path.parent.name], program=True)


def numpy_array(values):
    """A .npy file of 32-bit integers."""
    header = f"{{'descr': '<i4', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack(f"<H{len(header)}s{len(values)}i", len(header), header.encode(), *values)


def graph(vertices, chance):
    """Neighbours of each vertex in a row, and where each one's begin: up to 6, some more than a warp has lanes, some none."""
    index, neighbours = [0], []
    for v in range(vertices):
        count = 0 if v % 7 == 5 or v in (0, vertices - 1) else 70 if v % 11 == 3 else 1 + chance.randrange(6)
        neighbours += sorted(chance.sample([u for u in range(vertices) if u != v], count))
        index.append(len(neighbours))
    return index, neighbours


def indigo(folder):
    """Indigo's generated kernels: the bug stands in the file's name, as guardBug. They share a header and a graph."""
    vertices, chance = 96, random.Random(1)
    index, neighbours = graph(vertices, chance)
    edges = len(neighbours)
    arrays = {"nindex": index, "nlist": neighbours, "data1": [0] + [chance.randrange(vertices) for _ in range(edges - 1)],
              "data2": [0] + [chance.randrange(edges) for _ in range(edges - 1)]}
    parents = [max(0, v - 1 - chance.randrange(3)) for v in range(edges)]
    headers = {path.name: path.read_bytes() for path in folder.rglob("indigo_cuda.h")}
    for path in sorted(folder.rglob("*.cu")):
        tags = path.stem.split("_")
        other = {"path": {"data1": parents}, "populate": {"data2": [0] * edges}}  # a worklist begins empty
        own = {**arrays, **other.get(tags[0], {})}
        each = 64 if "block" in tags else 32 if "warp" in tags else 1  # threads of an element
        threads = vertices * each // 2 if "persistent" in tags else (vertices + 32) * each
        wrong = BOUNDS if "boundsBug" in tags else RACE if any("bug" in tag.lower() for tag in tags) else frozenset()
        yield Case(path, wrong, ["--grid", str(-(-threads // 64)), "--block", "64", f"--arg=numv={vertices}",
                                 *(f"--arg={name}={name}.npy" for name in own)],
                   beside={**headers, **{f"{name}.npy": numpy_array(values) for name, values in own.items()}})


SUITES = {"gpuverify": gpuverify, "scor": scor, "indigo": indigo, "sanitizer": sanitizer, "faial": faial}
