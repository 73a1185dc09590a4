"""Which room of app/ may include which: arrows run downwards only (DEVELOPING.md, Rooms)."""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# From the lowest. A room may include those it names, and itself; a feature is app/features/NAME.
MAY_INCLUDE = {
    "base": [],
    "confine": ["base"],
    "drawing": ["base"],
    "theory": ["base"],
    "gpu": ["base"],
    "compile": ["base", "confine"],
    "host": ["base", "compile", "confine"],
    "serve": ["base", "compile"],
    "catalogue": ["base"],
    "request": ["base", "catalogue"],
    "trace/model": ["base"],
    "trace/io": ["base", "request", "trace/model"],
    "trace/record": ["base", "theory", "trace/model"],
    "trace/explain": ["base", "catalogue", "trace/model"],
    "simt": ["base", "compile", "trace/model", "trace/record"],
    "measure": ["base", "catalogue", "compile", "theory", "trace/model"],
    "run": ["base", "catalogue", "compile", "confine", "host", "measure", "simt", "theory", "trace/explain",
            "trace/model"],
    "measure/gpu": ["base", "catalogue", "compile", "gpu", "measure", "run", "simt", "trace/explain", "trace/model"],
    "document": ["base", "catalogue", "compile", "drawing", "measure", "measure/gpu", "run", "theory", "trace/model"],
    "views": ["base", "catalogue", "document", "drawing", "measure", "theory", "trace/explain", "trace/model"],
    "render": ["base", "catalogue", "document", "drawing", "trace/explain", "trace/model", "views"],
    "features": ["base", "catalogue", "document", "drawing", "gpu", "measure", "measure/gpu", "render", "request", "run", "theory",
                 "trace/explain", "trace/io", "trace/model", "views"],
    "shell": ["base", "catalogue", "document", "drawing", "features", "gpu", "render", "request", "run", "simt", "trace/io",
              "views"],
    "cli": ["base", "catalogue", "confine", "document", "drawing", "features", "gpu", "measure", "measure/gpu", "render",
            "request", "run",
            "serve", "shell",
            "simt", "theory", "trace/explain", "trace/io", "trace/model", "views"],
    "web": ["base", "catalogue", "compile", "run", "shell", "trace/io"],
    "main": ["base", "cli", "measure/gpu", "run"],
}
# What features know of one another: what is open in Explore is what most of them show.
FEATURES_MAY_INCLUDE = {
    "coach": ["widgets"],
    "compare": ["explore", "widgets"],
    "deck": ["explore", "widgets"],
    "explore": ["widgets"],
    "lessons": ["explore", "theory", "widgets"],
    "strides": ["widgets"],
    "theory": ["explore", "widgets"],
    "timings": ["explore", "widgets"],
    "widgets": [],
}
# A view is app/views/NAME; what several share lies in app/views itself, which includes none of them.
VIEWS_MAY_INCLUDE = {
    "banks": [],
    "memory": [],
    "plots": [],
    "schedule": [],
    "source": [],
    "tree": [],
    "warps": ["banks"],
}
# No type of these in a header outside the rooms that are made of it.
HEADERS_OF = {"imgui.h": ("features", "shell", "render"), "glad/glad.h": ("render", "shell"), "llvm/": ("compile",),
              "clang/": ("compile",), "cuda.h": (), "nvrtc.h": ()}


def room_of(path):
    parts = path.split("/")
    if len(parts) == 2:
        return "main", None
    if parts[1] == "trace":
        return "trace/" + parts[2], None
    if parts[1:3] == ["measure", "gpu"]:
        return "measure/gpu", None
    if parts[1] == "features":
        return "features", parts[2] if len(parts) > 3 else None
    if parts[1] == "views":
        return "views", parts[2] if len(parts) > 3 else "shared by views"
    return parts[1], None


def may_include(room, part, other):
    """Whether a part of a room, a feature or a view, may include another one."""
    if room == "views":
        return other == "shared by views" or other in VIEWS_MAY_INCLUDE.get(part, [])
    return other in FEATURES_MAY_INCLUDE.get(part, [])


def faults():
    seen = 0
    for folder, _, names in os.walk(os.path.join(ROOT, "app")):
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), ROOT)
            if not name.endswith((".hpp", ".cpp")) or path.startswith("app/compile/include"):
                continue
            seen += 1
            room, part = room_of(path)
            with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                text = file.read()
            for included in re.findall(r'#include "((?:app|kernels|tests)/[^"]+)"', text):
                if not included.startswith("app/"):
                    yield f"{path} includes {included}"
                    continue
                to, other = room_of(included)
                if to != room and to not in MAY_INCLUDE.get(room, []):
                    yield f"{path}: {room} includes {included} of {to}"
                if to == room and part and other and part != other and not may_include(room, part, other):
                    yield f"{path}: {part} includes {included} of {other}"
            for what, rooms in HEADERS_OF.items():
                if name.endswith(".hpp") and room not in rooms and re.search(f"#include [<\"]{re.escape(what)}", text):
                    yield f"{path}: a header of {room} includes {what}"
    if seen < 300:
        yield f"only {seen} files were looked at"


def cycles():
    """The tables themselves run downwards only: nothing is above itself."""
    order = list(MAY_INCLUDE)
    for room, below in MAY_INCLUDE.items():
        for other in below:
            if order.index(other) >= order.index(room):
                yield f"{room} may include {other}, which stands above it"
    yield from circles(FEATURES_MAY_INCLUDE, "features that may include one another")
    yield from circles(VIEWS_MAY_INCLUDE, "views that may include one another")


def circles(below, what):
    """Ways from a key of the table back to itself."""
    done = set()

    def walk(here, way):
        if here in way:
            yield f"{what}: " + " > ".join(way[way.index(here):] + [here])
        elif here not in done:
            for other in below.get(here, []):
                yield from walk(other, way + [here])
            done.add(here)

    for start in below:
        yield from walk(start, [])


def included_headers():
    """What each header of app/ includes of app/."""
    for folder, _, names in os.walk(os.path.join(ROOT, "app")):
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), ROOT)
            if name.endswith(".hpp"):
                with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                    yield path, re.findall(r'#include "(app/[^"]+)"', file.read())


if __name__ == "__main__":
    found = [*cycles(), *faults(), *circles(dict(included_headers()), "headers that include one another")]
    for fault in found:
        print(fault)
    sys.exit(1 if found else 0)
