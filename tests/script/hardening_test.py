"""Whether the programs have what cmake/compile_flags.cmake promises of optimised builds."""

import os
import platform
import subprocess
import unittest
from pathlib import Path

PROGRAM = Path(os.environ.get("WARPTREE_BINARY", ""))
HARDENED = os.environ.get("WARPTREE_HARDENED") == "1"


def readelf(program, *options):
    return subprocess.run(["readelf", "-W", *options, str(program)], capture_output=True, text=True, check=True).stdout


@unittest.skipUnless(HARDENED, "not an optimised build")
class Hardening(unittest.TestCase):
    def test_both_programs(self):
        for program in (PROGRAM, PROGRAM.with_name("warptree-compile")):
            with self.subTest(program=program.name):
                self.assertIn("DYN", readelf(program, "-h"), "runs at any address")
                self.assertIn("GNU_RELRO", readelf(program, "-l"))
                self.assertRegex(readelf(program, "-d"), r"BIND_NOW|FLAGS_1.*NOW")
                self.assertIn("__stack_chk_fail", readelf(program, "--dyn-syms"))
                stack = [line for line in readelf(program, "-l").splitlines() if "GNU_STACK" in line]
                self.assertTrue(stack and " RWE " not in stack[0], "no code on the stack")

    def test_checked_copies(self):
        self.assertRegex(readelf(PROGRAM, "--dyn-syms"), r"__\w+_chk\b")

    # The linker marks a program only when all of its objects are; those of the system's libraries are not ours.
    def test_guarded_jumps(self):
        guard = {"x86_64": b"\xf3\x0f\x1e\xfa", "aarch64": b"\x3f\x23\x03\xd5"}.get(platform.machine())
        if guard is None:
            self.skipTest("no such guard here")
        self.assertGreater(PROGRAM.read_bytes().count(guard), 1000, "endbr64; paciasp")


if __name__ == "__main__":
    unittest.main()
