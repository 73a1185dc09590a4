"""Counts in the disassembly that cuobjdump -sass prints."""
import re

import ncu

FUNCTION = re.compile(r"^\s*Function\s*:\s*(\S+)")
INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/\s+(@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)(.*?);")
LEAVES = ("BRA", "BRX", "JMP", "EXIT", "RET", "BREAK", "CALL", "BSYNC", "WARPSYNC", "YIELD", "NOP")


def disassemble(program, functions=None):
    """{function: its text}, of one architecture; every function where none is named."""
    dump = [ncu.tool("cuobjdump"), "-sass"]
    if functions is None:
        return parse(ncu.output([*dump, str(program)], timeout=300))
    texts = {}
    wanted = sorted(set(functions))
    for first in range(0, len(wanted), 16):
        texts.update(parse(ncu.output([*dump, "-fun", ",".join(wanted[first:first + 16]), str(program)], timeout=300)))
    return texts


def parse(printed):
    """{function: its text} of what cuobjdump prints."""
    texts, current = {}, None
    for line in printed.splitlines():
        found = FUNCTION.match(line)
        if found:
            current = found.group(1)
            texts.setdefault(current, [])
        elif current is not None:
            texts[current].append(line)
    return {name: "\n".join(lines) for name, lines in texts.items()}


def shared_accesses(text):
    """The loads and stores of shared memory with their widths, in order: ["LDS.64", "STS"]."""
    operations = [found.group(2) for found in map(INSTRUCTION.match, text.splitlines()) if found]
    return [operation for operation in operations if operation.split(".")[0] in ("LDS", "STS", "LDSM", "STSM", "LD", "ST")]


def count(text):
    code = {"instructions": 0, "branches": 0, "reconvergence": 0, "predicated": 0, "shared_loads": 0,
            "shared_stores": 0}
    for line in text.splitlines():
        found = INSTRUCTION.match(line)
        if not found:
            continue
        guard, operation = found.group(1) or "", found.group(2).split(".")[0]
        if operation == "NOP":
            continue
        code["instructions"] += 1
        guarded = bool(guard) and "UP" not in guard
        if operation == "BRA" and guarded:
            code["branches"] += 1
        elif operation == "BSSY":
            code["reconvergence"] += 1
        elif guarded and operation not in LEAVES:
            code["predicated"] += 1
        if operation == "LDS":
            code["shared_loads"] += 1
        elif operation == "STS":
            code["shared_stores"] += 1
    return code
