"""The window in a page, as script/web builds it, in headless Chromium: screens, keys, links, settings, files."""
import functools
import http.server
import os
import re
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.request
from pathlib import Path

from browser import DRIVER, Browser

ROOT = Path(__file__).resolve().parent.parent.parent
BINARY = os.environ.get("WARPTREE_BINARY", str(ROOT / "build/dev/bin/warptree"))
SITE = Path(os.environ.get("WARPTREE_WEB", str(ROOT / "build/web"))) / "site"
SCREENS = ["explore/sequential", "compare", "lessons", "timings", "theory", "stride-playground"]
HASH = "return decodeURIComponent(location.hash)"
STARTED = "return document.getElementById('says').textContent === '' && location.hash !== ''"


def why_not():
    if DRIVER is None:
        return "chromedriver is not here; script/bootstrap --test installs it"
    if not (SITE / "warptree-page.wasm").exists():
        return f"{SITE} is not there: script/web builds it where emscripten is installed"
    return ""


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
        end = time.monotonic() + 30
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

    def test_a_link_shows_what_it_says_and_keys_step(self):
        self.show("explore/first-add?n=100&block=64&type=f32")
        now = self.until_hash(lambda now: "first-add" in now and "n=100" in now and "step=" in now, "the link's run")
        first = self.picture_once_still()
        self.browser.press("right")
        there = self.until_hash(lambda after: after != now, "one step on")
        self.assertNotEqual(self.picture_once_still(), first)
        self.browser.press("left")
        self.until_hash(lambda after: after == now, "and back")
        self.browser.run(f"location.hash = '{there[1:]}'")
        self.until_hash(lambda after: after == there, "a link followed in the page")

    def test_takes_the_mouse(self):
        self.show("explore/sequential?n=64")
        self.browser.press("escape")
        self.picture_once_still()
        self.browser.point(254, 24)
        self.browser.point(254, 24, click=True)
        self.until_hash(lambda now: now.startswith("#compare"), "the second tab")

    def test_refuses_a_link_that_it_cannot_show(self):
        self.browser.open("about:blank")
        self.browser.open(self.address + "#nowhere")
        self.browser.until("return document.getElementById('says').textContent.includes('nowhere')")

    def test_keeps_settings(self):
        theme = "return JSON.parse(JSON.parse(localStorage.warptree).find(([name]) => name === 'state.json')[1]).theme"
        self.show("explore/sequential?n=64")
        self.browser.press("t")
        self.picture_once_still()
        self.show("explore/sequential?n=64")
        first = self.browser.run(theme)
        self.browser.press("t")
        self.picture_once_still()
        self.show("explore/sequential?n=64")
        self.assertNotEqual(self.browser.run(theme), first)

    def test_saves_traces_and_pictures_by_downloads(self):
        self.show("explore/sequential?n=64&block=64")
        self.browser.press("escape")
        for key, pattern, magic in (("control+s", "*.wtrace", b"PK"), ("control+e", "*.png", b"\x89PNG")):
            self.picture_once_still()
            self.browser.press(key)
            self.picture_once_still()
            self.browser.press("enter")
            end = time.monotonic() + 30
            while not (saved := list(Path(self.downloads.name).glob(pattern))):
                self.assertLess(time.monotonic(), end, f"no {pattern} arrived")
                time.sleep(0.1)
            self.assertEqual(saved[0].read_bytes()[:len(magic)], magic)

    def test_opens_a_file_and_says_why_it_cannot_compile_it(self):
        self.show("explore/sequential?n=64")
        before = self.picture_once_still()
        self.browser.run("""const file = new File(['__global__ void mine(int* a) { a[0] = 1; }'], 'mine.cu'), files = new DataTransfer();
            files.items.add(file);
            const input = document.getElementById('file');
            input.files = files.files;
            input.dispatchEvent(new Event('change'));""")
        self.until_hash(lambda now: "mine.cu" in now, "the file's state")
        self.assertNotEqual(self.picture_once_still(), before)

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
