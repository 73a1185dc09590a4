"""What scripts read out of a disassembly, and which programs script/bank-rules refuses."""
import importlib.machinery
import importlib.util
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "script/lib"))
import ncu  # noqa: E402
import sass  # noqa: E402

LISTING = """
Fatbin elf code:
================
        code for sm_90
                Function : _ZN1b11bank_accessILj{words}ELb{store}EEvNS_5LanesEPj
        .headerflags    @"EF_CUDA_SM90"
        /*0000*/                   LDC R1, c[0x0][0x28] ;                       /* 0x00000a00ff017b82 */
                                                                                /* 0x000fe20000000800 */
        /*0090*/              @!P0 EXIT ;                                       /* 0x000000000000894d */
        /*0100*/                   {access} R2, [R0] ;                          /* 0x0000000000027984 */
        /*0110*/                   LOP3.LUT R5, R2, R3, RZ, 0x3c, !PT ;         /* 0x0000000302057212 */
        /*0120*/                   STG.E desc[UR4][R6.64], R5 ;                 /* 0x0000000506007986 */
"""
ACCESSES = {(1, 0): "LDS", (1, 1): "STS", (2, 0): "LDS.64", (2, 1): "STS.64", (4, 0): "LDS.128", (4, 1): "STS.128"}


def program():
    """script/bank-rules as a module; its name has no .py."""
    loader = importlib.machinery.SourceFileLoader("bank_rules", str(ROOT / "script/bank-rules"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("bank_rules", loader))
    with mock.patch.object(sys, "dont_write_bytecode", True):
        loader.exec_module(module)
    return module


def listing(accesses):
    return "".join(LISTING.format(words=words, store=store, access=access)
                   for (words, store), access in accesses.items())


class Sass(unittest.TestCase):
    def test_names_each_shared_access_with_its_width(self):
        for (words, store), access in ACCESSES.items():
            functions = sass.parse(listing({(words, store): access}))
            self.assertEqual([sass.shared_accesses(text) for text in functions.values()], [[access]])

    def test_global_accesses_are_none(self):
        self.assertEqual(sass.shared_accesses("        /*0120*/      STG.E.128 desc[UR4][R6.64], R5 ;"), [])


class BankRules(unittest.TestCase):
    def check(self, accesses):
        with tempfile.TemporaryDirectory() as out, \
                mock.patch.object(ncu, "tool", return_value="cuobjdump"), \
                mock.patch.object(ncu, "output", return_value=listing(accesses)):
            program().check_widths("program", Path(out) / "listing")

    def test_takes_kernels_of_the_widths_it_measures(self):
        self.check(ACCESSES)

    def test_refuses_a_wide_load_that_the_compiler_has_narrowed(self):
        for narrowed in ((2, 0), (4, 0)):
            with self.assertRaisesRegex(ncu.Failure, "loads are LDS and not LDS\\.(64|128)"):
                self.check({**ACCESSES, narrowed: "LDS"})

    def test_refuses_a_program_that_lacks_a_kernel(self):
        with self.assertRaisesRegex(ncu.Failure, "16-byte stores are missing"):
            self.check({kind: access for kind, access in ACCESSES.items() if kind != (4, 1)})


if __name__ == "__main__":
    unittest.main()
