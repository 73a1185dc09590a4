"""What the program takes of std::ranges is in cmake/web_library.hpp, too: the library of Debian's emscripten has none of it."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
NATIVE = ("app/compile/include/", "app/confine/", "app/host/")  # never compiled for browsers


def faults():
    library = (ROOT / "cmake/web_library.hpp").read_text(encoding="utf-8")
    ranges = library[library.index("namespace ranges {"):library.index("} // namespace ranges")]
    there = set(re.findall(r"^template .*?\b(\w+)\(\w+&& ", ranges, re.MULTILINE))
    uses = 0
    for path in sorted((ROOT / "app").rglob("*.[ch]pp")):
        name = path.relative_to(ROOT).as_posix()
        if name.startswith(NATIVE):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for used in re.findall(r"std::ranges::(\w+)", line):
                uses += 1
                if used not in there:
                    yield f"{name}:{number}: std::ranges::{used} is not in cmake/web_library.hpp"
    if uses < 20:
        yield f"only {uses} uses were found"


if __name__ == "__main__":
    found = list(faults())
    print("\n".join(found))
    sys.exit(1 if found else 0)
