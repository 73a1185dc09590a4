"""What script/wild --programs does: runs every file below a folder that has a main, as a program, and says how far each goes.

A program's headers that lie elsewhere in the collection are given by -I, and where a folder has one main, all of its sources
are the program. Each runs in its folder (--data), without arguments and without input.
"""
import collections
import os
import re
import subprocess

OUTCOMES = {
    "ends": "end by themselves, exit code 0",
    "code": "end by themselves, another exit code",
    "late": "still run at the limit",
    "crash": "crash",
    "forbidden": "are stopped: a call that is not allowed",
    "library": "need what is not part of warptree",
    "error": "do not compile or load",
    "incomplete": "need what is not in the collection",
    "broken": "the compiler or warptree itself fails",
    "hang": "do not end",
}
MAIN = re.compile(r"^[^/\n]*\bmain\s*\(", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.M)
NOT_PART = re.compile(r"(?:is|are) not part of warptree|not a part of warptree|has no part of warptree|on several devices")
ERROR = re.compile(r"^(\S.*?):\d+:\d+: error: (.*)$", re.M)
FINDING = re.compile(r"^warptree: (?:launch \d+, .*?: )?([a-z][a-z -]*?)(?: \(risk\))?: ", re.M)
SAYS_RIGHT = re.compile(r"\b(?:PASS(?:ED)?|passed|Test passed|correct|SUCCESS|match)\b", re.I)
SAYS_WRONG = re.compile(r"\b(?:FAIL(?:ED|URE)?|mismatch|incorrect|wrong|do not match|does not match|doesn't match)\b", re.I)


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), text, flags=re.S)


def read(path):
    return without_comments(path.read_text(encoding="utf-8", errors="replace"))


class Collection:
    """The programs below a folder, and where headers lie."""

    def __init__(self, root):
        self.root = root
        self.texts, self.headers = {}, collections.defaultdict(list)
        for path in sorted(root.rglob("*")):
            if not path.is_file():
                continue
            if path.suffix in (".cu", ".cpp", ".cc", ".c"):
                self.texts[path] = read(path)
            if path.suffix in (".h", ".hpp", ".cuh", ".hu", ".inl", ".cu", ".hxx"):
                self.headers[path.name].append(path)

    def programs(self):
        return [p for p, text in self.texts.items() if p.suffix == ".cu" and MAIN.search(text)]

    def sources(self, main):
        """The files of a program: all sources of its folder, if no other one has a main."""
        beside = [p for p in self.texts if p.parent == main.parent and p != main]
        if any(MAIN.search(self.texts[p]) for p in beside):
            return [main]
        included = set(INCLUDE.findall(self.texts[main]))
        return [main] + [p for p in beside if p.suffix in (".cu", ".cpp") and p.name not in included]

    def folders(self, files):
        """Of headers that are neither beside the file that includes them nor the system's: the nearest of that name."""
        folders, seen, todo = [], set(), list(files)
        while todo:
            path = todo.pop()
            if path in seen:
                continue
            seen.add(path)
            text = self.texts.get(path) or read(path)
            for name in INCLUDE.findall(text):
                beside = path.parent / name
                if beside.is_file():
                    todo.append(beside.resolve())
                    continue
                ends = [p for p in self.headers[os.path.basename(name)] if str(p).endswith("/" + name.lstrip("./"))]
                if not ends:
                    continue
                nearest = max(ends, key=lambda p: (len(os.path.commonpath([p, path])), -len(str(p))))
                folder = nearest
                for _ in name.lstrip("./").split("/"):
                    folder = folder.parent
                if folder not in folders:
                    folders.append(folder)
                todo.append(nearest)
        return folders


def judge(code, out, err, undefined, foreign):
    """Outcome and reason."""
    errors = ERROR.findall(err)
    said = [line[len("warptree: "):] for line in err.splitlines() if line.startswith("warptree: ")]
    if "the compiler failed on it" in err or "the compiled program is damaged" in err or code < 0:
        return "broken", said[-1] if said else f"signal {-code}"
    if code == 2 and errors:
        texts = [text for _, text in errors]
        if part := next((t for t in texts if NOT_PART.search(t)), None):
            return "library", part
        names, headers = undefined([{"text": t} for t in texts])
        if missing := foreign(names, headers):
            return "incomplete", "undefined: " + missing
        return "error", texts[0]
    if code == 2 and said and (said[-1].startswith("the program was stopped") or FINDING.match("warptree: " + said[-1]) is None):
        if NOT_PART.search(said[-1]):
            return "library", said[-1]
        name = re.search(r"undefined reference to (\S+)", said[-1])
        return ("incomplete" if name and not re.match(r"_?(?:cuda|curand|cublas|thrust)", name.group(1)) else "error"), said[-1]
    last = said[-1] if said else ""
    if code == 124:
        return "late", last
    if code in (125, 126):
        return "forbidden", last
    if code > 128 and "ended by SIG" in last:
        return "crash", next((s for s in said if "line" in s), last)
    return ("ends" if code == 0 else "code"), (out.strip().splitlines() or [""])[-1] if code else ""


def run(program, collection, path, words, undefined, foreign):
    files = collection.sources(path)
    command = [str(program), "run", "--time", str(words.limit), "--data", str(path.parent)]
    for folder in collection.folders(files):
        command += ["-I", str(folder)]
    command += [str(f) for f in files]
    environment = {**os.environ, "WARPTREE_DATA": str(words.root)}
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace", env=environment, start_new_session=True) as process:
        try:
            out, err = process.communicate(timeout=words.limit + 60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.communicate()
            return {"outcome": "hang", "reason": "", "findings": "", "says": ""}
    outcome, reason = judge(process.returncode, out, err, undefined, foreign)
    says = "wrong" if SAYS_WRONG.search(out) else "right" if SAYS_RIGHT.search(out) else ""
    findings = sorted(set(FINDING.findall(err))) if outcome in ("ends", "code", "crash", "late") else []
    return {"outcome": outcome, "reason": " ".join(reason.split()), "findings": ",".join(findings), "says": says}


def table(rows, shape, percent):
    count = collections.Counter(r["outcome"] for r in rows)
    whole = [r for r in rows if r["outcome"] not in ("library", "incomplete")]
    ended = [r for r in rows if r["outcome"] in ("ends", "code")]
    lines = [f"{'programs':46}{len(rows):6}"]
    lines += [f"  {OUTCOMES[o]:44}{count[o]:6}" for o in ("incomplete", "library")]
    lines.append(f"  {'others':44}{len(whole):6}")
    for o in ("ends", "code", "late", "crash", "forbidden", "error", "broken", "hang"):
        lines.append(f"    {OUTCOMES[o]:42}{count[o]:6}   {percent(count[o], len(whole))}")
    for says in ("right", "wrong"):
        lines.append(f"  of those that end, say that they are {says + ':':10}{sum(r['says'] == says for r in ended):6}")
    found = collections.Counter(k for r in rows for k in r["findings"].split(",") if k)
    lines.append("findings")
    lines += [f"    {kind:42}{times:6}" for kind, times in found.most_common()]
    for outcome in ("code", "late", "crash", "forbidden", "error", "broken", "library", "incomplete"):
        reasons = collections.Counter(shape(r["reason"]) for r in rows if r["outcome"] == outcome)
        if reasons:
            lines.append(OUTCOMES[outcome])
            lines += [f"    {times:6}  {reason}" for reason, times in reasons.most_common(12)]
    return "\n".join(lines)
