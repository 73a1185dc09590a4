"""Files are opened, written and parsed in app/base alone, where what may be opened, and how much of it, is checked; of std::ranges
only that is taken which the library for browsers has."""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Functions of std::ranges, of which the library of Debian's emscripten has none.
with open(os.path.join(ROOT, "cmake/web_library.hpp"), encoding="utf-8") as library:
    RANGES = re.findall(r"^template .*?\b(\w+)\(\w+&& ", library.read().split("namespace ranges")[1], re.MULTILINE)

# A way around, what takes its place, and the files that may go it, with the reason.
ROUNDABOUT = [
    (rf"std::ranges::(?!(?:{'|'.join(RANGES)})\b)", "what cmake/web_library.hpp has, or add it there", {}),
    (r"json::parse\(|Json::parse\(|json::accept\(", "parse_json of app/base/json.hpp", {
        "app/base/json.cpp": "it is that function"}),
    (r"\bifstream\b|\bfopen\(|\bfreopen\(", "read_whole or RegularFile of app/base", {
        "app/compile/front_end/missing.cpp": "the names of C++ whose headers it knows",
        "app/shell/clock.cpp": "a file that a test names in the environment, read for every frame",
        "app/measure/gpu/timing_device.cpp": "the driver's own file in /proc"}),
    (r"\bthread_local\b", "a mutex: browsers without threads would have it over other data", {
        file: "it does not run in a page" for file in (
            "app/compile/worker/stack.cpp", "app/host/api_graphs.cpp", "app/host/api_launch.cpp", "app/host/channel.cpp",
            "app/host/channel.hpp", "app/host/loaded_object.cpp")}),
    (r"\bofstream\b|\bmkstemp\(|\bO_CREAT\b", "write_whole or TemporaryFile of app/base", {
        "app/base/temporary_file.cpp": "it is that class",
        "app/compile/front_end/missing.cpp": "the names of C++ whose headers it knows",
        "app/render/movie/movie_file.cpp": "what ffmpeg complains of, in the folder for temporary files"}),
]
# The kernels' headers, which are no code of this program, and what names system calls.
SKIPPED = ("app/compile/include/", "app/confine/", "app/gpu/nvrtc_headers.cpp")


def faults():
    seen = 0
    for folder, _, names in os.walk(os.path.join(ROOT, "app")):
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), ROOT)
            if not name.endswith((".hpp", ".cpp")) or path.startswith(SKIPPED):
                continue
            seen += 1
            with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                for number, line in enumerate(file, 1):
                    for pattern, instead, allowed in ROUNDABOUT:
                        if path not in allowed and re.search(pattern, line.split("//")[0]):
                            yield f"{path}:{number}: take {instead}: {line.strip()}"
    if seen < 300:
        yield f"only {seen} files were looked at"


if __name__ == "__main__":
    found = list(faults())
    print("\n".join(found))
    sys.exit(1 if found else 0)
