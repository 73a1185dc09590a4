"""Nsight Compute from scripts: which metrics there are, one CSV a run."""
import csv
import datetime
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
CUDA_BIN = "/usr/local/cuda/bin"


class Failure(Exception):
    """One line for the user."""


def say(text):
    print(f"{Path(sys.argv[0]).name}: {text}", file=sys.stderr, flush=True)


def tool(name):
    path = shutil.which(name, path=os.environ.get("PATH", "") + os.pathsep + CUDA_BIN)
    if path is None:
        raise Failure(f"no {name} on PATH or in {CUDA_BIN}; it comes with the CUDA toolkit")
    return path


def output(command, timeout=120):
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False).stdout.strip()


def choose(candidates):
    """{field: [metric, ...]} -> {field: the first metric that this ncu knows for this GPU}."""
    known = set()
    for line in output([tool("ncu"), "--query-metrics"]).splitlines():
        if line.strip():
            known.add(line.split()[0])
    chosen = {}
    for field, names in candidates.items():
        there = [name for name in names if name in known or name.rsplit(".", 1)[0] in known]
        if known and not there:
            say(f"none of {', '.join(names)} is listed here; asking for {names[0]} all the same")
        chosen[field] = (there or names)[0]
    return chosen


def profile(metrics, command, log, timeout):
    """Runs a command under ncu. Returns (rows in order of launch, the command's exit code, ncu's words)."""
    log = Path(log)
    log.unlink(missing_ok=True)
    ran = subprocess.run(
        [tool("ncu"), "--target-processes", "all", "--metrics", ",".join(sorted(set(metrics))), "--csv", "--page", "raw",
         "--print-units", "base", "--print-kernel-base", "mangled", "--clock-control", "none", "--cache-control", "none",
         "--log-file", str(log), *map(str, command)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout, check=False)
    text = log.read_text(errors="replace") if log.exists() else ""
    return parse(text), ran.returncode, (ran.stdout + text)[-2000:]


def parse(text):
    """The rows of ncu's CSV, between its own messages; the row of units is left out."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        return []
    return [row for row in csv.DictReader(lines[start:]) if (row.get("ID") or "").strip()]


def number(row, metric):
    """A metric of a row: int where it is whole, None where ncu has none."""
    text = (row.get(metric) or "").replace(",", "").strip()
    try:
        value = float(text)
    except ValueError:
        return None
    return int(value) if value == int(value) else value


def machine():
    """What a recording says of where it was made."""
    fields = output(["nvidia-smi", "--query-gpu=name,driver_version,compute_cap", "--format=csv,noheader"])
    if not fields:
        raise Failure("no NVIDIA GPU with a working driver here")
    name, driver, capability = [part.strip() for part in fields.splitlines()[0].split(",")]
    versions = [line for line in output([tool("ncu"), "--version"]).splitlines() if "Version" in line]
    return {"device": name, "compute_capability": capability, "driver": driver,
            "ncu": versions[0].replace("Version", "").strip() if versions else "",
            "date": datetime.date.today().isoformat()}


def write_whole(path, text):
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + f".part{os.getpid()}")
    part.write_text(text)
    part.replace(path)
