"""The window in a page, as script/web builds it, in headless Chromium: screens, keys, links, settings, files."""
import functools
import http.server
import os
import re
import shutil
import struct
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.request
import zlib
from pathlib import Path

from browser import DRIVER, Browser

ROOT = Path(__file__).resolve().parent.parent.parent
BINARY = os.environ.get("WARPTREE_BINARY", str(ROOT / "build/dev/bin/warptree"))
SITE = Path(os.environ.get("WARPTREE_WEB", str(ROOT / "build/web"))) / "site"
PATIENCE = 60  # seconds, on a busy machine
SCREENS = ["explore/sequential", "compare", "lessons", "timings", "theory", "stride-playground"]
HASH = "return decodeURIComponent(location.hash)"
PROGRAM = "return [...document.scripts].at(-1).src.split('/').pop()"
STARTED = "return document.getElementById('says').textContent === '' && location.hash !== ''"


def why_not():
    if DRIVER is None:
        return "chromedriver is not here; script/bootstrap --test installs it"
    if not (SITE / "warptree-page.wasm").exists():
        return f"{SITE} is not there: script/web builds it where emscripten is installed"
    return ""


def no_window():
    missing = [program for program in ("Xvfb", "xwd") if shutil.which(program) is None]
    return f"{missing[0]} is not here; script/bootstrap --test installs it" if missing else ""


class WindowOfThisComputer:
    """The program itself on a display of its own, as large as its screen."""

    def __init__(self, width, height):
        self.folder = tempfile.TemporaryDirectory()
        self.size = f"{width}x{height}"
        self.program = None
        read, write = os.pipe()
        self.server = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", f"{self.size}x24"], pass_fds=[write],
                                       stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as number:
            self.display = ":" + number.readline().strip()

    def show(self, state):
        self.stop()
        home = tempfile.mkdtemp(dir=self.folder.name)
        places = {f"XDG_{kind}_HOME": home for kind in ("CONFIG", "DATA", "CACHE", "STATE")}
        folder = Path(home, "warptree")
        folder.mkdir()
        width, height = self.size.split("x")
        (folder / "state.json").write_text(f'{{"width": {width}, "height": {height}}}')
        self.program = subprocess.Popen([BINARY, "--state", state], stderr=subprocess.DEVNULL,
                                        env={**os.environ, **places, "DISPLAY": self.display, "LIBGL_ALWAYS_SOFTWARE": "1"})

    def rows(self):
        dump = subprocess.run(["xwd", "-root", "-silent", "-display", self.display], capture_output=True, check=True).stdout
        header = struct.unpack(">25I", dump[:100])
        width, height, stride, colours = header[4], header[5], header[12], header[19]
        begin = header[0] + 12 * colours
        return [bytes(v for at in range(0, 4 * width, 4) for v in reversed(row[at:at + 3])) for row in
                (dump[begin + y * stride:begin + (y + 1) * stride] for y in range(height))]

    def stop(self):
        if self.program is not None:
            self.program.terminate()
            self.program.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        self.server.terminate()
        self.server.wait()
        self.folder.cleanup()


def rows_of_png(data):
    """Of one with 8 bits of red, green and blue, not interlaced: a row's bytes each."""
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, _, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", body)
            assert (depth, colour, interlaced) == (8, 2, 0)
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    plain, stride, rows = zlib.decompress(packed), 3 * width, []
    before = bytearray(stride)
    for begin in range(0, len(plain), stride + 1):
        how, row = plain[begin], bytearray(plain[begin + 1:begin + 1 + stride])
        for k in range(stride if how else 0):
            left, above, corner = row[k - 3] if k >= 3 else 0, before[k], before[k - 3] if k >= 3 else 0
            guess = left + above - corner
            near = min((left, above, corner), key=lambda v: abs(guess - v))  # the first of those that are as near
            row[k] = (row[k] + (0, left, above, (left + above) // 2, near)[how]) & 255
        rows.append(bytes(row))
        before = row
    return rows


def different(a, b):
    """The share of pixels that differ by more than 8 of 255 in a colour; 1 where the sizes differ."""
    if len(a) != len(b) or len(a[0]) != len(b[0]):
        return 1
    apart = sum(any(abs(x[k + c] - y[k + c]) > 8 for c in range(3))
                for x, y in zip(a, b) if x != y for k in range(0, len(x), 3) if x[k:k + 3] != y[k:k + 3])
    return apart / (len(a) * len(a[0]) / 3)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass


class Unreachable(http.server.BaseHTTPRequestHandler):
    def handle(self):
        self.connection.close()


class Page(unittest.TestCase):
    @classmethod
    def begin(cls, address):
        cls.address = address
        cls.downloads = tempfile.TemporaryDirectory()
        cls.browser = Browser(["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist",
                               "--window-size=1280,800"], cls.downloads.name)

    @classmethod
    def end(cls):
        cls.browser.close()
        cls.downloads.cleanup()

    def tearDown(self):
        self.assertEqual(self.browser.errors(), [])

    def show(self, state="", query=""):
        """In a page of its own."""
        self.browser.open("about:blank")
        self.browser.open(self.address + query + ("#" + state if state else ""))
        self.browser.until(STARTED)

    def until_hash(self, holds, what):
        end = time.monotonic() + PATIENCE
        while not holds(now := self.browser.run(HASH)):
            self.assertLess(time.monotonic(), end, f"{what}: {now}")
            time.sleep(0.05)
        return now

    def picture_once_still(self):
        before = None
        while (now := self.browser.picture()) != before:
            before = now
            time.sleep(0.3)
        return now

    def picture_once(self, holds, what):
        """A busy machine draws late what a key did; the next key would come before its dialog."""
        end = time.monotonic() + PATIENCE
        while not holds(now := self.picture_once_still()):
            self.assertLess(time.monotonic(), end, what)
        return now

    def picture_once_other(self, before, what):
        return self.picture_once(lambda now: now != before, what)


@unittest.skipIf(why_not(), why_not())
class WebPage(Page):
    @classmethod
    def setUpClass(cls):
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(SITE)))
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.begin(f"http://127.0.0.1:{cls.server.server_port}/index.html")

    @classmethod
    def tearDownClass(cls):
        cls.end()
        cls.server.shutdown()
        cls.server.server_close()

    def test_begins_in_explore_without_a_word(self):
        self.show()
        self.assertTrue(self.browser.run(HASH).startswith("#explore/"))

    def test_shows_every_screen(self):
        seen = {}
        for screen in SCREENS:
            with self.subTest(screen):
                self.show(screen)
                self.until_hash(lambda now: now.startswith("#" + screen), screen)
                seen[screen] = self.picture_once_still()
        self.assertEqual(len(set(seen.values())), len(SCREENS), "each has a picture of its own")

    @unittest.skipIf(no_window(), no_window())
    def test_has_the_pictures_of_the_window(self):
        """But for rounding at edges: by the same fonts and shaders."""
        self.show()
        width, height = self.browser.run("return [innerWidth, innerHeight]")
        with WindowOfThisComputer(width, height) as window:
            for screen in ["explore/sequential?n=64&block=64&step=3", "explore/scan-blelloch?n=64&step=4", *SCREENS[1:]]:
                with self.subTest(screen):
                    self.browser.run("localStorage.clear()")
                    self.show(screen)
                    window.show(screen)
                    end = time.monotonic() + PATIENCE
                    while (apart := different(rows_of_png(self.browser.picture()), window.rows())) > 0.01:
                        self.assertLess(time.monotonic(), end, f"{screen}: {apart:.1%} of the pixels differ")
                        time.sleep(1)  # what it says for a while in the middle goes by

    def test_a_link_shows_what_it_says_and_keys_step(self):
        self.show("explore/first-add?n=100&block=64&type=f32")
        now = self.until_hash(lambda now: "first-add" in now and "n=100" in now and "step=" in now, "the link's run")
        first = self.picture_once_still()
        self.browser.press("right")
        there = self.until_hash(lambda after: after != now, "one step on")
        self.picture_once_other(first, "the step")
        self.browser.press("left")
        self.until_hash(lambda after: after == now, "and back")
        self.browser.run(f"location.hash = '{there[1:]}'")
        self.until_hash(lambda after: after == there, "a link followed in the page")

    def test_takes_the_mouse(self):
        self.show("explore/sequential?n=64")
        self.until_hash(lambda now: "step=" in now, "the run, which Esc would cancel")
        self.browser.press("escape")
        self.browser.point(100, 240)
        top = self.picture_once_still()
        self.browser.wheel(100, 240, 300)
        self.picture_once_other(top, "the list scrolls down")
        self.browser.wheel(100, 240, -300)
        self.picture_once(lambda now: now == top, "and up again")
        self.browser.point(254, 24)
        self.browser.point(254, 24, click=True)
        self.until_hash(lambda now: now.startswith("#compare"), "the second tab")

    def test_takes_fingers(self):
        self.show("explore/sequential?n=1024&block=256")
        self.until_hash(lambda now: "step=" in now, "the run, which Esc would cancel")
        self.browser.press("escape")
        before = self.picture_once_still()
        self.browser.touch([(600, 400), (640, 410), (700, 420)])
        dragged = self.picture_once_other(before, "one finger drags the tree")
        self.browser.touch([(590, 400), (500, 400), (400, 400)], [(610, 400), (700, 400), (800, 400)])
        pinched = self.picture_once_other(dragged, "two fingers pinch it")
        self.browser.touch([(80, 240), (80, 190), (80, 150)], [(160, 240), (160, 190), (160, 150)])
        self.picture_once_other(pinched, "two fingers scroll the list")
        self.browser.touch([(254, 24)])
        self.until_hash(lambda now: now.startswith("#compare"), "the second tab")

    def test_refuses_a_link_that_it_cannot_show(self):
        self.browser.open("about:blank")
        self.browser.open(self.address + "#nowhere")
        self.browser.until("return document.getElementById('says').textContent.includes('nowhere')")

    def test_keeps_settings(self):
        theme = "return JSON.parse(JSON.parse(localStorage.warptree).find(([name]) => name === 'state.json')[1]).theme"
        self.show("explore/sequential?n=64")
        before = self.picture_once_still()
        self.browser.press("t")
        self.picture_once_other(before, "another theme")
        self.show("explore/sequential?n=64")
        first = self.browser.run(theme)
        before = self.picture_once_still()
        self.browser.press("t")
        self.picture_once_other(before, "another theme")
        self.show("explore/sequential?n=64")
        self.assertNotEqual(self.browser.run(theme), first)

    def save_by(self, key, pattern):
        """The file; on a busy machine a key may come too early: then from the beginning, in a browser of its own."""
        handed = []
        end = time.monotonic() + 4 * PATIENCE
        while time.monotonic() < end:
            if handed:
                self.end()
                self.begin(self.address)
            self.show("explore/sequential?n=64&block=64")
            self.until_hash(lambda now: "step=" in now, "the run")
            self.browser.run("""const make = URL.createObjectURL;
                window.handed = [];
                URL.createObjectURL = data => (window.handed.push(data.size), make(data));""")
            before = self.picture_once_still()
            self.browser.press(key)
            self.picture_once_other(before, "the dialog")
            again = time.monotonic() + PATIENCE / 3
            while time.monotonic() < again:
                self.browser.press("enter")
                time.sleep(1)
                if saved := list(Path(self.downloads.name).glob(pattern)):
                    return saved[0].read_bytes()
            handed.append(self.browser.run("return window.handed"))
        there = sorted(path.name for path in Path(self.downloads.name).iterdir())
        self.fail(f"no {pattern} arrived; files of {handed} bytes were handed over, {there} are there")

    def test_saves_traces_and_pictures_by_downloads(self):
        self.assertTrue(self.save_by("control+s", "*.wtrace").startswith(b"PK"))
        self.assertTrue(self.save_by("control+e", "*.png").startswith(b"\x89PNG"))
        self.assertEqual([path.name for path in Path(self.downloads.name).iterdir() if ".part" in path.name], [], "half written")

    def test_opens_a_file_and_says_why_it_cannot_compile_it(self):
        self.show("explore/sequential?n=64")
        before = self.picture_once_still()
        self.browser.run("""const file = new File(['__global__ void mine(int* a) { a[0] = 1; }'], 'mine.cu'), files = new DataTransfer();
            files.items.add(file);
            const input = document.getElementById('file');
            input.files = files.files;
            input.dispatchEvent(new Event('change'));""")
        self.until_hash(lambda now: "mine.cu" in now, "the file's state")
        self.picture_once_other(before, "the error")

    def test_takes_a_file_that_is_dropped(self):
        self.show("explore/sequential?n=64")
        self.browser.run("""const files = new DataTransfer(), canvas = document.getElementById('canvas');
            files.items.add(new File(['__global__ void dropped(int* a) { a[0] = 1; }'], 'dropped.cu'));
            for (const type of ['dragover', 'drop'])
                canvas.dispatchEvent(new DragEvent(type, {dataTransfer: files, bubbles: true, cancelable: true}));""")
        self.until_hash(lambda now: "dropped.cu" in now, "the file's state")

    def test_has_threads_once_it_was_kept(self):
        self.show("explore/sequential?n=64")
        self.browser.until("return navigator.serviceWorker.controller !== null")
        self.show("explore/first-add?n=100&block=64")
        self.assertTrue(self.browser.run("return crossOriginIsolated"))
        self.assertEqual(self.browser.run(PROGRAM), "warptree-page-threads.js")
        self.until_hash(lambda now: "first-add" in now and "step=" in now, "the run")

    def test_works_without_a_network_once_it_was_loaded(self):
        self.show("explore/sequential?n=64")
        self.browser.until("return caches.match('warptree-data.bin').then(kept => kept !== undefined)")
        self.browser.until("return navigator.serviceWorker.controller !== null")
        handler = self.server.RequestHandlerClass
        self.server.RequestHandlerClass = Unreachable
        try:
            self.show("explore/sequential?n=128")
            self.until_hash(lambda now: "n=128" in now and "step=" in now, "the run")
        finally:
            self.server.RequestHandlerClass = handler
            self.browser.errors()  # of the requests that were not answered


@unittest.skipIf(why_not(), why_not())
class ServedPage(Page):
    """What only `warptree serve` makes possible."""
    KERNEL = ("// expect: sum\n// block: 96\n__global__ void mine(const int* in, int* out, int n) {\n"
              "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) atomicAdd(out, in[i]);\n}\n")

    @classmethod
    def setUpClass(cls):
        cls.course = tempfile.TemporaryDirectory()
        Path(cls.course.name, "mine.cu").write_text(cls.KERNEL)
        cls.server = subprocess.Popen([BINARY, "serve", "--quiet", "--listen", "127.0.0.1:0", "--page", str(SITE), "--course",
                                       cls.course.name], stdout=subprocess.PIPE, text=True)
        cls.begin(cls.server.stdout.readline().split()[0])

    @classmethod
    def tearDownClass(cls):
        cls.end()
        cls.server.terminate()
        cls.server.communicate()
        cls.course.cleanup()

    def answered(self):
        text = urllib.request.urlopen(self.address + "metrics").read().decode()
        return sum(int(re.search(rf'answer="{how}"}} (\d+)', text).group(1)) for how in ("compiled", "kept"))

    def test_runs_a_kernel_of_the_course(self):
        before = self.answered()
        self.show(query="?open=mine.cu")
        self.until_hash(lambda now: "mine.cu" in now and "step=" in now, "its run")
        self.assertGreater(self.answered(), before)
        self.assertNotEqual(self.picture_once_still(), b"")

    def test_goes_on_drawing_while_it_computes(self):
        self.show("explore/sequential?n=64&block=64")
        self.assertEqual(self.browser.run(PROGRAM), "warptree-page-threads.js")
        self.until_hash(lambda now: "step=" in now, "the first run")
        longest, whole = self.browser.run("""location.hash = 'explore/sequential?n=1048576&block=64';
            const begin = performance.now();
            let before = begin, longest = 0;
            return new Promise(told => {
                const next = () => {
                    const at = performance.now(), now = decodeURIComponent(location.hash);
                    longest = Math.max(longest, at - before);
                    before = at;
                    if (now.includes('step=') && now.includes('n=1048576')) told([longest, at - begin]);
                    else requestAnimationFrame(next);
                };
                requestAnimationFrame(next);
            });""")
        self.assertLess(longest, whole / 2, "ms; without threads one frame would take nearly all of the time")

    def test_pastes(self):
        self.browser.goog__cdp__execute({"cmd": "Browser.grantPermissions",
                                         "params": {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}})
        self.show(query="?open=mine.cu")
        self.until_hash(lambda now: "mine.cu" in now and "step=" in now, "its run")
        self.picture_once_still()
        self.browser.press("e")
        self.picture_once_still()
        text = self.KERNEL.replace("mine(", "pasted(")
        self.browser.run("return navigator.clipboard.writeText(arguments[0])", text)
        before = self.answered()
        self.browser.press("control+a", "control+v")
        self.until_hash(lambda now: "source=" in now, "the link has the text, which is not the file's any more")
        self.browser.run("return navigator.clipboard.writeText('')")
        self.browser.press("control+a", "control+c")
        self.picture_once_still()
        self.assertEqual(self.browser.run("return navigator.clipboard.readText()"), text)
        self.assertGreater(self.answered(), before)

    def test_compiles_what_is_typed(self):
        self.show(query="?open=mine.cu")
        self.until_hash(lambda now: "mine.cu" in now and "step=" in now, "its run")
        self.picture_once_still()
        before = self.answered()
        self.browser.press("e")
        self.picture_once_still()
        self.browser.press("/", "/", " ")
        self.picture_once_still()
        self.assertGreater(self.answered(), before)


if __name__ == "__main__":
    unittest.main()
