"""The manual page and the completions that script/manual makes of --help, and that an installed program runs from any folder.

The last needs a build: WARPTREE_BINARY, as ctest sets it.
"""
import gzip
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "script/lib"))
import completion  # noqa: E402
import manual  # noqa: E402
import program_help  # noqa: E402

TOP = """Steps through trees. Without a command it opens the window.
Exit codes: 0 done, 1 wrong.
Usage: warptree [OPTIONS] [FILE...] [SUBCOMMAND]

Positionals:
  FILE TEXT ...                   Traces to open

Options:
  -h,--help                       Print this help message and exit

Subcommands:
  list                            Strategies: id, title
  report                          Per-step counts
  check                           Run CUDA files
  theory                          Warps and occupancy
"""
REPORT = """Per-step counts
Usage: warptree report [OPTIONS] [id]

Positionals:
  id TEXT                         A strategy, or a .wtrace file

Options:
  -h,--help                       Print this help message and exit
  --a-name-that-is-longer-than-its-column TEXT
                                  On a line of
                                  its own
  --bytes TEXT=4                  Of an element: 4, 8 or 16
  --vectors [TEXT]                Load [16 bytes] at once
  -n,--count TEXT ...             It's .9 \\ 2^20 (default 1024)
  -o TEXT REQUIRED                The file to write, OUT.png


Trace options:
  --finish TEXT                   host, relaunch, atomic, last-block, or whole: how it ends
  --type TEXT                     i32, u32 or f64 (default i32)
  --input TEXT                    ones, iota or a FILE (default ones)
"""
LIST = "Strategies: id, title\nUsage: warptree list [OPTIONS]\n\nOptions:\n  --json                          As JSON\n"
CHECK = "Run CUDA files\nUsage: warptree check [OPTIONS] files...\n\nPositionals:\n  files TEXT ... REQUIRED         Files of CUDA\n"
THEORY = "Warps and occupancy\nUsage: warptree theory [OPTIONS] [topic]\n\nPositionals:\n  topic TEXT                      Which\n"
# Answers what the completions ask for.
FAKE = """#!/bin/sh
case "$*" in
    "list --json") printf '[\\n  {\\n    "id": "first-add",\\n    "title": "id"\\n  },\\n  {\\n    "id": "sequential"\\n  }\\n]\\n' ;;
    theory) printf 'warps        Warps of a block\\noccupancy    Occupancy\\n' ;;
    *) exit 2 ;;
esac
"""
# A race: the word that another warp's thread has written is read without a barrier.
RACE = """__global__ void last(const int* in, int* out) {
    __shared__ int words[64];
    words[threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x == 0) out[0] = words[63];
}
"""


def recorded():
    texts = {"": TOP, "list": LIST, "report": REPORT, "check": CHECK, "theory": THEORY}
    return [program_help.parse(name, text) for name, text in texts.items()]


class Help(unittest.TestCase):
    def setUp(self):
        self.report = recorded()[2]
        self.options = {option.names[0]: option for option in self.report.options + self.report.positionals}

    def test_keeps_every_option_with_what_it_takes(self):
        self.assertEqual(list(self.options), ["-h", "--a-name-that-is-longer-than-its-column", "--bytes", "--vectors", "-n",
                                              "-o", "--finish", "--type", "--input", "id"])
        self.assertEqual(self.options["--a-name-that-is-longer-than-its-column"].text, "On a line of its own")
        self.assertEqual(self.options["--bytes"].default, "4")
        self.assertTrue(self.options["--vectors"].optional_value)
        self.assertEqual(self.options["-n"].names, ["-n", "--count"])
        self.assertTrue(self.options["-n"].several and not self.options["-o"].several)
        self.assertTrue(self.options["-o"].required and self.options["-o"].takes_file)
        self.assertEqual(self.options["-h"].value, "")

    def test_values_are_the_words_listed(self):
        self.assertEqual(self.options["--finish"].choices, ["host", "relaunch", "atomic", "last-block", "whole"])
        self.assertEqual(self.options["--bytes"].choices, ["4", "8", "16"])
        self.assertEqual(self.options["--type"].choices, ["i32", "u32", "f64"])
        self.assertEqual(self.options["--input"].choices, ["ones", "iota"])
        self.assertEqual(self.options["-n"].choices, [])

    def test_refuses_what_it_does_not_understand(self):
        with self.assertRaisesRegex(ValueError, "no known form"):
            program_help.parse("list", LIST + "unindented\n")
        with self.assertRaisesRegex(ValueError, "usage"):
            program_help.parse("list", "warptree: no such command\n")


class Manual(unittest.TestCase):
    def test_says_what_the_help_says(self):
        page = manual.manual(recorded(), "warptree 1.2")
        for part in (".TH WARPTREE 1", ".SS report", r"\fB\-n\fR, \fB\-\-count\fR \fITEXT\fR ...", r"It's .9 \e 2\(ha20",
                     ".SH EXIT STATUS\n0 done, 1 wrong.", r"\fB\-\-vectors\fR [\fITEXT\fR]"):
            self.assertIn(part, page)

    @unittest.skipUnless(shutil.which("groff"), "no groff here")
    def test_groff_has_nothing_to_complain_of(self):
        done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-Kutf8"], input=manual.manual(recorded(), "1"),
                              capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")


class Completion(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "warptree").write_text(FAKE, encoding="utf-8")
        (self.folder / "warptree").chmod(0o755)
        (self.folder / "mine.cu").touch()
        self.environment = {"PATH": f"{self.folder}:{os.environ['PATH']}", "HOME": str(self.folder)}

    def bash(self, *words):
        """What is offered for the last of the words after `warptree`."""
        (self.folder / "script").write_text(completion.bash(recorded()), encoding="utf-8")
        done = subprocess.run(
            ["bash", "--norc", "-c", 'source script; COMP_WORDS=(warptree "$@"); COMP_CWORD=$#; _warptree; '
             'printf "%s\\n" "${COMPREPLY[@]}"', "bash", *words],
            cwd=self.folder, env=self.environment, capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash_offers_commands_ids_options_and_values(self):
        self.assertEqual(self.bash("re"), ["report"])
        self.assertEqual(self.bash("m"), ["mine.cu"])
        self.assertEqual(self.bash("report", "seq"), ["sequential"])
        self.assertEqual(self.bash("report", "--finish", ""), ["host", "relaunch", "atomic", "last-block", "whole"])
        self.assertEqual(self.bash("report", "--f"), ["--finish"])
        self.assertEqual(self.bash("report", "-n", ""), [])
        self.assertEqual(self.bash("report", "-o", "mi"), ["mine.cu"])
        self.assertEqual(self.bash("report", "--vectors", "fi"), ["first-add"])
        self.assertEqual(self.bash("theory", "occ"), ["occupancy"])
        self.assertEqual(self.bash("check", "mi"), ["mine.cu"])
        self.assertEqual(self.bash("--h"), ["--help"])

    @unittest.skipUnless(shutil.which("zsh"), "no zsh here")
    def test_zsh_reads_it(self):
        (self.folder / "_warptree").write_text(completion.zsh(recorded()), encoding="utf-8")
        done = subprocess.run(["zsh", "-f", "-n", "_warptree"], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


def built():
    """A built program and the build folder that it can be installed from."""
    program = Path(os.environ.get("WARPTREE_BINARY", ""))
    build = program.parent.parent
    return (program, build) if program.is_file() and (build / "cmake_install.cmake").is_file() else (None, None)


PROGRAM, BUILD = built()


@unittest.skipUnless(PROGRAM and shutil.which("cmake"), "no build to install: WARPTREE_BINARY names no built program")
class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.prefix = cls.folder / "elsewhere"
        subprocess.run(["cmake", "--install", BUILD, "--prefix", cls.prefix], check=True, capture_output=True)

    def run_program(self, *arguments):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("WARPTREE_")}
        return subprocess.run([self.prefix / "bin/warptree", *arguments], cwd=self.folder, env=environment,
                              capture_output=True, text=True, check=False, timeout=300)

    def test_what_a_desktop_looks_for_is_there(self):
        for file in ("applications/warptree.desktop", "icons/hicolor/scalable/apps/warptree.svg", "mime/packages/warptree.xml"):
            self.assertTrue((self.prefix / "share" / file).is_file(), file)

    def test_finds_its_compiler_and_its_data_beside_itself(self):
        self.assertEqual(self.run_program("report", "sequential", "-n", "64").returncode, 0)
        (self.folder / "race.cu").write_text(RACE, encoding="utf-8")
        done = self.run_program("check", "race.cu", "--expect", "none", "--no-findings", "-n", "64", "--block", "64")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("race", done.stdout)
        (self.prefix / "libexec/warptree/warptree-compile").rename(self.folder / "gone")
        self.addCleanup((self.folder / "gone").rename, self.prefix / "libexec/warptree/warptree-compile")
        self.assertEqual(self.run_program("report", "race.cu").returncode, 2)

    def test_help_of_every_command_is_understood(self):
        subprocess.run([sys.executable, "-B", ROOT / "script/manual", self.prefix / "bin/warptree", self.folder / "made"],
                       check=True)
        page = gzip.decompress((self.folder / "made/warptree.1.gz").read_bytes()).decode()
        commands = program_help.read(PROGRAM)[1:]
        self.assertGreater(len(commands), 10)
        for command in commands:
            self.assertIn(f".SS {command.name}", page)
        for name in ("warptree.bash", "_warptree"):
            shell = "bash" if name.endswith("bash") else "zsh"
            if shutil.which(shell):
                subprocess.run([shell, "-n", self.folder / "made" / name], check=True)


if __name__ == "__main__":
    unittest.main()
